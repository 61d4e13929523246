"""A small HTTP server for answers from outside: turns that wait are told, replies taken.

It is plain HTTP for the machine it runs on. TLS belongs to a reverse proxy in front of it.
"""

import asyncio
import hmac
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from http import HTTPStatus
from pathlib import Path, PurePath
from typing import Final
from urllib.parse import quote, unquote

from arena.agents.reply import MAX_BYTES
from arena.errors import ArenaError
from arena.ports import Clock
from arena.records.cohort import CohortId, CohortSpec, ContestantId
from arena.records.decision import Status
from arena.steps.submit import (
    AGAIN,
    LATE,
    UNKNOWN,
    Due,
    answer_data,
    coming,
    coming_data,
    submit,
    turn_at,
    turn_data,
    turns_due,
)
from arena.store import Store, open_store

# Parses requests and writes replies in a strict subset of HTTP/1.1.
#
# A request that could be understood in two ways is refused. Each connection carries one.

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
class RequestHead:
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


async def read_head(reader: asyncio.StreamReader) -> RequestHead:
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


def parse_head(raw: bytes) -> RequestHead:
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
    return RequestHead(request_line[1], request_line[2].partition("?")[0], headers)


def length_of(head: RequestHead) -> int:
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
    return (f"{head}\r\n" + (f"{body}\n" if with_body else "")).encode("ascii")


def _malformed() -> RefusedError:
    return refusal(
        HTTPStatus.BAD_REQUEST, "request.malformed", "that is no request of HTTP/1.1"
    )


BUSY_SECONDS: Final = 5.0
ROOT: Final = ("v1", "turns")

_TAKEN = frozenset({"application/json", "text/plain"})
_CHARSETS = frozenset({"", "utf-8", "utf8", "us-ascii"})
_DIGITS = 9  # of a round's number
_STATUSES = {
    UNKNOWN: HTTPStatus.NOT_FOUND,
    AGAIN: HTTPStatus.CONFLICT,
    LATE: HTTPStatus.GONE,
}


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """A request that may be answered: whose turns, and which of them is replied to."""

    contestant: ContestantId
    turn: tuple[CohortId, int] | None = None
    length: int = 0


@dataclass(frozen=True, slots=True)
class InboxHandler:
    """Tells contestants their turns and takes their answers.

    Each answer opens the database anew, so that it may be called in any thread. `tokens` are
    those of the contestants that are served; nobody else is. `busy` is how many seconds a
    request waits for another process that writes.
    """

    database: PurePath
    clock: Clock
    tokens: Mapping[ContestantId, str] = field(repr=False)
    specs: tuple[CohortSpec, ...] = ()
    busy: float = BUSY_SECONDS

    def admit(self, head: RequestHead) -> TurnRequest:
        """Check a request before its body is read.

        Raises:
            RefusedError: There is no such page, the token is wrong, or the request cannot be
                answered as it was put.
        """
        steps = tuple(unquote(step) for step in head.path.split("/")[1:])
        if steps[:2] != ROOT or len(steps) not in {3, 5} or not all(steps):
            raise _no_page()
        who = ContestantId(steps[2])
        self._check_token(who, head)
        is_reply = len(steps) == len(ROOT) + 3
        allowed = "POST" if is_reply else "GET"
        if head.method != allowed:
            raise refusal(
                HTTPStatus.METHOD_NOT_ALLOWED,
                "request.method",
                f"this page takes {allowed}",
                f"Allow: {allowed}",
            )
        if not is_reply:
            return TurnRequest(who)
        _check_type(head)
        cohort, number = steps[3], steps[4]
        is_number = number.isascii() and number.isdigit() and len(number) <= _DIGITS
        if not (cohort.isascii() and is_number):
            raise _no_page()
        return TurnRequest(who, (CohortId(cohort), int(number)), length_of(head))

    def answer(self, wish: TurnRequest, body: bytes) -> Reply:
        """Do what a request asks for: list the turns, or take a reply to one.

        Nothing of the database, its place or its troubles is told.
        """
        try:
            text = body.decode("utf-8")
            return self._answer(wish, text)
        except UnicodeDecodeError:
            return refusal(
                HTTPStatus.BAD_REQUEST, "request.encoding", "a reply is text in UTF-8"
            ).reply
        except RefusedError as refused:
            return refused.reply
        except ArenaError as error:
            return _failed(error)

    def _answer(self, wish: TurnRequest, text: str) -> Reply:
        now = self.clock.now()
        if not Path(self.database).is_file():
            if wish.turn is not None:
                raise _no_page()
            return _told(wish.contestant, now, [], [])
        with open_store(self.database, busy=self.busy) as store:
            if wish.turn is None:
                return self._turns(store, wish.contestant, now)
            due = turn_at(store, wish.contestant, *wish.turn, now)
            return _accept(store, due, text, now)

    def _turns(self, store: Store, who: ContestantId, now: datetime) -> Reply:
        turns = [
            {**turn_data(due), "answer_to": _page_of(due)} for due in turns_due(store, who, now)
        ]
        return _told(who, now, turns, coming_data(coming(store, self.specs, who, now)))

    def holder(self, authorization: str) -> ContestantId | None:
        """Find whose token a header has; None where it is nobody's, or that of several."""
        holders = [who for who in self.tokens if self._holds(who, authorization)]
        return holders[0] if len(holders) == 1 else None

    def _holds(self, who: ContestantId, authorization: str) -> bool:
        """Compare a token in constant time, also where the contestant does not exist."""
        scheme, _, given = authorization.partition(" ")
        wanted = self.tokens.get(who)
        is_right = hmac.compare_digest(_digest(given.strip()), _digest(wanted or ""))
        return bool(is_right and wanted and scheme.lower() == "bearer")

    def _check_token(self, who: ContestantId, head: RequestHead) -> None:
        if not self._holds(who, head.headers.get("authorization", "")):
            raise refusal(
                HTTPStatus.UNAUTHORIZED,
                "request.token",
                "give the contestant's token: Authorization: Bearer ...",
                "WWW-Authenticate: Bearer",
            )


