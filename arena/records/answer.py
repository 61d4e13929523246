"""What was asked of a contestant and what came back, word for word."""

from dataclasses import dataclass
from enum import StrEnum

from arena.records.money import Usd


class Trouble(StrEnum):
    """Why an answer has no words to read, or words that must not be read."""

    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    RATE_LIMITED = "rate limited"
    SERVER = "server error"
    CREDENTIALS = "credentials refused"
    QUOTA = "quota exhausted"
    REQUEST = "request refused"
    REFUSAL = "refusal"
    TRUNCATED = "truncated"
    EMPTY = "empty reply"
    UNREADABLE = "unreadable reply"
    CRASHED = "agent crashed"
    MISSED = "round missed"


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at a server. `status` is None where no HTTP answer came.

    `billed` is False where the provider certainly charged nothing, and None where a request
    went out and its fate is unknown.
    """

    latency_ms: int
    status: int | None = None
    trouble: Trouble | None = None
    detail: str = ""
    billed: bool | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and dollars of one answer, all attempts added up; None is unknown, never 0."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: Usd | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked: rules of the game, and this turn's facts."""

    system: str
    user: str


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply as it came: `text` is what it said, `raw` the bytes of the answer.

    `model` is the name the server gave itself; `finish` is its own word on why it stopped.
    """

    text: str | None
    raw: bytes = b""
    model: str = ""
    finish: str = ""
    usage: Usage = Usage()
    latency_ms: int = 0
    attempts: tuple[Attempt, ...] = ()
    trouble: Trouble | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A contestant's whole turn: the question, if words were sent, and what came back."""

    completion: Completion
    question: Question | None = None
