"""Plays what has no place on a control plane without nodes: scheduler, kubelet and Patroni, for every cluster of pgc at once.

StatefulSet controller and garbage collector are the real ones. What is played is told from the API alone, level by level, so that whatever
happens to an object meanwhile, the next look finds it.
"""

import collections
import json
import queue
import threading

from . import api

CLUSTER, INSTANCE, ROLE, SCOPE = (f"db.example.com/{word}" for word in ("cluster", "instance", "role", "patroni"))
SELECTOR = "app.kubernetes.io/managed-by=pgc"


class Player:
    def __init__(self, client):
        self._api = client
        self._seen = {"pods": {}, "configmaps": {}}  # (namespace, name) → object
        self._due = queue.Queue()
        self._ended = False
        self.lingering = set()  # (namespace, pod) that do not stop when they are told to
        self.troubles = collections.Counter()

    def start(self):
        for resource in self._seen:
            threading.Thread(target=self._look, args=(resource,), daemon=True).start()
        threading.Thread(target=self._work, daemon=True).start()

    def stop(self):
        self._ended = True
        self._due.put(None)

    def look_again(self, namespace, cluster):
        self._due.put((namespace, cluster))

    def _look(self, resource):
        while not self._ended:
            try:
                listed = self._api.list(resource, query=f"?labelSelector={SELECTOR}")
                self._seen[resource] = {_key(item): item for item in listed["items"]}
                for item in listed["items"]:
                    self._due.put(_cluster_of(item))
                for kind, item in self._api.watch(resource, listed["metadata"]["resourceVersion"], SELECTOR):
                    if kind == "DELETED":
                        self._seen[resource].pop(_key(item), None)
                    else:
                        self._seen[resource][_key(item)] = item
                    self._due.put(_cluster_of(item))
            except (OSError, ValueError, api.Refused, api.http.client.HTTPException):
                threading.Event().wait(0.2)

    def _work(self):
        while (due := self._due.get()) is not None and not self._ended:
            try:
                self._play(*due)
            except (api.Refused, OSError, api.http.client.HTTPException) as trouble:  # somebody was faster, or the API server is away
                self.troubles[str(trouble)[:80]] += 1
                threading.Timer(0.1, self._due.put, [due]).start()

    def _play(self, namespace, cluster):
        pods = sorted((pod for (ns, _), pod in list(self._seen["pods"].items()) if ns == namespace and _cluster_of(pod)[1] == cluster),
                      key=lambda pod: pod["metadata"]["name"])
        serving = [pod for pod in pods if self._keep(pod)]
        if not serving:
            return
        leader = self._leader(namespace, cluster, [pod["metadata"]["name"] for pod in serving])
        for pod in serving if leader else []:
            self._publish(pod, "primary" if pod["metadata"]["name"] == leader else "replica")

    # --- scheduler and kubelet ---

    def _keep(self, pod):
        """Whether it runs; does what a node would do for it."""
        namespace, name = _key(pod)
        if "deletionTimestamp" in pod["metadata"]:
            if (namespace, name) not in self.lingering:
                self._api.delete("pods", namespace, name, gracePeriodSeconds=0, preconditions={"uid": pod["metadata"]["uid"]})
            return False
        if trouble := _trouble(pod):
            self._tell(pod, trouble)
            return False
        if "nodeName" not in pod["spec"]:
            self._api.create("pods", namespace, {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
                                                 "target": {"apiVersion": "v1", "kind": "Node", "name": "played"}}, "binding", name)  # fmt: skip
            pod["spec"]["nodeName"] = "played"
        return True

    def _tell(self, pod, status):
        if not _contains(pod.get("status", {}), status):
            self._api.patch("pods", *_key(pod), {"metadata": {"uid": pod["metadata"]["uid"]}, "status": status}, "status")

    # --- Patroni ---

    def _leader(self, namespace, cluster, serving):
        """Who holds the lock, after a free lock has gone to the first member that serves; None: nobody yet."""
        maps = self._seen["configmaps"]
        config, lock = (maps.get((namespace, f"{cluster}-ha-{part}")) for part in ("config", "leader"))
        if config is None:
            return self._bootstrap(namespace, cluster, serving)
        holder = lock and lock["metadata"].get("annotations", {}).get("leader")
        if holder in serving:
            return holder
        if not self._still_there(namespace, serving[0]):
            return None
        self._write_map(namespace, cluster, "leader", {"leader": serving[0], "optime": str(1 << 24)}, lock)
        return serving[0]

    def _bootstrap(self, namespace, cluster, serving):
        """The first instance makes the database, so that undisturbed runs and others have the same leader."""
        first = f"{cluster}-1-0"
        files = self._seen["configmaps"].get((namespace, f"{cluster}-patroni"))
        if first not in serving or files is None or not self._still_there(namespace, first):
            return None
        dynamic = json.loads(files["data"]["patroni.yaml"])["bootstrap"]["dcs"]
        text = json.dumps(dynamic, sort_keys=True, separators=(",", ":"))
        self._write_map(namespace, cluster, "config", {"initialize": "7412345678901234567", "config": text}, None)
        return None

    def _still_there(self, namespace, pod):
        """Not in what was seen but in truth: a pod that is gone writes nothing any more."""
        live = self._api.get("pods", namespace, pod)
        return live is not None and "deletionTimestamp" not in live["metadata"]

    def _write_map(self, namespace, cluster, part, annotations, live):
        name = f"{cluster}-ha-{part}"
        labels = {CLUSTER: cluster, "app.kubernetes.io/managed-by": "pgc", SCOPE: f"{cluster}-ha"}
        document = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": labels, "annotations": annotations}}
        if live is None:
            written = self._api.create("configmaps", namespace, document)
        else:
            written = self._api.patch("configmaps", namespace, name, document)
        self._seen["configmaps"][namespace, name] = written

    def _publish(self, pod, role):
        status = {"state": "running", "timeline": 1, "xlog_location": 1 << 24, **({"replication_state": "streaming"} if role == "replica" else {})}
        metadata = pod["metadata"]
        text = json.dumps(status)
        if metadata["labels"].get(ROLE) != role or metadata.get("annotations", {}).get("status") != text:
            self._api.patch("pods", *_key(pod), {"metadata": {"uid": metadata["uid"], "labels": {ROLE: role}, "annotations": {"status": text}}})
        self._tell(pod, {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}], "containerStatuses": []})


