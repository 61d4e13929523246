"""Serves what an arena's file says servers answered: `python -m benchmarks.canned arena.db`.

Every answer is put together before the first request, so that it costs nothing. It is packed,
as the venues' own servers pack theirs for whoever takes it so.
"""

import asyncio
import gzip
import sys
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from arena.store import open_store

LEVEL = 6

Key = tuple[bytes, bytes, str | None]


def main() -> None:
    asyncio.run(_serve(_answers(Path(sys.argv[1]))))


def _answers(file: Path) -> dict[Key, bytes]:
    with open_store(file) as store:
        kept = store.db.rows("SELECT * FROM tape_payloads ORDER BY number")
        return {
            (
                row["method"].encode(),
                _target(row["url"]),
                row["asked_digest"],
            ): _answer(row["status"], store.payloads.body(row["digest"]) or b"")
            for row in kept
        }


def _target(url: str) -> bytes:
    parts = urlsplit(url)
    return (f"{parts.path}?{parts.query}" if parts.query else parts.path).encode()


def _answer(status: int, body: bytes) -> bytes:
    packed = gzip.compress(body, LEVEL)
    head = (
        f"HTTP/1.1 {status} Said\r\nContent-Type: application/json\r\n"
        f"Content-Encoding: gzip\r\nContent-Length: {len(packed)}\r\n\r\n"
    )
    return head.encode() + packed


class _Canned(asyncio.Protocol):
    """One connection, on which one request comes after the other."""

    def __init__(self, answers: dict[Key, bytes]) -> None:
        self._answers = answers
        self._heard = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._heard += data
        head, end, body = self._heard.partition(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        named = (line.partition(b":") for line in lines if line.lower().startswith(_LENGTH))
        length = next((int(value) for _, _, value in named), 0)
        if not end or len(body) < length:
            return
        method, target, _ = lines[0].split(b" ")
        asked = sha256(body).hexdigest() if body else None
        answer = self._answers.get((method, target, asked), _answer(404, b"{}"))
        self._heard = b""
        self._transport.write(answer)


_LENGTH = b"content-length:"


async def _serve(answers: dict[Key, bytes]) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Canned(answers), "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    main()
