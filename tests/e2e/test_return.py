"""A cluster that was deleted comes back with its data when it is made again."""

from conftest import postgres_cluster, wait_for


def ready(kubernetes):
    wait_for("kept is Ready", 180, lambda: kubernetes.cluster("kept").get("status", {}).get("phase") == "Ready")
    return kubernetes.read("configmap", "kept-ha-leader")["metadata"]["annotations"]["leader"]


def test_deleted_and_made_again(kubernetes):
    kubernetes.apply(postgres_cluster("kept", replicas=2))
    leader = ready(kubernetes)
    kubernetes.sql("kept-rw", "CREATE TABLE t (n int); INSERT INTO t VALUES (42)", leader)
    identifier = kubernetes.cluster("kept")["status"]["systemIdentifier"]
    kubernetes.run("delete", "pgc", "kept", "--timeout=120s")

    kubernetes.apply(postgres_cluster("kept", replicas=2))
    again = ready(kubernetes)
    assert again == leader, "the last primary leads again"
    assert kubernetes.sql("kept-rw", "SELECT n FROM t", again).stdout.strip() == "42"
    assert kubernetes.cluster("kept")["status"]["systemIdentifier"] == identifier
    kubernetes.run("delete", "pgc", "kept", "--timeout=120s")


def test_made_with_a_storage_class_that_does_not_exist(kubernetes):
    def blocked():
        told = kubernetes.cluster("my-typo").get("status", {}).get("conditions", [])
        return any("my-typo-1 waits" in condition["message"] for condition in told)

    kubernetes.apply(postgres_cluster("my-typo", replicas=1, storage={"size": "1Gi", "storageClass": "no-such-class"}))
    wait_for("its volume claim", 60, lambda: kubernetes.run("get", "pvc", "my-typo-1-pgdata", check=False).returncode == 0)
    wait_for("the status says what is waited for", 60, blocked)
    kubernetes.run("delete", "pgc", "my-typo", "--timeout=120s")
    # The class of a claim is for ever: one that stayed would be the next cluster's.
    kubernetes.apply(postgres_cluster("my-typo", replicas=1, storage={"size": "1Gi"}))
    wait_for("my-typo is Ready", 180, lambda: kubernetes.cluster("my-typo").get("status", {}).get("phase") == "Ready")
    kubernetes.run("delete", "pgc", "my-typo", "--timeout=120s")
