"""Questions that wait for a provider's batch: collected, handed in together, fetched later."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from arena.llms.batch import BatchItem, item_id
from arena.llms.batch_wire import BatchError, BatchResult, BatchState, BatchStatus
from arena.records.answer import Attempt, Caller, Completion, Question, Trouble
from arena.store import Store

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

    async def results(self, batch: str) -> Mapping[str, BatchResult]:
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
    _over: dict[str, Mapping[str, BatchResult]] = field(default_factory=dict)
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
            return await self._fetched(batch, caller, at)
        self._waiting[caller] = question
        return PENDING

    async def flush(self, at: datetime) -> bool:
        """Hand in what was collected.

        Returns:
            Whether the provider refused some for good: who asks once more is told so.
        """
        waiting, self._waiting = self._waiting, {}
        callers = {item_id(caller): caller for caller in waiting}
        items = [BatchItem(item_id(caller), asked) for caller, asked in waiting.items()]
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
        async with self._one_by_one(at):
            if batch not in self._over and self._polled.get(batch) != at:
                self._polled[batch] = at
                await self._ask_after(batch)
        results = self._over.get(batch)
        if results is None:
            return self._failed.get(batch, PENDING)
        found = results.get(item_id(caller))
        return found.completion if found else _unknown("its batch says nothing of it")

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

    def _one_by_one(self, at: datetime) -> asyncio.Lock:
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
