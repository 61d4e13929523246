"""The doors: the only things a step may call that are not pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePath
from typing import Protocol, TypeVar, runtime_checkable

from arena.errors import ArenaError
from arena.records.answer import Answer, Briefing, Completion, DocumentBatch, Payload, Question
from arena.records.cohort import CohortId, ContestantId
from arena.records.market import (
    Catalogue,
    Market,
    MarketId,
    PricePoint,
    Quote,
    Status,
    VenueId,
)
from arena.records.settings import (
    ContestantSettings,
    ContextSettings,
    ModelSettings,
    VenueSettings,
)

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")


class Clock(Protocol):
    """Says what time it is."""

    def now(self) -> datetime:
        """Return the current moment, in UTC."""


class Venue(Protocol):
    """A place that trades markets and settles them.

    Every method tells what is known at this moment and nothing from after it. A venue that
    cannot be read, or that does not keep to its own format, raises `ArenaError`: nothing of
    that poll is used then.
    """

    async def catalogue(self) -> Catalogue:
        """List the markets that can be traded now, each once."""

    async def details(self, markets: Sequence[Market]) -> Sequence[Market]:
        """Complete what a list leaves out of markets that are about to be offered.

        One that turns out not to be tradable is left out.
        """

    async def quotes(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Quote]:
        """Give the newest quote of each market; one that has none is left out."""

    async def statuses(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Status]:
        """Say where each market is in its life.

        One that the venue no longer has is UNKNOWN; one that it never had is left out.
        """


@runtime_checkable
class Live(Protocol):
    """A venue or a source whose server is asked: it knows the present and no other moment."""

    only_now: bool


class Historian(Protocol):
    """A venue that remembers its prices."""

    async def history(
        self, market: MarketId, since: datetime, until: datetime
    ) -> Sequence[PricePoint]:
        """Give the prices of YES in a span of time, oldest first; holes are possible."""


class Partial(Protocol):
    """A venue that has markets which its adapter cannot read."""

    async def unread(self) -> str:
        """Say in a few words how many there are."""


class Payloads(Protocol):
    """Keeps what servers said, before it is read."""

    def keep(self, payload: Payload) -> None:
        """Keep one answer for good."""


class Llm(Protocol):
    """A language model that answers a question.

    What goes wrong with the world is in the `Completion` (`trouble`), not raised.
    """

    async def complete(self, question: Question) -> Completion:
        """Ask once, as often as the retry rules allow, and tell everything that happened."""


class ContextSource(Protocol):
    """Where documents about markets are from.

    It gives what it has, and the arena refuses what has no date or a later one. A source that
    cannot be read at all raises `ArenaError`; one that asks a server is `Live`.
    """

    async def documents(self, markets: Sequence[Market], as_of: datetime) -> DocumentBatch:
        """Give documents about these markets that were published by a moment."""


class PriceTape(Protocol):
    """Prices that are on record."""

    def quotes(self, ids: Iterable[MarketId], at: datetime) -> Mapping[MarketId, Quote]:
        """Give the newest quote of each market by a moment; one without is left out."""


@dataclass(frozen=True, slots=True)
class ContextBackstage:
    """What a source's factory may reach for.

    `root` is the folder of the configuration file, from which paths start. `venues` are those
    that were built.
    """

    clock: Clock
    payloads: Payloads
    root: PurePath
    prices: PriceTape
    venues: Mapping[VenueId, Venue]


class Agent(Protocol):
    """A contestant's strategy: whatever it decides, it says in words that are read later."""

    async def answer(self, briefing: Briefing) -> Answer:
        """Answer a briefing with the reply format of `agents.reply`."""


@dataclass(frozen=True, slots=True)
class ToolDeclaration:
    """A tool as a model is told of it; `parameters` is a JSON schema, as JSON text."""

    name: str
    description: str
    parameters: str


