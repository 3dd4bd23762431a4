"""What passed: each write with its outcome, how often each right was used, and what each client asked."""

import collections
import json
import time


class Journal:
    def __init__(self):
        self.writes = []
        self.used = collections.Counter()  # (verb, group, resource, subresource, code, whether the right is missing)
        self.asked = collections.Counter()  # (client, verb, resource)

    def note(self, request, code, answer, fate):
        """`code` is what the API server said, 0: it was not asked or did not say; `fate` what became of the answer."""
        self.used[request.verb, request.group, request.resource, request.subresource, code, _is_no_right(code, answer)] += 1
        self.asked[request.client, request.verb, request.resource] += 1
        if request.write:
            self.writes.append({**request.described(), "name": request.name or _name(answer), "number": len(self.writes),
                                "time": time.time(), "code": code, "fate": fate,
                                "uid": _uid(answer), "named": _named(request.body)})

    def rights(self):
        return [{"verb": verb, "group": group, "resource": resource, "subresource": sub, "code": code, "missing": missing, "count": count}
                for (verb, group, resource, sub, code, missing), count in self.used.items()]


def _document(text):
    try:
        return json.loads(text)
    except ValueError:
        return {}


def _is_no_right(code, answer):
    """A quota answers 403, too, and the right is there."""
    return code == 403 and " cannot " in _document(answer).get("message", "")


def _name(answer):
    return _document(answer).get("metadata", {}).get("name", "")


def _uid(answer):
    document = _document(answer)
    return document.get("metadata", {}).get("uid") or (document.get("details") or {}).get("uid", "")


def _named(body):
    """What the writer said that the object must be: the UID, or else the resourceVersion; "" where it said neither."""
    document = _document(body)
    if isinstance(document, list):  # a JSON patch
        return next((step["value"] for step in document if step["path"] == "/metadata/resourceVersion"), "")
    for holder in (document.get("preconditions") or {}, document.get("metadata") or {}):
        if said := holder.get("uid") or holder.get("resourceVersion"):
            return said
    return ""
