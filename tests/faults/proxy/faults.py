"""The table of faults: which requests are met, and what happens to them.

A fault is {"match": {…}, "skip": 0, "times": null, "probability": 1} and one or more of these:
  "delay": seconds          before anything else
  "drop": "before"|"after"  the connection is reset before the request is forwarded, or after it was answered, without the answer
  "kill": pid, "when": "before"|"after"   SIGKILL at that point, and the answer is lost
  "reply": code, "retry_after": seconds, "html": true   an answer of our own; nothing is forwarded
  "cut": bytes, "how": "reset"|"close"|"end"   so many bytes of a watch's body, then its end

`match` has glob patterns, or lists of them, by the words of requests.Request.described(); "!" before one turns it round; "write": true takes
every writing verb. The first `skip` requests that match pass, then `times` are met (null: all), each with `probability`.
"""

import fnmatch
import os
import random
import signal


def matches(match, request):
    described = request.described()
    return all(request.write == wanted if key == "write" else _fits(wanted, described[key]) for key, wanted in match.items())


def _fits(wanted, value):
    patterns = wanted if isinstance(wanted, list) else [wanted]
    turned = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    straight = [pattern for pattern in patterns if not pattern.startswith("!")]
    if any(fnmatch.fnmatchcase(value, pattern) for pattern in turned):
        return False
    return not straight or any(fnmatch.fnmatchcase(value, pattern) for pattern in straight)


class Fault:
    def __init__(self, number, given):
        self.number, self.given = number, given
        self.seen = self.met = 0
        self._random = random.Random(given.get("seed", number))

    def meets(self, request):
        given = self.given
        if not matches(given.get("match", {}), request):
            return False
        self.seen += 1
        if self.seen <= given.get("skip", 0) or (given.get("times") is not None and self.met >= given["times"]):
            return False
        if self._random.random() >= given.get("probability", 1):
            return False
        self.met += 1
        return True


class Table:
    def __init__(self):
        self.faults = {}
        self._last = 0

    def add(self, given):
        self._last += 1
        self.faults[self._last] = Fault(self._last, given)
        return self._last

    def clear(self, number=None):
        if number is None:
            self.faults.clear()
        else:
            self.faults.pop(number, None)

    def choose(self, request):
        """What happens to this request: the first fault that meets it, or {}."""
        for fault in self.faults.values():
            if fault.meets(request):
                return fault.given
        return {}


def kill(pid):
    """SIGKILL to a sibling: a process that was started by the one that started us, and to no other."""
    with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
        parent = int(stat.read().rsplit(")", 1)[1].split()[1])
    if parent != os.getppid():
        raise PermissionError(f"process {pid} was not started by the program that started the proxy")
    os.kill(pid, signal.SIGKILL)
