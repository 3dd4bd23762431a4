"""The first thing that a new user runs."""

import re
import time

from conftest import wait_for

CREATE_AIM, SCALE_AIM = 30, 30  # seconds, with the images loaded; a test fails at three times that


def took(text, what):
    return int(re.search(rf"^ *(\d+)s  {re.escape(what)}$", text, re.MULTILINE).group(1))


def test_it_tells_the_whole_story(quickstart):
    text = quickstart[0].stdout
    assert re.search(r"^my-db +16 +3 +3 +my-db-\d-0 +Ready +\S+$", text, re.MULTILINE), text
    assert "my-db-ro: hello from the primary, read from a replica" in quickstart[0].stderr


def test_my_db_is_ready_in_time(quickstart):
    seconds = took(quickstart[0].stdout, "create my-db and wait until it is Ready")
    print(f"from apply to Ready: {seconds} s, aim {CREATE_AIM} s")
    assert seconds < 3 * CREATE_AIM


def test_scaling_out_takes_its_time(quickstart):
    seconds = took(quickstart[0].stdout, "kubectl pgc scale my-db 5")
    print(f"from scale 5 to five streaming members: {seconds} s, aim {SCALE_AIM} s")
    assert seconds < 3 * SCALE_AIM


def test_the_object_holds_the_defaults(kubernetes):
    spec = kubernetes.cluster("my-db")["spec"]
    assert spec["replicas"] == 3
    assert spec["storage"]["size"] == "10Gi"


def test_a_converged_cluster_gets_no_write(kubernetes):
    """The operator restarts and looks at everything anew: no object of the cluster changes."""
    kinds = "statefulsets,services,persistentvolumeclaims,serviceaccounts,roles,rolebindings,poddisruptionbudgets"
    selector = "db.example.com/cluster=my-db"

    def versions():
        found = kubernetes.read(kinds, "--selector", selector)["items"]
        # A controller of Kubernetes may write a status; metadata.generation and managed fields tell whose write it was.
        return {(one["kind"], one["metadata"]["name"]): ours(one) for one in found}

    def ours(one):
        listed = kubernetes_fields(one)
        return [entry.get("time") for entry in listed if entry["manager"] == "pgc-operator"]

    def kubernetes_fields(one):
        return one["metadata"].get("managedFields", [])

    before = versions()
    kubernetes.run("--namespace", "pgc-system", "rollout", "restart", "deployment/pgc-operator")
    kubernetes.run("--namespace", "pgc-system", "rollout", "status", "deployment/pgc-operator", "--timeout=120s")
    log = ""

    def the_new_one_works():
        nonlocal log
        log = kubernetes.operator_log()
        return '"watching"' in log

    wait_for("the new operator leads", 60, the_new_one_works)
    time.sleep(5)
    log = kubernetes.operator_log()
    assert '"wrote"' not in log, log
    assert versions() == before


def test_our_programs_are_small(kubernetes):
    sizes = kubernetes.resident_mib()
    print(", ".join(f"{name}: {mib:.1f} MiB" for name, mib in sizes.items()), "resident, aim 30")
    assert set(sizes) == {"pgc-operator", "pgc-webhook", "pgc-agent"}
    assert all(mib < 30 for mib in sizes.values()), sizes
