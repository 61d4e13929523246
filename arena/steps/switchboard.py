"""Where every paid call goes through: asked once, within budget, and kept on the tape."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

from arena.errors import StopError
from arena.llms.tariff import tariff_for, worst_case
from arena.llms.tokens import tokens_guessed
from arena.ports import Clock, Llm
from arena.records.answer import Attempt, Call, Caller, Completion, Question, Trouble
from arena.records.money import Usd
from arena.records.settings import ModelSettings
from arena.steps.budget import Guard
from arena.store import Store
from arena.store.codec import digest_of

WARM = 256  # beginnings that are remembered as warm, which is weeks of rounds

_LOST = Attempt(
    latency_ms=0,
    trouble=Trouble.UNREACHABLE,
    detail="asked before an interruption; whether it was answered is unknown",
)


@dataclass(frozen=True, slots=True)
class Line:
    """A model as contestants reach it: what they ask is asked of it once, and paid for once.

    A question with a `caller` that is on the tape already is answered from there. Where a
    budget does not allow the worst case, the model is not asked at all. A question without a
    caller goes straight through.
    """

    llm: Llm
    model: ModelSettings
    store: Store
    clock: Clock
    guard: Guard
    warmth: "Warmth"

    async def complete(self, question: Question) -> Completion:
        """Answer from the tape, or ask within the budget and keep what came back."""
        caller = question.caller
        if caller is None:
            return await self.llm.complete(question)
        calls = self.store.tape.calls
        found = calls.find(caller)
        if found is not None:
            return found
        at = self.clock.now()
        worst = self._worst(question, at)
        refusal = self.guard.reserve(caller, at, worst)
        if refusal is not None:
            return Completion(None, trouble=Trouble.BUDGET, detail=refusal)
        return await self._ask(question, caller, at, worst)

    async def _ask(
        self, question: Question, caller: Caller, at: datetime, worst: Usd | None
    ) -> Completion:
        calls = self.store.tape.calls
        lost = calls.was_asked(caller)
        with self.store.write():
            calls.record_ask(caller, at, self.model.name, worst)
        said: Completion | None = None
        try:
            said = await self._answered(question)
        finally:
            self.guard.settle(caller, at, worst, said)
        if said.trouble is Trouble.PENDING:
            return said
        if lost:
            said = replace(said, attempts=(_LOST, *said.attempts))
        call = Call(caller.call, question, said)
        with self.store.write():
            calls.record(caller, at, self.model, request_digest(self.model, question), call)
        return said

    def _worst(self, question: Question, at: datetime) -> Usd | None:
        tariff = tariff_for(self.model, at.date())
        if tariff is None:
            return None
        return worst_case(tokens_guessed(question), self.model.max_tokens, tariff)

    async def _answered(self, question: Question) -> Completion:
        if not self.model.warm or not question.shared:
            return await self.llm.complete(question)
        shared = [self.model.name, question.system, question.user[: question.shared]]
        async with self.warmth.turn(digest_of(shared)):
            return await self.llm.complete(question)


@dataclass(slots=True)
class Warmth:
    """Lets the first of several questions that begin alike go alone.

    The others wait until it has come back, and find what they share in the provider's cache.
    """

    _done: OrderedDict[str, asyncio.Event] = field(default_factory=OrderedDict)

    @asynccontextmanager
    async def turn(self, beginning: str) -> AsyncIterator[None]:
        """Wait for the first one that begins so, or be it."""
        first = self._done.get(beginning)
        if first is not None:
            await first.wait()
            yield
            return
        mine = self._done[beginning] = asyncio.Event()
        while len(self._done) > WARM:
            self._done.popitem(last=False)
        try:
            yield
        finally:
            mine.set()


@dataclass(frozen=True, slots=True)
class TapeLlm:
    """A model that answers from a tape: whoever plays again hears what was said before."""

    model: ModelSettings
    store: Store

    async def complete(self, question: Question) -> Completion:
        """Give the reply that the same contestant had to the same request.

        Raises:
            StopError: There is none on the tape.
        """
        if question.caller is None:
            raise StopError("replay.miss", "a question without a caller is on no tape")
        request = request_digest(self.model, question)
        found = self.store.tape.calls.like(request, question.caller)
        if found is None:
            who = question.caller
            raise StopError(
                "replay.miss",
                f"{who.contestant} asks {self.model.name} something in round {who.round} of "
                f"{who.cohort} that is not on the tape (call {who.call})",
                hint="replay with the prompts, models and prices that were played with",
            )
        return found


def request_digest(model: ModelSettings, question: Question) -> str:
    """SHA-256 of what a model is asked and how: its server, its settings and the words."""
    return digest_of(
        [
            model.adapter,
            model.base_url,
            model.model,
            model.max_tokens,
            _plain(model.options),
            question.system,
            question.user,
            question.schema,
        ]
    )


def _plain(options: object) -> object:
    """Options as JSON has words for them."""
    return [_plain(one) for one in options] if isinstance(options, tuple) else options
