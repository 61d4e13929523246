"""Short builders: a model behind a server of this machine, with waits that take no time."""

import asyncio
import importlib.util
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import ModuleType

import httpx

from arena.clock import HandClock
from arena.http import HttpDoor, HttpReply
from arena.llms.client import WireClient, wire_client
from arena.llms.retries import Retries
from arena.llms.throttle import RateLimits, Throttle
from arena.llms.wires.openai_chat import OpenAiChat
from arena.llms.wires.wire import Wire
from arena.records.answer import Completion, Question
from arena.records.settings import ModelSettings

CHAT = OpenAiChat()
KEY = "sk-test-0123456789abcdef"
QUESTION = Question(system="the rules", user="the facts")
T0 = datetime(2026, 1, 5, 9, tzinfo=UTC)
RICH = json.dumps(
    {
        "type": "object",
        "properties": {
            "forecasts": {"type": "array", "maxItems": 9, "items": {"$ref": "#/$defs/p"}},
            "action": {"enum": ["BET", "HOLD"], "minLength": 3},
        },
        "required": ["forecasts", "action"],
        "$defs": {"p": {"type": "number", "minimum": 0, "maximum": 1}},
    }
)
LIBRARIES: list[ModuleType] = [httpx]
if importlib.util.find_spec("httpx2"):
    LIBRARIES.append(importlib.import_module("httpx2"))


class Unheeding(Throttle):
    """A line that lets everybody through, and that no reply can stop for a while.

    It notes for whom there was a turn, and of whom something was heard.
    """

    def __init__(self) -> None:
        super().__init__(RateLimits(at_once=1_000))
        self.turns: list[str] = []
        self.replies: list[str] = []

    @asynccontextmanager
    async def turn(self, tokens: int, seconds: float, model: str) -> AsyncIterator[None]:
        """Let it through, and note for whom."""
        self.turns.append(model)
        async with super().turn(tokens, seconds, model):
            yield

    def heard(self, reply: HttpReply | None, model: str) -> None:  # noqa: ARG002
        """Learn nothing, and note of whom it was."""
        self.replies.append(model)


@dataclass(slots=True)
class Waits:
    """Sleeps in no time and remembers for how long."""

    seconds: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)


def frozen(options: Mapping[str, object]) -> tuple[tuple[str, object], ...]:
    """Freeze options as configuration files are: sorted pairs, lists as tuples."""
    return tuple(sorted((name, _frozen(value)) for name, value in options.items()))


def _frozen(value: object) -> object:
    if isinstance(value, Mapping):
        return frozen(value)
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


def settings(
    base_url: str,
    *,
    deadline: float = 300,
    options: dict[str, object] | None = None,
    prices: tuple[str, str] | None = None,
) -> ModelSettings:
    price_in, price_out = prices or (None, None)
    return ModelSettings(
        name="small",
        adapter="openai_chat",
        base_url=base_url,
        model="small-1",
        deadline=timedelta(seconds=deadline),
        price_in=None if price_in is None else Decimal(price_in),
        price_out=None if price_out is None else Decimal(price_out),
        options=frozen(options or {}),
    )


def replied(said: object, status: int = 200, **headers: str) -> HttpReply:
    """What a server answers, in JSON; bytes are sent as they are."""
    body = said if isinstance(said, bytes) else json.dumps(said).encode()
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return HttpReply(status, (("content-type", "application/json"), *named), body)


def client(
    model: ModelSettings,
    waits: Waits,
    *,
    key: str | None = KEY,
    library: ModuleType = LIBRARIES[-1],
    wire: Wire = CHAT,
) -> WireClient:
    retries = Retries(jitter=lambda: 0.5, sleep=waits.sleep, clock=HandClock(T0))
    llm = wire_client(wire, model, key, door=HttpDoor(library), retries=retries)
    llm.throttle = Unheeding()
    return llm


def ask(llm: WireClient, question: Question = QUESTION) -> Completion:
    return asyncio.run(llm.complete(question))
