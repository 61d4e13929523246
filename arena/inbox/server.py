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
WORKERS: Final = 2  # threads that read and write the database

_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_LEFT_UNREAD = 1_000_000  # bytes of a refused body that are thrown away before hanging up

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
    """Seconds: for a whole request to arrive, for its reply to be taken, and at the end."""

    arrive: float = 20.0
    leave: float = 10.0
    stop: float = 5.0


Told = Callable[[str, str, int], None]  # of each request: method, path, status


@dataclass(slots=True)
class _Server:
    counter: Counter
    told: Told
    patience: Patience
    pool: ThreadPoolExecutor
    open: set[asyncio.Task[None]] = field(default_factory=set)

    async def welcome(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Answer one connection, and hang up."""
        task = asyncio.current_task()
        if task is not None:
            self.open.add(task)
            task.add_done_callback(self.open.discard)
        try:
            with suppress(ConnectionError, TimeoutError, asyncio.IncompleteReadError):
                await self._converse(reader, writer)
        finally:
            writer.close()

    async def _converse(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        head, reply = Head("-", "-"), _FULL
        if len(self.open) <= AT_ONCE:
            reply = _BROKEN  # what is said if our own code fails, which nobody catches
            try:
                async with asyncio.timeout(self.patience.arrive):
                    head = await read_head(reader)
                    wish = self.counter.admit(head)
                    if wish.length and head.headers.get("expect", "").lower() == "100-continue":
                        writer.write(_CONTINUE)
                    body = await reader.readexactly(wish.length)
                loop = asyncio.get_running_loop()
                reply = await loop.run_in_executor(self.pool, self.counter.answer, wish, body)
            except RefusedError as refused:
                reply = refused.reply
            except TimeoutError:
                reply = _LATE
            finally:
                pass
        await self._send(writer, reply, head)
        await self._hang_up(reader, writer)
