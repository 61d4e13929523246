"""What is agreed before the first bet."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import NewType

from arena.records.market import VenueId
from arena.records.money import Usd
from arena.records.seal import ADDED

CohortId = NewType("CohortId", str)
ContestantId = NewType("ContestantId", str)


class ConfidenceBase(StrEnum):
    """The cash that a stake is measured against."""

    DECISION = "decision"
    SEQUENTIAL = "sequential"


class FillRule(StrEnum):
    """The price a bet trades at."""

    ASK = "ask"
    MID = "mid"
    BOOK = "book"


class FeeRule(StrEnum):
    """Whose fees are charged."""

    VENUE = "venue"
    NONE = "none"


class BatchRule(StrEnum):
    """What one refused order does to the others of its decision.

    Under both, stakes that are fine one by one but together exceed the largest bet are all
    refused: which of them traded may not depend on the order they were written in.
    """

    EACH = "each"  # nothing: each order is judged alone
    ATOMIC = "atomic"  # refuses them all


class MarkRule(StrEnum):
    """The price an open position is valued at."""

    BID = "bid"
    MID = "mid"


class RankBy(StrEnum):
    """The leaderboard's first order."""

    RETURN = "return"
    PNL = "pnl"
    BRIER_FORECAST = "brier_forecast"
    BRIER_STATED = "brier_stated"
    BRIER_KELLY = "brier_kelly"
    BRIER_LINEAR = "brier_linear"
    WIN_RATE = "win_rate"


@dataclass(frozen=True, slots=True)
class Rules:
    """A cohort's limits, frozen when it starts. Dollars, and fractions in [0, 1].

    `answer_within` is how long after a round's prices an answer may still come; 0 wants it
    within the tick. Everybody trades at the round's own prices, however late.
    """

    capital: Usd = Usd(Decimal(10000))
    min_bet: Usd = Usd(Decimal(50))
    max_bet_fraction: Decimal = Decimal("0.25")
    confidence_base: ConfidenceBase = ConfidenceBase.DECISION
    fill: FillRule = FillRule.ASK
    fees: FeeRule = FeeRule.VENUE
    batch: BatchRule = BatchRule.EACH
    mark: MarkRule = MarkRule.BID
    rank_by: RankBy = RankBy.RETURN
    max_spread: Decimal = Decimal("0.10")
    max_quote_age: timedelta = timedelta(hours=1)
    max_mark_age: timedelta = timedelta(days=3)
    answer_within: timedelta = field(default=timedelta(0), metadata=ADDED)


class Cadence(StrEnum):
    """How often a new cohort starts."""

    DAILY = "daily"
    WEEKLY = "weekly"
    ONCE = "once"

    @property
    def step(self) -> timedelta | None:
        """The time from one start to the next; None where there is only one."""
        return {"daily": timedelta(days=1), "weekly": timedelta(days=7)}.get(self)


@dataclass(frozen=True, slots=True)
class Start:
    """When cohorts start, in UTC.

    `first` is the first start, or the only one; daily and weekly cohorts follow it in steps
    of 1 and 7 days.
    """

    cadence: Cadence
    first: datetime

    def missed(self, last: datetime, start: datetime) -> int:
        """How many starts there were between one and another, and neither of them.

        >>> monday = datetime(2026, 1, 5)
        >>> Start(Cadence.DAILY, monday).missed(monday, datetime(2026, 1, 9))
        3
        """
        step = self.cadence.step
        return max(0, (start - last) // step - 1) if step else 0


class Ranking(StrEnum):
    """By what markets are ranked, the largest first."""

    VOLUME = "volume"  # to date
    VOLUME_24H = "volume_24h"  # of the last day


@dataclass(frozen=True, slots=True)
class Quota:
    """At most so many markets of a category."""

    category: str
    most: int

    def __str__(self) -> str:
        return f"{self.category}: {self.most}"


@dataclass(frozen=True, slots=True)
class Universe:
    """Which markets a round offers: the `top` by rank among those that pass the filters.

    `closes_after` and `closes_within` bound the close hint, `min_age` and `max_age` the time
    since a market opened, both counted from the round; None asks nothing. With `not_started`
    no game is offered that has begun, where its venue says when. Volumes and
    liquidity are in the market's own unit, prices the middle of YES. `include` and `exclude`
    are patterns on the question. At most `per_event` markets of one event are offered, and
    with `distinct` one of each group that asks nearly the same
    (`steps.rounds.universe.choose`).
    """

    top: int = 20
    min_volume: Usd = Usd(Decimal(0))
    closes_within: timedelta | None = None
    categories: tuple[str, ...] = ()
    by: Ranking = field(default=Ranking.VOLUME, metadata=ADDED)
    closes_after: timedelta | None = field(default=None, metadata=ADDED)
    min_volume_24h: Usd = field(default=Usd(Decimal(0)), metadata=ADDED)
    min_liquidity: Usd = field(default=Usd(Decimal(0)), metadata=ADDED)
    min_age: timedelta | None = field(default=None, metadata=ADDED)
    max_age: timedelta | None = field(default=None, metadata=ADDED)
    quotas: tuple[Quota, ...] = field(default=(), metadata=ADDED)
    include: tuple[str, ...] = field(default=(), metadata=ADDED)
    exclude: tuple[str, ...] = field(default=(), metadata=ADDED)
    per_event: int | None = field(default=None, metadata=ADDED)
    distinct: bool = field(default=False, metadata=ADDED)
    price_from: Decimal = field(default=Decimal(0), metadata=ADDED)
    price_to: Decimal = field(default=Decimal(1), metadata=ADDED)
    not_started: bool = field(default=True, metadata=ADDED)


@dataclass(frozen=True, slots=True)
class ContextTerms:
    """Which dated documents a round's contestants are shown.

    `sources` are names of `contexts` in config.yaml. All documents together take `tokens` at
    most, as guessed from bytes; at most `per_market` are chosen for one market.
    """

    sources: tuple[str, ...]
    tokens: int = 3000
    per_market: int = 5


class Counts(StrEnum):
    """Which forecasts of a model count where its provider is compared with others."""

    ALWAYS = "always"
    FIRST_YEAR = "first_year"  # those asked within a year of its release


@dataclass(frozen=True, slots=True)
class CohortSpec:
    """One file of `cohorts/`: the agreement that every cohort made from it is played under.

    A cohort decides at its start and then every `decide_every` while less than `decide_for`
    has passed. With `honeypot` each round shows one made-up market whose text gives orders:
    it measures who follows them, trades nothing and is in no score. `context` says which
    documents are shown beside the markets; None shows none. `counts` says what counts for a
    model's provider.
    """

    name: str
    title: str
    venue: VenueId
    start: Start
    decide_every: timedelta
    decide_for: timedelta
    universe: Universe
    contestants: tuple[ContestantId, ...]
    rules: Rules
    honeypot: bool = field(default=False, metadata=ADDED)
    context: ContextTerms | None = field(default=None, metadata=ADDED)
    counts: Counts = field(default=Counts.ALWAYS, metadata=ADDED)


@dataclass(frozen=True, slots=True)
class Cohort:
    """A running agreement: a spec and the moment it started."""

    id: CohortId
    spec: CohortSpec
    started_at: datetime

    @property
    def window_ends_at(self) -> datetime:
        """From this moment on the cohort decides no more."""
        return self.started_at + self.spec.decide_for
