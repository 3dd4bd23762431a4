"""pgc-operator as a process, behind a door of the proxy that is its own, with the rights of manifests/rbac."""

import json
import os
import pathlib
import signal
import subprocess
import time
import urllib.request

from .api import wait_for


class Operator:
    """Not started yet. `namespace`: where it looks for clusters and has its Lease; its door has its name."""

    def __init__(self, lab, name, namespace, *, lease=None, proxy=None, health=0, settings=None, options=()):
        self._lab, self.name, self.namespace = lab, name, namespace
        self.lease = lease or namespace
        self._proxy = proxy or lab.proxy
        self._health = health  # port; 0: none
        self.settings = settings or lab.settings
        self.options = list(options)
        self._process, self._port = None, 0
        self._log = pathlib.Path(lab.folder) / f"{name}.log"
        self._log.touch()

    def start(self):
        self._port = self._proxy.open(self.name)
        kubeconfig = pathlib.Path(self._lab.folder) / f"{self.name}.kubeconfig"
        kubeconfig.write_text(json.dumps(self._lab.kubeconfig(f"https://127.0.0.1:{self._port}", self._proxy.ca)))
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [self._lab.programs / "pgc-operator", "--settings", self.settings, "--kubeconfig", kubeconfig, "--namespace", self.lease,
                 "--namespaces", self.namespace, "--identity", self.name, "--health-port", str(self._health), "--no-webhook-certificates",
                 *self.options], stdout=log, stderr=log, stdin=subprocess.DEVNULL)  # fmt: skip
        return self

    @property
    def pid(self):
        return self._process.pid

    def running(self):
        return self._process is not None and self._process.poll() is None

    def signal(self, number):
        self._process.send_signal(number)

    def gone(self, seconds=20):
        """Waits for its end; gives (exit code, seconds)."""
        begun = time.monotonic()
        return self._process.wait(seconds), time.monotonic() - begun

    def kill(self):
        self.signal(signal.SIGKILL)
        self.gone()

    def stop(self):
        if self.running():
            self.signal(signal.SIGCONT)
            self.signal(signal.SIGTERM)
            self.gone()

    def restart(self):
        """In the place of one that was killed: its Lease would have to run out first, which is another test's concern."""
        self._lab.api.delete("leases", self.lease, "pgc-operator")
        return self.start()

    def log(self):
        return self._log.read_text(errors="replace")

    def said(self, words, since=0):
        return words in self.log()[since:]

    def wait_until_watching(self, seconds=15):
        return wait_for(f"{self.name} watches all it needs", seconds, lambda: len(self._proxy.watches(self.name)) >= WATCHES,
                        tell=lambda: self.log()[-2000:])

    def turns(self):
        """How often it has looked at a cluster; only with `health`."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self._health}/metrics", timeout=10) as answer:
            lines = answer.read().decode().splitlines()
        return sum(float(line.split()[-1]) for line in lines if line.startswith("controller_runtime_reconcile_total{"))

    # --- what it costs ---

    def threads(self):
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def resident_kib(self):
        status = pathlib.Path(f"/proc/{self.pid}/status").read_text(encoding="ascii")
        return int(status.split("VmRSS:")[1].split()[0])


# PostgresClusters, and the nine kinds of children that are watched.
WATCHES = 10
