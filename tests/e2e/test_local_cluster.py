"""dev/cluster itself: a cluster of its own name comes up, runs pods, and leaves nothing behind."""

import glob
import http.server
import json
import os
import pathlib
import signal
import ssl
import subprocess
import threading

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(
    os.environ.get("PGC_CACHE")
    or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "pgc"
)
TOOLS_IMAGE = "localhost/pgc-postgres:dev"
KERNEL_SETTINGS = ["vm/overcommit_memory", "kernel/panic", "kernel/panic_on_oops", "net/ipv4/ip_forward"]


class Cluster:
    """One cluster by name, driven only through dev/cluster."""

    def __init__(self, name, *up_options):
        self.name = name
        self.state = CACHE / "clusters" / name
        self.up_options = up_options

    def run(self, command, *arguments, check=True, **options):
        done = subprocess.run(
            [ROOT / "dev/cluster", command, "--name", self.name, *arguments],
            text=True, capture_output=True, timeout=300, **options)
        assert not check or done.returncode == 0, f"dev/cluster {command} {arguments}: {done.stdout}{done.stderr}"
        return done

    def up(self):
        return self.run("up", *self.up_options)

    def down(self):
        return self.run("down")

    def kubectl(self, *arguments, **options):
        return self.run("kubectl", *arguments, **options).stdout

    def apply(self, *objects):
        self.kubectl("apply", "-f", "-", input=json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))

    def init_pid(self):
        return int((self.state / "init").read_text().split()[0])

    def host_address(self):
        return self.addresses()["host_address"]

    def addresses(self):
        return dict(line.split("=") for line in (self.state / "addresses").read_text().split())

    def wait_ready(self, pod):
        self.kubectl("wait", "--for=condition=Ready", f"pod/{pod}", "--timeout=60s")


def pod(name, image="localhost/pgc-pause:1", command=None, labels=None, claim=None):
    container = {"name": "main", "image": image, "imagePullPolicy": "Never"}
    if command:
        container["command"] = command
    spec = {"containers": [container], "terminationGracePeriodSeconds": 0}
    if claim:
        container["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]
        spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels or {}}, "spec": spec}


@pytest.fixture(scope="module")
def cluster():
    cluster = Cluster("pgc-test-node")
    cluster.down()
    cluster.up()
    yield cluster
    cluster.down()


@pytest.fixture
def control_plane():
    cluster = Cluster("pgc-test-api", "--control-plane-only")
    cluster.down()
    cluster.up()
    yield cluster
    cluster.down()


@pytest.fixture(scope="module")
def tools(cluster):
    """An image with an interpreter in it, without which a pod can't ask anything."""
    loaded = cluster.run("load", TOOLS_IMAGE, check=False)
    if loaded.returncode != 0:
        pytest.skip(f"{TOOLS_IMAGE} is not built (dev/images): {loaded.stderr.strip()}")
    return TOOLS_IMAGE


def test_up_again_reuses(cluster):
    before = cluster.init_pid()
    assert "is up already" in cluster.up().stderr
    assert cluster.init_pid() == before


def test_another_mode_is_refused(cluster):
    done = cluster.run("up", "--control-plane-only", check=False)
    assert done.returncode == 1
    assert "dev/cluster down --name pgc-test-node" in done.stderr


def test_status_names_every_part(cluster):
    text = cluster.run("status").stdout
    for part in ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "containerd", "coredns"]:
        assert part in text


def test_versions_are_the_promised_ones(cluster):
    versions = (ROOT / "dev/versions.sh").read_text()
    wanted = next(line for line in versions.splitlines() if line.startswith("kubernetes_version=")).split("=")[1]
    found = json.loads(cluster.kubectl("version", "-o", "json"))
    assert found["serverVersion"]["gitVersion"] == found["clientVersion"]["gitVersion"] == f"v{wanted}"


def test_pod_runs_on_a_dynamic_volume(cluster):
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
             "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}}}
    cluster.apply(claim, pod("on-volume", claim="data"))
    cluster.wait_ready("on-volume")
    cluster.kubectl("delete", "pod/on-volume", "pvc/data")


