"""One control plane for all tests of a run: etcd, API server, StatefulSet controller, garbage collector, the player, the proxy."""

import os
import pathlib
import subprocess

from . import api, operator, player, proxy
from .stage import Stage

ROOT = pathlib.Path(__file__).resolve().parents[3]
CLUSTER = os.environ.get("PGC_CLUSTER", "pgc-faults")
# What a control plane without nodes needs of the controllers; the others would look after nodes and volumes that are not there.
CONTROLLERS = ("statefulset-controller", "garbage-collector-controller", "namespace-controller", "persistentvolumeclaim-protection-controller",
               "resourcequota-controller")
SETTINGS = """\
images:
  "15": {image: "broken.example.com/postgres:15", tls: true}
  "16": {image: "example.com/postgres:16", tls: true}
  "17": {image: "example.com/postgres:17", tls: false}
agentImage: example.com/pgc:1
tls: {mode: Require}
"""


def _cluster(*arguments):
    done = subprocess.run([ROOT / "dev/cluster", *arguments, "--name", CLUSTER], text=True, capture_output=True)
    assert done.returncode == 0, f"dev/cluster {arguments}: {done.stderr}"
    return done.stdout.strip()


class Lab:
    root, cluster = ROOT, CLUSTER

    def __init__(self, folder):
        self.folder = folder
        self.programs = pathlib.Path(os.environ.get("PGC_BIN", ROOT / "build/dev/bin"))
        self.settings = folder / "settings.yaml"
        self.settings.write_text(SETTINGS)
        _cluster("down")  # what an interrupted run has left
        _cluster("up", "--control-plane-only")
        self._admin = pathlib.Path(_cluster("kubeconfig"))
        self.state = self._admin.parent
        self.api = api.Api(self._server(), *(str(self.state / "pki" / part) for part in ("ca.crt", "admin.crt", "admin.key")))
        self._install()
        self._token = self._operators_token()
        self._controllers = self._start_controllers()
        self.player = player.Player(self.api)
        self.player.start()
        self.proxy = proxy.Proxy(self.api, folder / "proxy")
        self._operators = []

    def close(self):
        for one in self._operators:
            one.stop()
        self.proxy.stop()
        self.player.stop()
        self._controllers.terminate()
        self._controllers.wait(30)
        _cluster("down")

    def operator(self, name, namespace, **options):
        self._operators.append(operator.Operator(self, name, namespace, **options))
        return self._operators[-1]

    def stage(self, name):
        """A namespace of its own, in which an operator may have its Lease."""
        return Stage(self, name)

    def converged(self, name, widest=3, settings=None, **spec):
        """(stage, operator) with three members, after there have been `widest` for a while."""
        stage, one = self.stage(name), self.operator(name, name, settings=settings)
        one.start().wait_until_watching()
        stage.create(replicas=widest, **spec)
        stage.wait_ready()
        if widest != 3:
            stage.change(replicas=3)
            stage.wait_ready()
        stage.wait_quiet(name)
        return stage, one

    def kubectl(self, *arguments):
        done = subprocess.run([self.state / "bin.link/kubectl", "--kubeconfig", self._admin, *arguments], text=True, capture_output=True,
                              env={**os.environ, "NO_PROXY": "*"})
        assert done.returncode == 0, f"kubectl {arguments}: {done.stderr}"
        return done.stdout

    def kubeconfig(self, server, ca):
        """As the operator's service account; JSON is YAML."""
        return {"apiVersion": "v1", "kind": "Config", "current-context": "it",
                "clusters": [{"name": "it", "cluster": {"server": server, "certificate-authority": ca}}],
                "users": [{"name": "it", "user": {"token": self._token}}],
                "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}]}  # fmt: skip

    def _server(self):
        lines = self._admin.read_text(encoding="utf-8").splitlines()
        return next(line.split()[1] for line in lines if line.strip().startswith("server:"))

    def _install(self):
        """The CRD and the operator's rights as they are shipped."""
        for part in ("crd/postgresclusters.yaml", "rbac/namespace.yaml", "rbac/operator.yaml"):
            self.kubectl("apply", "--server-side", "-f", str(ROOT / "manifests" / part))
        self.kubectl("wait", "--for=condition=Established", "crd/postgresclusters.db.example.com", "--timeout=30s")

    def _operators_token(self):
        asked = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"expirationSeconds": 24 * 3600}}
        return self.api.create("serviceaccounts", "pgc-system", asked, "token", "pgc-operator")["status"]["token"]

    def _start_controllers(self):
        with open(self.folder / "controllers.log", "wb") as log:
            return subprocess.Popen(
                [self.state / "bin.link/kube-controller-manager", "--kubeconfig", self._admin, "--leader-elect=false", "--secure-port=0",
                 f"--controllers={','.join(CONTROLLERS)}", "--kube-api-qps=500", "--kube-api-burst=1000", "--concurrent-gc-syncs=4"],
                stdout=log, stderr=log, stdin=subprocess.DEVNULL, env={**os.environ, "NO_PROXY": "*"})  # fmt: skip
