"""A stale view: lists, and if wished gets, of an earlier resourceVersion. etcd still has it, until it is compacted (every 5 minutes)."""

import json

from . import faults


class Past:
    """`match` says what is old: of what else there is the present is seen."""

    def __init__(self, upstream, version, match, gets):
        self._upstream, self.version, self._match, self._gets = upstream, version, match, gets

    def covers(self, request):
        """Never the Lease: an operator that could not renew it would do nothing at all."""
        got = request.verb == "get" and self._gets and not request.subresource
        fits = request.resource not in ("", "leases") and faults.matches(self._match, request)
        return fits and (request.verb in ("list", "watch") or got)

    async def answer(self, request):
        """(code, body) as of then."""
        if request.verb == "list":
            return await self._list(request.path, request.query, request, request.headers)
        collection, ours = request.path.rsplit("/", 1)[0], {"accept": "application/json"}  # who may get need not be allowed to list
        code, body = await self._list(collection, {"fieldSelector": f"metadata.name={request.name}"}, request, ours)
        if code != 200:
            return code, body
        listed = json.loads(body)
        if not listed["items"]:
            return 404, _not_found(request)
        item = {"apiVersion": listed["apiVersion"], "kind": listed["kind"].removesuffix("List"), **listed["items"][0]}
        return 200, json.dumps(item).encode()

    async def initial_events(self, request):
        """What a streaming list begins with, and the bookmark that ends it."""
        query = {key: request.query[key] for key in ("labelSelector", "fieldSelector") if key in request.query}
        _, body = await self._list(request.path, query, request, request.headers)
        listed = json.loads(body)
        kind = {"apiVersion": listed["apiVersion"], "kind": listed["kind"].removesuffix("List")}
        for item in listed["items"]:
            yield {"type": "ADDED", "object": {**kind, **item}}
        end = {"resourceVersion": listed["metadata"]["resourceVersion"], "annotations": {"k8s.io/initial-events-end": "true"}}
        yield {"type": "BOOKMARK", "object": {**kind, "metadata": end}}

    async def _list(self, path, query, request, headers):
        if "continue" not in query:  # a token names its version itself
            query = {**query, "resourceVersion": self.version, "resourceVersionMatch": "Exact"}
        changed = type(request)(**{**vars(request), "path": path, "query": query})
        head, body = await self._upstream.exchange("GET", changed.target, headers)
        return head.status, body


def _not_found(request):
    return json.dumps({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "reason": "NotFound", "code": 404,
                       "message": f'{request.resource} "{request.name}" not found'}).encode()