def test_names_services_exec_and_logs(cluster, tools):
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
               "spec": {"selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8000}]}}
    server = pod("web", tools, ["python3", "-u", "-m", "http.server", "-d", "/etc/ssl", "8000"], {"app": "web"})
    cluster.apply(service, server, pod("client", tools, ["sleep", "600"]))
    cluster.wait_ready("web")
    cluster.wait_ready("client")
    ask = ("import time, urllib.request as u\n"
           "for i in range(50):\n"
           "    try: print(u.urlopen('http://web/', timeout=2).status); break\n"
           "    except OSError: time.sleep(0.2)\n")
    assert cluster.kubectl("exec", "client", "--", "python3", "-c", ask).strip() == "200"
    assert "GET / HTTP/1.1" in cluster.kubectl("logs", "web")
    cluster.kubectl("delete", "pod/web", "pod/client", "service/web", "--now")


def test_pods_reach_the_api_with_their_own_token(cluster, tools):
    cluster.apply(pod("caller", tools, ["sleep", "600"]))
    cluster.wait_ready("caller")
    ask = ("import ssl, urllib.request as u\n"
           "d = '/var/run/secrets/kubernetes.io/serviceaccount/'\n"
           "r = u.Request('https://kubernetes.default.svc/version', headers={'Authorization': 'Bearer ' + open(d + 'token').read()})\n"
           "print(u.urlopen(r, context=ssl.create_default_context(cafile=d + 'ca.crt'), timeout=5).status)\n")
    assert cluster.kubectl("exec", "caller", "--", "python3", "-c", ask).strip() == "200"
    cluster.kubectl("delete", "pod/caller", "--now")


def test_a_part_that_dies_comes_back(control_plane):
    control_plane.run("enter", "sh", "-c", "kill -9 $(pidof kube-apiserver)")
    control_plane.run("enter", "curl", "-ksSf", "--retry", "60", "--retry-delay", "1", "--retry-all-errors", "-o", "/dev/null",
                      "https://127.0.0.1:6443/livez")
    assert "kube-apiserver ended with 137" in (control_plane.state / "log/kube-apiserver.log").read_text()


def test_up_after_a_crash_starts_anew(control_plane):
    control_plane.kubectl("create", "configmap", "old")
    os.kill(control_plane.init_pid(), signal.SIGKILL)
    assert "did not end properly" in control_plane.up().stderr
    assert "NotFound" in control_plane.run("kubectl", "get", "configmap", "old", check=False).stderr


class Admission(http.server.BaseHTTPRequestHandler):
    """Allows everything and remembers who called."""

    callers = []

    def do_POST(self):
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        subject = dict(pair[0] for pair in self.connection.getpeercert()["subject"])
        self.callers.append(subject["commonName"])
        answer = json.dumps({"apiVersion": review["apiVersion"], "kind": review["kind"],
                             "response": {"uid": review["request"]["uid"], "allowed": True}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


@pytest.fixture
def webhook(control_plane, tmp_path):
    """A webhook on this machine that takes only callers with a certificate of the cluster's CA; gives its URL and CA."""
    address, pki = control_plane.host_address(), control_plane.state / "pki"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", tmp_path / "key", "-out", tmp_path / "crt",
                    "-subj", "/CN=webhook", "-addext", f"subjectAltName=IP:{address}", "-days", "1"], check=True, capture_output=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=pki / "ca.crt")
    context.load_cert_chain(tmp_path / "crt", tmp_path / "key")
    context.verify_mode = ssl.CERT_REQUIRED
    server = http.server.ThreadingHTTPServer((address, 0), Admission)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"https://{address}:{server.server_port}/", (tmp_path / "crt").read_bytes()
    server.shutdown()


@pytest.mark.parametrize("kind", ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"])
def test_the_api_server_shows_webhooks_a_certificate(control_plane, webhook, kind):
    import base64
    url, ca = webhook
    Admission.callers.clear()
    control_plane.apply({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": "who-calls"},
        "webhooks": [{"name": "who-calls.example.com", "admissionReviewVersions": ["v1"], "sideEffects": "None",
                      "clientConfig": {"url": url, "caBundle": base64.b64encode(ca).decode()},
                      "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}]}]})
    for attempt in range(50):
        control_plane.kubectl("create", "configmap", f"asked-{attempt}")
        if Admission.callers:
            break
    assert set(Admission.callers) == {"kube-apiserver"}


def kernel_settings():
    return {name: pathlib.Path("/proc/sys", name).read_text() for name in KERNEL_SETTINGS}


def firewall():
    texts = [subprocess.run([tool], text=True, capture_output=True).stdout for tool in ("iptables-save", "iptables-legacy-save")]
    return [line.split("[")[0] for text in texts for line in text.splitlines() if not line.startswith("#")]


def in_namespace(inode):
    found = []
    for link in glob.glob("/proc/[0-9]*/ns/pid"):
        try:
            if os.readlink(link) == inode:
                found.append(link)
        except OSError:
            pass
    return found


def traces(name, identity):
    """What is left of a cluster outside of its folder."""
    mounts = [line for line in pathlib.Path("/proc/mounts").read_text().splitlines() if f"/clusters/{name}" in line]
    interfaces = [link for link in os.listdir("/sys/class/net") if identity in link]
    return mounts + interfaces + glob.glob(f"/sys/fs/cgroup/**/{identity}", recursive=True)


def test_down_leaves_nothing():
    cluster = Cluster("pgc-test-gone")
    cluster.down()
    settings, rules = kernel_settings(), firewall()
    cluster.up()
    try:
        cluster.apply(pod("left-running"))
        cluster.wait_ready("left-running")
        namespace = os.readlink(f"/proc/{cluster.init_pid()}/ns/pid")
        identity = next(link for link in os.listdir("/sys/class/net") if link.startswith("pgc-")
                        and cluster.host_address() in subprocess.getoutput(f"ip -4 addr show {link}"))[:-2]
        assert len(in_namespace(namespace)) > 8 and traces(cluster.name, identity)
    finally:
        cluster.down()
    assert in_namespace(namespace) == []
    assert traces(cluster.name, identity) == []
    assert not cluster.state.exists()
    assert (kernel_settings(), firewall()) == (settings, rules)
    assert "is down already" in cluster.down().stderr
