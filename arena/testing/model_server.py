"""A language model's server on this machine: the OpenAI chat protocol over real sockets.

For tests, for authors of plugins, and for a first look at the arena without any key:
`python -m arena.testing.model_server` prints the `base_url` to configure.
"""

import argparse
import asyncio
import json
import sys
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from http import HTTPStatus
from itertools import chain, repeat
from typing import Any, Self

Message = Mapping[str, Any]

BACKLOG = 1024
DRIPS = 40  # pieces that a slowly dripping body comes in
LOOK_ALIKE = b"<html><body><h1>Service is being upgraded</h1></body></html>"


@dataclass(frozen=True, slots=True)
class Misbehaviour:
    """What a server may do instead of answering well; each field is one thing it does.

    Without `body` the reply is a completion: `content` is what the model said (any JSON),
    `finish` why it stopped. `drip` is the seconds between pieces of the body.
    """

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    content_type: str = "application/json"
    content: object = None
    refusal: str | None = None
    finish: str = "stop"
    drip: float = 0.0
    hangs: bool = False
    drops: bool = False


Reply = Callable[[str, Sequence[Message]], "str | Misbehaviour"]

HANGS = Misbehaviour(hangs=True)
DROPS = Misbehaviour(drops=True)
HTML_PAGE = Misbehaviour(body=LOOK_ALIKE, content_type="text/html")
EMPTY_BODY = Misbehaviour(body=b"")
EMPTY_CONTENT = Misbehaviour(content="")
BAD_JSON = Misbehaviour(body=b'{"choices": [')


def fails(
    status: int,
    message: str = "no",
    *,
    code: str = "",
    headers: Mapping[str, str] | None = None,
) -> Misbehaviour:
    """Answer with an error in OpenAI's shape, under any status: 200 too."""
    error = {"error": {"message": message, "type": code, "code": code}}
    return Misbehaviour(
        status=status,
        headers=tuple((headers or {}).items()),
        body=json.dumps(error).encode(),
    )


def in_turn(*replies: str | Misbehaviour) -> Reply:
    """Give the replies one after the other, and the last one from then on."""
    script = chain(replies, repeat(replies[-1]))

    def reply(model: str, messages: Sequence[Message]) -> str | Misbehaviour:  # noqa: ARG001  says what it has
        return next(script)

    return reply


def small_bettor(model: str, messages: Sequence[Message]) -> str:
    """Forecast near the market's price and place one small bet where that differs most.

    It reads the JSON of the arena's prompt, and follows from the model's name and that JSON
    alone; asked anything else, it holds.
    """
    told = _told(messages)
    forecasts: dict[str, float] = {}
    wishes: list[tuple[float, str, str]] = []
    for market in told.get("markets", ()):
        bid, ask = market.get("yes_bid"), market.get("yes_ask")
        if bid is None or ask is None:
            continue
        mind = (bid + ask) / 2 + 0.3 * (_fraction(f"{model}/{market['question']}") - 0.5)
        mind = round(min(0.98, max(0.02, mind)), 2)
        forecasts[market["market_id"]] = mind
        wishes.append((mind - ask, market["market_id"], "YES"))
        wishes.append((bid - mind, market["market_id"], "NO"))
    edge, alias, side = max(wishes, default=(0.0, "", ""))
    purse = told.get("portfolio", {"smallest_stake": 0, "largest_stake": 0})
    smallest, largest = purse["smallest_stake"], purse["largest_stake"]
    bets: list[dict[str, object]] = []
    if edge > 0 and smallest <= largest:
        stake = max(smallest, round(largest * (0.05 + 0.2 * _fraction(model)), 2))
        bets = [{"market_id": alias, "side": side, "amount": stake}]
    said = {"forecasts": forecasts, "action": "BET" if bets else "HOLD", "bets": bets}
    return json.dumps({**said, "reasoning": f"{model} follows the price, with a doubt"})


@dataclass(frozen=True, slots=True)
class Recorded:
    """One request as it arrived; names of headers are in lower case."""

    path: str
    headers: Mapping[str, str] = field(repr=False)
    body: Mapping[str, Any]


