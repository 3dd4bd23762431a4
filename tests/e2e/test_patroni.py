"""Three Patroni members from a hand-written manifest: the data plane alone, with no operator in the cluster.

Runs in a namespace of its own in the local cluster (PGC_CLUSTER, by default `pgc`), which it starts if it is not up.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MANIFEST = ROOT / "tests/e2e/manifests/patroni.yaml"
IMAGE = "localhost/pgc-postgres:dev"
CLUSTER = os.environ.get("PGC_CLUSTER", "pgc")
NAMESPACE = "patroni-e2e"
PODS = ["my-db-1-0", "my-db-2-0", "my-db-3-0"]

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: dev/cluster makes namespaces")


def cluster(command, *arguments, check=True, **options):
    done = subprocess.run([ROOT / "dev/cluster", command, "--name", CLUSTER, *arguments],
                          text=True, capture_output=True, timeout=300, **options)
    assert not check or done.returncode == 0, f"dev/cluster {command} {arguments}: {done.stdout}{done.stderr}"
    return done


def kubectl(*arguments, **options):
    return cluster("kubectl", "--namespace", NAMESPACE, *arguments, **options)


def read(*arguments):
    return json.loads(kubectl("get", *arguments, "--output", "json").stdout)


def pods():
    return {pod["metadata"]["name"]: pod for pod in read("pods")["items"]}


def status_of(pod):
    """What Patroni publishes of a member."""
    return json.loads(pod["metadata"].get("annotations", {}).get("status", "{}"))


def is_ready(pod):
    return any(condition["type"] == "Ready" and condition["status"] == "True"
               for condition in pod["status"].get("conditions", []))


def leader():
    return read("configmap", "my-db-ha-leader")["metadata"]["annotations"].get("leader")


def all_streaming():
    found = pods()
    if sorted(found) != PODS or not all(is_ready(pod) for pod in found.values()):
        return False
    statuses = [status_of(pod) for pod in found.values()]
    return (sorted(status.get("role", "") for status in statuses) == ["primary", "replica", "replica"]
            and all(status.get("replication_state") == "streaming" for status in statuses if status["role"] == "replica"))


def wait_for(what, condition, seconds):
    """Seconds until `condition()` is truthy; fails with what was seen last."""
    start = time.monotonic()
    while not condition():
        if time.monotonic() - start > seconds:
            state = {name: (pod["status"]["phase"], is_ready(pod), status_of(pod)) for name, pod in pods().items()}
            pytest.fail(f"not {what} after {seconds} s: {state}")
        time.sleep(0.5)
    return time.monotonic() - start


def psql(pod, host, sql, check=True):
    """SQL through a Service, with the superuser's password from the pod's own environment."""
    command = 'PGPASSWORD=$PATRONI_SUPERUSER_PASSWORD exec /usr/lib/postgresql/16/bin/psql -h "$0" -U postgres -AtXq -c "$1"'
    return kubectl("exec", pod, "--", "env", "PGCONNECT_TIMEOUT=2", "sh", "-c", command, host, sql, check=check)


@pytest.fixture(scope="module")
def members():
    cluster("up")
    cluster("load", IMAGE)
    kubectl("delete", "namespace", NAMESPACE, "--ignore-not-found")
    kubectl("create", "namespace", NAMESPACE)
    start = time.monotonic()
    kubectl("apply", "--filename", str(MANIFEST))
    wait_for("three streaming members", all_streaming, 60)
    print(f"three members streaming {time.monotonic() - start:.1f} s after apply")
    yield
    kubectl("delete", "namespace", NAMESPACE)


@pytest.fixture(autouse=True)
def healthy(members):
    wait_for("three streaming members", all_streaming, 60)


def test_services_follow_the_roles():
    primary = leader()
    others = [name for name in PODS if name != primary]
    psql(primary, "my-db-rw", "create table if not exists t (n int); insert into t values (1)")
    assert psql(others[0], "my-db-rw", "select pg_is_in_recovery()").stdout.strip() == "f"
    assert psql(primary, "my-db-ro", "select pg_is_in_recovery()").stdout.strip() == "t"
    wait_for("replayed", lambda: psql(primary, "my-db-ro", "select count(*) from t").stdout.strip() != "0", 5)
    streaming = psql(primary, "my-db-rw", "select count(*) from pg_stat_replication where state = 'streaming'")
    assert streaming.stdout.strip() == "2"


def test_rest_api_takes_no_orders_from_strangers():
    """Whoever may PATCH /config may run any command as archive_command; the node's address stands for any stranger."""
    address = pods()[leader()]["status"]["podIP"]
    url = f"http://{address}:8008"
    assert cluster("enter", "curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", f"{url}/readiness").stdout == "200"
    refused = cluster("enter", "curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "-X", "PATCH", "-d", "{}", f"{url}/config")
    assert refused.stdout == "403"


def test_switchover_by_configmap():
    before = leader()
    target = next(name for name in PODS if name != before)
    labels = {"app.kubernetes.io/managed-by": "pgc", "db.example.com/cluster": "my-db", "db.example.com/patroni": "my-db-ha"}
    request = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
        "name": "my-db-ha-failover", "labels": labels, "annotations": {"leader": before, "member": target}}}
    kubectl("apply", "--server-side", "--force-conflicts", "--filename", "-", input=json.dumps(request))
    took = wait_for(f"led by {target}", lambda: leader() == target, 15)
    print(f"switchover took {took:.1f} s")
    # Patroni takes the request away when it is done, so that it never runs twice.
    wait_for("request gone", lambda: "member" not in (
        read("configmap", "my-db-ha-failover")["metadata"].get("annotations") or {}), 15)


def test_writes_go_on_when_the_primarys_pod_is_killed():
    """Its StatefulSet makes it again at once under the same name, so it may be the same member that goes on."""
    before = leader()
    old_address = pods()[before]["status"]["podIP"]
    witness = next(name for name in PODS if name != before)
    kubectl("delete", "pod", before, "--grace-period=0", "--force")
    # A pod deleted by force is gone for Kubernetes before its processes are: for a moment the old primary still takes
    # writes, and nobody ever gets to see them. So only a write to another server counts.
    write = f"create table if not exists t (n int); insert into t select 2 where host(inet_server_addr()) <> '{old_address}'"
    took = wait_for("writable", lambda: psql(witness, "my-db-rw", write + " returning n", check=False).stdout.strip() == "2", 15)
    print(f"writes through my-db-rw again after {took:.1f} s")
    # Not lost: what was written went to the new primary, not to the one that was on its way out.
    assert psql(witness, "my-db-rw", "select count(*) > 0 from t where n = 2").stdout.strip() == "t"
    with contextlib.suppress(AssertionError):
        kubectl("wait", "pod", before, "--for=condition=Ready", "--timeout=60s")


def test_everyone_comes_to_the_same_timeline():
    wait_for("one timeline", lambda: len({status_of(pod).get("timeline") for pod in pods().values()}) == 1, 20)
