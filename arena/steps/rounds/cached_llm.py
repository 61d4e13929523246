"""Where every paid call goes through: asked once, within budget, and kept on the tape."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Protocol

from arena.errors import ArenaError, StopError
from arena.llms.batch import BatchItem, desk_for, item_id
from arena.llms.batch_wire import BatchError, BatchState, BatchStatus
from arena.llms.profile import LONGEST_WITH_THOUGHTS, retirement_of
from arena.llms.tariff import tariff_for, tokens_guessed, worst_case
from arena.llms.wires.wire import with_calls
from arena.plugins import misfit
from arena.ports import Clock, Llm
from arena.records.answer import Attempt, Call, Caller, Completion, Question, Trouble
from arena.records.cohort import CohortId
from arena.records.money import Usd
from arena.records.settings import LONGEST_ANSWER, ModelSettings
from arena.secrets import Secrets
from arena.steps.rounds.brief import deadline_of
from arena.steps.rounds.budget import Guard
from arena.store import Store
from arena.store.codec import digest_of

PENDING = Completion(None, trouble=Trouble.PENDING, detail="it waits in a batch")
HANDING_IN = "?"  # on the tape before a batch is made: no provider names one so


class Desk(Protocol):
    """Takes batches of questions, and tells what became of them (`llms.batch.BatchDesk`)."""

    def portions(self, items: Iterable[BatchItem]) -> tuple[tuple[BatchItem, ...], ...]:
        """Split questions into batches that the provider takes."""

    async def submit(self, items: Sequence[BatchItem]) -> str:
        """Make one batch and name it; a `BatchError` says whether one was made."""

    async def poll(self, batch: str) -> BatchState:
        """Ask how far a batch is."""

    async def results(self, batch: str) -> Mapping[str, Completion]:
        """Fetch what became of each question of a batch that is over."""


@dataclass(slots=True)
class Batches:
    """One model's batches.

    Which batch a call went into is on the tape, so that any later tick can fetch its answer.
    That it is being handed in is there before: where it is not known whether a batch was
    made, none is made again for the same calls, and they end as a failure that may have been
    billed.
    """

    desk: Desk
    llm: str
    store: Store
    _waiting: dict[Caller, Question] = field(default_factory=dict)
    _over: dict[str, Mapping[str, Completion]] = field(default_factory=dict)
    _polled: dict[str, datetime] = field(default_factory=dict)
    _refused: dict[Caller, Completion] = field(default_factory=dict)
    _failed: dict[str, Completion] = field(default_factory=dict)
    _line: tuple[datetime, asyncio.Lock] | None = None

    async def complete(self, question: Question, caller: Caller, at: datetime) -> Completion:
        """Give the answer of a call's batch, or put the call in the next one and wait.

        A batch is asked after once for each moment.
        """
        if caller in self._refused:
            return self._refused.pop(caller)
        seat = (caller.cohort, caller.round, caller.contestant)
        batch = self.store.tape.calls.batches_of(*seat).get(caller.call)
        if batch == HANDING_IN:
            return _unknown("it was handed in, and its batch's name was lost")
        if batch:
            return with_calls(await self._fetched(batch, caller, at), question)
        self._waiting[caller] = question
        return PENDING

    async def flush(self, at: datetime) -> bool:
        """Hand in what was collected.

        Returns:
            Whether the provider refused some for good: who asks once more is told so.
        """
        waiting, self._waiting = self._waiting, {}
        callers = {item_id(caller): caller for caller in waiting}
        items = [BatchItem(item_id(caller), question) for caller, question in waiting.items()]
        for portion in self.desk.portions(items):
            await self._hand_in(portion, [callers[item.id] for item in portion], at)
        return bool(self._refused)

    async def _hand_in(
        self, portion: tuple[BatchItem, ...], mine: Sequence[Caller], at: datetime
    ) -> None:
        self._note(mine, at, HANDING_IN)
        try:
            batch = await self.desk.submit(portion)
        except BatchError as error:
            if error.made is False:
                self._note(mine, at, "")
            if error.made is not False or not error.again:
                self._refused.update(dict.fromkeys(mine, _refusal(error)))
            return
        self._note(mine, at, batch)

    def _note(self, callers: Iterable[Caller], at: datetime, batch: str) -> None:
        with self.store.write():
            for caller in callers:
                self.store.tape.calls.record_batched(caller, at, self.llm, batch)

    async def _fetched(self, batch: str, caller: Caller, at: datetime) -> Completion:
        async with self._batch_lock(at):
            if batch not in self._over and self._polled.get(batch) != at:
                self._polled[batch] = at
                await self._ask_after(batch)
        results = self._over.get(batch)
        if results is None:
            return self._failed.get(batch, PENDING)
        return results.get(item_id(caller)) or _unknown("its batch says nothing of it")

    async def _ask_after(self, batch: str) -> None:
        """Fetch what became of a batch's questions, where it is over."""
        try:
            state = await self.desk.poll(batch)
            if state.status is BatchStatus.FAILED:
                why = f"the batch failed: {state.detail}"
                self._failed[batch] = _without_words(Trouble.REQUEST, why, billed=False)
            elif state.over:
                self._over[batch] = await self.desk.results(batch)
        except BatchError as error:
            if not error.again:
                self._failed[batch] = _without_words(error.trouble, error.message)

    def _batch_lock(self, at: datetime) -> asyncio.Lock:
        """Let contestants of one batch, who are asked at once, ask after it once."""
        if self._line is None or self._line[0] != at:
            self._line = at, asyncio.Lock()
        return self._line[1]


