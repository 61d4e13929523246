"""Short builders: a model behind a server of this machine, with waits that take no time."""

import asyncio
import importlib.util
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from types import ModuleType

import httpx

from arena.clock import HandClock
from arena.http import HttpDoor
from arena.llms.attempts import Retries
from arena.llms.openai_chat import OpenAiChat, chat_client
from arena.records.answer import Completion, Question
from arena.records.settings import ModelSettings

KEY = "sk-test-0123456789abcdef"
QUESTION = Question(system="the rules", user="the facts")
T0 = datetime(2026, 1, 5, 9, tzinfo=UTC)
LIBRARIES: list[ModuleType] = [httpx]
if importlib.util.find_spec("httpx2"):
    LIBRARIES.append(importlib.import_module("httpx2"))


@dataclass(slots=True)
class Waits:
    """Sleeps in no time and remembers for how long."""

    seconds: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)


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
        options=tuple((options or {}).items()),
    )


def client(
    model: ModelSettings,
    waits: Waits,
    *,
    key: str | None = KEY,
    library: ModuleType = LIBRARIES[-1],
) -> OpenAiChat:
    retries = Retries(jitter=lambda: 0.5, sleep=waits.sleep, clock=HandClock(T0))
    return chat_client(model, key, door=HttpDoor(library), retries=retries)


def ask(llm: OpenAiChat) -> Completion:
    return asyncio.run(llm.complete(QUESTION))
