"""What an HTTP request asks of an API server, in Kubernetes' words."""

import dataclasses
import urllib.parse

_WRITES = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


@dataclasses.dataclass
class Request:
    client: str  # through whose door it came
    agent: str
    method: str
    path: str
    query: dict
    headers: dict
    body: bytes
    verb: str = ""  # get, list, watch, create, update, patch, delete
    group: str = ""
    resource: str = ""  # plural
    namespace: str = ""
    name: str = ""
    subresource: str = ""

    @property
    def write(self):
        return self.verb in _WRITES.values()

    @property
    def target(self):
        return self.path + ("?" + urllib.parse.urlencode(self.query) if self.query else "")

    def described(self):
        return {"client": self.client, "agent": self.agent, "verb": self.verb, "group": self.group, "resource": self.resource,
                "namespace": self.namespace, "name": self.name, "subresource": self.subresource}


def parse(client, head, body):
    method, target, _ = head.line.split(" ", 2)
    path, _, query = target.partition("?")
    request = Request(client, head.headers.get("user-agent", ""), method, path, dict(urllib.parse.parse_qsl(query, keep_blank_values=True)),
                      head.headers, body)
    _place(request, [urllib.parse.unquote(part) for part in path.strip("/").split("/")])
    request.verb = _WRITES.get(method) or _reading(request)
    return request


def _place(request, parts):
    """/api/v1/… or /apis/GROUP/VERSION/…, then [namespaces/NS/]RESOURCE[/NAME[/SUBRESOURCE]]."""
    if parts[0] == "api":
        parts = parts[2:]
    elif parts[0] == "apis":
        request.group, parts = parts[1] if len(parts) > 1 else "", parts[3:]
    else:
        return
    if parts[:1] == ["namespaces"] and len(parts) > 2 and parts[2] not in ("status", "finalize"):
        request.namespace, parts = parts[1], parts[2:]
    request.resource, request.name, request.subresource = [*parts, "", "", ""][:3]


def _reading(request):
    if request.query.get("watch") in ("1", "true"):
        return "watch"
    return "get" if request.name or not request.resource else "list"