def _refusal(error: BatchError) -> Completion:
    if error.made is False:
        return _without_words(error.trouble, error.message, billed=False)
    maybe = f"{error.message}; it may have been made all the same"
    return _without_words(error.trouble, maybe)


def _unknown(detail: str) -> Completion:
    return _without_words(Trouble.UNREACHABLE, detail)


def _without_words(trouble: Trouble, detail: str, *, billed: bool | None = None) -> Completion:
    """Say what became of a call in one attempt, so that budgets know whether it was billed."""
    attempt = Attempt(0, None, trouble, detail, billed)
    return Completion(None, trouble=trouble, detail=detail, attempts=(attempt,))


TOO_LATE = "the round takes no more answers"
WARM = 256  # beginnings that are remembered as warm, which is weeks of rounds
LONGEST_ALONE = 60.0  # seconds: a cache is written before the answer, not after it

LOST_CALL = Attempt(
    latency_ms=0,
    trouble=Trouble.UNREACHABLE,
    detail="asked before an interruption; whether it was answered is unknown",
)


@dataclass(slots=True)
class Warmth:
    """Lets the first of several questions that begin alike go alone.

    The others wait until it has come back, and find what they share in the provider's cache.
    They wait `longest` seconds at most from its start: one that stands in line, fails, or
    thinks for long must not hold up all who share its beginning.
    """

    longest: float = LONGEST_ALONE
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
        asyncio.get_running_loop().call_later(self.longest, mine.set)
        try:
            yield
        finally:
            mine.set()


@dataclass(slots=True)
class ModelExchange:
    """What all models of a process share: the tape, the budgets, and who goes first.

    Everything that is paid for goes through one exchange. With a `replayed` tape no model is
    asked: each says what it said there.
    """

    store: Store
    clock: Clock
    guard: Guard
    replayed: Store | None = None
    secrets: Secrets = field(default_factory=Secrets)
    warmth: Warmth = field(default_factory=Warmth)
    written: int = 0
    _lasting: int = 0
    _batches: list[Batches] = field(default_factory=list)
    _deadlines: dict[tuple[CohortId, int], datetime | None] = field(default_factory=dict)

    def line(self, llm: Llm, model: ModelSettings) -> "ModelLine":
        """Put a model behind the exchange.

        Raises:
            ArenaError: It shall be asked in batches, and its wire format has none.
        """
        batches = None
        if model.batch and not isinstance(llm, TapeLlm):
            desk = desk_for(llm)
            if desk is None:
                raise ArenaError(
                    "llm.batch",
                    f"model {model.name}: its adapter {model.adapter} knows no batches",
                    hint="remove `batch: true`, or use another adapter",
                    status=2,
                )
            batches = Batches(desk, model.name, self.store)
            self._batches.append(batches)
        return ModelLine(llm, model, self, batches)

    async def flush(self) -> bool:
        """Hand in what waits for a batch; say whether any of it was refused for good."""
        refused = [await batches.flush(self.clock.now()) for batches in self._batches]
        return any(refused)

    async def make_last(self) -> None:
        """Wait until what was written is on the disk: one wait for all who write at once."""
        mine = self.written
        await asyncio.sleep(0)
        if self._lasting < mine:
            self._lasting = self.written
            self.store.db.make_last()

    def is_over(self, caller: Caller, at: datetime) -> bool:
        """Whether a call's round takes no more answers: nothing new is asked for it then."""
        key = (caller.cohort, caller.round)
        if key not in self._deadlines:
            cohort = self.store.books.cohort(caller.cohort)
            played = self.store.books.round(caller.cohort, caller.round)
            self._deadlines[key] = deadline_of(cohort, played) if cohort and played else None
        deadline = self._deadlines[key]
        return deadline is not None and at > deadline

    def waits(self, cohort: CohortId) -> bool:
        """Whether a cohort's rules leave time for a batch."""
        running = self.store.books.cohort(cohort)
        return running is not None and bool(running.spec.rules.answer_within)


