"""Questions that may be answered within a day, at half the price."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from http import HTTPStatus
from urllib.parse import urlsplit

from arena.http import HttpError, HttpReply, HttpRequest
from arena.llms.batch_wire import (
    BatchError,
    BatchLimits,
    BatchState,
    BatchStatus,
    BatchWire,
    T,
    Talk,
    address_of,
    answers_in,
    error_of,
    get,
    name_in,
    post,
    result_of,
    unanswered,
    understood,
)
from arena.llms.client import WireClient
from arena.llms.retries import judge_fault
from arena.llms.wires.anthropic_messages import AnthropicMessages
from arena.llms.wires.lenient import LONGEST_DETAIL, Liner, count, first, mapping
from arena.llms.wires.openai_chat import OpenAiChat
from arena.llms.wires.openai_responses import OpenAiResponses
from arena.ports import Llm
from arena.records.answer import Caller, Completion, Question, Trouble

# Anthropic's batch interface: all questions in one request, all answers in one reply.
#
# Source: https://platform.claude.com/docs/en/build-with-claude/batch-processing

ENDED = "ended"
ANTHROPIC_LIMITS = BatchLimits(questions=100_000, bytes=256_000_000)
COUNTS = ("processing", "succeeded", "errored", "canceled", "expired")
ANTHROPIC_NEVER_ASKED = {
    "canceled": "the batch was cancelled before this was answered",
    "expired": "the batch expired before this was answered",
}


@dataclass(frozen=True, slots=True)
class AnthropicBatches:
    """Speaks Anthropic's batch interface."""

    limits: BatchLimits = ANTHROPIC_LIMITS

    def line(self, client: WireClient, name: str, body: Mapping[str, object]) -> bytes:  # noqa: ARG002  the port's
        """Write one question down as an item of the request."""
        return json.dumps({"custom_id": name, "params": body}).encode()

    def prepare(self, client: WireClient, lines: Sequence[bytes]) -> Talk[bytes]:  # noqa: ARG002  the port's
        """Put the questions into one request."""
        yield from ()
        return b"".join([b'{"requests":[', b",".join(lines), b"]}"])

    def make(self, client: WireClient, body: bytes) -> Talk[str]:
        """Make a batch of the questions."""
        reply = yield post(client, _batches(client), body)
        return name_in(understood(client, reply), "id")

    def poll(self, client: WireClient, batch: str) -> Talk[BatchState]:
        """Ask how far a batch is."""
        return _anthropic_state((yield from _anthropic_batch(client, batch)))

    def results(self, client: WireClient, batch: str) -> Talk[Mapping[str, Completion]]:
        """Fetch the answers, from this account's own server and no other."""
        batch_body = yield from _anthropic_batch(client, batch)
        if not _anthropic_state(batch_body).over:
            raise BatchError("the batch is not over yet", Trouble.PENDING, again=True)
        results_url = batch_body.get("results_url")
        url = f"{_batches(client)}/{batch}/results"
        if isinstance(results_url, str) and _same_server(results_url, address_of(client)):
            url = results_url
        reply = yield get(client, url)
        if reply.status != HTTPStatus.OK:
            raise error_of(client, reply)
        answers = answers_in(reply.body)
        return {
            name: _anthropic_result(client, mapping(line.get("result")))
            for name, line in answers.items()
        }


def _anthropic_batch(client: WireClient, batch: str) -> Talk[Mapping[str, object]]:
    reply = yield get(client, f"{_batches(client)}/{batch}")
    return understood(client, reply)


def _batches(client: WireClient) -> str:
    return f"{client.wire.url(client.settings)}/batches"


def _same_server(url: str, address: str) -> bool:
    """Tell whether a URL is of the account's own server, which may have the key."""
    try:
        named, trusted = urlsplit(url), urlsplit(address)
    except ValueError:
        return False
    return url.isprintable() and (named.scheme, named.netloc) == (
        trusted.scheme,
        trusted.netloc,
    )


def _anthropic_state(batch_body: Mapping[str, object]) -> BatchState:
    request_counts = mapping(batch_body.get("request_counts"))
    counts = {name: count(request_counts.get(name)) for name in COUNTS}
    known_counts = [number for number in counts.values() if number is not None]
    failed = [counts[name] for name in COUNTS[2:]]
    ended = batch_body.get("processing_status") == ENDED
    return BatchState(
        status=BatchStatus.ENDED if ended else BatchStatus.RUNNING,
        total=sum(known_counts) if len(known_counts) == len(COUNTS) else None,
        answered=counts["succeeded"],
        failed=None if None in failed else sum(filter(None, failed)),
    )


def _anthropic_result(client: WireClient, result: Mapping[str, object]) -> Completion:
    match result.get("type"):
        case "succeeded":
            return result_of(client, result.get("message"))
        case ("canceled" | "expired") as end:
            return unanswered(ANTHROPIC_NEVER_ASKED[end])
        case _:
            error = mapping(result.get("error"))
            inner = error if error.get("type") == "error" else {"error": error}
            return result_of(client, {**inner, "type": "error"}, charged=False)


# OpenAI's batch interface: a file of questions is uploaded, and files of answers come back.
#
# Source: https://platform.openai.com/docs/guides/batch

