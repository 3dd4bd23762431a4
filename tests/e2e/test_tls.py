"""A cluster that requires TLS, on a PostgreSQL that was built with it."""

import pytest

from conftest import postgres_cluster, wait_for


@pytest.fixture(scope="module")
def secure(kubernetes):
    kubernetes.apply(postgres_cluster("secure", version="17", replicas=2, tls={"mode": "Require"}))
    wait_for("secure is Ready", 180, lambda: kubernetes.cluster("secure").get("status", {}).get("phase") == "Ready")
    yield "secure-1-0"
    kubernetes.run("delete", "pgc", "secure", "--timeout=120s")


def test_clients_without_tls_are_refused(kubernetes, secure):
    refused = kubernetes.sql("host=secure-rw sslmode=disable", "SELECT 1", secure, check=False)
    assert refused.returncode != 0
    assert "no encryption" in refused.stderr


def test_clients_with_tls_get_in(kubernetes, secure):
    told = kubernetes.sql("host=secure-rw sslmode=require", "SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()", secure)
    assert told.stdout.startswith("t|TLSv1."), told.stdout


def test_the_certificate_holds_for_the_service(kubernetes, secure):
    """The authority is in the Secret, mounted in every member."""
    told = kubernetes.sql("host=secure-rw sslmode=verify-full sslrootcert=/etc/pgc/tls/ca.crt", "SELECT 1", secure)
    assert told.stdout.strip() == "1"


def test_replicas_stream_encrypted(kubernetes, secure):
    told = kubernetes.run("exec", secure, "-c", "postgres", "--", "sh", "-c",
                          "psql -X -A -t -h /run/postgresql -U postgres -c 'SELECT bool_and(ssl), count(*) FROM pg_stat_ssl JOIN pg_stat_replication USING (pid)'")
    leader = kubernetes.read("configmap", "secure-ha-leader")["metadata"]["annotations"]["leader"]
    if leader == secure:
        assert told.stdout.strip() == "t|1"


def test_a_major_whose_image_has_no_tls_is_held_back(kubernetes):
    kubernetes.apply(postgres_cluster("too-secure", version="16", tls={"mode": "Require"}))
    status, _ = wait_for("the refusal", 30, lambda: kubernetes.cluster("too-secure").get("status"))
    assert status["phase"] == "NotAvailable"
    assert "built without" in status["conditions"][0]["message"]
    assert kubernetes.read("statefulsets", "--selector", "db.example.com/cluster=too-secure")["items"] == []
    kubernetes.run("delete", "pgc", "too-secure", "--timeout=60s")