@dataclass(frozen=True, slots=True)
class ModelLine:
    """A model as contestants reach it: what they ask is asked of it once, and paid for once.

    A question with a `caller` that is on the tape already is answered from there. Where a
    budget does not allow the worst case, the model is not asked at all. A question without a
    caller goes straight through.
    """

    llm: Llm
    model: ModelSettings
    exchange: ModelExchange
    batches: Batches | None = None

    async def complete(self, question: Question) -> Completion:
        """Answer from the tape, or ask within the budget and keep what came back."""
        caller = question.caller
        if caller is None:
            return await self.llm.complete(question)
        kept = self.exchange.store.tape.calls.find(caller)
        if kept is not None:
            return kept
        at = self.exchange.clock.now()
        if self.exchange.is_over(caller, at):
            return Completion(None, trouble=Trouble.MISSED, detail=TOO_LATE)
        ends = retirement_of(self.model)
        if ends is not None and ends <= at.date() and not self._is_in_batch(caller):
            return Completion(None, trouble=Trouble.REQUEST, detail=_retired(self.model, ends))
        worst = self._worst(question, at)
        refusal = self.exchange.guard.reserve(caller, at, worst)
        if refusal is not None:
            return Completion(None, trouble=Trouble.BUDGET, detail=refusal)
        lost = self._unanswered_count(caller)
        completion: Completion | None = None
        try:
            completion = await self._completion(question, caller, at, worst, lost=lost)
            if wrong := misfit(completion, Completion):
                what = f"its answer cannot be kept: {wrong}"
                completion = _without_words(Trouble.CRASHED, what)
        finally:
            self.exchange.guard.settle(caller, at, worst, completion)
        if completion.trouble is not Trouble.PENDING:
            completion = replace(completion, attempts=(LOST_CALL,) * lost + completion.attempts)
            completion = self.exchange.secrets.record(completion)
            self._keep(Call(caller.call, question, completion), caller, at)
            if completion.usage.cost != 0:  # it may have been paid for
                await self.exchange.make_last()
        return completion

    def _unanswered_count(self, caller: Caller) -> int:
        """How often it was sent before and never heard of; a batch tells of that by itself."""
        if self._goes_by_batch(caller):
            return 0
        return self.exchange.store.tape.calls.times_lost(caller)

    def _goes_by_batch(self, caller: Caller) -> bool:
        return self.batches is not None and self.exchange.waits(caller.cohort)

    def _is_in_batch(self, caller: Caller) -> bool:
        """Whether it was handed in already: what was paid for is fetched in any case."""
        if self.batches is None:
            return False
        seat = (caller.cohort, caller.round, caller.contestant)
        return bool(self.exchange.store.tape.calls.batches_of(*seat).get(caller.call))

    async def _completion(
        self, question: Question, caller: Caller, at: datetime, worst: Usd | None, *, lost: int
    ) -> Completion:
        """Ask, in a batch where there is time for one."""
        store = self.exchange.store
        calls = store.tape.calls
        if self.batches is not None and self._goes_by_batch(caller):
            completion = await self.batches.complete(question, caller, at)
            with store.write():
                calls.record_ask(caller, at, self.model.name, worst)
            return completion
        with store.write():
            if lost:
                calls.record_asked_again(caller, at)
            calls.record_ask(caller, at, self.model.name, worst)
        return await self._answered(question)

    def _keep(self, call: Call, caller: Caller, at: datetime) -> None:
        store, request = self.exchange.store, request_digest(self.model, call.question)
        with store.write():
            store.tape.calls.record(caller, at, self.model, request, call)
        self.exchange.written += 1

    def _worst(self, question: Question, at: datetime) -> Usd | None:
        tariff = tariff_for(self.model, at.date())
        if tariff is None:
            return None
        return worst_case(tokens_guessed(question), self.model.max_tokens, tariff)

    async def _answered(self, question: Question) -> Completion:
        if not self.model.warm or not question.shared:
            return await self.llm.complete(question)
        shared = [self.model.name, question.system, question.user[: question.shared]]
        async with self.exchange.warmth.turn(digest_of(shared)):
            return await self.llm.complete(question)


def _retired(model: ModelSettings, ends: date) -> str:
    """A model that is gone stops: another under its name would be another contestant."""
    return f"{model.name} was retired by its provider on {ends}; it is not asked any more"


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
        calls = self.store.tape.calls
        completion = calls.like(request_digest(self.model, question), question.caller)
        if completion is None and self.model.max_tokens == LONGEST_WITH_THOUGHTS:
            # where nobody configured it, it was less in earlier versions
            before = replace(self.model, max_tokens=LONGEST_ANSWER)
            completion = calls.like(request_digest(before, question), question.caller)
        if completion is None:
            who = question.caller
            raise StopError(
                "replay.miss",
                f"{who.contestant} asks {self.model.name} something in round {who.round} of "
                f"{who.cohort} that is not on the tape (call {who.call})",
                hint="replay with the prompts, models and prices that were played with",
            )
        return completion


def request_digest(model: ModelSettings, question: Question) -> str:
    """SHA-256 of what a model is asked and how: its server, its settings and the words.

    Of the steps before it, what was said and found out counts, and not the bytes.
    """
    asked: list[object] = [
        model.adapter,
        model.base_url,
        model.model,
        model.max_tokens,
        _plain(model.options),
        question.system,
        question.user,
        question.schema,
    ]
    if question.tools or question.steps:
        steps = [(step.text, step.calls, step.results) for step in question.steps]
        asked += [question.tools, question.opening, steps]
    return digest_of(asked)


def _plain(options: object) -> object:
    """Options as JSON has words for them."""
    return [_plain(option) for option in options] if isinstance(options, tuple) else options
