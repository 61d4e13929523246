"""Questions that wait for a provider's batch: collected, handed in together, fetched later."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from arena.llms.batch import BatchDesk, BatchItem, item_id
from arena.llms.batch_wire import BatchError, BatchResult, BatchStatus
from arena.records.answer import Caller, Completion, Question, Trouble
from arena.store import Store

PENDING = Completion(None, trouble=Trouble.PENDING, detail="it waits in a batch")

Waiting = list[tuple[Question, Caller]]


@dataclass(slots=True)
class Batches:
    """One model's batches, during one tick.

    Which batch a call went into is on the tape, so that any later tick can fetch its answer.
    A batch is made once: where it is not known whether one was made, none is made again for
    the same calls, and they end as a failure that may have been billed.
    """

    desk: BatchDesk
    llm: str
    store: Store
    _waiting: Waiting = field(default_factory=list)
    _over: dict[str, Mapping[str, BatchResult]] = field(default_factory=dict)
    _running: set[str] = field(default_factory=set)
    _refused: dict[Caller, Completion] = field(default_factory=dict)

    async def complete(self, question: Question, caller: Caller) -> Completion:
        """Give the answer of a call's batch, or put the call in the next one and wait."""
        calls = self.store.tape.calls
        seat = (caller.cohort, caller.round, caller.contestant)
        if caller in self._refused:
            return self._refused.pop(caller)
        batch = calls.batches_of(*seat).get(caller.call)
        if batch:
            return await self._fetched(batch, caller)
        if batch is None and calls.was_asked(caller):
            return _unknown("it was handed in, and its batch's name was lost")
        self._waiting.append((question, caller))
        return PENDING

    async def flush(self, at: datetime) -> bool:
        """Hand in what was collected.

        Returns:
            Whether the provider refused some for good: who asks once more is told so.
        """
        waiting, self._waiting = self._waiting, []
        self._running.clear()
        callers = {item_id(caller): caller for _, caller in waiting}
        items = [BatchItem(item_id(caller), question) for question, caller in waiting]
        for portion in self.desk.portions(items):
            await self._hand_in(portion, callers, at)
        return bool(self._refused)

    async def _hand_in(
        self, portion: tuple[BatchItem, ...], callers: Mapping[str, Caller], at: datetime
    ) -> None:
        mine = [callers[item.id] for item in portion]
        batch = ""
        try:
            batch = await self.desk.submit(portion)
        except BatchError as error:
            if error.made is not False or not error.again:
                billed = "" if error.made is False else "; it may have been made all the same"
                said = Completion(
                    None, trouble=error.trouble, detail=f"{error.message}{billed}"
                )
                self._refused.update(dict.fromkeys(mine, said))
                return
        with self.store.write():
            for caller in mine:
                self.store.tape.calls.record_batched(caller, at, self.llm, batch)

    async def _fetched(self, batch: str, caller: Caller) -> Completion:
        try:
            results = await self._results(batch)
        except BatchError as error:
            if error.again:
                return PENDING
            return Completion(None, trouble=error.trouble, detail=error.message)
        if results is None:
            return PENDING
        found = results.get(item_id(caller))
        return found.completion if found else _unknown("its batch says nothing of it")

    async def _results(self, batch: str) -> Mapping[str, BatchResult] | None:
        """What became of a batch's questions; None while it is under way."""
        if batch in self._running:
            return None
        if batch not in self._over:
            state = await self.desk.poll(batch)
            if not state.over:
                self._running.add(batch)
                return None
            if state.status is BatchStatus.FAILED:
                raise BatchError(f"the batch failed: {state.detail}", Trouble.REQUEST)
            self._over[batch] = await self.desk.results(batch)
        return self._over[batch]


def _unknown(detail: str) -> Completion:
    return Completion(None, trouble=Trouble.UNREACHABLE, detail=detail)
