"""Serves what an arena's file says servers answered: `python -m benchmarks.canned arena.db 0`.

Every answer is put together before the first request, so that it costs nothing; it is sent
after so many seconds. It is packed, as the venues' own servers pack theirs for whoever takes it
so, and rows of markets are filled up to the bytes and fields that they had in autumn 2026.
"""

import asyncio
import gzip
import json
import sys
from dataclasses import dataclass
from hashlib import sha256
from itertools import cycle, islice
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from arena.store import open_store

LEVEL = 6
LETTERS = list("etaoinshrdlucmfwyp")


@dataclass(frozen=True, slots=True)
class Size:
    """How long a row is in JSON, and how many of its fields a stand-in does not send."""

    bytes: int
    fields: int


ROWS = {  # by a field that only rows of this venue have
    "conditionId": Size(5_600, 25),
    "yes_bid_dollars": Size(1_880, 0),
    "uniqueBettorCount": Size(950, 0),
}
UNREAD = (0, 1234.5, True, False, "", "2026-03-05T10:00:00Z", None)

Key = tuple[bytes, bytes, str | None]


def main() -> None:
    file, seconds = sys.argv[1:]
    asyncio.run(_serve(_answers(Path(file)), float(seconds)))


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
    packed = gzip.compress(_filled(body), LEVEL)
    head = (
        f"HTTP/1.1 {status} Said\r\nContent-Type: application/json\r\n"
        f"Content-Encoding: gzip\r\nContent-Length: {len(packed)}\r\n\r\n"
    )
    return head.encode() + packed


def _filled(body: bytes) -> bytes:
    return json.dumps(json.loads(body, object_hook=_fill), separators=(",", ":")).encode()


def _fill(row: dict[str, object]) -> dict[str, object]:
    size = next((size for mark, size in ROWS.items() if mark in row), None)
    if size is None:
        return row
    values = islice(cycle(UNREAD), size.fields)
    whole = row | {f"field{n}OfMarket": value for n, value in enumerate(values)}
    missing = size.bytes - len(json.dumps(whole, separators=(",", ":")))
    start = next(_places)
    return whole | {"more": _TEXT[start : start + max(missing, 0)]}


def _text() -> str:
    """Enough made-up words that no two rows hold the same."""
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(LETTERS, 7)) for _ in range(3_000)]
    return " ".join(rng.choice(words, 20_000))


_TEXT = _text()
_places = cycle(range(0, len(_TEXT) - max(size.bytes for size in ROWS.values()), 1_009))


class _Canned(asyncio.Protocol):
    """One connection, on which one request comes after the other."""

    def __init__(self, answers: dict[Key, bytes], seconds: float) -> None:
        self._answers = answers
        self._seconds = seconds
        self._heard = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        if isinstance(transport, asyncio.Transport):
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
        if self._seconds:
            asyncio.get_running_loop().call_later(self._seconds, self._transport.write, answer)
        else:
            self._transport.write(answer)


_LENGTH = b"content-length:"


async def _serve(answers: dict[Key, bytes], seconds: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Canned(answers, seconds), "127.0.0.1", 0)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    main()
