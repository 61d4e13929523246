"""What an overview holds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from arena.metrics.calibration import Reliability
from arena.metrics.claims.questions import Contest, MarketTests
from arena.metrics.groups import GroupBoard
from arena.metrics.insights.leaks import MemoryCounts
from arena.metrics.insights.report import Insights
from arena.metrics.rank_sets import League
from arena.metrics.shadow import Judged, Sum
from arena.records.claim import ClaimBasis
from arena.records.cohort import ContestantId
from arena.records.estimate import Estimate

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class RankPlace:
    """A rank by the headline, and the ranks that tests of all pairs leave open.

    `rank` is one more than how many have a better value, None without a value; [low, high]
    always holds it.
    """

    rank: int | None
    low: int
    high: int

    def span(self, to: str = "\N{EN DASH}") -> str:
        """The ranks that are left open, in words: `2` or `2 to 5`."""
        return str(self.low) if self.low == self.high else f"{self.low}{to}{self.high}"


@dataclass(frozen=True, slots=True)
class Worth:
    """What a contestant's seats were worth at the end of a day, in dollars.

    `at` names the day, in UTC, by the midnight it begins with. `capital` is what they started
    with, `settled` is capital and realised P/L less fees. `worth` is None where a position
    had no price. `fall` is how far the compounded returns of all days stood below their best
    so far, as a share; None without a worth, and where nothing can be said.
    """

    at: datetime
    capital: float
    settled: float
    worth: float | None
    fall: float | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a contestant's forecasts, such as one category.

    `questions` are markets at a moment: cohorts that ask the same at once ask one. Of bets
    they are not counted.
    """

    name: str
    n: int
    events: int
    scores: Mapping[str, Estimate]
    questions: int | None = None


@dataclass(frozen=True, slots=True)
class ContestantProfile:
    """One contestant. `scores` has an estimate, with its interval and n, by metric.

    `parts` has its forecasts by label (`category`, `horizon`, `price_band`, `venue`), in the
    order of a scale where the label has one.
    `money` is what is behind its own bets: closing line value, luck, the split of its P/L;
    None for no bet. `closes` has `ev_clv` of its bets by the price that was paid a share.
    `days` is its worth day by day. `coverage` is the share of what it was asked that it
    answered, of what has resolved. `digests` are of the rows that `arena explain` prints of
    the headline and of the Brier score, by metric. `questions` counts those that the headline
    is the mean over. `memory` is None without a model.
    """

    contestant: ContestantId
    place: RankPlace
    scores: Mapping[str, Estimate] = field(default_factory=dict)
    reliability: Reliability | None = None
    parts: Mapping[str, tuple[Part, ...]] = field(default_factory=dict)
    money: Judged | None = None
    closes: tuple[Part, ...] = ()
    days: tuple[Worth, ...] = ()
    digests: Mapping[str, str] = field(default_factory=dict)
    questions: int | None = None
    coverage: float | None = None
    memory: MemoryCounts | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """A part of the board that may be chosen instead of all of it; always exploratory.

    `key` is its word in addresses ("90-days", "category-politics"), `since` its first day,
    None for a category. `order` has everybody with a value of the headline, best first;
    `lines` have the headline and the Brier score of each.
    """

    key: str
    label: str
    since: date | None
    forecasts: int
    markets: int
    events: int
    order: tuple[ContestantId, ...]
    lines: Mapping[ContestantId, Part]


@dataclass(frozen=True, slots=True)
class RanksAt:
    """Everybody's place when so much had resolved."""

    at: datetime
    places: Mapping[ContestantId, RankPlace]


@dataclass(frozen=True, slots=True)
class Flip:
    """The fewest events that were found without which somebody else stood first.

    References are left out: they are there to be compared with. `instead` is None and
    `events` is empty where no 25 events are enough. Equals flip with no event at all.
    `markets` are the first few markets of each event, by their ids.
    """

    first: ContestantId
    instead: ContestantId | None
    events: tuple[str, ...]
    markets: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Basis:
    """What a metric is a mean over, of everybody together."""

    forecasts: int = 0
    markets: int = 0
    events: int = 0


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything that is estimated, as the books stand.

    `headline` is the metric of the ranks: alpha, else the Brier score of forecasts; empty
    where nobody has a resolved forecast. `ranked_by` is what the order goes by: the headline,
    or that gain adjusted as if everybody had answered everything, where shares of answers
    differ by more than 5 points. `made_at` is when the newest change was booked that is in
    it: pages may show later books beside it. Of the `forecasts` that have resolved `basis`
    has those that the headline knows: alpha needs a price. `order` has everybody, best first,
    those without a value last. `tied` are those whom nobody was shown to be better than.
    `providers` and `families` are None where fewer than two were named. `against` tests each
    against the market's price, and `market_place` is where that price itself stands among
    them. `claims` says what all claims stand on. `references` are baselines: they are in no
    count, rank or pair of the contest. `sizing` has what each contestant's forecasts of the
    newest 90 days come to under each rule of `arena shadow`. `entry` was the journal's last one
    and `seen_at` the tape's newest moment when it was made. `uncounted` forecasts are in no
    group: their cohort counts a model's first year alone.
    """

    level: float = LEVEL
    headline: str = ""
    ranked_by: str = ""
    as_of: datetime | None = None
    made_at: datetime | None = None
    forecasts: int = 0
    markets: int = 0
    events: int = 0
    basis: Basis = Basis()
    left_out: Mapping[str, int] = field(default_factory=dict)
    profiles: Mapping[ContestantId, ContestantProfile] = field(default_factory=dict)
    order: tuple[ContestantId, ...] = ()
    tied: tuple[ContestantId, ...] = ()
    contest: Contest | None = None
    league: League | None = None
    market: Reliability | None = None
    ranks: tuple[RanksAt, ...] = ()
    flip: Flip | None = None
    providers: GroupBoard | None = None
    families: GroupBoard | None = None
    claims: ClaimBasis = field(default_factory=ClaimBasis)
    against: MarketTests | None = None
    market_place: RankPlace | None = None
    windows: tuple[Window, ...] = ()
    insights: Insights = Insights(LEVEL)  # noqa: RUF009  frozen
    sizing: Mapping[str, Mapping[str, Sum]] = field(default_factory=dict)
    entry: int = 0
    seen_at: str = ""
    uncounted: int = 0

    @property
    def order_by(self) -> str:
        """The metric of the order and of its column: the headline, if nothing else is said."""
        return self.ranked_by or self.headline
