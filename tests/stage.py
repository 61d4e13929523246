"""A stage for whole ticks: a scripted venue, scripted contestants, and hands on the clock."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal

from arena.agents.reply import write_reply
from arena.clock import HandClock
from arena.errors import ArenaError
from arena.ports import ContextSource
from arena.records.answer import Answer, Briefing, Completion, DocumentBatch, Usage
from arena.records.cohort import CohortId, CohortSpec, ContestantId
from arena.records.decision import Action
from arena.records.grade import Standing, Tally
from arena.records.market import (
    NO_WINS,
    VOIDED,
    YES_WINS,
    Catalogue,
    Market,
    MarketId,
    Outcome,
    Quote,
    Side,
    State,
    Status,
    VenueId,
)
from arena.records.money import ZERO_USD
from arena.records.report import TickReport
from arena.records.seal import Grading
from arena.records.settings import Schedule
from arena.records.trade import AdapterSet, Entry, Position, PositionState
from arena.steps.doors import Doors
from arena.steps.play import tick
from arena.steps.seal import NewSeal, make_seal
from arena.store import Store, open_store
from arena.store.codec import read_row
from arena.store.tape.sqlite_tape import SqliteTape
from tests.build import (
    ADA,
    BEN,
    COHORT,
    GRADING,
    HERE,
    MARKETS,
    RAIN,
    SNOW,
    T0,
    at,
    at_price,
    market,
    spec,
)
from tests.present import present

Order = tuple[MarketId, Side, str | int]

USUAL = Schedule()
FREE = Usage(tokens_in=0, tokens_out=0, cost=ZERO_USD)


@dataclass(frozen=True, slots=True)
class Says:
    """A decision by market names, to be put into words for the briefing at hand."""

    action: Action = Action.HOLD
    orders: tuple[Order, ...] = ()
    forecasts: Mapping[MarketId, float] = field(default_factory=dict)

    def words(self, briefing: Briefing) -> str:
        alias = {offer.market.id: offer.alias for offer in briefing.offers + briefing.sell_only}
        return write_reply(
            self.action,
            forecasts={alias[m]: p for m, p in self.forecasts.items()},
            bets=[(alias[m], side, Decimal(amount)) for m, side, amount in self.orders],
        )


def buys(*orders: Order, **forecasts: float) -> Says:
    said = {MarketId(name): p for name, p in forecasts.items()}
    return Says(Action.BET, orders, said)


def sells(*orders: Order) -> Says:
    return Says(Action.SELL, orders)


Words = Callable[[Briefing], str]
Script = Mapping[int, Says | Answer | Words | str | BaseException]


@dataclass(slots=True)
class ScriptedAgent:
    """A contestant that says in each round what was written for it, and else holds."""

    script: Script
    shown: list[Briefing] = field(default_factory=list)

    async def answer(self, briefing: Briefing) -> Answer:
        self.shown.append(briefing)
        said = self.script.get(briefing.round, Says())
        if isinstance(said, BaseException):
            raise said
        if isinstance(said, Answer):
            return said
        if isinstance(said, Says):
            said = said.words
        text = said if isinstance(said, str) else said(briefing)
        return Answer(Completion(text=text, usage=FREE))


@dataclass(slots=True)
class ScriptedVenue:
    """A venue that says what was put into it, as it was `lag` ago."""

    clock: HandClock
    listed: list[Market]
    quoted: dict[MarketId, Quote]
    said: dict[MarketId, Status]
    lag: timedelta = timedelta()
    trouble: Exception | None = None
    polls: int = 0

    async def catalogue(self) -> Catalogue:
        self._answer()
        return Catalogue(tuple(self.listed))

    async def details(self, markets: Sequence[Market]) -> Sequence[Market]:
        self._answer()
        return markets

    async def quotes(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Quote]:
        self._answer()
        now = self.clock.now() - self.lag
        return {m: replace(self.quoted[m], at=now) for m in markets if m in self.quoted}

    async def statuses(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Status]:
        self._answer()
        self.polls += 1
        now = self.clock.now() - self.lag
        return {m: replace(self.said[m], at=now) for m in markets if m in self.said}

    def _answer(self) -> None:
        if self.trouble:
            raise self.trouble


@dataclass(slots=True)
class ScriptedSource:
    """A source of documents that gives what was put into it."""

    batch: DocumentBatch
    trouble: Exception | None = None
    asked: list[datetime] = field(default_factory=list)

    async def documents(self, markets: Sequence[Market], as_of: datetime) -> DocumentBatch:
        del markets
        self.asked.append(as_of)
        if self.trouble:
            raise self.trouble
        return self.batch


@dataclass(slots=True)
class Game:
    """A running arena in memory, moved by hand."""

    store: Store
    venue: ScriptedVenue
    agents: Mapping[ContestantId, ScriptedAgent]
    specs: tuple[CohortSpec, ...]
    schedule: Schedule = USUAL
    grading: Grading = GRADING
    adapters: Mapping[VenueId, AdapterSet] = field(default_factory=dict)
    contexts: Mapping[str, ContextSource | ArenaError] = field(default_factory=dict)
    context_tape: SqliteTape | None = None

    @property
    def doors(self) -> Doors:
        venues = {HERE: self.venue}
        return Doors(
            self.store,
            venues,
            self.agents,
            self.specs,
            self.schedule,
            grading=lambda: self.grading,
            adapters=self.adapters,
            contexts=self.contexts,
            context_tape=self.context_tape,
        )

    def seal(self, agreed: CohortSpec, *, late: bool = False) -> NewSeal:
        """Lay down how a file's cohorts are graded, by what grades in this game now."""
        at = self.venue.clock.at
        return make_seal(self.store, agreed, at, late=late, now=lambda: self.grading)

    def tick(self, hours: float) -> TickReport:
        """Tick so many hours after the start."""
        self.venue.clock.at = at(hours)
        return asyncio.run(tick(self.doors, at(hours)))

    def quote(self, *quotes: Quote) -> None:
        self.venue.quoted |= {q.market: q for q in quotes}

    def say(self, name: MarketId, word: Outcome | State) -> None:
        """Let the venue say what a market has become; a settled one is listed no more."""
        outcome = word if isinstance(word, Outcome) else None
        state = State.RESOLVED if isinstance(word, Outcome) else word
        self.venue.said[name] = Status(name, state, self.venue.clock.at, outcome)
        if state is not State.OPEN:
            self.venue.listed = [m for m in self.venue.listed if m.id != name]

    def hear(self, name: MarketId, word: Outcome | State, hours: float) -> TickReport:
        """Let the venue say that of a market, and tick so many hours after the start."""
        self.say(name, word)
        return self.tick(hours)

    def seat(self, who: ContestantId, cohort: str = COHORT) -> Tally:
        """What adds up about a contestant in a cohort."""
        sql = "SELECT * FROM seats WHERE cohort = ? AND contestant = ?"
        row = present(self.store.db.row(sql, cohort, who))
        return read_row(Tally, row)

    def standing(self, who: ContestantId, cohort: str = COHORT) -> Standing:
        found = present(self.store.books.cohort(CohortId(cohort)))
        board = self.store.boards.of_cohort(found.id)
        return next(line for line in board.standings if line.contestant == who)

    def held(self, who: ContestantId, cohort: str = COHORT) -> Sequence[Position]:
        """What a contestant has open."""
        return self.store.books.held_by(CohortId(cohort), who)

    def states(self, who: ContestantId) -> list[PositionState]:
        """What became of every position of a contestant."""
        sql = "SELECT state FROM positions WHERE contestant = ? ORDER BY market, side, number"
        return [PositionState(row["state"]) for row in self.store.db.rows(sql, who)]

    @property
    def entries(self) -> list[Entry]:
        return [entry for _, _, entry in self.store.journal.entries()]


