"""A server on a port of this machine that runs in a thread of its own."""

import asyncio
import threading
from abc import ABC, abstractmethod
from asyncio import StreamReader, StreamWriter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Self

BACKLOG = 1024


class LocalServer(ABC):
    """Serves while its `with` block lasts; what it says is for a subclass to decide.

    `connections` counts how many were opened, and `most_at_once` is the most requests that
    were waiting for an answer at one moment.

    Args:
        name: Of its thread.
        port: 0 takes any free one.
    """

    def __init__(self, name: str, port: int = 0) -> None:
        self.connections = 0
        self.most_at_once = 0
        self._port = port
        self._waiting = 0
        self._started = threading.Event()
        self._failure: OSError | None = None
        self._stop: Callable[[], object] = lambda: None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            raise self._failure
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()
        self._thread.join()

    @property
    def home(self) -> str:
        """Its address without any path."""
        return f"http://127.0.0.1:{self._port}"

    @abstractmethod
    async def _exchange(self, reader: StreamReader, writer: StreamWriter) -> bool:
        """Read a request and answer it; say whether the connection stays open."""

    @asynccontextmanager
    async def _counted(self) -> AsyncIterator[None]:
        self._waiting += 1
        self.most_at_once = max(self.most_at_once, self._waiting)
        try:
            yield
        finally:
            self._waiting -= 1

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except OSError as error:
            self._failure = error
        finally:
            self._started.set()

    async def _serve(self) -> None:
        stopped = asyncio.Event()
        loop = asyncio.get_running_loop()
        server = await asyncio.start_server(
            self._converse, "127.0.0.1", self._port, backlog=BACKLOG
        )
        self._port = server.sockets[0].getsockname()[1]
        self._stop = lambda: loop.call_soon_threadsafe(stopped.set)
        self._started.set()
        await stopped.wait()
        server.close()

    async def _converse(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Serve one connection until the other side closes it."""
        self.connections += 1
        try:
            # asyncio's own callback cannot bear a connection that ends cancelled
            with suppress(asyncio.CancelledError, asyncio.IncompleteReadError, ConnectionError):
                while await self._exchange(reader, writer):
                    pass
        finally:
            writer.close()
