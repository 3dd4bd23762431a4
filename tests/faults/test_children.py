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


# What is wrong with a spec.
SPECS = {
    "no such major": {"version": "18"},
    "a major that is not supported any more": {"version": "15"},
    "a major that the data is not of": {"version": "17"},
    "a major that the data is not of, and more members": {"version": "17", "replicas": 4},
    "more than any node has": {"replicas": 4, "resources": {"requests": {"cpu": "1000"}}},
    "a class that cannot change": {"storage": {"storageClass": "fast"}},
    "a smaller volume": {"storage": {"size": "5Gi"}},
    "no replicas": {"replicas": 0},
    "far too many replicas": {"replicas": 1000},
    "a parameter that is none": {"postgresql": {"parameters": {"no_such": "1"}}},
    "a parameter out of bounds": {"postgresql": {"parameters": {"max_connections": "0"}}},
    "parameters that exclude each other": {"postgresql": {"parameters": {"max_connections": "20", "superuser_reserved_connections": "30"}}},
    "a parameter that is the operator's": {"postgresql": {"parameters": {"port": "1"}}},
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


class Elsewhere:
    """Mistakes that are none of the spec: each a method that makes it and gives what takes it back, or None where the operator mends it alone."""

    def __init__(self, stage, operator):
        self._stage, self._operator, self._api = stage, operator, stage.api

    def a_request_that_no_node_can_meet_for_a_member_that_stays(self):
        self._stage.change(replicas=4, resources={"requests": {"cpu": "1000"}})
        return lambda: self._four_then_three(lambda: self._stage.change(resources=None))

    def an_image_that_is_not_to_be_had(self):
        return self._without_image("example.com/postgres:16")

    def an_image_of_the_agent_that_is_not_to_be_had(self):
        return self._without_image("example.com/pgc:1")

    def _without_image(self, image):
        good = self._operator.settings.read_text()
        self._settings(good.replace(image, "broken." + image))
        self._seen("the StatefulSets have the image", lambda: "broken" in str(self._stage.child("statefulsets", "my-db-1")))
        self._stage.change(replicas=4)
        return lambda: self._four_then_three(lambda: self._settings(good))

    def settings_without_the_major(self):
        good = self._operator.settings.read_text()
        self._settings(good.replace('"16":', '"14":'))
        self._seen("the status says so", lambda: self._stage.cluster()["status"]["phase"] == "NotAvailable")
        self._stage.change(replicas=4)
        return lambda: self._four_then_three(lambda: self._settings(good))

    def a_quota_of_statefulsets(self):
        return self._quota({"count/statefulsets.apps": "3"})

    def a_quota_of_pods(self):
        return self._quota({"pods": "3"})

    def an_object_of_somebody_else_in_the_way(self):
        labels = {"app": "theirs"}
        self._api.create("statefulsets", self._stage.namespace, {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "my-db-4"}, "spec": {
            "replicas": 0, "serviceName": "theirs", "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "it", "image": "example.com/it"}]}}}})  # fmt: skip
        self._stage.change(replicas=4)
        return lambda: self._four_then_three(lambda: self._api.delete("statefulsets", self._stage.namespace, "my-db-4"))

    def a_secret_deleted(self):
        self._api.delete("secrets", self._stage.namespace, "my-db-app")
        self._stage.change(postgresql={"parameters": {"work_mem": "5MB"}})  # Secrets are looked at anew when the spec changes
        return lambda: self._stage.change(postgresql=None)

    def children_deleted(self):
        for resource, name in (("services", "my-db-rw"), ("configmaps", "my-db-patroni"), ("poddisruptionbudgets", "my-db"), ("pods", "my-db-2-0")):
            self._api.delete(resource, self._stage.namespace, name)

    def a_member_stopped_by_hand(self):
        self._change("statefulsets", "my-db-2", {"spec": {"replicas": 0}})

    def a_service_that_leads_elsewhere(self):
        self._change("services", "my-db-rw", {"spec": {"selector": {"app": "other"}}})

    def a_service_without_our_labels(self):
        labels = self._stage.child("services", "my-db-ro")["metadata"]["labels"]
        self._change("services", "my-db-ro", {"metadata": {"labels": dict.fromkeys(labels)}})

    def the_finalizer_taken_away(self):
        self._change("postgresclusters", "my-db", {"metadata": {"finalizers": None}})

    def the_cluster_deleted(self):
        spec = self._stage.cluster()["spec"]
        self._stage.delete()
        wait_for("it is gone", 30, self._stage.gone)
        return lambda: self._stage.create(**spec)

    # --- how ---

    def _change(self, resource, name, change):
        self._api.patch(resource, self._stage.namespace, name, change)

    def _settings(self, text):
        self._operator.settings.write_text(text)

    def _seen(self, what, probe):
        wait_for(what, 30, probe, tell=lambda: self._operator.log()[-2000:])  # the settings are read every 10 s

    def _quota(self, hard):
        self._api.create("resourcequotas", self._stage.namespace, {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "tight"}, "spec": {"hard": hard}})
        wait_for("the quota is counted", 20, lambda: (self._stage.child("resourcequotas", "tight").get("status") or {}).get("used"))
        self._stage.change(replicas=4)
        return lambda: self._four_then_three(lambda: self._api.delete("resourcequotas", self._stage.namespace, "tight"))

    def _four_then_three(self, mend):
        """The fourth member, which the mistake was in the way of, comes; only then it is taken away."""
        mend()
        self._stage.wait_ready(60)
        self._stage.change(replicas=3)


def _told(stage):
    """What the status said of it, for people."""
    conditions = {one["type"]: one for one in stage.cluster()["status"]["conditions"]}
    worst = conditions["Degraded"] if conditions["Degraded"]["status"] == "True" else conditions["Ready"]
    return f"{worst['reason']}: {worst['message'][:110]}"


def _made_and_seen(stage, operator, mistake, make):
    """Makes a mistake and waits until the operator has done with it what it will; gives what takes it back."""
    back = make()
    cluster = stage.cluster()
    if cluster:
        generation = cluster["metadata"]["generation"]
        wait_for(f"{mistake}: the operator has seen it", 20, lambda: stage.cluster().get("status", {}).get("observedGeneration") == generation,
                 tell=lambda: stage.told() + operator.log()[-2000:])
    stage.wait_quiet(operator.name, 1)
    return back


def _changes(stage, spec):
    def make():
        stage.change(**spec)
        return lambda: stage.change(**_undone(spec))

    return make


def test_a_mistake_that_is_taken_back_leaves_nothing(lab, tmp_path):
    settings = tmp_path / "settings.yaml"
    settings.write_text(lab.settings.read_text())
    stage, operator = lab.converged("mistakes", widest=4, settings=settings)
    base, refused, times = stage.snapshot(), [], {}
    elsewhere = Elsewhere(stage, operator)
    others = {name.replace("_", " "): getattr(elsewhere, name) for name in vars(Elsewhere) if not name.startswith("_")}
    for mistake, make in {**{name: _changes(stage, spec) for name, spec in SPECS.items()}, **others}.items():
        try:
            back = _made_and_seen(stage, operator, mistake, make)
        except Refused as answer:
            assert answer.code == 422, answer
            refused.append(mistake)
            continue
        told = _told(stage) if stage.cluster() else "gone"
        begun = time.monotonic()
        if back:
            back()
        wait_for(f"{mistake}, taken back", 60, lambda: stage.ready() and not differences(stage.snapshot(), base), pause=0.1,
                 tell=lambda: "\n".join(differences(stage.snapshot(), base)) + operator.log()[-3000:])
        times[mistake] = time.monotonic() - begun
        print(f"{mistake}: {told} | healed after {times[mistake]:.1f} s")
        stage.wait_quiet(operator.name)
    print(f"{len(times)} mistakes taken back, slowest {max(times.values()):.1f} s; refused by the CRD already: {', '.join(refused)}")
    assert operator.running()
    assert len(times) >= 20


def _beside(stage, name, owner, kind, api_version, resource="services"):
    """A child as another version of the operator would have made it, of that owner."""
    model = stage.child("services", "my-db-rw") if resource == "services" else stage.child("configmaps", "my-db-patroni")
    metadata = {"name": name, "labels": model["metadata"]["labels"], "annotations": model["metadata"]["annotations"],
                "ownerReferences": [{"apiVersion": api_version, "kind": kind, "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"],
                                     "controller": True}]}  # fmt: skip
    spec = {"spec": {"ports": [{"port": 5432}]}} if resource == "services" else {"data": {"a": "b"}}
    return stage.api.create(resource, stage.namespace, {"apiVersion": "v1", "kind": model["kind"], "metadata": metadata, **spec})


def test_what_nothing_wants_any_more_goes_and_what_is_others_stays(lab):
    stage, operator = lab.converged("orphans")
    base, since = stage.snapshot(), lab.proxy.mark()
    theirs = stage.api.create("configmaps", stage.namespace, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "theirs"}})
    _beside(stage, "my-db-theirs", theirs, "ConfigMap", "v1")
    _beside(stage, "my-db-legacy", stage.cluster(), "PostgresCluster", "db.example.com/v1")
    _beside(stage, "my-db-legacy", stage.cluster(), "PostgresCluster", "db.example.com/v1", "configmaps")
    took = wait_for("they are gone", 20, lambda: not (stage.child("services", "my-db-legacy") or stage.child("configmaps", "my-db-legacy")),
                    tell=lambda: operator.log()[-2000:])[1]
    stage.wait_quiet(operator.name)
    print(f"gone after {took:.1f} s")
    assert differences(stage.snapshot(), base) == ["only after the fault: configmaps/theirs", "only after the fault: services/my-db-theirs"]
    assert stage.effects(operator.name, since) == {"delete services/my-db-legacy": 1, "delete configmaps/my-db-legacy": 1}
    operator.stop()