WINDOW = "24h"
OPENAI_LIMITS = BatchLimits(questions=50_000, bytes=200_000_000)
STATUSES = {
    "completed": BatchStatus.ENDED,
    "failed": BatchStatus.FAILED,
    "expired": BatchStatus.EXPIRED,
    "cancelled": BatchStatus.CANCELLED,
}
OPENAI_NEVER_ASKED = {
    "batch_expired": "the batch expired before this was answered",
    "batch_cancelled": "the batch was cancelled before this was answered",
}


@dataclass(frozen=True, slots=True)
class OpenAiBatches:
    """Speaks OpenAI's batch interface, in either of its formats for one question."""

    limits: BatchLimits = OPENAI_LIMITS

    def line(self, client: WireClient, name: str, body: Mapping[str, object]) -> bytes:
        """Write one question down as a line of the file, without the line's end."""
        request = {"custom_id": name, "method": "POST", "url": _endpoint(client), "body": body}
        return json.dumps(request).encode()

    def prepare(self, client: WireClient, lines: Sequence[bytes]) -> Talk[bytes]:
        """Upload the questions as a file."""
        kind, form = _form(b"\n".join(lines))
        reply = yield post(client, f"{address_of(client)}/files", form, kind=kind)
        order = {
            "input_file_id": name_in(understood(client, reply), "id"),
            "endpoint": _endpoint(client),
            "completion_window": WINDOW,
        }
        return json.dumps(order).encode()

    def make(self, client: WireClient, body: bytes) -> Talk[str]:
        """Make a batch of the file."""
        reply = yield post(client, f"{address_of(client)}/batches", body)
        return name_in(understood(client, reply), "id")

    def poll(self, client: WireClient, batch: str) -> Talk[BatchState]:
        """Ask how far a batch is."""
        return _state(client, (yield from _batch(client, batch)))

    def results(self, client: WireClient, batch: str) -> Talk[Mapping[str, Completion]]:
        """Fetch the file of answers and the file of errors, whichever there are."""
        batch_body = yield from _batch(client, batch)
        if not _state(client, batch_body).over:
            raise BatchError("the batch is not over yet", Trouble.PENDING, again=True)
        results: dict[str, Completion] = {}
        for file in ("output_file_id", "error_file_id"):
            if not batch_body.get(file):
                continue
            url = f"{address_of(client)}/files/{name_in(batch_body, file)}/content"
            reply = yield get(client, url)
            if reply.status != HTTPStatus.OK:
                raise error_of(client, reply)
            for name, line in answers_in(reply.body).items():
                if name not in results:
                    results[name] = _result(client, line)
        return results


def _batch(client: WireClient, batch: str) -> Talk[Mapping[str, object]]:
    reply = yield get(client, f"{address_of(client)}/batches/{batch}")
    return understood(client, reply)


def _endpoint(client: WireClient) -> str:
    return f"/v1{client.wire.url(client.settings).removeprefix(address_of(client))}"


def _form(file: bytes) -> tuple[str, bytes]:
    """Build a form that uploads a file, and give its media type."""
    edge = f"arena-{sha256(file).hexdigest()}"  # what is in the file cannot hold its digest
    purpose = 'Content-Disposition: form-data; name="purpose"\r\n\r\nbatch'
    holds = 'Content-Disposition: form-data; name="file"; filename="batch.jsonl"'
    head = f"--{edge}\r\n{purpose}\r\n--{edge}\r\n{holds}\r\n"
    head += "Content-Type: application/jsonl\r\n\r\n"
    form = b"".join([head.encode(), file, f"\r\n--{edge}--\r\n".encode()])
    return f"multipart/form-data; boundary={edge}", form


def _state(client: WireClient, batch_body: Mapping[str, object]) -> BatchState:
    counts = mapping(batch_body.get("request_counts"))
    line = Liner(client.redact).line
    error = first(mapping(batch_body.get("errors")).get("data"))
    error_lines = [line(error.get("message"), LONGEST_DETAIL), line(error.get("code"))]
    status = line(batch_body.get("status"))
    return BatchState(
        status=STATUSES.get(status, BatchStatus.RUNNING),
        total=count(counts.get("total")),
        answered=count(counts.get("completed")),
        failed=count(counts.get("failed")),
        detail=": ".join(filter(None, error_lines)),
    )


def _result(client: WireClient, line: Mapping[str, object]) -> Completion:
    response, error = mapping(line.get("response")), mapping(line.get("error"))
    code = error.get("code")
    if isinstance(code, str) and code in OPENAI_NEVER_ASKED:
        return unanswered(OPENAI_NEVER_ASKED[code])
    if not response:
        failure = error or {"message": "there is no answer in it"}
        return result_of(client, {"error": failure}, charged=False)
    status = count(response.get("status_code")) or 0
    is_http_status = 200 <= status < 600  # noqa: PLR2004  statuses of HTTP
    status = status if is_http_status else HTTPStatus.INTERNAL_SERVER_ERROR
    return result_of(client, response.get("body"), status=status)


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

    async def results(self, batch: str) -> Mapping[str, Completion]:
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