def _told(
    who: ContestantId, now: datetime, turns: Sequence[object], ahead: Sequence[object]
) -> Reply:
    document = {"contestant": who, "at": now.isoformat(), "turns": turns, "next": ahead}
    return Reply(HTTPStatus.OK, document)


def _accept(store: Store, due: Due, text: str, now: datetime) -> Reply:
    reading = submit(store, due, text, now)
    is_kept = reading.status is not Status.REJECT
    status = HTTPStatus.OK if is_kept else HTTPStatus.UNPROCESSABLE_ENTITY
    return Reply(status, answer_data(due, reading))


def _failed(error: ArenaError) -> Reply:
    status = _STATUSES.get(error.code)
    if status is not None:
        return refusal(status, error.code, error.message).reply
    if error.code == "store.locked":
        return refusal(
            HTTPStatus.SERVICE_UNAVAILABLE,
            "inbox.busy",
            "the arena is at work: ask again in a moment",
            "Retry-After: 5",
        ).reply
    return _BROKEN


def _page_of(due: Due) -> str:
    briefing = due.briefing
    steps = (*ROOT, briefing.contestant, briefing.cohort, str(briefing.round))
    return "".join(f"/{quote(step, safe='')}" for step in steps)


def _check_type(head: RequestHead) -> None:
    kind, *parameters = head.headers.get("content-type", "").lower().split(";")
    named = dict(p.strip().partition("=")[::2] for p in parameters)
    if kind.strip() not in _TAKEN or named.get("charset", "").strip('"') not in _CHARSETS:
        raise refusal(
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
            "request.type",
            "send the reply as application/json or as text/plain, in UTF-8",
        )


def _no_page() -> RefusedError:
    return refusal(HTTPStatus.NOT_FOUND, "request.page", "there is no such page")


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()


AT_ONCE: Final = 100  # connections
WORKERS: Final = 4  # threads that read and write the database

_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_LEFT_UNREAD = 1_000_000  # bytes of a refused request that are thrown away before hanging up
_HEARD_OUT = 1.0  # seconds for that

_LATE = refusal(
    HTTPStatus.REQUEST_TIMEOUT, "request.slow", "the request took too long to arrive"
).reply
_FULL = refusal(
    HTTPStatus.SERVICE_UNAVAILABLE, "inbox.full", "too many at once", "Retry-After: 5"
).reply
_BROKEN = refusal(
    HTTPStatus.INTERNAL_SERVER_ERROR, "inbox.failed", "the arena could not answer"
).reply


@dataclass(frozen=True, slots=True)
class ServerTimeouts:
    """Seconds: for a whole request to arrive, for its reply to be taken, and at the end.

    `guess` is what passes between the replies to two wrong tokens, whoever gives them.
    """

    arrive: float = 20.0
    leave: float = 10.0
    stop: float = 5.0
    guess: float = 1.0


OnReply = Callable[[str, str, int], None]  # of each request: method, path, status


