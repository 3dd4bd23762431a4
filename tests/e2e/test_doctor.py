"""kubectl pgc doctor on a real Kubernetes: each hop between API server and webhook broken in turn."""

import base64
import contextlib
import json
import subprocess

import pytest

from conftest import wait_for

NAMESPACE = ["--namespace", "pgc-system"]


def doctor(kubernetes):
    done = kubernetes.run("pgc", "doctor", "--namespace", "default", check=False)
    lines = done.stdout.splitlines()
    broken = {line[9:26].strip() for line in lines if line.startswith("BROKEN")}
    return done, broken


def healthy(kubernetes):
    done, broken = doctor(kubernetes)
    return done.returncode == 0 and not broken


@contextlib.contextmanager
def scaled_away(kubernetes, *deployments):
    replicas = {}
    for name in deployments:
        replicas[name] = kubernetes.run(*NAMESPACE, "get", "deployment", name, "-o", "jsonpath={.spec.replicas}").stdout
        kubernetes.run(*NAMESPACE, "scale", f"deployment/{name}", "--replicas=0")
        kubernetes.run(*NAMESPACE, "wait", "--for=delete", "pod", "-l", f"app.kubernetes.io/name={name}", "--timeout=90s")
    try:
        yield
    finally:
        for name in deployments:
            kubernetes.run(*NAMESPACE, "scale", f"deployment/{name}", f"--replicas={replicas[name]}")
            kubernetes.run(*NAMESPACE, "rollout", "status", f"deployment/{name}", "--timeout=120s")


def test_a_healthy_installation_has_no_broken_hop(kubernetes):
    wait_for("every hop is fine", 60, lambda: healthy(kubernetes))
    done, _ = doctor(kubernetes)
    assert done.stderr == ""
    assert all(line.startswith("ok ") for line in done.stdout.splitlines()), done.stdout
    assert "Call" in done.stdout


def test_no_pods(kubernetes):
    with scaled_away(kubernetes, "pgc-webhook"):
        done, broken = doctor(kubernetes)
        assert done.returncode == 1
        assert broken == {"Webhook pods", "Endpoints", "Call"}, done.stdout
    wait_for("every hop is fine again", 60, lambda: healthy(kubernetes))


def test_no_service(kubernetes):
    service = kubernetes.run(*NAMESPACE, "get", "service", "pgc-webhook", "--output", "json").stdout
    kubernetes.run(*NAMESPACE, "delete", "service", "pgc-webhook")
    try:
        done, broken = doctor(kubernetes)
        assert done.returncode == 1
        # The API server may still call over connections that it has kept, so Call may be fine for a while.
        assert {"Service", "Endpoints"} <= broken, done.stdout
    finally:
        made = json.loads(service)
        for field in ("resourceVersion", "uid", "creationTimestamp"):
            del made["metadata"][field]
        kubernetes.apply(made)
    wait_for("every hop is fine again", 60, lambda: healthy(kubernetes))


@pytest.fixture
def foreign_authority(tmp_path):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=foreign", "-days", "30",
                    "-keyout", tmp_path / "key.pem", "-out", tmp_path / "ca.pem"], check=True, capture_output=True)
    return base64.b64encode((tmp_path / "ca.pem").read_bytes()).decode()


def test_a_ca_bundle_of_somebody_else(kubernetes, foreign_authority):
    """The operator does not fight over a field that somebody else writes, so the test puts it right itself."""
    def write(bundle):
        kubernetes.run("patch", "validatingwebhookconfiguration", "pgc-webhook", "--type=json", "-p", json.dumps(
            [{"op": "replace", "path": "/webhooks/0/clientConfig/caBundle", "value": bundle}]))

    ours = kubernetes.read("validatingwebhookconfiguration", "pgc-webhook")["webhooks"][0]["clientConfig"]["caBundle"]
    write(foreign_authority)
    try:
        # Connections that the API server has kept go on; new ones are checked against the new bundle.
        wait_for("the API server takes the new bundle", 60, lambda: "Call" in doctor(kubernetes)[1])
        done, broken = doctor(kubernetes)
        assert broken == {"Call"}, done.stdout
        assert "certificate signed by unknown authority" in done.stdout
        assert "the caBundle of the webhook configuration is not the CA" in done.stdout
    finally:
        write(ours)
    wait_for("every hop is fine again", 60, lambda: healthy(kubernetes))


def test_no_operator(kubernetes):
    with scaled_away(kubernetes, "pgc-operator"):
        done, broken = doctor(kubernetes)
        assert done.returncode == 1
        assert "Operator" in broken, done.stdout
    wait_for("every hop is fine again", 60, lambda: healthy(kubernetes))


def test_without_a_server_it_says_so(kubernetes):
    done = kubernetes.run("pgc", "doctor", "--server", "https://127.0.0.1:1", check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    assert "127.0.0.1:1" in done.stderr
