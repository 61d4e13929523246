"""Connections: each has so long, and none keeps another waiting."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final

from arena.errors import ArenaError
from arena.inbox.counter import Counter
from arena.inbox.wire import MAX_HEAD, Head, RefusedError, Reply, read_head, refusal, written

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
class Patience:
    """Seconds: for a whole request to arrive, for its reply to be taken, and at the end.

    `guess` is what passes between the replies to two wrong tokens, whoever gives them.
    """

    arrive: float = 20.0
    leave: float = 10.0
    stop: float = 5.0
    guess: float = 1.0


Told = Callable[[str, str, int], None]  # of each request: method, path, status


@asynccontextmanager
async def listening(
    counter: Counter, host: str, port: int, *, told: Told, patience: Patience | None = None
) -> AsyncIterator[int]:
    """Serve a counter as long as the block runs, and then finish what has begun.

    Args:
        counter: What is served.
        host: The address to listen on.
        port: The port; 0 takes any that is free.
        told: Called with each request's method, path and status.
        patience: How long clients may take.

    Yields:
        The port.

    Raises:
        ArenaError: Nobody can listen there.
    """
    with ThreadPoolExecutor(WORKERS, thread_name_prefix="inbox") as pool:
        served = _Server(counter, told, patience or Patience(), pool)
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
    counter: Counter
    told: Told
    patience: Patience
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
        silent = next(
            (open_visit for open_visit in self.open.values() if not open_visit.is_read), None
        )
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
    head: Head = field(default_factory=lambda: Head("-", "-"))
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
        self.server.told(self.head.method, self.head.path, reply.status.value)

    async def _hear_out(self) -> None:
        """Throw away what a refused client still sends, or it may never see the reply."""
        self.writer.write_eof()
        left = _LEFT_UNREAD
        with suppress(TimeoutError):
            async with asyncio.timeout(_HEARD_OUT):
                while left > 0 and (piece := await self.reader.read(65_536)):
                    left -= len(piece)
