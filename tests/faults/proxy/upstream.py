"""Connections to the real API server: with the caller's token where he brings one, else with our client certificate."""

import asyncio
import json
import ssl
import urllib.parse

from . import http1

# What belongs to one connection, and what would make answers unreadable to us.
_OWN = {"host", "connection", "content-length", "transfer-encoding", "accept-encoding", "expect"}


class Upstream:
    def __init__(self, server, ca, certificate, key):
        url = urllib.parse.urlsplit(server)
        self.host, self.port = url.hostname, url.port or 443
        self._plain = ssl.create_default_context(cafile=ca)
        self._certified = ssl.create_default_context(cafile=ca)
        self._certified.load_cert_chain(certificate, key)
        self._idle = {True: [], False: []}  # by whether it shows our certificate

    async def send(self, method, target, headers, body):
        """Gives a Connection from which the answer's head has been read. Raises http1.Closed or OSError."""
        token = "authorization" in headers
        connection = await self._connection(not token)
        kept = {name: value for name, value in headers.items() if name not in _OWN}
        head = http1.Head(f"{method} {target} HTTP/1.1", {})
        try:
            connection.writer.write(head.encode({**kept, "host": f"{self.host}:{self.port}", "content-length": len(body)}) + body)
            await connection.writer.drain()
            connection.head = await http1.read_head(connection.reader)
        except (http1.Closed, OSError):
            connection.close()
            raise
        return connection

    async def exchange(self, method, target, headers, body=b""):
        """(head, body) of a whole answer."""
        connection = await self.send(method, target, headers, body)
        try:
            answer = await http1.read_body(connection.reader, connection.head)
        except http1.Closed:
            connection.close()
            raise
        connection.keep()
        return connection.head, answer

    async def json(self, target, headers=None):
        head, body = await self.exchange("GET", target, {"accept": "application/json", **(headers or {})})
        return head.status, json.loads(body)

    async def _connection(self, certified):
        idle = self._idle[certified]
        while idle:
            connection = idle.pop()
            if not connection.reader.at_eof():
                return connection
            connection.close()
        reader, writer = await asyncio.open_connection(self.host, self.port, ssl=self._certified if certified else self._plain)
        return Connection(reader, writer, idle)


class Connection:
    def __init__(self, reader, writer, idle):
        self.reader, self.writer, self._idle = reader, writer, idle
        self.head = None

    def keep(self):
        """For the next request; the answer must have been read to its end."""
        self._idle.append(self)

    def close(self):
        self.writer.transport.abort()
