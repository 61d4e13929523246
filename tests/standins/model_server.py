"""A language model's server on this machine: four wire formats over real sockets.

For tests, for authors of plugins, and for a first look at the arena without any key:
`python -m tests.standins.model_server` prints the `base_url` to configure.
"""

import argparse
import asyncio
import json
import sys
import threading
from asyncio import StreamReader, StreamWriter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from zlib import crc32

from tests.standins.asked import Asked, Format, Message, Recorded, understand
from tests.standins.bettors import small_bettor
from tests.standins.completions import completion
from tests.standins.house_rules import lacking, strictly
from tests.standins.misbehaviour import (
    BAD_JSON,
    BLOCKED,
    DROPS,
    EMPTY_BODY,
    EMPTY_CONTENT,
    HANGS,
    HTML_PAGE,
    Delivery,
    Dialect,
    Error,
    Framing,
    Ill,
    Misbehaviour,
    Served,
    Shape,
    Tokens,
    ails,
    cut_short,
    fails,
)
from tests.standins.prefix_cache import TOKEN, Prefix, PrefixCache, longest
from tests.standins.provider_errors import told_to
from tests.standins.scripts import (
    Reply,
    Saying,
    by_model,
    in_turn,
    like,
    poisoned,
    refuses,
    refuses_schemas,
    said_by,
)
from tests.standins.serving import LocalServer
from tests.standins.sockets import read_request, send_reply
from tests.standins.tool_callers import calls_tools, disorder

__all__ = [
    "BAD_JSON",
    "BLOCKED",
    "DROPS",
    "EMPTY_BODY",
    "EMPTY_CONTENT",
    "HANGS",
    "HTML_PAGE",
    "Asked",
    "Delivery",
    "Dialect",
    "Error",
    "Format",
    "Framing",
    "Ill",
    "Message",
    "Misbehaviour",
    "ModelServer",
    "Recorded",
    "Reply",
    "Saying",
    "Served",
    "Shape",
    "Tokens",
    "ails",
    "by_model",
    "cut_short",
    "fails",
    "in_turn",
    "like",
    "main",
    "poisoned",
    "refuses",
    "refuses_schemas",
    "small_bettor",
    "strictly",
]


class ModelServer(LocalServer):
    """Answers in every wire format on a port of this machine while its `with` block lasts.

    `requests` records what was asked.

    Args:
        reply: Gives the model's words, or what to do instead of answering well.
        latency: Seconds before every answer.
        together: Nobody is answered before so many wait at one moment.
        port: 0 takes any free one.
        key: Whoever comes without it is turned away; None lets everybody in.
    """

    def __init__(
        self,
        reply: Reply = small_bettor,
        *,
        latency: float = 0.0,
        together: int = 0,
        port: int = 0,
        key: str | None = None,
    ) -> None:
        super().__init__("model-server", port)
        self.requests: list[Recorded] = []
        self._reply = reply
        self._latency = latency
        self._together = together
        self._key = key
        self._cache = PrefixCache()
        self._enough = asyncio.Event()
        self._never = asyncio.Event()  # held here, or a task that waits for it may be collected

    @property
    def base_url(self) -> str:
        """Where it is asked, without the slash at the end: good for every format."""
        return f"{self.home}/v1"

    async def _exchange(self, reader: StreamReader, writer: StreamWriter) -> bool:
        """Read a request and answer it; say whether the connection stays open."""
        recorded = await read_request(reader)
        self.requests.append(recorded)
        number = crc32(json.dumps(recorded.body).encode())
        async with self._counted():
            if self.most_at_once >= self._together:
                self._enough.set()
            await self._enough.wait()
            said, body = await self._answer(recorded, number)
            if said.hangs:
                await self._never.wait()
        return await send_reply(writer, said, body)

    async def _answer(self, recorded: Recorded, number: int) -> tuple[Misbehaviour, bytes]:
        asked = understand(recorded)
        if asked is None:
            await asyncio.sleep(self._latency)
            stray = Asked(Format.CHAT, recorded, ())
            return _dressed(stray, fails(404, f"there is nothing at {recorded.path}"))
        prefixes = self._cache.prefixes(asked)
        known = self._cache.known(prefixes)
        await asyncio.sleep(self._latency)
        said = self._said(asked)
        if _is_completion(said):
            self._cache.keep(prefixes)
        return _dressed(asked, said, _counts(asked, said, prefixes, known), number=number)

    def _said(self, asked: Asked) -> Misbehaviour:
        if self._key is not None and asked.recorded.key != self._key:
            return ails(Ill.KEY)
        return lacking(asked) or disorder(asked) or said_by(self._reply, asked.model, asked)


def _is_completion(said: Misbehaviour) -> bool:
    return said.error is None and said.body is None and said.shape is Shape.WHOLE


def _dressed(
    asked: Asked, said: Misbehaviour, tokens: Tokens | None = None, *, number: int = 0
) -> tuple[Misbehaviour, bytes]:
    """Put what is said into the words of the format; the status may be the format's own."""
    if said.body is not None:
        return said, said.body
    error = said.error
    if said.shape is Shape.BLOCKED and asked.format in {Format.CHAT, Format.RESPONSES}:
        error = Error(ill=Ill.MODERATED)
    if error is not None:
        status, told = told_to(asked, said, error)
        return replace(said, status=status), json.dumps(told).encode()
    told = completion(asked, said, tokens or Tokens(), number=number)
    return said, json.dumps(told).encode()


def _counts(
    asked: Asked, said: Misbehaviour, prefixes: tuple[Prefix, ...], known: int
) -> Tokens:
    if said.served.tokens is not None:
        return said.served.tokens
    marked = asked.format is Format.ANTHROPIC
    thought = len(said.thinking) // TOKEN
    read = sum(len(message["content"]) for message in asked) // TOKEN
    return Tokens(
        read=read,
        cached=min(known, read),
        written=longest(prefixes) - known if marked else 0,
        said=thought + len(str(said.content)) // TOKEN,
        reasoning=thought,
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m tests.standins.model_server")
    parser.add_argument("--port", type=int, default=0, help="0 takes any free one")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--calls", type=int, default=0, help="steps that call a calculator")
    chosen = parser.parse_args(arguments)
    step = (("calculator", '{"expression": "1 + 1"}'),)
    reply = calls_tools(*[step] * chosen.calls)
    with ModelServer(reply, latency=chosen.latency, port=chosen.port) as server:
        names = ", ".join(Format)
        sys.stdout.write(f"{server.base_url}\nthe base_url for any of: {names}\n")
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
