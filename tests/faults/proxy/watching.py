"""One live watch on its way through the proxy: events pass, wait, get lost or are cut off."""

import asyncio
import json
import socket
import struct

from . import http1

GONE = {"type": "ERROR", "object": {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 410, "reason": "Expired",
                                    "message": "too old resource version: made up by the fault proxy"}}  # fmt: skip


def abort(writer, how="reset"):
    """Ends a connection without a word: by RST, or by FIN alone ("close"); TLS is not told in either case."""
    connection = writer.get_extra_info("socket")
    if how == "reset" and connection is not None:
        try:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass
    writer.transport.abort()


def encode(event):
    return json.dumps(event, separators=(",", ":")).encode() + b"\n"


class Watch:
    def __init__(self, request, writer):
        self.request, self._writer = request, writer
        self.held = False
        self.ended = False
        self._waiting = []  # lines that are held back
        self._left = None  # bytes until the cut; None: no cut
        self._how = "reset"
        self._turn = asyncio.Lock()
        self.events = 0  # that were passed on

    async def cut_after(self, size, how):
        """Ends it after so many bytes more; 0: now."""
        async with self._turn:
            self._left, self._how = size, how
            if size == 0:
                await self._end(how)

    async def begin(self):
        self._writer.write(http1.Head("HTTP/1.1 200 OK", {}).encode({"content-type": "application/json", "transfer-encoding": "chunked"}))
        await self._writer.drain()

    async def line(self, data):
        """One event from the API server."""
        async with self._turn:
            if self.held:
                self._waiting.append(data)
            else:
                await self._pass(data)

    async def release(self, squash):
        """What was held back goes on; with `squash` only the last that happened to each object."""
        async with self._turn:
            waiting, self._waiting, self.held = self._waiting, [], False
            for data in squashed(waiting) if squash else waiting:
                await self._pass(data)
            return len(waiting)

    async def gone(self):
        """What was held back is never seen: the client has to list again."""
        async with self._turn:
            self._waiting.clear()
            await self._pass(encode(GONE))
            await self._end("end")

    async def finish(self):
        async with self._turn:
            await self._end("end")

    async def _pass(self, data):
        if self.ended:
            return
        if self._left is not None and len(data) >= self._left:
            await self._send(data[: self._left])
            await self._end(self._how)
            return
        if self._left is not None:
            self._left -= len(data)
        await self._send(data)
        self.events += 1

    async def _send(self, data):
        if not data:
            return
        try:
            self._writer.write(http1.chunk(data))
            await self._writer.drain()
        except OSError:
            self.ended = True

    async def _end(self, how):
        if self.ended:
            return
        self.ended = True
        if how == "end":
            self._writer.write(b"0\r\n\r\n")
            await self._writer.drain()
        else:
            abort(self._writer, how)


def squashed(lines):
    """The last event of each object alone, as one would see it who was not looking meanwhile. What came and went was never there."""
    last, born = {}, set()
    for data in lines:
        event = json.loads(data)
        if event["type"] in ("BOOKMARK", "ERROR"):
            last[event["type"]] = event
            continue
        uid = event["object"]["metadata"]["uid"]
        if event["type"] == "ADDED":
            born.add(uid)
        last.pop(uid, None)  # its place is that of its last event
        last[uid] = event
    for uid, event in last.items():
        if event["type"] == "DELETED" and uid in born:
            continue
        yield encode({**event, "type": "ADDED"} if uid in born else event)
