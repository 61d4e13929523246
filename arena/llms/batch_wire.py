"""What every batch interface has to be able to do: take many questions, answer them later."""

import json
import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from http import HTTPStatus
from typing import Protocol, TypeVar
from urllib.parse import quote

from arena.errors import ArenaError
from arena.http import HttpReply, HttpRequest
from arena.llms.lenient import body_of
from arena.llms.redact import Redactor
from arena.llms.wire import Wire, WireReply
from arena.records.answer import Trouble
from arena.records.settings import ModelSettings

TIER = "batch"
"""What a batch's answers are billed as: half the usual price, at every provider so far."""

JSON_TYPE = (("content-type", "application/json"),)
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
class BatchResult:
    """What became of one question: its own status counts, and no status of the transport.

    `raw` is the answer's JSON as a direct reply would have had it, without the key; empty
    where there is none.
    """

    reply: WireReply
    raw: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class BatchLimits:
    """The most that a provider takes in one batch."""

    questions: int
    bytes: int


class BatchError(ArenaError):
    """A batch could not be made, asked after or fetched.

    `again` says that the same may work later. `made` is False where there is certainly no
    batch, and None where there may be one although nothing is known of it.
    """

    def __init__(
        self, message: str, trouble: Trouble, *, again: bool = False, made: bool | None = False
    ) -> None:
        super().__init__("llm.batch", message)
        self.trouble = trouble
        self.again = again
        self.made = made


@dataclass(frozen=True, slots=True)
class Account:
    """Who asks, where, and how that server's replies are read."""

    settings: ModelSettings
    wire: Wire
    key: str | None = field(repr=False)

    @property
    def address(self) -> str:
        """The server's address, without a slash at the end."""
        return self.settings.base_url.rstrip("/")

    @property
    def redact(self) -> Redactor:
        """What takes the key out of words."""
        return Redactor(self.key)

    def get(self, url: str) -> HttpRequest:
        """Ask for something."""
        return HttpRequest("GET", url, self.wire.headers(self.settings, self.key))

    def post(self, url: str, body: bytes, *, kind: str = "application/json") -> HttpRequest:
        """Send something of a media type."""
        headers = self.wire.headers(self.settings, self.key)
        named = tuple(pair for pair in headers if pair[0].lower() != "content-type")
        return HttpRequest("POST", url, (*named, ("Content-Type", kind)), body)

    def understand(self, reply: HttpReply) -> Mapping[str, object]:
        """Give the JSON object of a reply about a batch.

        Raises:
            BatchError: The reply is an error, or no JSON object.
        """
        body = body_of(reply)
        if body is not None and reply.status // 100 == HTTPStatus.OK // 100:
            return body
        raise self.error(reply)

    def error(self, reply: HttpReply) -> BatchError:
        """Say what is wrong with a reply, in the words of the provider's own errors."""
        said = self.wire.read(reply, self.redact)
        trouble = said.trouble or Trouble.UNREADABLE
        made = False if 300 <= reply.status < 500 else None  # noqa: PLR2004  ranges of HTTP
        message = f"it answered {reply.status}: {said.detail or 'nothing of use'}"
        return BatchError(message, trouble, again=said.again, made=made)

    def result(self, body: object, *, status: int = HTTPStatus.OK) -> BatchResult:
        """Read one answer, or an error in the place of one, as the direct reply it is like."""
        try:
            raw = json.dumps(body).encode()
        except RecursionError:
            detail = "the answer is nested too deeply"
            return BatchResult(WireReply(trouble=Trouble.UNREADABLE, detail=detail, tier=TIER))
        read = self.wire.read(HttpReply(status, JSON_TYPE, raw), self.redact)
        return BatchResult(replace(read, tier=TIER), raw)


class BatchWire(Protocol):
    """A provider's batch interface, as conversations that something else carries out."""

    @property
    def limits(self) -> BatchLimits:
        """The most that is taken in one batch."""

    def line(self, account: Account, name: str, body: Mapping[str, object]) -> bytes:
        """Write one question down, under the name that its answer will come back with."""

    def submit(self, account: Account, lines: Sequence[bytes]) -> Talk[str]:
        """Make a batch and give the provider's name for it.

        The last request is the one that makes it.
        """

    def poll(self, account: Account, batch: str) -> Talk[BatchState]:
        """Ask how far a batch is."""

    def results(self, account: Account, batch: str) -> Talk[Mapping[str, BatchResult]]:
        """Fetch what became of the questions of a batch that is over, by name."""


def in_path(name: object) -> str:
    """Give a provider's name for something, as a part of an address.

    Raises:
        BatchError: It is no name.
    """
    if isinstance(name, str) and _NAME.fullmatch(name):
        return quote(name, safe="")
    shown = ascii(name)[:40]
    raise BatchError(f"{shown} is not a name for a batch or a file", Trouble.UNREADABLE)


def unanswered(detail: str) -> BatchResult:
    """Say that a batch was over before it came to a question, which so cost nothing."""
    reply = WireReply(
        trouble=Trouble.TIMEOUT, detail=detail, again=True, billed=False, tier=TIER
    )
    return BatchResult(reply)


def objects_in(body: bytes) -> Sequence[Mapping[str, object]]:
    """Read lines of JSON; a line that holds no object belongs to nobody and is left out."""
    return [said for line in body.splitlines() if (said := _object(line)) is not None]


def _object(line: bytes) -> Mapping[str, object] | None:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None
