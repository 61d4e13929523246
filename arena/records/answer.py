"""What was asked of a contestant and what came back, word for word.

Also the dated documents that contestants of a round are shown, and those that were refused.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from arena.records.cohort import CohortId, ContestantId, Rules
from arena.records.market import HONEYPOT, Market, MarketId, Quote, Side, VenueId
from arena.records.money import ZERO_USD, Price, Shares, Usd, usd
from arena.records.report import Failure


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """A document as a source gives it; its text is a stranger's.

    `published_at` is None where no date is known. `markets` are those it is about, empty
    where its source does not say. With `has_prices` it tells prices of markets: who is shown
    no prices does not see it.
    """

    source: str
    title: str
    text: str
    url: str = ""
    published_at: datetime | None = None
    markets: tuple[MarketId, ...] = ()
    has_prices: bool = False


@dataclass(frozen=True, slots=True)
class DocumentBatch:
    """What a source gave when it was asked once.

    `requests` were sent for it and `cost` is their price in dollars, None where it is not
    known. `failures` say in words which parts of the source could not be read.
    """

    documents: tuple[SourceDocument, ...] = ()
    requests: int = 0
    cost: Usd | None = ZERO_USD
    failures: tuple[str, ...] = ()


class DocumentFault(StrEnum):
    """Why a document is not shown."""

    UNDATED = "without a date"
    LATER = "dated after the round"
    EMPTY = "without words"
    UNRELATED = "about none of the markets"
    REPEATED = "given twice"
    CUT = "beyond the budget"


@dataclass(frozen=True, slots=True)
class RefusedDocuments:
    """How many documents of a source were refused for one reason."""

    source: str
    fault: DocumentFault
    count: int


@dataclass(frozen=True, slots=True)
class RoundContext:
    """The documents of a round, as all its contestants are shown them.

    `refused` has the counts of those that are not shown, `failures` the sources, or parts of
    them, that could not be read.
    """

    documents: tuple[SourceDocument, ...] = ()
    refused: tuple[RefusedDocuments, ...] = ()
    failures: tuple[Failure, ...] = ()


PARSER_VERSION = 3  # of the rules by which replies are read; `agents.reply` says what changed


class Trouble(StrEnum):
    """Why an answer has no words to read, or words that must not be read."""

    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    RATE_LIMITED = "rate limited"
    SERVER = "server error"
    CREDENTIALS = "credentials refused"
    COUNTRY = "country not served"
    QUOTA = "quota exhausted"
    BUDGET = "budget exhausted"
    REQUEST = "request refused"
    TOO_LONG = "question too long"
    REFUSAL = "refusal"
    TRUNCATED = "truncated"
    EMPTY = "empty reply"
    UNREADABLE = "unreadable reply"
    CRASHED = "agent crashed"
    NOT_SET_UP = "not set up"
    WITHDRAWN = "withdrawn"  # by whoever runs the arena: the contestant did not fail
    MISSED = "round missed"
    PENDING = "not answered yet"  # never on the tape: the contestant is asked again later

    @classmethod
    def of(cls, failure: str | None) -> "Trouble | None":
        """The trouble that a failed turn begins with; None where it begins with none."""
        begins = (failure or "").partition(":")[0]
        return next((trouble for trouble in cls if trouble == begins), None)


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
    """Tokens and dollars of one answer, all attempts added up; None is unknown, never 0.

    `tokens_in` counts all that was read: `tokens_cached` (read from the provider's cache) and
    `tokens_written` (written to it) are parts of it. `tokens_out` counts all that was billed
    as output: `tokens_reasoning` is a part of it. `priced` says where `cost` is from:
    "reported" by the provider, "configured", or the date of the shipped price table.
    """

    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: Usd | None = None
    tokens_cached: int | None = None
    tokens_written: int | None = None
    tokens_reasoning: int | None = None
    priced: str = ""


TOKEN_COUNTS: Final = (
    "tokens_in", "tokens_cached", "tokens_written", "tokens_out", "tokens_reasoning",
)  # fmt: skip
FREE = Usage(tokens_in=0, tokens_out=0, cost=ZERO_USD)


class Task(StrEnum):
    """What a question asks for: the first part of its call's name."""

    DECIDE = "decide"
    FORECAST = "forecast"
    STAKE = "stake"


STEP, TOOL = "/step/", "/tool/"  # in the names of calls that find something out
AGAIN = "/again"  # ends the name of a call that asks for what could not be read before
FIRST_HALF, SECOND_HALF = "/first-half", "/second-half"


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose call it is: a contestant's turn, and the name of the call within that turn.

    The name says what the call is for, such as "decide", "stake" or "decide/2/again"; a turn
    has one call of each name, so that none is paid for twice.
    """

    cohort: CohortId
    round: int
    contestant: ContestantId
    call: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that a model calls, by the name it was declared under.

    `arguments` are as the model wrote them: JSON text, if it did as it should.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolStep:
    """A reply that was given tools: its words, its calls, and a result for each of them.

    `raw` are the reply's bytes, of which providers want parts back as they were.
    """

    text: str
    calls: tuple[ToolCall, ...] = ()
    results: tuple[str, ...] = ()
    raw: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Question:
    """What a model is asked: rules of the game, and this turn's facts.

    The first `shared` characters of `user` are the same for everybody who is asked in the
    round, so that a provider can reuse what it has read. `schema` is the JSON schema of the
    answer as JSON text; empty where any words will do.

    `tools` are the tools that may be called, as a JSON list of their names, descriptions and
    parameters; a question has a schema or tools, or neither. `steps` are what was replied and
    found out before, after the first `opening` characters of `user` and before the others.
    """

    system: str
    user: str
    shared: int = 0
    schema: str = ""
    caller: Caller | None = None
    tools: str = ""
    steps: tuple[ToolStep, ...] = ()
    opening: int = 0

    @property
    def first(self) -> str:
        """What the user says before the steps; everything where there are none."""
        return self.user[: self.opening] if self.steps else self.user

    @property
    def last(self) -> str:
        """What the user says after the steps."""
        return self.user[self.opening :] if self.steps else ""


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply as it came: `text` is what it said, `raw` the bytes of the answer.

    `model` is the name the server gave itself, `route` who served it where a router says so,
    `tier` the class of service it was billed as; `finish` is its own word on why it stopped.
    `adapted` says what was left out of the request because the server would not have it.
    `parser_version` is of the rules by which it is read: those of the day when it came, so
    that an old tape comes to the same bets. `calls` are tools that it calls and was not given;
    those it was given are in `text` (`llms.wires.wire`).
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
    route: str = ""
    tier: str = ""
    adapted: tuple[str, ...] = ()
    parser_version: int = PARSER_VERSION
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """One question of a turn and what became of it."""

    name: str
    question: Question
    completion: Completion

    @property
    def task(self) -> str:
        """What it asks for: a `Task`, unless its agent has tasks of its own."""
        return self.name.split("/")[0]

    @property
    def is_reask(self) -> bool:
        """Whether it was asked because the reply before could not be used."""
        return self.name.endswith(AGAIN)

    @property
    def is_step(self) -> bool:
        """Whether it finds something out before the answer: a reply with tools, or a tool."""
        return STEP in self.name

    @property
    def is_half(self) -> bool:
        """Whether it is about a half of the markets, the whole being refused."""
        return any(half in self.name for half in (FIRST_HALF, SECOND_HALF))


@dataclass(frozen=True, slots=True)
class Answer:
    """A contestant's whole turn: the words that count, and every call that led to them.

    `completion` is what is read. Where it took several calls its text was put together from
    theirs, and its usage, attempts and latency are those of all `calls`.
    """

    completion: Completion
    question: Question | None = None
    calls: tuple[Call, ...] = ()


def taken_by(completions: Iterable[Completion]) -> Usage:
    """Add up what several completions took.

    Where one was certainly billed and nobody knows for how much, the sum is unknown too.
    """
    several = tuple(completions)
    total = added_up(completion.usage for completion in several)
    if any(
        completion.usage.cost is None and any(a.billed for a in completion.attempts)
        for completion in several
    ):
        return replace(total, cost=None, priced="")
    return total


def added_up(usages: Iterable[Usage]) -> Usage:
    """Add up the usage that was reported; an answer of unknown cost leaves the sum unknown.

    A count that nobody reported stays None.
    """
    reported = [u for u in usages if u != Usage()]
    costs = [u.cost for u in reported]
    known_costs = [cost for cost in costs if cost is not None]
    complete = bool(known_costs) and len(known_costs) == len(costs)
    return Usage(
        cost=usd(sum(known_costs, usd(0))) if complete else None,
        **{name: _total(getattr(u, name) for u in reported) for name in TOKEN_COUNTS},
        priced=", ".join(sorted({u.priced for u in reported if u.priced})) if complete else "",
    )


def _total(counts: Iterable[int | None]) -> int | None:
    reported = [count for count in counts if count is not None]
    return sum(reported) if reported else None


@dataclass(frozen=True, slots=True)
class Payload:
    """One answer of a venue's server to one request.

    `at` is when the answer was complete. `asked` is the body of a request that had one, `url`
    its whole address; neither ever holds a secret. `body` is unpacked; `packed` is the same as
    a gzip stream, where it came as one.
    """

    venue: VenueId
    at: datetime
    method: str
    url: str
    status: int
    body: bytes = field(repr=False)
    headers: tuple[tuple[str, str], ...] = ()
    asked: bytes = field(default=b"", repr=False)
    packed: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Offer:
    """A market that can be traded now, under the short name its reply must use."""

    alias: str
    market: Market
    quote: Quote


@dataclass(frozen=True, slots=True)
class Holding:
    """A position as its owner is shown it: `worth` is the price its own side sells at now.

    `alias` is None where it cannot be sold now; `is_closed` says that its market trades no
    more and waits for its outcome.
    """

    alias: str | None
    market: MarketId
    question: str
    side: Side
    shares: Shares
    cost: Usd
    worth: Price | None
    is_closed: bool = False


@dataclass(frozen=True, slots=True)
class Briefing:
    """One contestant's view of one round, taken at `at` and never refreshed.

    `offers` are the same for every contestant of the round. `sell_only` are markets it holds
    that the round does not offer: what is held can be sold. `cap` is the most that all stakes
    of a decision may add up to, and `floor` the smallest stake, in dollars. `started_at` is the
    cohort's start. `seed` was drawn for the round: offers stand in the order, and under the
    aliases, that it gave. `documents` are the same for every contestant too.
    """

    cohort: CohortId
    round: int
    contestant: ContestantId
    at: datetime
    offers: tuple[Offer, ...]
    cash: Usd
    cap: Usd
    floor: Usd
    holdings: tuple[Holding, ...]
    rules: Rules
    sell_only: tuple[Offer, ...] = ()
    started_at: datetime | None = None
    seed: str = ""
    documents: tuple[SourceDocument, ...] = ()

    @property
    def real(self) -> "Briefing":
        """The briefing without a made-up market, for contestants that read no texts."""
        real = tuple(o for o in self.offers if o.market.venue != HONEYPOT)
        return self if len(real) == len(self.offers) else replace(self, offers=real)
