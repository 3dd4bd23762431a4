"""Who loses the primary gets another one, with the operator away."""

import pytest

from conftest import wait_for

AIM = 15  # seconds until my-db-rw takes writes again


@pytest.fixture
def no_operator(kubernetes):
    kubernetes.run("--namespace", "pgc-system", "scale", "deployment/pgc-operator", "--replicas=0")
    kubernetes.run("--namespace", "pgc-system", "wait", "--for=delete", "pod", "-l", "app.kubernetes.io/name=pgc-operator", "--timeout=60s")
    yield
    kubernetes.run("--namespace", "pgc-system", "scale", "deployment/pgc-operator", "--replicas=1")
    kubernetes.run("--namespace", "pgc-system", "rollout", "status", "deployment/pgc-operator", "--timeout=120s")


def leader(kubernetes):
    return kubernetes.read("configmap", "my-db-ha-leader")["metadata"]["annotations"]["leader"]


@pytest.mark.parametrize("how", [["--wait=false"], ["--grace-period=0", "--force", "--wait=false"]], ids=["stopped", "killed"])
def test_another_member_leads_and_takes_writes(kubernetes, no_operator, how):
    kubernetes.run("wait", "--for=condition=Ready", "pod", "-l", "db.example.com/cluster=my-db", "--timeout=120s")
    old = leader(kubernetes)
    observer = next(pod for pod in ("my-db-1-0", "my-db-2-0", "my-db-3-0") if pod != old)
    kubernetes.sql("my-db-rw", "CREATE TABLE IF NOT EXISTS kept (id int)", observer)

    kubernetes.run("delete", "pod", old, *how)
    _, seconds = wait_for("my-db-rw takes writes", 3 * AIM, lambda: kubernetes.sql(
        "my-db-rw", "INSERT INTO kept VALUES (1)", observer, check=False).returncode == 0 and leader(kubernetes) != old)
    print(f"writes again after {seconds:.1f} s, aim {AIM} s")

    def old_one_streams():
        pod = kubernetes.read("pod", old)
        return pod["metadata"].get("labels", {}).get("db.example.com/role") == "replica"

    wait_for(f"{old} comes back as a replica", 120, old_one_streams)


def test_the_operator_tells_it_in_the_status(kubernetes):
    kubernetes.run("wait", "--for=condition=Ready", "--timeout=120s", "pgc/my-db")
    status = kubernetes.cluster("my-db")["status"]
    assert status["currentPrimary"] == leader(kubernetes)
    assert [one["role"] for one in status["instances"]].count("primary") == 1
