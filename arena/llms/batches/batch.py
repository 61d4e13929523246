"""Questions that may be answered within a day, at half the price."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from arena.http import HttpError, HttpReply, HttpRequest
from arena.llms.attempts import judge_fault
from arena.llms.batches.anthropic_batch import AnthropicBatches
from arena.llms.batches.batch_wire import (
    BatchError,
    BatchResult,
    BatchState,
    BatchWire,
    T,
    Talk,
    name_in,
)
from arena.llms.batches.openai_batch import OpenAiBatches
from arena.llms.client import WireClient
from arena.llms.wires.anthropic_messages import AnthropicMessages
from arena.llms.wires.lenient import LONGEST_DETAIL, Liner
from arena.llms.wires.openai_chat import OpenAiChat
from arena.llms.wires.openai_responses import OpenAiResponses
from arena.ports import Llm
from arena.records.answer import Caller, Question

SECONDS = 600.0
MOST_BYTES = 1_000_000_000
MARGIN = 1_000  # bytes around the questions
INTERFACES: Mapping[type, BatchWire] = {
    AnthropicMessages: AnthropicBatches(),
    OpenAiChat: OpenAiBatches(),
    OpenAiResponses: OpenAiBatches(),
}


@dataclass(frozen=True, slots=True)
class BatchItem:
    """A question, and the id that its answer comes back under (see `item_id`)."""

    id: str
    question: Question


def item_id(caller: Caller) -> str:
    """Give the id of a call in a batch: the same call has the same one, always.

    Providers allow letters, digits, - and _, and 64 of them: a digest fits exactly.
    """
    named = [caller.cohort, caller.round, caller.contestant, caller.call]
    return sha256(json.dumps(named).encode()).hexdigest()


def desk_for(llm: Llm) -> "BatchDesk | None":
    """Give the batch interface of a model, with its key, its options and its prices.

    Returns:
        None where the model's wire format has none. Whether its server has one is seen when
        it is asked: many that speak a format do not.
    """
    if not isinstance(llm, WireClient):
        return None
    batches = INTERFACES.get(type(llm.wire))
    return None if batches is None else BatchDesk(llm, batches)


@dataclass(frozen=True, slots=True)
class BatchDesk:
    """Hands questions in and fetches what became of them.

    Only `submit` changes anything, and nothing here asks twice: whoever calls asks again, or
    not. What the server of a direct call has refused is left out here too.
    """

    client: WireClient
    batches: BatchWire

    def portions(self, items: Iterable[BatchItem]) -> tuple[tuple[BatchItem, ...], ...]:
        """Split questions into batches that the provider takes, in the order given."""
        limits, portions = self.batches.limits, []
        portion: list[BatchItem] = []
        size = 0
        for item in items:
            length = len(self._line(item)) + 1
            full = len(portion) >= limits.questions or size + length > limits.bytes - MARGIN
            if portion and full:
                portions.append(tuple(portion))
                portion, size = [], 0
            portion.append(item)
            size += length
        return (*portions, tuple(portion)) if portion else ()

    async def submit(self, items: Sequence[BatchItem]) -> str:
        """Make one batch, and give the provider's name for it: keep it, it cannot be had again.

        Args:
            items: What to ask, as one of `portions` has it.

        Raises:
            BatchError: No batch was made, or none is known of: its `made` tells which.
            ValueError: There is no question, or two have one id.
        """
        if not items or len({item.id for item in items}) < len(items):
            raise ValueError("a batch needs questions, each with an id of its own")
        lines = [self._line(item) for item in items]
        try:
            body = await self._carried_out(self.batches.prepare(self.client, lines))
        except BatchError as error:
            error.made = False
            raise
        return await self._carried_out(self.batches.make(self.client, body))

    async def poll(self, batch: str) -> BatchState:
        """Ask how far a batch is; as often as one likes.

        Raises:
            BatchError: The provider could not be asked, or knows no such batch.
        """
        name = name_in({"batch": batch}, "batch")
        return await self._carried_out(self.batches.poll(self.client, name))

    async def results(self, batch: str) -> Mapping[str, BatchResult]:
        """Fetch what became of each question of a batch that is over; as often as one likes.

        Returns:
            Results by item id. A question that the provider says nothing of is not among
            them, and in a batch that failed none is.

        Raises:
            BatchError: The batch is not over, or its results could not be had.
        """
        name = name_in({"batch": batch}, "batch")
        return await self._carried_out(self.batches.results(self.client, name))

    def _line(self, item: BatchItem) -> bytes:
        body = self.client.body(self.client.ask(item.question))
        return self.batches.line(self.client, item.id, body)

    async def _carried_out(self, talk: Talk[T]) -> T:
        """Send what a conversation asks for, until it has come to its end."""
        try:
            request = next(talk)
            while True:
                request = talk.send(await self._sent(request))
        except StopIteration as end:
            outcome: T = end.value
            return outcome

    async def _sent(self, request: HttpRequest) -> HttpReply:
        door, redact = self.client.door, self.client.redact
        try:
            reply = await door.send(request, seconds=SECONDS, most=MOST_BYTES)
        except HttpError as error:
            verdict = judge_fault(error)
            raise BatchError(
                Liner(redact).line(error.message, LONGEST_DETAIL),
                verdict.trouble,
                again=verdict.again,
                made=None if error.sent else False,
            ) from error
        return replace(reply, body=redact.data(reply.body))
