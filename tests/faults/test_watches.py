"""Watches end in every way that there is, and the API server goes away: what is missed meanwhile is made up for, and nothing is left over."""

import os
import random
import time

from support.api import wait_for
from support.server import SecondServer
from support.stage import differences

FULL = bool(os.environ.get("PGC_TEST_FULL"))
AIM = 2  # seconds from when it could be seen until it is repaired


def _repaired(stage, operator, name, was):
    """The Service is there again, as another object."""
    return wait_for(f"{name} is made again", 3 * AIM, lambda: stage.uid("services", name) not in (None, was),
                    tell=lambda: operator.log()[-3000:])[1]


def _hurt(stage, name="my-db-ro"):
    was = stage.uid("services", name)
    stage.api.delete("services", stage.namespace, name)
    return was


def _rest(operator):
    return {"threads": operator.threads(), "descriptors": operator.descriptors()}


def _same_rest(operator, before, what):
    """Up to eight idle connections are kept for later; what leaks would have leaked at every round."""
    operator.wait_until_watching()
    most = {"threads": before["threads"], "descriptors": before["descriptors"] + 8}
    wait_for(f"{what}: as many threads and descriptors as before", 20, lambda: all(_rest(operator)[key] <= most[key] for key in most), pause=0.2,
             tell=lambda: f"{before} before, {_rest(operator)} now")


def test_watches_that_are_cut_at_any_byte(lab):
    """Each round: all watches are cut, and of each kind one to three that follow are after some bytes more; meanwhile something is to be seen."""
    rounds, seed = (200, random.randrange(1 << 30)) if FULL else (12, 3)
    dice = random.Random(seed)
    stage, operator = lab.converged("cut")
    stage.wait_quiet("cut")
    before, snapshot, times = _rest(operator), stage.snapshot(), []
    for turn in range(rounds):
        size, how = dice.choice((0, 1, dice.randint(2, 400), dice.randint(400, 4000))), dice.choice(("reset", "close", "end"))
        more = dice.randint(1, 3)
        faults = [lab.proxy.fault({"client": "cut", "verb": "watch", "resource": kind}, times=more, cut=size, how=how)
                  for kind in {watch["resource"] for watch in lab.proxy.watches("cut")}]
        lab.proxy.tell("cut", match={"client": "cut"}, bytes=0, how=how)
        stage.touch(turn)
        times.append(_repaired(stage, operator, "my-db-ro", _hurt(stage)))
        for fault in faults:
            lab.proxy.clear(fault)
        lab.proxy.tell("cut", match={"client": "cut"}, bytes=0, how="end")  # the budgets of the next round are its own
    _same_rest(operator, before, f"seed {seed}")
    stage.wait_ready()
    assert differences(stage.snapshot(), snapshot) == []
    print(f"\nseed {seed}: {rounds} rounds of cuts; repaired after {sorted(times)[len(times) // 2]:.2f} s in the median, {max(times):.2f} s at most "
          f"(aim {AIM} s); {before}")


def test_watches_that_are_too_old(lab):
    stage, operator = lab.converged("expired")
    before, times = _rest(operator), []
    for _ in range(50 if FULL else 5):
        lab.proxy.tell("hold", match={"client": "expired"})
        was = _hurt(stage)
        begun = time.monotonic()
        lab.proxy.tell("gone", match={"client": "expired"})
        times.append(_repaired(stage, operator, "my-db-ro", was) + time.monotonic() - begun)
        operator.wait_until_watching()
    _same_rest(operator, before, "410")
    print(f"\n{len(times)} times 410 on every watch, repaired after {max(times):.2f} s at most (aim {AIM} s); {before}")


def test_an_api_server_that_is_restarted(lab):
    """A second API server on the same etcd, so that others are not disturbed: killed, and started again."""
    with SecondServer(lab) as server:
        stage = lab.stage("restarts")
        operator = lab.operator("restarts", "restarts", proxy=server.proxy)
        operator.start().wait_until_watching()
        stage.create()
        stage.wait_ready()
        stage.wait_quiet("restarts", proxy=server.proxy)
        before, times = _rest(operator), []
        for _ in range(20 if FULL else 2):
            server.kill()
            was = _hurt(stage)
            server.start()
            times.append(_repaired(stage, operator, "my-db-ro", was))
        _same_rest(operator, before, "restarts")
        operator.stop()
    losses = operator.log().count("lost the lease")  # where it took longer than a lease can wait; it takes it up again
    print(f"\n{len(times)} restarts of the API server, in which the operator lost its lease {losses} times; repaired "
          f"{', '.join(f'{one:.1f}' for one in times)} s after it was ready (aim {AIM} s); {before}")
