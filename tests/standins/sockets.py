"""Requests and replies as bytes on a connection, badly sent ones included."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from http import HTTPStatus

from tests.standins.asked import Recorded
from tests.standins.misbehaviour import Framing, Misbehaviour

DRIPS = 40  # pieces that a slowly dripping body comes in
CHUNKS = 4  # pieces that a chunked body comes in
BLANKS = 65_536  # line breaks that are sent at once


async def read_request(reader: asyncio.StreamReader) -> Recorded:
    """Read one request; a body that is no JSON object is recorded as an empty one."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    at = asyncio.get_running_loop().time()
    first, *lines = head.rstrip().split("\r\n")
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    method, path, *_ = first.split(" ")
    said = _object(body)
    return Recorded(path, headers, said, at, method, b"" if said else body)


async def send_reply(writer: asyncio.StreamWriter, said: Misbehaviour, body: bytes) -> bool:
    """Send a reply as it is to be sent, if it is; say whether the connection stays open."""
    if said.drops:
        writer.transport.abort()
        return False
    travel = said.delivery
    if travel.raw is not None:
        writer.write(travel.raw)
        await writer.drain()
        return False
    if travel.mangle is not None:
        body = travel.mangle(body)
    if travel.gzipped:
        body = gzip.compress(body)
    whole = travel.blank + len(body)
    head = _head(said, whole)
    chunked = travel.framing is Framing.CHUNKED
    left = whole if travel.cut is None else min(travel.cut, whole)
    if not said.drip and not chunked and not travel.blank:
        writer.write(head + body[:left])
        await writer.drain()
        return left == whole and travel.framing is Framing.LENGTH
    writer.write(head)
    async for piece in _pieces(said, body):
        sent = piece[:left]
        left -= len(sent)
        writer.write(b"%x\r\n%b\r\n" % (len(sent), sent) if chunked and sent else sent)
        await writer.drain()
        if not left:
            break
    if chunked and travel.cut is None:
        writer.write(b"0\r\n\r\n")
        await writer.drain()
    return travel.cut is None and travel.framing is not Framing.CLOSE


def _head(said: Misbehaviour, length: int) -> bytes:
    reason = "OK" if said.status < HTTPStatus.BAD_REQUEST else "Error"
    lines = [f"HTTP/1.1 {said.status} {reason}"]
    match said.delivery.framing:
        case Framing.LENGTH:
            lines.append(f"Content-Length: {length}")
        case Framing.CHUNKED:
            lines.append("Transfer-Encoding: chunked")
        case Framing.CLOSE:
            lines.append("Connection: close")
    if said.delivery.gzipped:
        lines.append("Content-Encoding: gzip")
    if said.content_type:
        lines.append(f"Content-Type: {said.content_type}")
    lines += [f"{name}: {value}" for name, value in said.headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


async def _pieces(said: Misbehaviour, body: bytes) -> AsyncIterator[bytes]:
    """Give the bytes of a body as they come, waiting before each piece if it drips."""
    blank, step = said.delivery.blank, 1 if said.drip else BLANKS
    for start in range(0, blank, step):
        await asyncio.sleep(said.drip)
        yield b"\n" * min(step, blank - start)
    count = 1 if blank else DRIPS if said.drip else CHUNKS
    step = -(-len(body) // count) or 1
    for start in range(0, len(body), step):
        await asyncio.sleep(0 if blank else said.drip)
        yield body[start : start + step]


def _object(body: bytes) -> dict[str, object]:
    try:
        said = json.loads(body) if body else {}
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
