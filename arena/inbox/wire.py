"""Requests and replies as bytes: little of HTTP/1.1, and that exactly.

A request that could be understood in two ways is refused. Each connection carries one.
"""

import asyncio
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

from arena.agents.reply import MAX_BYTES

MAX_HEAD = 16_384  # bytes of a request before its body
SCHEMA_VERSION = 1

_REQUEST = re.compile(r"([A-Z]{1,20}) (/[!-~]{0,2000}) HTTP/1\.[01]", re.ASCII)
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}):[ \t]*([ -~\t\x80-\xff]*)", re.ASCII)
_ONCE = frozenset(
    {"authorization", "content-length", "content-type", "expect", "host", "transfer-encoding"}
)
_LONGEST_LENGTH = 12  # digits
_HEADERS = (
    "Content-Type: application/json; charset=utf-8",
    "Cache-Control: no-store",
    "X-Content-Type-Options: nosniff",
    "Connection: close",
)


@dataclass(frozen=True, slots=True)
class Head:
    """What a request says before its body; `headers` by name in small letters."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Reply:
    """What is answered: a status, and one JSON document."""

    status: HTTPStatus
    document: Mapping[str, object]
    headers: tuple[str, ...] = ()


class RefusedError(Exception):
    """A request is not answered as it wished: `reply` says why."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.status.phrase)
        self.reply = reply


def refusal(status: HTTPStatus, code: str, message: str, *headers: str) -> RefusedError:
    """Make the error that ends a request with a reason."""
    return RefusedError(Reply(status, {"error": {"code": code, "message": message}}, headers))


async def read_head(reader: asyncio.StreamReader) -> Head:
    """Read a request up to its body.

    Raises:
        RefusedError: It is too long, or no request.
        IncompleteReadError: The client has gone.
    """
    try:
        raw = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise refusal(
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE,
            "request.head",
            f"a request has at most {MAX_HEAD} bytes before its body",
        ) from None
    return parse_head(raw)


def parse_head(raw: bytes) -> Head:
    """Read the bytes of a request up to its body, the empty line included.

    Raises:
        RefusedError: They are no request.
    """
    first, *lines = raw.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    request_line = _REQUEST.fullmatch(first)
    if request_line is None:
        raise _malformed()
    headers: dict[str, str] = {}
    for line in lines:
        header = _HEADER.fullmatch(line)
        name = header[1].lower() if header else ""
        if header is None or (name in _ONCE and name in headers):
            raise _malformed()
        headers[name] = header[2].strip(" \t")
    return Head(request_line[1], request_line[2].partition("?")[0], headers)


def length_of(head: Head) -> int:
    """How many bytes of body a request announces.

    Raises:
        RefusedError: It does not say, says nonsense, or says more than a reply may have.
    """
    length = head.headers.get("content-length")
    if length is None or "transfer-encoding" in head.headers:
        raise refusal(
            HTTPStatus.LENGTH_REQUIRED, "request.length", "give a Content-Length, and no chunks"
        )
    if not (length.isascii() and length.isdigit()):
        raise _malformed()
    if len(length) > _LONGEST_LENGTH or int(length) > MAX_BYTES:
        raise refusal(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            "request.size",
            f"a reply has at most {MAX_BYTES} bytes",
        )
    return int(length)


def written(reply: Reply, *, with_body: bool = True) -> bytes:
    """Write a reply down."""
    body = json.dumps({"schema_version": SCHEMA_VERSION, **reply.document}, allow_nan=False)
    lines = [
        f"HTTP/1.1 {reply.status.value} {reply.status.phrase}",
        *_HEADERS,
        f"Content-Length: {len(body) + 1}",
        *reply.headers,
    ]
    head = "".join(f"{line}\r\n" for line in lines)
    return f"{head}\r\n{body if with_body else ''}{chr(10) if with_body else ''}".encode(
        "ascii"
    )


def _malformed() -> RefusedError:
    return refusal(
        HTTPStatus.BAD_REQUEST, "request.malformed", "that is no request of HTTP/1.1"
    )
