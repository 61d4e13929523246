"""Questions that wait for a provider's batch: collected, handed in together, fetched later."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from arena.llms.batch import BatchItem, item_id
from arena.llms.batch_wire import BatchError, BatchResult, BatchState, BatchStatus
from arena.records.answer import Caller, Completion, Question, Trouble
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
                billed = "" if error.made is False else "; it may have been made all the same"
                said = Completion(
                    None, trouble=error.trouble, detail=f"{error.message}{billed}"
                )
                self._refused.update(dict.fromkeys(mine, said))
            return
        self._note(mine, at, batch)

    def _note(self, callers: Iterable[Caller], at: datetime, batch: str) -> None:
        with self.store.write():
            for caller in callers:
                self.store.tape.calls.record_batched(caller, at, self.llm, batch)

    async def _fetched(self, batch: str, caller: Caller, at: datetime) -> Completion:
        try:
            results = await self._results(batch, at)
        except BatchError as error:
            if error.again:
                return PENDING
            return Completion(None, trouble=error.trouble, detail=error.message)
        if results is None:
            return PENDING
        found = results.get(item_id(caller))
        return found.completion if found else _unknown("its batch says nothing of it")

    async def _results(self, batch: str, at: datetime) -> Mapping[str, BatchResult] | None:
        """What became of a batch's questions; None while it is under way."""
        if batch not in self._over:
            if self._polled.get(batch) == at:
                return None
            self._polled[batch] = at
            state = await self.desk.poll(batch)
            if not state.over:
                return None
            if state.status is BatchStatus.FAILED:
                raise BatchError(f"the batch failed: {state.detail}", Trouble.REQUEST)
            self._over[batch] = await self.desk.results(batch)
        return self._over[batch]


def _unknown(detail: str) -> Completion:
    return Completion(None, trouble=Trouble.UNREACHABLE, detail=detail)
