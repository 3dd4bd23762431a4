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


def prepare(kubernetes):
    """(the primary's pod, another pod to look from)"""
    kubernetes.run("wait", "--for=condition=Ready", "pod", "-l", "db.example.com/cluster=my-db", "--timeout=120s")
    old = leader(kubernetes)
    observer = next(pod for pod in ("my-db-1-0", "my-db-2-0", "my-db-3-0") if pod != old)
    kubernetes.sql("my-db-rw", "CREATE TABLE IF NOT EXISTS kept (id int); TRUNCATE kept; INSERT INTO kept VALUES (1)", observer)
    return old, observer


def writes(kubernetes, observer, row):
    return kubernetes.sql("my-db-rw", f"INSERT INTO kept VALUES ({row})", observer, check=False).returncode == 0


def rows(kubernetes, observer):
    return set(kubernetes.sql("my-db-rw", "SELECT id FROM kept", observer).stdout.split())


def test_another_member_leads_and_takes_writes(kubernetes, no_operator):
    old, observer = prepare(kubernetes)
    kubernetes.run("delete", "pod", old, "--wait=false")
    _, seconds = wait_for("another member takes writes", 3 * AIM, lambda: writes(kubernetes, observer, 2) and leader(kubernetes) != old)
    print(f"writes again after {seconds:.1f} s, aim {AIM} s")
    assert rows(kubernetes, observer) == {"1", "2"}

    def old_one_is_a_replica():
        return kubernetes.read("pod", old)["metadata"].get("labels", {}).get("db.example.com/role") == "replica"

    wait_for(f"{old} comes back as a replica", 120, old_one_is_a_replica)


def test_a_crash_of_postgresql_costs_no_row(kubernetes, no_operator):
    """Every process of the primary but Patroni is killed. Patroni starts PostgreSQL again or lets another member lead; what counts is
    that writes go on."""
    old, observer = prepare(kubernetes)
    kubernetes.run("exec", old, "-c", "postgres", "--", "sh", "-c", "kill -KILL -1", check=False)
    _, seconds = wait_for("somebody takes writes", 3 * AIM, lambda: writes(kubernetes, observer, 2))
    print(f"writes again after {seconds:.1f} s, aim {AIM} s")
    assert rows(kubernetes, observer) == {"1", "2"}


def test_the_operator_tells_it_in_the_status(kubernetes):
    kubernetes.run("wait", "--for=condition=Ready", "--timeout=120s", "pgc/my-db")
    status = kubernetes.cluster("my-db")["status"]
    assert status["currentPrimary"] == leader(kubernetes)
    assert [one["role"] for one in status["instances"]].count("primary") == 1
