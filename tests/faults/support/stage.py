"""One namespace with one PostgresCluster in it: what people do to it, and what is there afterwards."""

import collections
import json
import time

from .api import Refused, wait_for

CHILDREN = ("statefulsets", "pods", "persistentvolumeclaims", "configmaps", "services", "serviceaccounts", "roles", "rolebindings",
            "poddisruptionbudgets", "secrets")  # fmt: skip
# Differs from run to run by nature.
_BOOKKEEPING = ("uid", "resourceVersion", "creationTimestamp", "managedFields", "generation", "generateName", "deletionTimestamp")
_VOLATILE = {"lastTransitionTime", "lastProbeTime", "lastUpdateTime", "startTime", "clusterIP", "clusterIPs", "uid", "lastHeartbeatTime",
             "observedGeneration", "example.org/touched", "currentRevision", "updateRevision", "collisionCount",
             # Fingerprints of what stands beside them, with the namespace in it.
             "db.example.com/intent", "db.example.com/inputs", "db.example.com/template", "controller-revision-hash"}  # fmt: skip


class Stage:
    name = "my-db"

    def __init__(self, lab, namespace):
        self.lab, self.api, self.namespace = lab, lab.api, namespace
        self._make_namespace()

    def _make_namespace(self):
        self.api.create("namespaces", "", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}})
        for resource in ("roles", "rolebindings"):  # leader election, which is shipped for pgc-system alone
            shipped = self.api.get(resource, "pgc-system", "pgc-operator")
            shipped["metadata"] = {"name": "pgc-operator"}
            self.api.create(resource, self.namespace, shipped)

    # --- what people do ---

    def create(self, **spec):
        document = {"apiVersion": "db.example.com/v1", "kind": "PostgresCluster", "metadata": {"name": self.name},
                    "spec": {"version": "16", "replicas": 3, **spec}}
        return self.api.create("postgresclusters", self.namespace, document)

    def change(self, **spec):
        return self.api.patch("postgresclusters", self.namespace, self.name, {"spec": spec})

    def delete(self):
        self.api.delete("postgresclusters", self.namespace, self.name)

    def touch(self, value):
        """Nothing that concerns the operator, and yet a change: it looks again."""
        self.api.patch("postgresclusters", self.namespace, self.name, {"metadata": {"annotations": {"example.org/touched": str(value)}}})

    # --- what is there ---

    def cluster(self):
        return self.api.get("postgresclusters", self.namespace, self.name)

    def child(self, resource, name):
        return self.api.get(resource, self.namespace, name)

    def uid(self, resource, name):
        """None: it is not there."""
        found = self.child(resource, name)
        return found and found["metadata"]["uid"]

    def ready(self):
        """The cluster, if its status says that all is as the spec has it."""
        cluster = self.cluster()
        status = (cluster or {}).get("status", {})
        as_wanted = (status.get("phase") == "Ready" and status.get("observedGeneration") == cluster["metadata"]["generation"]
                     and status.get("readyReplicas") == cluster["spec"]["replicas"])  # fmt: skip
        return cluster if as_wanted else None

    def wait_ready(self, seconds=30):
        return wait_for(f"{self.namespace}/{self.name} is ready", seconds, self.ready, tell=self.told)

    def told(self):
        cluster = self.cluster() or {"metadata": {}}
        cluster["metadata"].pop("managedFields", None)
        return json.dumps(cluster, indent=1)[:4000] + "\n"

    def gone(self):
        """Whether nothing of the cluster is left but what is kept: its volumes and its Secrets."""
        left = [one for one in self.snapshot() if one.split("/")[0] not in ("persistentvolumeclaims", "secrets")]
        return not left

    def snapshot(self):
        """{kind/name: object} of all that is there, without what differs from run to run."""
        found = {}
        for resource in ("postgresclusters", *CHILDREN):
            for item in self.api.items(resource, self.namespace):
                name = item["metadata"]["name"]
                if name != "pgc-operator":  # our Role and RoleBinding
                    item = json.loads(json.dumps(item).replace(self.namespace, "NAMESPACE"))
                    found[f"{resource}/{name}"] = _masked(item, resource)
        return found

    def uids(self):
        """{UID: kind/name} of all that is there."""
        return {item["metadata"]["uid"]: f"{resource}/{item['metadata']['name']}"
                for resource in ("postgresclusters", *CHILDREN) for item in self.api.items(resource, self.namespace)}

    # --- what the operator did ---

    def writes(self, client, since=0, proxy=None):
        return (proxy or self.lab.proxy).writes(client, since)

    def effects(self, client, since=0):
        """How often each object was created and deleted, as the API server confirmed it, and which Secrets were changed, whose values no
        snapshot shows. Events aside: they tell, they do nothing."""
        done = collections.Counter()
        for write in self.writes(client, since):
            if write["resource"] == "events":
                continue
            if write["code"] == 201:
                done[f"create {write['resource']}/{write['name'] or '*'}"] += 1
            if write["verb"] in ("patch", "update") and write["resource"] == "secrets" and write["code"] == 200:
                done[f"change secrets/{write['name']}"] += 1
            if write["verb"] == "delete" and write["code"] in (200, 202):
                done[f"delete {write['resource']}/{write['name']}"] += 1
        return done

    def wait_quiet(self, client, seconds=0.6, within=20, proxy=None):
        """Until the operator has written nothing for so long."""
        state = {"count": -1, "since": 0.0}

        def probe():
            count, now = len(self.writes(client, proxy=proxy)), time.monotonic()
            if count != state["count"]:
                state.update(count=count, since=now)
            return now - state["since"] > seconds

        return wait_for(f"{client} comes to rest", within, probe)


def _masked(item, resource):
    metadata = {key: value for key, value in item["metadata"].items() if key not in _BOOKKEEPING}
    rest = {key: value for key, value in item.items() if key not in ("metadata", "data")}
    data = item.get("data", {})
    return _without_volatile({**rest, "metadata": metadata, "data": sorted(data) if resource == "secrets" else data})


def _without_volatile(value):
    if isinstance(value, dict):
        kept = {key: _without_volatile(inner) for key, inner in value.items() if key not in _VOLATILE}
        return {key: inner for key, inner in kept.items() if inner != {}}
    return [_without_volatile(inner) for inner in value] if isinstance(value, list) else value


def differences(left, right):
    """Lines, for people."""
    lines = [f"{'only after the fault' if name in left else 'missing after the fault'}: {name}" for name in sorted(left.keys() ^ right.keys())]
    for name in sorted(left.keys() & right.keys()):
        lines += [f"{name}{line}" for line in _paths(left[name], right[name])]
    return lines


def _paths(left, right, path=""):
    if left == right:
        return []
    if isinstance(left, dict) and isinstance(right, dict):
        return [line for key in sorted(left.keys() | right.keys()) for line in _paths(left.get(key), right.get(key), f"{path}.{key}")]
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        return [line for at, pair in enumerate(zip(left, right)) for line in _paths(*pair, f"{path}[{at}]")]
    return [f"{path}: {json.dumps(left)[:200]} instead of {json.dumps(right)[:200]}"]
