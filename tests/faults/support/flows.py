"""What people do to a cluster, step by step, and what each step leads to: the flows that faults are tried on."""

import dataclasses

from .api import wait_for
from .stage import differences

AIM = 10  # seconds from a restart until all is as it should be
PATIENCE = 3 * AIM


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
