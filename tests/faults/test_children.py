"""What stands in the way: children that do not go, and specs that cannot be."""

import os
import time

from support.api import Refused, wait_for
from support.stage import differences

FULL = bool(os.environ.get("PGC_TEST_FULL"))
WATCH = 30 if FULL else 3  # seconds
FOREIGN = "example.org/not-yet"
TERMINATING = [("services", "my-db-rw"), ("configmaps", "my-db-patroni"), ("persistentvolumeclaims", "my-db-3-pgdata"), ("statefulsets", "my-db-3"),
               ("pods", "my-db-3-0"), ("poddisruptionbudgets", "my-db"), ("roles", "my-db-instance"), ("serviceaccounts", "my-db-instance"),
               ("secrets", "my-db-app")]  # fmt: skip


def _set_finalizers(stage, resource, name, finalizers):
    stage.api.patch(resource, stage.namespace, name, {"metadata": {"finalizers": finalizers}})


def _held_back(lab, number, resource, name):
    """Lines about what is wrong with a child that was deleted and does not go yet."""
    stage, operator = lab.converged(f"held-{number}")
    was = stage.child(resource, name)["metadata"]["uid"]
    before, since = stage.snapshot(), lab.proxy.mark()
    _set_finalizers(stage, resource, name, [*stage.child(resource, name)["metadata"].get("finalizers", []), FOREIGN])
    if resource == "persistentvolumeclaims":  # its pod holds it as well, which is not what is tried here
        stage.api.delete("pods", stage.namespace, "my-db-3-0")
    stage.api.delete(resource, stage.namespace, name)
    end = time.monotonic() + WATCH
    while time.monotonic() < end:
        live = stage.child(resource, name)
        if live is None or live["metadata"]["uid"] != was:
            return [f"{resource}/{name} is another one while the old one was held"]
        stage.touch(time.monotonic())
        time.sleep(0.5)
    writes = [one for one in stage.writes(operator.name, since) if one["resource"] == resource]
    held = stage.child(resource, name)["metadata"]["finalizers"]
    _set_finalizers(stage, resource, name, [one for one in held if one not in (FOREIGN, "kubernetes.io/pvc-protection")] or None)
    stage.change(postgresql={"parameters": {"work_mem": "5MB"}})  # Secrets are looked at anew when the spec changes
    stage.change(postgresql=None)
    took = wait_for(f"{resource}/{name} is made again", 20, lambda: stage.uid(resource, name) not in (None, was),
                    tell=lambda: stage.told() + operator.log()[-3000:])[1]
    stage.wait_ready()
    wait_for("as before", 20, lambda: not differences(stage.snapshot(), before), tell=lambda: "\n".join(differences(stage.snapshot(), before)))
    operator.stop()
    print(f"{resource}/{name}: {len(writes)} writes to its kind in {WATCH} s, made again {took:.1f} s after it had gone")
    return [f"{resource}/{name}: {len(writes)} writes in {WATCH} s"] if len(writes) > 5 + WATCH else []


def test_a_child_that_is_held_back_is_waited_for(lab, side_by_side):
    wrong = side_by_side(lambda pair: _held_back(lab, pair[0], *pair[1]), enumerate(TERMINATING if FULL else TERMINATING[:5]))
    assert [line for one in wrong for line in one] == []


MISTAKES = {
    "no such major": {"version": "18"},
    "an image that cannot be pulled": {"version": "15"},
    "more than any node has": {"replicas": 4, "resources": {"requests": {"cpu": "1000"}}},
    "a class that cannot change": {"storage": {"storageClass": "fast"}},
    "a smaller volume": {"storage": {"size": "5Gi"}},
    "no replicas": {"replicas": 0},
    "far too many replicas": {"replicas": 1000},
    "a parameter that is none": {"postgresql": {"parameters": {"no_such": "1"}}},
    "a parameter out of bounds": {"postgresql": {"parameters": {"max_connections": "0"}}},
    "limits below requests": {"resources": {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}}},
    "a quantity that is none": {"storage": {"size": "a lot"}},
    "TLS otherwise": {"tls": {"mode": "Prefer"}},
    "scaled in and out": {"replicas": 1},
}


def _undone(spec):
    """What turns a mistake back: the values of before, or none."""
    base = {"version": "16", "replicas": 3, "storage": {"size": "10Gi", "storageClass": None}}
    return {key: {**base["storage"], "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"}} if key == "storage"
            else base.get(key) for key in spec}  # fmt: skip


def test_a_mistake_that_is_taken_back_leaves_nothing(lab):
    stage, operator = lab.converged("mistakes", widest=4)
    base, refused, times = stage.snapshot(), [], {}
    for mistake, spec in MISTAKES.items():
        try:
            stage.change(**spec)
        except Refused as answer:
            assert answer.code == 422, answer
            refused.append(mistake)
            continue
        generation = stage.cluster()["metadata"]["generation"]
        wait_for(f"{mistake}: the operator has seen it", 20, lambda: stage.cluster().get("status", {}).get("observedGeneration") == generation,
                 tell=lambda: stage.told() + operator.log()[-2000:])
        stage.wait_quiet(operator.name, 0.5)
        told = next(one for one in stage.cluster()["status"]["conditions"] if one["type"] == "Ready")
        stage.change(**_undone(spec))
        times[mistake] = wait_for(f"{mistake}, taken back", 60, lambda: stage.ready() and not differences(stage.snapshot(), base), pause=0.1,
                                  tell=lambda: "\n".join(differences(stage.snapshot(), base)) + operator.log()[-3000:])[1]
        print(f"{mistake}: {told['reason']}: {told['message'][:90]} | healed after {times[mistake]:.1f} s")
    print(f"{len(times)} mistakes taken back, slowest {max(times.values()):.1f} s; refused by the CRD already: {', '.join(refused)}")
    assert operator.running()