@dataclass(frozen=True, slots=True)
class ToolDocument:
    """A text from elsewhere; `published_at` is None where its date is not known."""

    text: str
    title: str = ""
    url: str = ""
    published_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What a tool gives: facts by name, of what JSON has words for, and documents."""

    facts: Mapping[str, object] = field(default_factory=dict)
    documents: Sequence[ToolDocument] = ()


class Tool(Protocol):
    """What a model may call. What goes wrong is raised as `ArenaError`, and told to the model.

    `declared` is None where its server has to be asked what there is.
    """

    @property
    def declared(self) -> Sequence[ToolDeclaration] | None:
        """What there is to call."""

    async def listed(self) -> Sequence[ToolDeclaration]:
        """Ask what there is to call."""

    async def call(
        self, name: str, arguments: Mapping[str, object], as_of: datetime
    ) -> ToolReply:
        """Do what a model wants, with what was known at a round's moment."""


@dataclass(frozen=True, slots=True)
class ToolDoor:
    """A tool as a contestant reaches it: `line` keeps each call and its result on the tape.

    A question's `system` is empty for a list of what there is, and else the name of what is
    called; `user` has `as_of` and the `arguments`, as JSON, or an `error` to be told.
    `declared` is the list as a question has it (`Question.tools`), None where it has to be
    asked for.
    """

    line: Llm
    declared: str | None


@dataclass(frozen=True, slots=True)
class BaseRate:
    """How many markets resolved, and the dollars that a share of YES paid in all of them."""

    markets: int
    paid: float


class Archive(Protocol):
    """What is on record about other contestants: nothing from after the moment of asking."""

    def said(
        self, cohort: CohortId, number: int, contestant: ContestantId
    ) -> Mapping[MarketId, float] | None:
        """Give a contestant's P(YES) in a round, as its words say them.

        Empty where its answer holds none; None while it has not answered.
        """

    def graded(
        self, contestant: ContestantId, before: datetime
    ) -> Sequence[tuple[float, float]]:
        """Give a contestant's past: P(YES) and outcome of each market resolved by then.

        One pair for a market, its first forecast; voided markets are left out. Oldest first.
        """

    def base_rate(self, before: datetime, venue: str, category: str) -> BaseRate:
        """Count markets that had resolved by a moment, of the newest 2,000; void ones are none.

        An empty venue or category is any; capitals do not matter in a category.
        """

    def submitted(
        self, cohort: CohortId, number: int, contestant: ContestantId
    ) -> Completion | None:
        """Give the words that were handed in for a turn; None where there are none yet."""


@dataclass(frozen=True, slots=True)
class Backstage:
    """What an agent's factory may reach for: the models and venues that were configured.

    `templates` is the folder of prompts, `prompts/*.md.j2` below it. `archive` is what other
    contestants said; None where nothing is kept. `folder` is that of config.yaml. `tools` are
    those that were configured, or why one could not be built.
    """

    llms: Mapping[str, Llm]
    venues: Mapping[VenueId, Venue]
    templates: PurePath
    archive: Archive | None = None
    folder: PurePath = field(default_factory=PurePath)
    tools: Mapping[str, ToolDoor | ArenaError] = field(default_factory=dict)


class VenueFactory(Protocol):
    """What an entry point of the group `arena.venues` names."""

    def __call__(self, settings: VenueSettings, clock: Clock, payloads: Payloads) -> Venue:
        """Build a venue; raise `ArenaError` when an option is wrong.

        `payloads` keeps what its server says: it is told before anything is read from it.
        """


class LlmFactory(Protocol):
    """What an entry point of the group `arena.llms` names."""

    def __call__(self, settings: ModelSettings, key: str | None) -> Llm:
        """Build a model's client; `key` was read from the environment for it."""


class AgentFactory(Protocol):
    """What an entry point of the group `arena.agents` names."""

    def __call__(self, settings: ContestantSettings, backstage: Backstage) -> Agent:
        """Build a contestant; raise `ArenaError` when an option is wrong."""


class ContextFactory(Protocol):
    """What an entry point of the group `arena.contexts` names."""

    def __call__(self, settings: ContextSettings, backstage: ContextBackstage) -> ContextSource:
        """Build a source; raise `ArenaError` when an option is wrong."""


class Engine(AbstractContextManager["Engine"], Protocol):
    """Processes that do jobs; at the end of the block none is left that it started.

    A job may be done twice where a process ends amid it: it must be harmless then.
    """

    def submit(self, function: Callable[[_Job], _Result], job: _Job, /) -> Future[_Result]:
        """Have a process call a function of a module, which it imports by its name."""
