"""Short builders: models behind an exchange over an arena in memory."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from decimal import Decimal

from arena.clock import HandClock
from arena.ports import Llm
from arena.records.answer import Attempt, Call, Caller, Completion, Question, Trouble, Usage
from arena.records.money import usd
from arena.records.settings import Budgets, ModelSettings
from arena.steps.rounds.budget import Guard
from arena.steps.rounds.cached_llm import ModelExchange, ModelLine
from arena.store import Store, open_store
from arena.store.pages.costs import SqliteCosts
from tests.build import ADA, COHORT, T0

MODEL = ModelSettings(
    "small",
    "openai_chat",
    "http://here/v1",
    "small-1",
    max_tokens=1000,
    price_in=Decimal(1),
    price_out=Decimal(100),
)
UNPRICED = replace(MODEL, price_in=None, price_out=None)
WORST = usd("0.1")  # a thousand tokens of an answer, and a little for the question
ONE_CALL = Budgets(contestant=usd("0.15"))
WELL = Completion(
    "words",
    raw=b"raw",
    model="small-1",
    finish="stop",
    usage=Usage(10, 10, usd("0.001")),
    attempts=(Attempt(5, 200, billed=True),),
)
LOST = Completion(None, trouble=Trouble.TIMEOUT, attempts=(Attempt(5, None, Trouble.TIMEOUT),))


def question(who: Caller | None = None, user: str = "facts", shared: int = 0) -> Question:
    return Question("rules", user, shared, "{}", who)


class BrokenError(Exception):
    """A defect in somebody's plugin."""


@dataclass(slots=True)
class Broken:
    """A model whose plugin raises."""

    error: BaseException
    asked: int = 0

    async def complete(self, question: Question) -> Completion:  # noqa: ARG002
        self.asked += 1
        raise self.error


@dataclass(slots=True)
class Gated:
    """A model that answers one question at a time, when it is let."""

    started: list[str] = field(default_factory=list)
    gates: dict[str, asyncio.Event] = field(default_factory=dict)

    async def complete(self, question: Question) -> Completion:
        self.started.append(question.user)
        await self.gates.setdefault(question.user, asyncio.Event()).wait()
        return WELL

    def let(self, *users: str) -> None:
        for user in users:
            self.gates.setdefault(user, asyncio.Event()).set()


@dataclass(slots=True)
class Board:
    """An exchange over an arena in memory."""

    store: Store
    clock: HandClock
    budgets: Budgets

    @property
    def exchange(self) -> ModelExchange:
        """A new one, as of a new process."""
        return ModelExchange(
            self.store, self.clock, Guard(self.budgets, SqliteCosts(self.store.db))
        )

    def line(self, llm: Llm, model: ModelSettings = MODEL) -> ModelLine:
        return self.exchange.line(llm, model)

    def ask(self, llm: Llm, *callers: Caller, model: ModelSettings = MODEL) -> list[Completion]:
        """Ask one after the other, in one process."""
        line = self.line(llm, model)
        return [asyncio.run(line.complete(question(who))) for who in callers]

    def asked_before(self, who: Caller) -> None:
        """Let a process have died while a call was under way."""
        with self.store.write():
            self.store.tape.calls.record_ask(who, self.clock.at, MODEL.name, WORST)

    @property
    def calls(self) -> Sequence[Call]:
        return self.store.tape.calls.of_turn(COHORT, 1, ADA)


@contextmanager
def board(budgets: Budgets = Budgets()) -> Iterator[Board]:  # noqa: B008  frozen
    with open_store(None) as store:
        yield Board(store, HandClock(T0), budgets)


async def settle() -> None:
    """Let whatever can go on do so."""
    for _ in range(20):
        await asyncio.sleep(0)
