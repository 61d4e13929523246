"""What may be claimed from scores, on which evidence, and how long a claim holds."""

from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum


class Guarantee(StrEnum):
    """How often a board may be read before its claims are no longer safe."""

    SEASON = "season"  # looks on dates laid down before, each with its share of alpha
    ENDLESS = "endless"  # anytime-valid: after any number of looks, with no last one
    FIXED = "fixed"  # one look, at a number of questions that was fixed before


class Source(StrEnum):
    """What the variance of a difference is made from; the largest one counts."""

    FLOOR = "floor"  # what the outcomes' own chance must contribute
    EVENT = "event"
    DAY = "day"
    WEEK = "week"
    COHORT = "cohort"
    CATEGORY = "category"


class Valuation(StrEnum):
    """How a question counts before it has resolved."""

    MARKET = "mark-to-market"  # at the market's price, day by day
    SETTLED = "settled"  # on its due day; one that is overdue with its worse outcome


class Caveat(StrEnum):
    """Why a claim may be worth less than its level, or why none is made."""

    NOTHING_RESOLVED = "nothing_resolved"
    TOO_FEW_EVENTS = "too_few_events"
    TOO_FEW_WEEKS = "too_few_weeks"
    TOO_FEW_COHORTS = "too_few_cohorts"
    BEFORE_FIRST_LOOK = "before_first_look"
    ONE_WEEK = "one_week"  # all questions were asked in one week and share their news
    FEW_CLUSTERS = "few_clusters"  # the largest source of spread has fewer than six clusters
    STALE_PRICES = "stale_prices"  # open questions had no fresh prices
    UNDATED = "undated"  # some forecasts have no moment, and no part in a claim


@dataclass(frozen=True, slots=True)
class Season:
    """A length of time after which a board is final: looks every so often, and at its end.

    Raises:
        ValueError: It is longer than a year or not longer than nothing, or so are its looks.
    """

    start: date
    length: timedelta = timedelta(days=364)
    look_every: timedelta = timedelta(days=30)

    def __post_init__(self) -> None:
        if any(duration % timedelta(days=1) for duration in (self.length, self.look_every)):
            raise ValueError("a length and a time between looks in whole days")
        if not timedelta(0) < self.length <= timedelta(days=366):
            raise ValueError("a season of 1 to 366 days")
        if not timedelta(0) < self.look_every <= self.length:
            raise ValueError(
                "looks at least a day apart, and not further than the season is long"
            )

    @property
    def end(self) -> date:
        """Its last look: the day after its last day."""
        return self.start + self.length

    def looks(self) -> tuple[date, ...]:
        """The dates of its looks, each at its midnight; the last is its end."""
        steps = -(-self.length // self.look_every)
        inner = (self.start + n * self.look_every for n in range(1, steps))
        return (*inner, self.end)

    def on(self, day: date) -> "Season":
        """The season that holds a day, of seasons of this length one after the other."""
        passed = max((day - self.start) // self.length, 0)
        return Season(self.start + passed * self.length, self.length, self.look_every)


@dataclass(frozen=True, slots=True)
class Minimum:
    """How much there must be before anything is ranked or claimed, and how much there is.

    `ready_on` is when it will be there, from what is due; None where nobody can say, no look
    is left, or it is there already. `cohorts_needed` is 0 where prices are fresh.
    """

    events: int = 0
    weeks: int = 0
    cohorts: int = 0
    events_needed: int = 10
    weeks_needed: int = 6
    cohorts_needed: int = 0
    ready_on: date | None = None

    @property
    def met(self) -> bool:
        """Whether there is enough."""
        return (
            self.events >= self.events_needed
            and self.weeks >= self.weeks_needed
            and self.cohorts >= self.cohorts_needed
        )


@dataclass(frozen=True, slots=True)
class ClaimBasis:
    """What claims of one board stand on.

    `alpha` is the chance of any false claim in a family, over all looks. `looks` and
    `spent` (the alpha spent by then) belong to a season or to the looks so far; `last_look`
    is the one whose claims stand now and `next_look` the one after. `largest` is the source
    of most spread for the median pair, in `clusters` clusters, and `design_effect` its
    variance over that by event. `caveats` begin with what matters most.
    """

    guarantee: Guarantee = Guarantee.FIXED
    valuation: Valuation = Valuation.SETTLED
    alpha: float = 0.05
    minimum: Minimum = Minimum()
    season: Season | None = None
    last_look: date | None = None
    next_look: date | None = None
    spent: float | None = None
    questions: int = 0
    markets: int = 0
    events: int = 0
    largest: Source | None = None
    clusters: int = 0
    design_effect: float | None = None
    caveats: tuple[Caveat, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose claims a board makes, and by when.

    `today` is the day on which it is read: what is known at the end of the day before counts.
    `season` is None for an endless board. `references` are baselines: nobody's rank hangs on
    them.
    """

    today: date
    season: Season | None = None
    references: frozenset[str] = frozenset()

    @property
    def current(self) -> Season | None:
        """The season that holds the last day that counts: it is read on its end, too."""
        return self.season and self.season.on(self.today - timedelta(days=1))
