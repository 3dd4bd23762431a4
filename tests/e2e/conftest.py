"""What the end-to-end tests share: a local Kubernetes with pgc in it, made by the quickstart itself.

Everything goes through real programs: dev/quickstart, kubectl, kubectl pgc. PGC_CLUSTER names the local Kubernetes.
"""

import dataclasses
import json
import os
import pathlib
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLUSTER = os.environ.setdefault("PGC_CLUSTER", "pgc-e2e")
PROGRAMS = ROOT / "build/musl/bin"


def pytest_configure(config):
    config.addinivalue_line("markers", "e2e: needs a cluster with pgc in it")


@dataclasses.dataclass
class Kubernetes:
    """kubectl against one cluster, in one namespace."""

    kubeconfig: str
    namespace: str = "default"

    def environment(self):
        folder = CLUSTER_TOOLS / CLUSTER
        folder.mkdir(parents=True, exist_ok=True)
        wrapper = folder / "kubectl"
        wrapper.write_text(f'#!/bin/sh\nexec "{ROOT}/dev/cluster" kubectl --name "{CLUSTER}" -- "$@"\n')
        wrapper.chmod(0o755)
        return {**os.environ, "KUBECONFIG": self.kubeconfig, "PATH": f"{folder}:{PROGRAMS}:{os.environ['PATH']}"}

    def run(self, *arguments, check=True, timeout=300, **options):
        """Runs `kubectl ARGUMENTS`; gives the finished process."""
        done = subprocess.run(["kubectl", *arguments], env=self.environment(), text=True, capture_output=True,
                              timeout=timeout, **options)
        assert not check or done.returncode == 0, f"kubectl {arguments}: {done.stdout}{done.stderr}"
        return done

    def read(self, *arguments):
        return json.loads(self.run("--namespace", self.namespace, "get", *arguments, "--output", "json").stdout)

    def apply(self, resource, *options, check=True):
        return self.run("apply", *options, "-f", "-", input=json.dumps(resource), check=check)

    def cluster(self, name):
        return self.read("pgc", name)

    def operator_log(self):
        """Of the newest of its pods."""
        newest = self.run("--namespace", "pgc-system", "get", "pods", "-l", "app.kubernetes.io/name=pgc-operator",
                          "--sort-by=.metadata.creationTimestamp", "-o", "name").stdout.split()[-1]
        return self.run("--namespace", "pgc-system", "logs", newest).stdout

    def resident_mib(self):
        """{program: MiB resident of its largest process}, for our own programs on the node."""
        listed = subprocess.run([ROOT / "dev/cluster", "enter", "--name", CLUSTER, "ps", "-e", "-o", "rss=,args="],
                                text=True, capture_output=True, check=True).stdout
        sizes = {}
        for line in listed.splitlines():
            kib, program = line.split()[:2]
            name = pathlib.Path(program).name
            if name.startswith("pgc-"):
                sizes[name] = max(sizes.get(name, 0), int(kib) / 1024)
        return sizes

    def sql(self, host, statement, pod, check=True, timeout=60):
        """As the user app, from inside a pod; the password stays in the pod's environment. `host` is a name, or "host=NAME ..."."""
        target = host if "=" in host else f"host={host}"
        script = 'PGPASSWORD=$PGC_APP_PASSWORD PGCONNECT_TIMEOUT=2 exec psql -X -q -A -t -v ON_ERROR_STOP=1 -d "user=app dbname=app $0" -c "$1"'
        return self.run("--namespace", self.namespace, "exec", pod, "-c", "postgres", "--", "sh", "-c", script, target,
                        statement, check=check, timeout=timeout)


CLUSTER_TOOLS = pathlib.Path("/tmp") / f"pgc-e2e-{os.getuid()}"


def wait_for(what, seconds, probe, pause=0.2):
    """Polls until probe() is true; gives (value, seconds it took)."""
    begun = time.monotonic()
    while True:
        value = probe()
        took = time.monotonic() - begun
        if value:
            return value, took
        assert took < seconds, f"{what}: not within {seconds} s"
        time.sleep(pause)


def postgres_cluster(name, **spec):
    return {"apiVersion": "db.example.com/v1", "kind": "PostgresCluster", "metadata": {"name": name, "namespace": "default"},
            "spec": {"version": "16", **spec}}


@pytest.fixture(scope="session")
def quickstart():
    """The text that one run of dev/quickstart printed, after which my-db runs with three members."""
    begun = time.monotonic()
    done = subprocess.run([ROOT / "dev/quickstart"], text=True, capture_output=True, timeout=2700)
    assert done.returncode == 0, (done.stdout + done.stderr)[-6000:]
    print(done.stdout)
    return done, time.monotonic() - begun


@pytest.fixture(scope="session")
def kubernetes(quickstart):
    path = subprocess.run([ROOT / "dev/cluster", "kubeconfig", "--name", CLUSTER], text=True, capture_output=True, check=True)
    return Kubernetes(path.stdout.strip())
