"""What the bench asks of an API server: create many objects, count objects, follow the clusters, count writes."""

import base64
import concurrent.futures
import http.client
import json
import os
import re
import ssl
import tempfile
import threading
import time

import yaml

CLUSTERS = "/apis/db.example.com/v1/namespaces/bench/postgresclusters"
# Beside the Secrets of one cluster: how many there are of each.
OBJECTS = {
    "/api/v1/namespaces/bench/serviceaccounts": 1,
    "/api/v1/namespaces/bench/services": 3,
    "/api/v1/namespaces/bench/persistentvolumeclaims": 3,
    "/api/v1/namespaces/bench/secrets": 4,
    "/apis/apps/v1/namespaces/bench/statefulsets": 3,
    "/apis/policy/v1/namespaces/bench/poddisruptionbudgets": 1,
    "/apis/rbac.authorization.k8s.io/v1/namespaces/bench/roles": 1,
    "/apis/rbac.authorization.k8s.io/v1/namespaces/bench/rolebindings": 1,
}
WRITES = {"POST", "PUT", "PATCH", "APPLY", "DELETE", "DELETECOLLECTION"}


class Api:
    """Connections as the administrator of a kubeconfig. One connection per thread."""

    def __init__(self, kubeconfig):
        config = yaml.safe_load(open(kubeconfig))
        cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
        self.host = cluster["server"].removeprefix("https://")
        self.tls = ssl.create_default_context(cadata=base64.b64decode(cluster["certificate-authority-data"]).decode())
        with tempfile.NamedTemporaryFile() as pem:
            pem.write(base64.b64decode(user["client-certificate-data"]) + base64.b64decode(user["client-key-data"]))
            pem.flush()
            self.tls.load_cert_chain(pem.name)
        self.own = threading.local()

    def connect(self):
        return http.client.HTTPSConnection(self.host, context=self.tls, timeout=120)

    def ask(self, method, path, body=None):
        try:
            answer = self.send(method, path, body)
        except (http.client.RemoteDisconnected, ConnectionError):  # it has been idle for too long
            del self.own.connection
            answer = self.send(method, path, body)
        text = answer.read()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {text[:300].decode()}")
        return text

    def send(self, method, path, body):
        if not hasattr(self.own, "connection"):
            self.own.connection = self.connect()
        headers = {"Content-Type": "application/json"} if body is not None else {}
        self.own.connection.request(method, path, None if body is None else json.dumps(body), headers)
        return self.own.connection.getresponse()

    def count(self, path):
        """How many objects there are, without reading them."""
        answer = json.loads(self.ask("GET", path + "?limit=1"))
        return len(answer["items"]) + answer["metadata"].get("remainingItemCount", 0)

    def missing_objects(self, clusters):
        return sum(max(0, each * clusters - self.count(path)) for path, each in OBJECTS.items())

    def leader(self):
        """Who holds the one lease of the operator's namespace; nobody where none is held."""
        leases = json.loads(self.ask("GET", "/apis/coordination.k8s.io/v1/namespaces/pgc-system/leases"))["items"]
        return leases[0]["spec"].get("holderIdentity") if leases else None

    def writes(self):
        """Writes that the server has taken, but those of leases."""
        total = 0
        for line in self.ask("GET", "/metrics").decode().splitlines():
            if not line.startswith("apiserver_request_total{"):
                continue
            labels = dict(re.findall(r'(\w+)="([^"]*)"', line))
            if labels["verb"] in WRITES and labels["resource"] != "leases":
                total += int(float(line.rsplit(" ", 1)[1]))
        return total

    def create_clusters(self, count):
        """All at once, as fast as the server takes them."""

        def create(number):
            self.ask("POST", CLUSTERS, {
                "apiVersion": "db.example.com/v1", "kind": "PostgresCluster", "metadata": {"name": f"db-{number:04}", "namespace": "bench"},
                "spec": {"replicas": 3, "version": "16"}})

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for _ in pool.map(create, range(count)):
                pass


class Follower(threading.Thread):
    """Watches the clusters and knows which are Ready, and when that changed last."""

    def __init__(self, api):
        super().__init__(daemon=True)
        self.api, self.ready, self.changed_at, self.events = api, set(), time.monotonic(), 0
        self.version = json.loads(api.ask("GET", CLUSTERS + "?limit=1"))["metadata"]["resourceVersion"]

    def run(self):
        while True:
            try:
                self.watch()
            except (OSError, http.client.HTTPException):
                time.sleep(0.1)

    def watch(self):
        connection = self.api.connect()
        connection.request("GET", f"{CLUSTERS}?watch=1&resourceVersion={self.version}")
        answer = connection.getresponse()
        while line := answer.readline():
            self.take(json.loads(line)["object"])

    def take(self, cluster):
        self.version = cluster["metadata"]["resourceVersion"]
        self.events += 1
        name, phase = cluster["metadata"]["name"], cluster.get("status", {}).get("phase")
        if (phase == "Ready") != (name in self.ready):
            self.ready ^= {name}
            self.changed_at = time.monotonic()


def processes_below(root):
    """PIDs of the programs that descend from a process, by name."""
    parents, names = {}, {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            text = open(f"/proc/{entry}/stat").read()
        except OSError:
            continue
        pid, rest = int(entry), text.rpartition(")")[2].split()
        names[pid], parents[pid] = text[text.index("(") + 1:text.rindex(")")], int(rest[1])
    found = {}
    for pid, name in names.items():
        above = pid
        while above > 1 and above != root:
            above = parents.get(above, 0)
        if above == root:
            found[name] = pid
    return found