class ModelServer(AbstractContextManager["ModelServer"]):
    """Answers chat completions on a port of this machine while its `with` block lasts.

    `requests` records what was asked, `connections` counts how many were opened, and
    `most_at_once` is the most requests that were waiting for an answer at one moment.

    Args:
        reply: Gives the model's words, or what to do instead of answering well.
        latency: Seconds before every answer.
        port: 0 takes any free one.
    """

    def __init__(
        self, reply: Reply = small_bettor, *, latency: float = 0.0, port: int = 0
    ) -> None:
        self.requests: list[Recorded] = []
        self.connections = 0
        self.most_at_once = 0
        self._reply = reply
        self._latency = latency
        self._port = port
        self._waiting = 0
        self._started = threading.Event()
        self._failure: OSError | None = None
        self._stop: Callable[[], object] = lambda: None
        self._never = asyncio.Event()  # held here, or a task that waits for it may be collected
        self._thread = threading.Thread(target=self._run, name="model-server", daemon=True)

    @property
    def base_url(self) -> str:
        """Where it is asked, without the slash at the end."""
        return f"http://127.0.0.1:{self._port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            raise self._failure
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()
        self._thread.join()

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

    async def _converse(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Serve one connection until the other side closes it."""
        self.connections += 1
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                while await self._exchange(reader, writer):
                    pass
        finally:
            writer.close()

    async def _exchange(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Read a request and answer it; say whether the connection stays open."""
        asked = await _read_request(reader)
        self.requests.append(asked)
        async with self._counted():
            await asyncio.sleep(self._latency)
            said = self._said(asked)
            if said.hangs:
                await self._never.wait()
        if said.drops:
            writer.transport.abort()
            return False
        await _write_reply(writer, said, _body(said, asked, number=len(self.requests)))
        return True

    def _said(self, asked: Recorded) -> Misbehaviour:
        if not asked.path.endswith("/v1/chat/completions"):
            return fails(404, f"there is nothing at {asked.path}")
        said = self._reply(str(asked.body.get("model")), asked.body.get("messages", ()))
        return Misbehaviour(content=said) if isinstance(said, str) else said

    @asynccontextmanager
    async def _counted(self) -> AsyncIterator[None]:
        self._waiting += 1
        self.most_at_once = max(self.most_at_once, self._waiting)
        try:
            yield
        finally:
            self._waiting -= 1


async def _read_request(reader: asyncio.StreamReader) -> Recorded:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip().split("\r\n")
    headers = {
        name.strip().lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    path = first.split(" ")[1]
    return Recorded(path, headers, json.loads(body) if body else {})


async def _write_reply(writer: asyncio.StreamWriter, said: Misbehaviour, body: bytes) -> None:
    reason = "OK" if said.status < HTTPStatus.BAD_REQUEST else "Error"
    head = [f"HTTP/1.1 {said.status} {reason}", f"Content-Length: {len(body)}"]
    head += [f"Content-Type: {said.content_type}", *(f"{n}: {v}" for n, v in said.headers)]
    writer.write(("\r\n".join(head) + "\r\n\r\n").encode("latin-1"))
    step = -(-len(body) // DRIPS) if said.drip else len(body)
    for start in range(0, len(body), step or 1):
        await asyncio.sleep(said.drip)
        writer.write(body[start : start + step])
        await writer.drain()


def _body(said: Misbehaviour, asked: Recorded, *, number: int) -> bytes:
    if said.body is not None:
        return said.body
    message: dict[str, object] = {"role": "assistant", "content": said.content}
    if said.refusal is not None:
        message["refusal"] = said.refusal
    tokens_in = len(json.dumps(asked.body.get("messages"))) // 4
    tokens_out = len(str(said.content)) // 4
    completion = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "model": asked.body.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": said.finish}],
        "usage": {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        },
    }
    return json.dumps(completion).encode()


def _told(messages: Sequence[Message]) -> dict[str, Any]:
    """Find the arena's JSON in the last message: the first object that lists markets."""
    words = str(messages[-1].get("content", "")) if messages else ""
    start = words.find("{")
    while start >= 0:
        with suppress(ValueError):
            found, _ = json.JSONDecoder().raw_decode(words, start)
            if "markets" in found:
                told: dict[str, Any] = found
                return told
        start = words.find("{", start + 1)
    return {}


def _fraction(seed: str) -> float:
    return int.from_bytes(sha256(seed.encode()).digest()[:4]) / 2**32


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m arena.testing.model_server")
    parser.add_argument("--port", type=int, default=0, help="0 takes any free one")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    chosen = parser.parse_args(arguments)
    with ModelServer(latency=chosen.latency, port=chosen.port) as server:
        sys.stdout.write(f"{server.base_url}\n")
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
