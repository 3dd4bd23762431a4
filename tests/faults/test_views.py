"""What the operator sees is old, or has gaps, or is nothing new at all."""

import collections
import dataclasses
import os
import random
import socket
import time

from support.api import wait_for
from support.player import CLUSTER
from support.stage import differences

FULL = bool(os.environ.get("PGC_TEST_FULL"))


# --- stale: a cluster was deleted and made again under its name; an operator starts that still sees the old one ---


@dataclasses.dataclass
class Moment:
    """What the stale operator believes in."""

    name: str
    lead_up: object  # (lab, stage, operator): until the moment that is recorded
    go_on: object  # from there on to where nothing hinders the deletion


def _terminating(lab, stage, _):
    """The old cluster is being deleted, and its pods do not stop."""
    lab.player.lingering |= {(stage.namespace, f"my-db-{n}-0") for n in range(1, 6)}
    stage.delete()
    wait_for("its members are told to stop", 15,
             lambda: any("deletionTimestamp" in pod["metadata"] for pod in stage.api.items("pods", stage.namespace)))


def _let_them_stop(lab, stage, _):
    lab.player.lingering = {one for one in lab.player.lingering if one[0] != stage.namespace}
    lab.player.look_again(stage.namespace, stage.name)


def _about_to_scale_in(_lab, stage, operator):
    """The old cluster has five members and is to have two."""
    operator.stop()
    stage.change(replicas=2)


def _nothing_made_yet(_lab, stage, operator):
    """The old cluster has no members."""
    stage.delete()
    wait_for("it is gone", 15, stage.gone)
    operator.stop()
    stage.create(replicas=4)


def _start(_lab, _stage, operator):
    if not operator.running():
        operator.start()


MOMENTS = [Moment("being deleted", _terminating, _let_them_stop), Moment("about to be scaled in", _about_to_scale_in, _start),
           Moment("just created", _nothing_made_yet, _start)]  # fmt: skip


# What is seen as it was then. Watches of different kinds are never equally fast, so a view can also be old in parts. A get of one object is
# always answered by etcd; with old gets it is a world of its own, which preconditions alone keep apart from the real one.
OLD = {"everything, gets too": ({}, True), "everything": ({}, False), "the cluster alone": ({"resource": "postgresclusters"}, False),
       "all but the cluster": ({"resource": "!postgresclusters"}, False)}  # fmt: skip


def _stale_run(lab, number, moment, old):
    """Lines about what has come to harm."""
    name = f"stale-{number}"
    stage, fresh = lab.converged(name, widest=5, **DELETE_ALL)
    stage.change(replicas=5)
    stage.wait_ready()
    moment.lead_up(lab, stage, fresh)
    stale = lab.operator(f"{name}-b", name)
    lab.proxy.open(stale.name)
    lab.proxy.tell("freeze", client=stale.name, match=OLD[old][0], gets=OLD[old][1])
    moment.go_on(lab, stage, fresh)
    stage.delete()
    wait_for("the old cluster is gone", 30, stage.gone, tell=lambda: str(sorted(stage.snapshot())) + stage.told())
    stage.create(replicas=5, **DELETE_ALL)
    stage.wait_ready()
    stage.wait_quiet(name)
    fresh.stop()
    before, uids = stage.snapshot(), stage.uids()
    stale.start()
    wait_for("the stale one works", 15, lambda: stale.said('"msg":"watching"'))
    stage.wait_quiet(stale.name, 1.5)  # it has tried what it believes in, or waits for long to try again
    lab.proxy.tell("thaw", client=stale.name)
    stage.wait_quiet(stale.name, 1.5)
    tried = stage.writes(stale.name)
    lost = [write for write in tried if write["verb"] == "delete" and write["code"] in (200, 202) and write["uid"] in uids]
    now = stage.uids()
    print(f"{moment.name}, old is {old}: {len(tried)} writes, {sum(write['code'] >= 400 for write in tried)} refused by "
          f"the API server, {len(lost)} deletions of what is new")
    stale.stop()
    troubles = [f"deleted {one['resource']}/{one['name']}" for one in lost] + [f"gone: {uids[uid]}" for uid in uids.keys() - now.keys()]
    troubles += differences(stage.snapshot(), before)
    return [f"{moment.name}, old is {old}: {line}" for line in troubles] + ([stale.log()[-3000:]] if troubles else [])


# The most that a deletion can take.
DELETE_ALL = {"storage": {"size": "10Gi", "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete", "whenScaled": "Delete"}}}


def test_an_operator_with_a_stale_view_deletes_nothing_that_is_new(lab, side_by_side):
    every = [(moment, old) for moment in MOMENTS for old in OLD]
    runs = every * 3 if FULL else every[::2]
    troubles = side_by_side(lambda pair: _stale_run(lab, pair[0], *pair[1]), enumerate(runs))
    print(f"{len(runs)} runs")
    assert [line for one in troubles for line in one] == []


# --- unobserved: what happened in between is never seen ---

WATCHED = ("postgresclusters", "statefulsets", "pods", "persistentvolumeclaims", "configmaps", "services", "serviceaccounts", "roles",
           "rolebindings", "poddisruptionbudgets")  # fmt: skip


