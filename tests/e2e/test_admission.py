"""What is refused at apply, in whose words, and what goes on while the webhook is away."""

import json

import pytest

from conftest import postgres_cluster, wait_for

REFUSED = {
    "no replicas": ({"replicas": 0}, "spec.replicas: Invalid value: 0: spec.replicas in body should be greater than or equal to 1"),
    "replicas in words": ({"replicas": "three"}, 'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"'),
    "a version that is not served": ({"version": "9.6"}, 'spec.version: Unsupported value: "9.6": supported values: "16", "17"'),
    "a version without quotes": ({"version": 16}, 'spec.version: Invalid value: "integer": spec.version in body must be of type string: "integer"'),
    "a misspelt field": ({"replica": 3}, 'unknown field "spec.replica"'),
    "a parameter that the operator owns": ({"postgresql": {"parameters": {"listen_addresses": "*"}}}, "spec.postgresql.parameters.listen_addresses"),
    "more requested than allowed": ({"resources": {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}}}, "spec.resources.requests"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_create_is_refused(kubernetes, case):
    spec, words = REFUSED[case]
    done = kubernetes.apply(postgres_cluster("refused", **spec), check=False)
    assert done.returncode == 1
    assert words in done.stderr
    assert "NotFound" in kubernetes.run("get", "pgc", "refused", check=False).stderr


@pytest.mark.parametrize("case", [name for name in REFUSED if name != "a misspelt field"])
def test_update_is_refused_and_changes_nothing(kubernetes, case):
    spec, words = REFUSED[case]
    before = kubernetes.cluster("my-db")
    done = kubernetes.run("patch", "pgc", "my-db", "--type=merge", "-p", json.dumps({"spec": spec}), check=False)
    assert done.returncode == 1
    assert words in done.stderr
    after = kubernetes.cluster("my-db")
    assert (after["spec"], after["metadata"]["generation"]) == (before["spec"], before["metadata"]["generation"])


def test_storage_does_not_shrink(kubernetes):
    before = kubernetes.cluster("my-db")["spec"]
    done = kubernetes.run("patch", "pgc", "my-db", "--type=merge", "-p", '{"spec": {"storage": {"size": "1Gi"}}}', check=False)
    assert "spec.storage.size" in done.stderr
    assert "ask for 10Gi or more" in done.stderr
    assert kubernetes.cluster("my-db")["spec"] == before


def test_kubectl_scale_is_held_to_the_bounds(kubernetes):
    done = kubernetes.run("scale", "pgc/my-db", "--replicas=17", check=False)
    assert done.returncode == 1
    assert kubernetes.cluster("my-db")["spec"]["replicas"] == 3


@pytest.fixture
def no_webhook(kubernetes):
    kubernetes.run("--namespace", "pgc-system", "scale", "deployment/pgc-webhook", "--replicas=0")
    kubernetes.run("--namespace", "pgc-system", "wait", "--for=delete", "pod", "-l", "app.kubernetes.io/name=pgc-webhook", "--timeout=90s")
    yield
    kubernetes.run("--namespace", "pgc-system", "scale", "deployment/pgc-webhook", "--replicas=2")
    kubernetes.run("--namespace", "pgc-system", "rollout", "status", "deployment/pgc-webhook", "--timeout=120s")
    wait_for("the webhook answers again", 30, lambda: kubernetes.run(
        "patch", "pgc", "my-db", "--type=merge", "--dry-run=server", "-p", '{"spec": {"replicas": 2}}', check=False).returncode == 0)


def test_without_the_webhook_only_the_spec_stands_still(kubernetes, no_webhook):
    refused = kubernetes.run("patch", "pgc", "my-db", "--type=merge", "-p", '{"spec": {"replicas": 2}}', check=False)
    assert refused.returncode == 1
    assert "failed calling webhook" in refused.stderr
    assert kubernetes.cluster("my-db")["spec"]["replicas"] == 3

    # Metadata, finalizers among it, and the rest of the cluster go on.
    kubernetes.run("annotate", "pgc", "my-db", "example.com/note=here", "--overwrite")
    finalizers = kubernetes.cluster("my-db")["metadata"]["finalizers"]
    kubernetes.run("patch", "pgc", "my-db", "--type=json", "-p", json.dumps(
        [{"op": "add", "path": "/metadata/finalizers", "value": [*finalizers, "example.com/mine"]}]))
    kubernetes.run("patch", "pgc", "my-db", "--type=json", "-p", json.dumps(
        [{"op": "replace", "path": "/metadata/finalizers", "value": finalizers}]))
    kubernetes.run("create", "configmap", "goes-on")
    kubernetes.run("delete", "configmap", "goes-on")


def test_a_cluster_goes_without_the_webhook(kubernetes):
    """Made while it is there, deleted while it is away: the finalizer of ours can go, the volumes stay."""
    kubernetes.apply(postgres_cluster("short-lived"))
    wait_for("the finalizer stands", 30, lambda: kubernetes.cluster("short-lived")["metadata"].get("finalizers"))
    wait_for("short-lived runs", 120, lambda: kubernetes.cluster("short-lived").get("status", {}).get("phase") == "Ready")
    kubernetes.run("--namespace", "pgc-system", "scale", "deployment/pgc-webhook", "--replicas=0")
    try:
        kubernetes.run("delete", "pgc", "short-lived", "--timeout=120s")
        left = kubernetes.read("configmaps,pods,statefulsets,services", "--selector", "db.example.com/cluster=short-lived")
        wait_for("everything of it is gone", 60, lambda: not kubernetes.read(
            "configmaps,pods,statefulsets,services", "--selector", "db.example.com/cluster=short-lived")["items"])
        volumes = kubernetes.read("pvc", "--selector", "db.example.com/cluster=short-lived")["items"]
        assert [one["metadata"]["name"] for one in volumes] == ["short-lived-1-pgdata"], left
    finally:
        kubernetes.run("--namespace", "pgc-system", "scale", "deployment/pgc-webhook", "--replicas=2")
        kubernetes.run("--namespace", "pgc-system", "rollout", "status", "deployment/pgc-webhook", "--timeout=120s")
