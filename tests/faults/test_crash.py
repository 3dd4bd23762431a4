"""The operator dies (SIGKILL) before and after its n-th write of each flow: what a new one makes of it is what an undisturbed one makes."""

import concurrent.futures
import dataclasses
import os

from support.api import wait_for
from support.stage import differences

FULL = bool(os.environ.get("PGC_TEST_FULL"))
AIM = 10  # seconds from the restart until all is as it should be
PATIENCE = 3 * AIM
SIDE_BY_SIDE = 3


@dataclasses.dataclass
class Flow:
    name: str
    begin: object  # what people do
    done: object  # whether the cluster says that it is finished


# A flow more is a line more. Each goes on from where the one before has ended.
FLOWS = [
    Flow("create 3", lambda stage: stage.create(), lambda stage: stage.ready()),
    Flow("scale 3 to 5", lambda stage: stage.change(replicas=5), lambda stage: stage.ready()),
    Flow("scale 5 to 2", lambda stage: stage.change(replicas=2), lambda stage: stage.ready()),
    Flow("change parameters", lambda stage: stage.change(postgresql={"parameters": {"work_mem": "8MB"}}), lambda stage: stage.ready()),
    Flow("change resources", lambda stage: stage.change(resources={"requests": {"cpu": "250m"}}), lambda stage: stage.ready()),
    Flow("delete", lambda stage: stage.delete(), lambda stage: stage.gone()),
]


@dataclasses.dataclass
class Chapter:
    """What one flow has led to."""

    snapshot: dict
    effects: dict
    writes: int
    died: bool
    took: float  # seconds since the restart; without a death since the beginning
    trouble: list


def tell(lab, name, crashes, reference):
    """All flows, one after the other, in a namespace of their own; `crashes` has the point of each: (n, "before"|"after") or None."""
    stage = lab.stage(name)
    operator = lab.operator(name, name)
    operator.start().wait_until_watching()
    chapters = []
    for at, flow in enumerate(FLOWS):
        wanted = reference[at] if reference else None
        chapters.append(chapter(lab, stage, operator, flow, crashes[at], wanted))
        if chapters[-1].trouble:
            break
    operator.stop()
    return chapters


def chapter(lab, stage, operator, flow, crash, wanted):
    client, since = operator.name, lab.proxy.mark()
    fault = None
    if crash:
        fault = lab.proxy.fault({"client": client, "write": True, "resource": "!leases"}, skip=crash[0], times=1, kill=operator.pid, when=crash[1])
    flow.begin(stage)
    finished, took = wait_for(f"{flow.name}, {crash}: an end", PATIENCE, lambda: not operator.running() or flow.done(stage),
                              tell=lambda: stage.told() + operator.log()[-3000:])
    if operator.running():
        stage.wait_quiet(client)
    if fault:
        lab.proxy.clear(fault)
    died = not operator.running()
    if died:
        operator.restart()
        took = converge(stage, operator, flow, wanted)
        stage.wait_quiet(client)
    snapshot, effects = stage.snapshot(), stage.effects(client, since)
    trouble = differences(snapshot, wanted.snapshot) + extra(effects, wanted.effects) if wanted else []
    return Chapter(snapshot, effects, len(stage.writes(client, since)), died, took, trouble)


def converge(stage, operator, flow, wanted):
    return wait_for(f"{flow.name} after the restart", PATIENCE, lambda: flow.done(stage) and not differences(stage.snapshot(), wanted.snapshot),
                    pause=0.1, tell=lambda: "\n".join(differences(stage.snapshot(), wanted.snapshot)) + operator.log()[-3000:])[1]


def extra(effects, wanted):
    return [f"{what}: {effects[what]} times instead of {wanted[what]}" for what in sorted(effects | wanted) if effects[what] != wanted[what]]


def points(reference, stories):
    """For each story the crash point of each flow: all of them, or so many spread evenly."""
    columns = []
    for flow in reference:
        all_points = [(n, side) for n in range(flow.writes) for side in ("before", "after")]
        picked = all_points if stories is None else [all_points[round(i * (len(all_points) - 1) / (stories - 1))] for i in range(stories)]
        columns.append(picked)
    longest = max(map(len, columns))
    return [[column[i] if i < len(column) else None for column in columns] for i in range(longest)]


def test_a_crash_at_any_write_changes_nothing_in_the_end(lab):
    reference = tell(lab, "crash-reference", [None] * len(FLOWS), None)
    again = tell(lab, "crash-again", [None] * len(FLOWS), reference)
    assert [line for one in again for line in one.trouble] == [], "two undisturbed runs differ: the comparison is worth nothing"
    plans = points(reference, None if FULL else 3)
    with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        stories = list(pool.map(lambda pair: tell(lab, f"crash-{pair[0]}", pair[1], reference), enumerate(plans)))
    died = [one for story in stories for one in story if one.died]
    missed = sum(point is not None for plan in plans for point in plan) - len(died)
    slowest = max(one.took for one in died)
    print(f"\n{sum(one.writes for one in reference)} writes in {len(FLOWS)} flows; {len(died)} crashes, {missed} points not reached; "
          f"slowest convergence after a restart {slowest:.1f} s (aim {AIM} s)")
    troubles = [f"story {number}, {FLOWS[at].name}, crash {plans[number][at]}: {line}"
                for number, story in enumerate(stories) for at, one in enumerate(story) for line in one.trouble]
    assert troubles == []
    assert len(died) >= (100 if FULL else 12)