@contextmanager
def playing(
    scripts: Mapping[ContestantId, Script],
    *specs: CohortSpec,
    quotes: Iterable[Quote] = (),
    schedule: Schedule = USUAL,
) -> Iterator[Game]:
    """Set up an arena in memory: these contestants, in one cohort unless more are named.

    Three markets are listed, quoted at one half where `quotes` says nothing else.
    """
    agents = {who: ScriptedAgent(script) for who, script in scripts.items()}
    quoted = {name: at_price("0.5", name) for name in MARKETS}
    venue = ScriptedVenue(
        HandClock(T0),
        [market(name) for name in MARKETS],
        quoted | {q.market: q for q in quotes},
        {name: Status(name, State.OPEN, T0) for name in MARKETS},
    )
    with open_store(None) as store:
        yield Game(store, venue, agents, specs or (spec(COHORT, tuple(agents)),), schedule)


@contextmanager
def started(
    scripts: Mapping[ContestantId, Script],
    *specs: CohortSpec,
    quotes: Iterable[Quote] = (),
    schedule: Schedule = USUAL,
) -> Iterator[Game]:
    """Set up such an arena, and play its first tick."""
    with playing(scripts, *specs, quotes=quotes, schedule=schedule) as game:
        game.tick(0)
        yield game


@contextmanager
def eventful() -> Iterator[Game]:
    """An arena in which everything that a journal can hold has happened.

    Ada buys and sells, Ben fails and is refused; rain is YES, which its venue takes back
    when the cohort is complete and settles as NO; snow is void. A second cohort goes on,
    under a seal.
    """
    scripts: dict[ContestantId, Script] = {
        ADA: {
            1: buys((RAIN, Side.YES, 500), (SNOW, Side.NO, 300), rain=0.7, snow=0.2),
            2: sells((RAIN, Side.YES, 40)),
            3: ValueError("no answer"),
        },
        BEN: {1: "not JSON", 2: buys((RAIN, Side.NO, 9000)), 3: buys((RAIN, Side.NO, 200))},
    }
    both = (spec(COHORT, (ADA, BEN), days=3), spec("longer", (BEN,), days=10))
    with playing(scripts, *both) as game:
        game.seal(both[1])
        game.tick(0)
        game.quote(at_price("0.6"))
        game.tick(24)
        game.tick(48)
        game.say(RAIN, YES_WINS)
        game.hear(SNOW, VOIDED, 72)
        game.hear(RAIN, State.DISPUTED, 80)
        game.hear(RAIN, NO_WINS, 90)
        yield game
