"""Doors: each client of the proxy has a port of its own, so that faults can be meant for it alone and its port can be closed."""

import asyncio
import contextlib
import json

from . import faults, http1, journal, past, requests, watching


class House:
    """All doors, and what they share."""

    def __init__(self, upstream, context):
        self.upstream, self.context = upstream, context
        self.table, self.journal = faults.Table(), journal.Journal()
        self.doors = {}

    def door(self, client):
        return self.doors.setdefault(client, Door(self, client))

    def watches(self, match):
        return [watch for door in self.doors.values() for watch in door.watches if faults.matches(match, watch.request)]

    def shut_all(self):
        for door in self.doors.values():
            door.shut()


class Door:
    def __init__(self, house, client):
        self._house, self.client = house, client
        self.port = 0
        self.watches = set()
        self._server = None
        self._writers = set()
        self._past = None
        self._present = asyncio.Event()  # set while nothing is frozen
        self._present.set()

    async def open(self):
        """Gives the port; it stays the same over shut() and open()."""
        if self._server is None:
            self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port, ssl=self._house.context, limit=1 << 24)
            self.port = self._server.sockets[0].getsockname()[1]
        return self.port

    def shut(self):
        """New connections are refused, those that stand are reset: as if the API server had died."""
        if self._server is not None:
            self._server.close()
            self._server = None
        for writer in list(self._writers):
            watching.abort(writer)

    async def freeze(self, match, gets):
        """From here on this client sees of what matches the present moment only; what it writes is written."""
        _, listed = await self._house.upstream.json("/api/v1/configmaps?limit=1")
        self._past = past.Past(self._house.upstream, listed["metadata"]["resourceVersion"], match, gets)
        self._present.clear()
        for watch in filter(lambda one: self._past.covers(one.request), self.watches):
            watch.held = True
        return self._past.version

    async def thaw(self):
        self._past = None
        self._present.set()
        for watch in list(self.watches):
            await watch.release(squash=False)

    async def _serve(self, reader, writer):
        self._writers.add(writer)
        try:
            while await self._one(reader, writer):
                pass
        except (http1.Closed, OSError):
            watching.abort(writer, "close")
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _one(self, reader, writer):
        """One request; False where it was the connection's last."""
        head = await http1.read_head(reader)
        if head.headers.get("expect", "").lower() == "100-continue":
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request = requests.parse(self.client, head, await http1.read_body(reader, head))
        fault = self._house.table.choose(request)
        await asyncio.sleep(fault.get("delay", 0))
        if self._lost(fault, "before", request, writer, 0, b""):
            return False
        if "reply" in fault:
            self._note(request, 0, b"", f"answered {fault['reply']} by the proxy")
            return await self._send(writer, *made_up(fault))
        if request.verb == "watch":
            await self._watch(request, reader, writer, fault)
            return False
        code, headers, body = await self._forward(request)
        if self._lost(fault, "after", request, writer, code, body):
            return False
        self._note(request, code, body, "passed on")
        return await self._send(writer, code, headers, body)

    def _lost(self, fault, when, request, writer, code, body):
        """Whether the connection ends here, with or without the client."""
        killed = "kill" in fault and fault.get("when", "before") == when
        if not killed and fault.get("drop") != when:
            return False
        self._note(request, code, body, f"{'client killed' if killed else 'connection reset'} {when} it was forwarded")
        if killed:
            faults.kill(fault["kill"])
        watching.abort(writer)
        return True

    def _note(self, request, code, body, fate):
        self._house.journal.note(request, code, body, fate)

    async def _send(self, writer, code, headers, body):
        writer.write(http1.answer(code, headers, body))
        await writer.drain()
        return True

    async def _forward(self, request):
        if self._past is not None and self._past.covers(request):
            code, body = await self._past.answer(request)
            return code, {"content-type": "application/json"}, body
        head, body = await self._house.upstream.exchange(request.method, request.target, request.headers, request.body)
        kept = {name: value for name, value in head.headers.items() if name not in ("content-length", "transfer-encoding", "connection")}
        return head.status, kept, body

    async def _watch(self, request, reader, writer, fault):
        """Until either side ends it. A client that hangs up is noticed at once: it has nothing more to say."""
        watch = watching.Watch(request, writer)
        if "cut" in fault:
            await watch.cut_after(fault["cut"], fault.get("how", "reset"))
        pump = asyncio.create_task(self._pump(request, watch, writer))
        gone = asyncio.create_task(reader.read(1))
        self.watches.add(watch)
        try:
            await asyncio.wait({pump, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.watches.discard(watch)
            for task in (pump, gone):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, http1.Closed, OSError):
                    await task
        if not watch.ended and not gone.done():
            watching.abort(writer, "close")

    async def _pump(self, request, watch, writer):
        if self._past is not None and self._past.covers(request):
            await self._watch_the_past(request, watch)
        connection = await self._house.upstream.send(request.method, request.target, request.headers, b"")
        try:
            self._note(request, connection.head.status, b"", "passed on")
            if connection.head.status != 200:
                body = await http1.read_body(connection.reader, connection.head)
                await self._send(writer, connection.head.status, {"content-type": "application/json"}, body)
                watch.ended = True
                return
            await watch.begin()
            await self._lines(connection, watch)
            await watch.finish()
        finally:
            connection.close()

    async def _lines(self, connection, watch):
        rest = b""
        async for data in http1.chunks(connection.reader):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                await watch.line(line + b"\n")
            if watch.ended:
                return

    async def _watch_the_past(self, request, watch):
        """In a frozen view nothing happens. What has happened since comes when it thaws, from where the client stood."""
        await watch.begin()
        if request.query.get("sendInitialEvents") == "true":
            async for event in self._past.initial_events(request):
                await watch.line(watching.encode(event))
            for word in ("sendInitialEvents", "resourceVersionMatch"):
                request.query.pop(word, None)
            request.query["resourceVersion"] = self._past.version
        watch.begin = _nothing  # the client has had its head
        await self._present.wait()


async def _nothing():
    pass


def made_up(fault):
    """(code, headers, body) as an API server, or a proxy before it, would have said it."""
    code = fault["reply"]
    headers = {"content-type": "application/json"}
    if "retry_after" in fault:
        headers["retry-after"] = str(fault["retry_after"])
    if fault.get("html"):
        return code, {**headers, "content-type": "text/html"}, b"<html><body><h1>Service Unavailable</h1>made up by the fault proxy</body></html>"
    reason = {404: "NotFound", 409: "Conflict", 410: "Expired", 429: "TooManyRequests", 500: "InternalError", 503: "ServiceUnavailable"}
    status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "reason": reason.get(code, "Unknown"), "code": code,
              "message": "made up by the fault proxy"}  # fmt: skip
    return code, headers, json.dumps(status).encode()
