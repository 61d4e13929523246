import asyncio
import threading
from urllib.request import urlopen

import pytest

from tests.standins.serving import LocalServer


class Echo(LocalServer):
    """Answers with the path that it was asked for."""

    def __init__(self, port: int = 0) -> None:
        super().__init__("echo", port)

    async def _exchange(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        async with self._counted():
            path = head.split()[1]
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(path), path))
            await writer.drain()
        return False


def get(url: str) -> bytes:
    with urlopen(url) as answer:  # noqa: S310  this machine
        return bytes(answer.read())


def test_it_serves_and_counts_while_its_block_lasts() -> None:
    with Echo() as server:
        assert [get(f"{server.home}/{n}") for n in range(3)] == [b"/0", b"/1", b"/2"]
    assert (server.connections, server.most_at_once) == (3, 1)
    with pytest.raises(OSError, match="refused"):
        get(server.home)


def test_its_thread_ends_with_it() -> None:
    before = threading.active_count()
    with Echo():
        assert threading.active_count() == before + 1
    assert threading.active_count() == before


def test_a_taken_port_is_an_error_of_the_caller() -> None:
    with Echo() as one:
        port = int(one.home.rpartition(":")[2])
        with pytest.raises(OSError, match="in use"), Echo(port):
            pass
