"""As much of HTTP/1.1 as client and API server speak with each other: heads, bodies by length or in chunks."""

import dataclasses


class Closed(Exception):
    """The peer has closed the connection where a message should begin or go on."""


@dataclasses.dataclass
class Head:
    """The first line and the headers of a message; names of headers are in lower case."""

    line: str
    headers: dict

    def encode(self, headers):
        lines = [self.line, *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        return "\r\n".join(lines).encode("latin-1")

    @property
    def status(self):
        return int(self.line.split(" ", 2)[1])

    @property
    def chunked(self):
        return "chunked" in self.headers.get("transfer-encoding", "").lower()


async def read_head(reader):
    try:
        text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except (EOFError, OSError) as error:
        raise Closed from error
    line, *rest = text.rstrip("\r\n").split("\r\n")
    pairs = (header.split(":", 1) for header in rest)
    return Head(line, {name.strip().lower(): value.strip() for name, value in pairs})


async def chunks(reader):
    """Each chunk of a chunked body."""
    try:
        while size := int((await reader.readline()).split(b";")[0], 16):
            yield await reader.readexactly(size)
            await reader.readline()
        await reader.readline()
    except (EOFError, OSError, ValueError) as error:  # a line that is cut off is no number
        raise Closed from error


async def read_body(reader, head):
    if head.chunked:
        return b"".join([chunk async for chunk in chunks(reader)])
    try:
        return await reader.readexactly(int(head.headers.get("content-length", 0)))
    except (EOFError, OSError) as error:
        raise Closed from error


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


def answer(code, headers, body):
    """A whole response."""
    head = Head(f"HTTP/1.1 {code} ", {})
    return head.encode({**headers, "content-length": len(body)}) + body
