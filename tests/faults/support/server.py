"""A second kube-apiserver on the same etcd, with a proxy of its own before it: to be killed and started again."""

import contextlib
import os
import pathlib
import subprocess
import time
import urllib.parse

from . import api, proxy

PORT = 6444


class SecondServer:
    def __init__(self, lab):
        self._lab = lab
        self._process = None
        url = urllib.parse.urlsplit(lab.api.server)
        self.api = api.Api(f"https://{url.hostname}:{PORT}", lab.api.ca, lab.api.certificate, lab.api.key)

    def __enter__(self):
        self.start()
        self.proxy = proxy.Proxy(self.api, self._lab.folder / "proxy-of-second")
        return self

    def __exit__(self, *_):
        self.proxy.stop()
        self.kill()

    def start(self):
        """As the first one was started, but for its port; gives the seconds until it is ready."""
        begun = time.monotonic()
        with open(self._lab.folder / "second-server.log", "ab") as log:
            self._process = subprocess.Popen(
                [self._lab.root / "dev/cluster", "enter", "--name", self._lab.cluster, *_options_of_first(self._lab), f"--secure-port={PORT}",
                 "--cert-dir=/run/pgc/apiserver-second"], stdout=log, stderr=log, stdin=subprocess.DEVNULL)  # fmt: skip
        api.wait_for("the second API server is ready", 60, self._ready)
        return time.monotonic() - begun

    def _ready(self):
        assert self._process.poll() is None, "the second API server has ended; see second-server.log"
        try:
            return self.api.call("GET", "/readyz")["message"] == "ok" and self._knows_the_rights()
        except (OSError, api.Refused, api.http.client.HTTPException):
            return False

    def _knows_the_rights(self):
        """A server that has just started says that it is ready, and yet refuses everybody for a moment."""
        asked = {"verb": "list", "group": "apps", "resource": "statefulsets", "namespace": "default"}
        review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
                  "spec": {"user": "system:serviceaccount:pgc-system:pgc-operator", "resourceAttributes": asked}}
        return self.api.call("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", review)["status"]["allowed"]

    def kill(self):
        """SIGKILL to the server itself, below the shell and nsenter that have started it; its port is free afterwards."""
        pids = _descendants(self._process.pid)
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, 9)
        self._process.wait(10)
        api.wait_for("the second API server is gone", 30, lambda: not any(_alive(pid) for pid in pids))


def _options_of_first(lab):
    listed = subprocess.run([lab.root / "dev/cluster", "enter", "--name", lab.cluster, "sh", "-c",
                             "tr '\\0' '\\n' </proc/$(pgrep -o -x kube-apiserver)/cmdline"], text=True, capture_output=True, check=True)  # fmt: skip
    return [word for word in listed.stdout.splitlines() if not word.startswith(("--secure-port", "--cert-dir"))]


def _alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _descendants(pid):
    """None of a process that has ended."""
    found = []
    with contextlib.suppress(OSError):
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text(encoding="ascii").split():
                found += [int(child), *_descendants(int(child))]
    return found
