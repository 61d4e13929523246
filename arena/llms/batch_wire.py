"""What every batch interface has to be able to do: take many questions, answer them later."""

import json
import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from http import HTTPStatus
from typing import Protocol, TypeVar

from arena.errors import ArenaError
from arena.http import HttpReply, HttpRequest
from arena.llms.client import WireClient
from arena.llms.wires.lenient import JSON_TYPE, body_of
from arena.records.answer import Attempt, Completion, Trouble

TIER = "batch"
"""What a batch's answers are billed as: half the usual price, at every provider so far."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,200}", re.ASCII)

T = TypeVar("T")
Talk = Generator[HttpRequest, HttpReply, T]
"""A conversation: it gives requests, is sent their replies, and returns what came of it."""


class BatchStatus(StrEnum):
    """Where a batch is in its life."""

    RUNNING = "in progress"
    ENDED = "ended"
    FAILED = "failed"  # it was never begun: no question was answered, none is charged
    EXPIRED = "expired"  # some questions may have been answered in time
    CANCELLED = "cancelled"  # some may have been answered before


@dataclass(frozen=True, slots=True)
class BatchState:
    """How far a batch is: how many questions it has, and how many came to which end.

    A count that the provider does not give is None. `detail` says why it failed.
    """

    status: BatchStatus
    total: int | None = None
    answered: int | None = None
    failed: int | None = None
    detail: str = ""

    @property
    def over(self) -> bool:
        """Whether nothing more will come of it."""
        return self.status is not BatchStatus.RUNNING


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """The most that a provider takes in one batch."""

    questions: int
    bytes: int


class BatchError(ArenaError):
    """A batch could not be made, asked after or fetched.

    `again` says that the same may work later. `made` is False where there is certainly no
    new batch, and None where there may be one although nothing is known of it.
    """

    def __init__(
        self, message: str, trouble: Trouble, *, again: bool = False, made: bool | None = False
    ) -> None:
        super().__init__("llm.batch", message)
        self.trouble = trouble
        self.again = again
        self.made = made


class BatchWire(Protocol):
    """A provider's batch interface, as conversations that `llms.batch` carries out."""

    @property
    def limits(self) -> BatchLimits:
        """The most that is taken in one batch."""

    def line(self, client: WireClient, name: str, body: Mapping[str, object]) -> bytes:
        """Write one question down, under the name that its answer will come back with."""

    def prepare(self, client: WireClient, lines: Sequence[bytes]) -> Talk[bytes]:
        """Do what comes before a batch is made, and give the request's body that makes it.

        Nothing that this does is charged for, nor harmful to do twice.
        """

    def make(self, client: WireClient, body: bytes) -> Talk[str]:
        """Make a batch, and give the provider's name for it."""

    def poll(self, client: WireClient, batch: str) -> Talk[BatchState]:
        """Ask how far a batch is."""

    def results(self, client: WireClient, batch: str) -> Talk[Mapping[str, Completion]]:
        """Fetch what became of the questions of a batch that is over, by name."""


def address_of(client: WireClient) -> str:
    """Give a server's address, without a slash at the end."""
    return client.settings.base_url.rstrip("/")


def get(client: WireClient, url: str) -> HttpRequest:
    """Ask for something, with the key."""
    return HttpRequest("GET", url, client.wire.headers(client.settings, client.key))


def post(
    client: WireClient, url: str, body: bytes, *, kind: str = "application/json"
) -> HttpRequest:
    """Send something of a media type, with the key."""
    headers = client.wire.headers(client.settings, client.key)
    named = tuple(pair for pair in headers if pair[0].lower() != "content-type")
    return HttpRequest("POST", url, (*named, ("Content-Type", kind)), body)


def understood(client: WireClient, reply: HttpReply) -> Mapping[str, object]:
    """Give the JSON object of a reply about a batch.

    Raises:
        BatchError: The reply is an error, or no JSON object.
    """
    body = body_of(reply)
    if body is None or not reply.is_success:
        raise error_of(client, reply)
    return body


def error_of(client: WireClient, reply: HttpReply) -> BatchError:
    """Turn a failed reply into a batch's error, as the wire format reads errors."""
    error = client.wire.read(reply, client.redact)
    made = False if 300 <= reply.status < 500 else None  # noqa: PLR2004  ranges of HTTP
    return BatchError(
        client.answered(reply, error.detail or "nothing of use"),
        error.trouble or Trouble.UNREADABLE,
        again=error.again,
        made=made,
    )


def name_in(body: Mapping[str, object], key: str) -> str:
    """Give the name that a provider gave something: it may become a part of an address.

    Raises:
        BatchError: There is none, or none that a provider would give.
    """
    name = body.get(key)
    if isinstance(name, str) and _NAME.fullmatch(name):
        return name
    raise BatchError(f"what it calls {key} is no name", Trouble.UNREADABLE, made=None)


def result_of(
    client: WireClient, body: object, *, status: int = HTTPStatus.OK, charged: bool = True
) -> Completion:
    """Read one answer, or an error in the place of one, as the direct reply it is like.

    Its own status counts, and no status of the transport. The answer's JSON is its `raw`, and
    one attempt took no time. Its cost is a batch's, and so is its tier.

    Args:
        client: Reads and prices it.
        body: The JSON that a direct reply would have had.
        status: The status that it would have had.
        charged: False where the provider says that it takes nothing for this one.
    """
    try:
        raw = json.dumps(body).encode()
    except RecursionError:
        raw = b"nested too deeply"
    read = client.wire.read(HttpReply(status, JSON_TYPE, raw), client.redact)
    read = replace(read, billed=read.billed if charged else False, tier=TIER)
    attempt = Attempt(0, status, read.trouble, read.detail, read.billed)
    return replace(client.completion_of(read, raw), attempts=(attempt,))


def unanswered(detail: str) -> Completion:
    """Say that a batch was over before it came to a question, which so cost nothing."""
    trouble = Trouble.TIMEOUT
    attempt = Attempt(0, None, trouble, detail, billed=False)
    return Completion(None, trouble=trouble, detail=detail, attempts=(attempt,), tier=TIER)


def answers_in(body: bytes) -> dict[str, Mapping[str, object]]:
    """Read lines of JSON by the id of their question; the first line of an id counts.

    A line without an object or an id is left out.
    """
    answers: dict[str, Mapping[str, object]] = {}
    for line in body.splitlines():
        answer = _object(line) or {}
        name = answer.get("custom_id")
        if isinstance(name, str):
            answers.setdefault(name, answer)
    return answers


def _object(line: bytes) -> Mapping[str, object] | None:
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None
