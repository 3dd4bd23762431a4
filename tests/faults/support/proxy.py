"""The fault proxy as a process, and its commands as methods."""

import json
import pathlib
import socket
import subprocess
import sys
import threading

PROGRAM = pathlib.Path(__file__).resolve().parents[1] / "apiproxy"


class Proxy:
    def __init__(self, api, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self._errors = open(folder / "errors", "w", encoding="utf-8")
        self.process = subprocess.Popen(
            [sys.executable, PROGRAM, "--server", api.server, "--ca", api.ca, "--certificate", api.certificate, "--key", api.key, "--folder", folder],
            stdout=subprocess.PIPE, stderr=self._errors, text=True)  # fmt: skip
        ready = json.loads(self.process.stdout.readline())
        self.ca = ready["ca"]
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(ready["control"])
        self._lines = self._socket.makefile("r", encoding="utf-8")
        self._turn = threading.Lock()

    def tell(self, do, **command):
        with self._turn:
            self._socket.sendall(json.dumps({"do": do, **command}).encode() + b"\n")
            answer = json.loads(self._lines.readline())
        assert "error" not in answer, f"apiproxy {do} {command}: {answer['error']}"
        return answer

    def stop(self):
        self.process.terminate()
        self.process.wait(10)
        self._socket.close()
        self._errors.close()

    # --- in the words of the tests ---

    def open(self, client):
        return self.tell("open", client=client)["port"]

    def shut(self, client):
        self.tell("shut", client=client)

    def fault(self, match, **what):
        return self.tell("fault", match=match, **what)["id"]

    def clear(self, number=None):
        self.tell("clear", id=number)

    def met(self, number):
        return self.tell("faults")["met"][str(number)]

    def watches(self, client):
        return self.tell("watches", match={"client": client})["watches"]

    def writes(self, client, since=0):
        """Of one client, without the Lease."""
        return [one for one in self.tell("log", since=since)["writes"] if one["client"] == client and one["resource"] != "leases"]

    def asked(self, client, lease=False):
        """{"get pods": 1}: how often it asked what, without the Lease, or about the Lease alone."""
        asked = self.tell("asked", client=client)["asked"]
        return {what: count for what, count in asked.items() if what.endswith(" leases") == lease}

    def mark(self):
        """For `since`: the writes so far."""
        newest = self.tell("log", since=-1)["writes"]
        return newest[0]["number"] + 1 if newest else 0