def _key(item):
    return item["metadata"]["namespace"], item["metadata"]["name"]


def _cluster_of(item):
    return item["metadata"]["namespace"], item["metadata"]["labels"].get(CLUSTER, "")


def _contains(live, wanted):
    """Whether all that is wanted stands in what the API server gives, which adds fields of its own and leaves out what is empty."""
    if isinstance(wanted, dict):
        return isinstance(live, dict) and all(_contains(live.get(key), value) for key, value in wanted.items())
    if isinstance(wanted, list):
        return len(live or []) == len(wanted) and all(map(_contains, live or [], wanted))
    return live == wanted


def _trouble(pod):
    """What keeps a pod from running, as the scheduler or the kubelet would tell it."""
    for container in pod["spec"]["containers"]:
        if _cores(container.get("resources", {}).get("requests", {}).get("cpu", "0")) > 64:
            return {"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
                                                        "message": "0/1 nodes are available: 1 Insufficient cpu."}]}  # fmt: skip
        if "broken" in container["image"]:
            waits = [{"name": container["name"], "image": container["image"], "imageID": "", "ready": False, "restartCount": 0,
                      "state": {"waiting": {"reason": "ImagePullBackOff"}}}]  # fmt: skip
            return {"phase": "Pending", "conditions": [{"type": "Ready", "status": "False"}], "containerStatuses": waits}
    return None


def _cores(quantity):
    number, unit = (quantity[:-1], quantity[-1]) if quantity[-1:].isalpha() else (quantity, "")
    return float(number) * {"m": 0.001, "": 1, "k": 1000}[unit]