def _disturbances(stage, dice):
    """People and programs that know nothing of pgc; each leaves something to be repaired, or nothing at all."""

    def delete(resource, name):
        return lambda: stage.api.delete(resource, stage.namespace, name)

    def relabel(resource, name):
        def doing():
            if stage.child(resource, name):
                stage.api.patch(resource, stage.namespace, name, {"metadata": {"labels": {CLUSTER: None}}})

        return doing

    def scale_and_back():
        stage.change(replicas=dice.choice((1, 2, 4, 5)))
        stage.change(replicas=3)

    def configure_and_back():
        stage.change(postgresql={"parameters": {"work_mem": f"{dice.randint(1, 64)}MB"}})
        stage.change(postgresql=None)

    return [scale_and_back, configure_and_back, delete("services", "my-db-ro"), delete("services", "my-db-rw"), delete("configmaps", "my-db-patroni"),
            delete("poddisruptionbudgets", "my-db"), delete("roles", "my-db-instance"), delete("rolebindings", "my-db-instance"),
            delete("serviceaccounts", "my-db-instance"), delete("pods", "my-db-3-0"), relabel("services", "my-db-pods"),
            relabel("configmaps", "my-db-patroni")]  # fmt: skip


def test_what_is_never_seen_makes_no_difference(lab):
    runs, seed = (200, random.randrange(1 << 30)) if FULL else (10, 5)
    dice = random.Random(seed)
    stage, operator = lab.converged("hidden", widest=5)
    base = stage.snapshot()
    hidden, slowest = 0, 0.0
    for run in range(runs):
        kinds = dice.sample(WATCHED, dice.randint(1, len(WATCHED)))
        match = {"client": operator.name, "resource": kinds}
        lab.proxy.tell("hold", match=match)
        doings = dice.sample(_disturbances(stage, dice), dice.randint(1, 4))
        for doing in doings:
            doing()
        if run % 2:
            hidden += lab.proxy.tell("release", match=match, squash=True)["events"]
        else:
            lab.proxy.tell("gone", match=match)
        took = wait_for(f"seed {seed}, run {run}: as it was", 30, lambda: stage.ready() and not differences(stage.snapshot(), base), pause=0.1,
                        tell=lambda: "\n".join(differences(stage.snapshot(), base)) + operator.log()[-3000:])[1]
        slowest = max(slowest, took)
        operator.wait_until_watching()
    print(f"\nseed {seed}: {runs} runs, {hidden} events squashed in every second, 410 in the others; slowest repair {slowest:.1f} s")
    assert operator.running()


# --- nothing new ---


def test_a_converged_cluster_gets_no_write(lab):
    """However often it is looked at: by resyncs, by changes that are nothing to us, and by an operator that has just started."""
    resyncs, touches, starts = (100, 100, 20) if FULL else (5, 20, 3)
    stage = lab.stage("idle")
    operator = lab.operator("idle", "idle", health=_free_port(), options=["--resync", "1s"])
    operator.start().wait_until_watching()
    stage.create()
    stage.wait_ready()
    stage.wait_quiet("idle")
    since, turns = lab.proxy.mark(), operator.turns()
    wait_for(f"{resyncs} resyncs", 3 * resyncs + 10, lambda: operator.turns() >= turns + resyncs)
    for turn in range(touches):
        before = operator.turns()
        stage.touch(turn)
        wait_for("it has looked", 10, lambda: operator.turns() > before)
    for _ in range(starts):
        operator.kill()
        operator.restart().wait_until_watching()
        wait_for("it has looked", 15, lambda: operator.turns() > 0)
    stage.wait_quiet("idle")
    writes = stage.writes("idle", since)
    print(f"\n{resyncs} resyncs, {touches} foreign changes, {starts} starts: {len(writes)} writes")
    assert writes == []


def _free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def test_an_idle_operator_asks_nothing(lab):
    """Nothing happens, and the watches stand: but for its Lease the operator asks at most one thing a minute, and writes nothing."""
    seconds = 600 if FULL else 60
    stage = lab.stage("rest")
    operator = lab.operator("rest", "rest", health=_free_port())
    operator.start().wait_until_watching()
    stage.create()
    stage.wait_ready()
    stage.wait_quiet("rest", seconds=2)
    since, before = lab.proxy.mark(), collections.Counter(lab.proxy.asked("rest"))
    time.sleep(seconds)
    asked = collections.Counter(lab.proxy.asked("rest")) - before
    reads = sum(count for what, count in asked.items() if what.split()[0] in ("get", "list"))
    watches = sum(count for what, count in asked.items() if what.startswith("watch"))
    told = ", ".join(f"{count} {what}" for what, count in sorted(asked.items())) or "nothing"
    print(f"\nin {seconds} s of rest: {told} (aim: a read a minute, no write); for the Lease, since the start: {lab.proxy.asked('rest', lease=True)}")
    assert stage.writes("rest", since) == []
    assert reads <= seconds / 60
    assert watches <= 10 * (1 + seconds / 240)  # the API server ends each after some minutes
