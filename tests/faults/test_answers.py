"""The API server answers, but not as one would like: conflicts, refusals, errors, no answer at all though the write was done."""

import os
import random
import threading
import time

from support.api import Refused, wait_for
from support.stage import differences

FULL = bool(os.environ.get("PGC_TEST_FULL"))
STORM = 60 if FULL else 6  # seconds
CALM = 5  # seconds within which all is well once a storm is over
CHILDREN = [("services", "my-db-rw"), ("services", "my-db-ro"), ("configmaps", "my-db-patroni"), ("statefulsets", "my-db-1"),
            ("statefulsets", "my-db-2"), ("persistentvolumeclaims", "my-db-1-pgdata"), ("poddisruptionbudgets", "my-db"),
            ("roles", "my-db-instance"), ("postgresclusters", "my-db")]  # fmt: skip


class Rival:
    """Somebody else who writes labels and annotations of his own, 50 times a second."""

    def __init__(self, stage):
        self._stage, self._ended = stage, threading.Event()
        self.last, self.writes = {}, 0
        self._thread = threading.Thread(target=self._work)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()

    def _work(self):
        begun = time.monotonic()
        while not self._ended.wait(max(0.0, begun + self.writes / 50 - time.monotonic())):
            resource, name = CHILDREN[self.writes % len(CHILDREN)]
            self.writes += 1
            mark = f"n{self.writes}"
            try:
                self._stage.api.patch(resource, self._stage.namespace, name,
                                      {"metadata": {"labels": {"example.org/rival": mark}, "annotations": {"example.org/rival": mark}}})
                self.last[resource, name] = mark
            except Refused as refused:
                assert refused.code in (404, 409)


def test_a_storm_of_conflicts(lab):
    """Beside the rival, the proxy answers every third write with a conflict of its own."""
    stage, operator = lab.converged("storm")
    fault = lab.proxy.fault({"client": operator.name, "write": True, "resource": "!leases"}, reply=409, probability=1 / 3, seed=4)
    since = lab.proxy.mark()
    with Rival(stage) as rival:
        until, turn = time.monotonic() + STORM, 0
        while time.monotonic() < until:
            stage.change(replicas=(4, 3)[turn % 2], postgresql={"parameters": {"work_mem": f"{turn + 1}MB"}})
            turn += 1
            time.sleep(1)
        stage.change(replicas=4, postgresql={"parameters": {"work_mem": "99MB"}})
    lab.proxy.clear(fault)
    _, took = wait_for("calm after the storm", 3 * CALM,
                       lambda: stage.ready() and "99MB" in stage.child("configmaps", "my-db-patroni")["data"]["patroni.yaml"],
                       tell=lambda: stage.told() + operator.log()[-3000:])
    stage.wait_quiet(operator.name)
    lost = []
    for (resource, name), mark in rival.last.items():
        metadata = stage.child(resource, name)["metadata"]
        lost += [f"{resource}/{name}" for kind in ("labels", "annotations") if metadata.get(kind, {}).get("example.org/rival") != mark]
    writes = stage.writes(operator.name, since)
    conflicts = sum(one["code"] == 409 for one in writes)
    print(f"\n{STORM} s, {rival.writes} writes of the rival, {len(writes)} of the operator, {conflicts} conflicts of the API server, "
          f"{turn} changes of the spec; converged {took:.1f} s after it (aim {CALM} s); {len(lost)} foreign values lost")
    assert lost == []


# What happens to so many of the requests: to writes only, or to reads and watches as well.
TROUBLES = {
    "503": (True, {"reply": 503, "probability": 0.3}),
    "503 in HTML": (True, {"reply": 503, "html": True, "probability": 0.3}),
    "500": (True, {"reply": 500, "probability": 0.3}),
    "reset before": (True, {"drop": "before", "probability": 0.3}),
    "reply lost after commit": (True, {"drop": "after", "probability": 0.3}),
    "slow": (True, {"delay": 0.3, "probability": 0.3}),
    "reads fail": (False, {"reply": 500, "probability": 0.1}),
    "all connections are bad": (None, {"drop": "before", "probability": 0.1}),
}


def _disturbed(lab, created, number, trouble, seed):
    """Lines about what is different from an undisturbed run."""
    writes, fault = TROUBLES[trouble]
    name = f"trouble-{number}"
    stage, operator = lab.stage(name), lab.operator(name, name)
    operator.start().wait_until_watching()
    match = {"client": name, "resource": "!leases", **({"write": writes} if writes is not None else {})}
    one = lab.proxy.fault(match, seed=seed, **fault)
    stage.create()
    _, took = stage.wait_ready(90)
    wait_for("all as undisturbed", 60, lambda: not differences(stage.snapshot(), created.snapshot), pause=0.2,
             tell=lambda: "\n".join(differences(stage.snapshot(), created.snapshot)) + operator.log()[-2000:])
    met = lab.proxy.met(one)
    lab.proxy.clear(one)
    stage.wait_quiet(name)
    effects = stage.effects(name)
    events = sum(write["resource"] == "events" and write["code"] == 201 for write in stage.writes(name))
    print(f"{trouble}: met {met} requests, ready after {took:.1f} s, {events} Events")
    operator.stop()
    wrong = [f"{what}: {effects[what]} times" for what in sorted(effects | created.effects) if effects[what] != created.effects[what]]
    return [f"{trouble}, seed {seed}: {line}" for line in wrong]


def test_errors_and_lost_replies_make_nothing_twice(lab, reference, side_by_side):
    seeds = [random.randrange(1 << 20) for _ in range(5)] if FULL else [7]
    runs = [(trouble, seed) for seed in seeds for trouble in TROUBLES]
    wrong = side_by_side(lambda pair: _disturbed(lab, reference[0], pair[0], *pair[1]), enumerate(runs))
    assert [line for one in wrong for line in one] == []


def _put_off(lab, code):
    """Three times in a row, as long as the server says; a little longer does no harm, earlier would. Changes meanwhile make it no quicker."""
    name, wanted, times = f"retry-after-{code}", 2, 3
    stage, operator = lab.stage(name), lab.operator(name, name)
    operator.start().wait_until_watching()
    fault = lab.proxy.fault({"client": name, "verb": "patch", "resource": "services", "name": "my-db-rw"}, reply=code, retry_after=wanted, times=times)
    stage.create()
    wait_for(f"{code}: ready", 30, lambda: stage.touch(time.monotonic()) or stage.ready(), pause=0.2, tell=stage.told)
    writes = [one for one in stage.writes(name) if one["resource"] != "events"]
    tries = [one["time"] for one in writes if one["resource"] == "services" and one["name"] == "my-db-rw"]
    lab.proxy.clear(fault)
    operator.stop()
    pauses = [after - before for before, after in zip(tries, tries[1:])][:times]
    others = [f"{one['verb']} {one['resource']}/{one['name']}" for one in writes for put_off in tries[:times] if 0 < one["time"] - put_off < 0.8 * wanted]
    print(f"{code} with Retry-After {wanted} s: tried again after {', '.join(f'{pause:.2f}' for pause in pauses)} s; other writes meanwhile: {others}")
    assert len(pauses) == times
    return [f"{code}: after {pause:.2f} s" for pause in pauses if not 0.8 * wanted <= pause <= 3 * wanted] + others


def test_retry_after_is_honoured(lab, side_by_side):
    assert [line for one in side_by_side(lambda code: _put_off(lab, code), (429, 503, 500)) for line in one] == []