@asynccontextmanager
async def listening(
    counter: InboxHandler,
    host: str,
    port: int,
    *,
    on_reply: OnReply,
    patience: ServerTimeouts | None = None,
) -> AsyncIterator[int]:
    """Serve a counter as long as the block runs, and then finish what has begun.

    Args:
        counter: What is served.
        host: The address to listen on.
        port: The port; 0 takes any that is free.
        on_reply: Called with the method, path and status of each request.
        patience: How long clients may take.

    Yields:
        The port.

    Raises:
        ArenaError: Nobody can listen there.
    """
    with ThreadPoolExecutor(WORKERS, thread_name_prefix="inbox") as pool:
        served = _Server(counter, on_reply, patience or ServerTimeouts(), pool)
        try:
            server = await asyncio.start_server(served.welcome, host, port, limit=MAX_HEAD)
        except OSError as error:
            raise ArenaError(
                "inbox.address",
                f"cannot listen on port {port} of {host}: {error.strerror or error}",
                hint="choose another --port, or stop what listens there",
            ) from error
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            await served.finish()


@dataclass(slots=True)
class _Server:
    counter: InboxHandler
    on_reply: OnReply
    patience: ServerTimeouts
    pool: ThreadPoolExecutor
    open: dict[asyncio.Task[None], "_Visit"] = field(default_factory=dict)
    guessed: asyncio.Lock = field(default_factory=asyncio.Lock)
    ends: asyncio.Event = field(default_factory=asyncio.Event)

    async def welcome(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection, and hang up.

        Where there is no room, the oldest one whose request has not arrived gives way: who
        opens connections and says nothing must not keep others out.
        """
        visit = _Visit(self, reader, writer)
        is_full = len(self.open) >= AT_ONCE
        silent = next((other for other in self.open.values() if not other.is_read), None)
        if is_full and silent is not None:
            silent.cut()
        task = asyncio.current_task()
        if task is not None:
            self.open[task] = visit
            task.add_done_callback(lambda done: self.open.pop(done, None))
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                await visit.run(is_full=is_full and silent is None)
        finally:
            writer.close()

    async def slow_down(self) -> None:
        """Let a wrong token wait its turn: one is answered at a time, after a while."""
        async with self.guessed:
            with suppress(TimeoutError):
                async with asyncio.timeout(self.patience.guess):
                    await self.ends.wait()

    async def finish(self) -> None:
        """Let open connections end; those that do not are cut."""
        self.ends.set()
        if self.open:
            await asyncio.wait(tuple(self.open), timeout=self.patience.stop)
        for visit in self.open.values():
            visit.cut()  # a task that is cancelled is said to have failed
        if self.open:
            await asyncio.wait(tuple(self.open))


@dataclass(slots=True)
class _Visit:
    """One connection: a request, and its reply."""

    server: _Server
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    head: RequestHead = field(default_factory=lambda: RequestHead("-", "-"))
    is_read: bool = False

    def cut(self) -> None:
        """Hang up on it."""
        self.is_read = True  # nothing more is
        self.writer.transport.abort()

    async def run(self, *, is_full: bool) -> None:
        reply: Reply | None = _BROKEN  # said where our own code fails, which nobody catches
        try:
            reply = _FULL if is_full else await self._answered()
        except RefusedError as refused:
            reply = refused.reply
            if reply.status is HTTPStatus.UNAUTHORIZED:
                await self.server.slow_down()
        except TimeoutError:
            reply = _LATE
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            reply = None
            raise
        finally:
            if reply is not None:
                await self._send(reply)

    async def _answered(self) -> Reply:
        counter = self.server.counter
        async with asyncio.timeout(self.server.patience.arrive):
            self.head = await read_head(self.reader)
            wish = counter.admit(self.head)
            if wish.length and self.head.headers.get("expect", "").lower() == "100-continue":
                self.writer.write(_CONTINUE)
            body = await self.reader.readexactly(wish.length)
        self.is_read = True
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.server.pool, counter.answer, wish, body)

    async def _send(self, reply: Reply) -> None:
        try:
            async with asyncio.timeout(self.server.patience.leave):
                self.writer.write(written(reply, with_body=self.head.method != "HEAD"))
                await self.writer.drain()
                if not self.is_read:
                    await self._hear_out()
        except TimeoutError:
            self.writer.transport.abort()
        self.server.on_reply(self.head.method, self.head.path, reply.status.value)

    async def _hear_out(self) -> None:
        """Read and drop what a refused client still sends, so that it reads the reply."""
        self.writer.write_eof()
        left = _LEFT_UNREAD
        with suppress(TimeoutError):
            async with asyncio.timeout(_HEARD_OUT):
                while left > 0 and (piece := await self.reader.read(65_536)):
                    left -= len(piece)


__all__ = ["InboxHandler", "TurnRequest", "listening"]
