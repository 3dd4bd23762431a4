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
