"""What commands that score and rank print with --json."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NotRequired, TypedDict

from arena.cli.scores.shadow import Market
from arena.metrics.bets.closing import Closing
from arena.metrics.bets.shadow import Judged, Sum, Terms
from arena.metrics.calibration import Reliability
from arena.metrics.comparisons.all_pairs import Contest, MarketTest
from arena.metrics.comparisons.groups import GroupBoard
from arena.metrics.comparisons.pair_test import Duel
from arena.metrics.comparisons.rank_sets import League
from arena.metrics.explain import Explained
from arena.metrics.insights import ContestantInsights, PairInsight
from arena.metrics.metric import Metric
from arena.records.claim import ClaimBasis
from arena.records.estimate import Estimate
from arena.records.grade import Board
from arena.records.seal import Evidence
from arena.scoring.table import Place
from arena.stats.comparisons.study import Study
from arena.store.scores.explain import Accounted
from arena.store.scores.reviewed import Review


class Weighed(TypedDict):
    """Numbers of forecasts: where they are from, and what they may be taken for."""

    where: str
    standing: str
    words: str


class DemoSaid(TypedDict):
    """The demo as it ended; `pages` counts the files that were written.

    `demonstration` says that its models are invented.
    """

    leaderboard: Board
    journal: str
    pages: int
    site: str
    demonstration: str


class ReplaySaid(TypedDict):
    """The replay as it ended; `same` and `differs` are of an arena's own file.

    `recording` says what was read, what is still open, and what an event is.
    """

    leaderboard: Board
    overview: "OverviewSaid | None"
    journal: str
    site: str
    recording: list[str]
    same: NotRequired[bool]
    differs: NotRequired[str | None]


class SpanSaid(TypedDict):
    """A rank, and the ranks that tests leave possible."""

    rank: int | None
    low: int
    high: int


class PlaceSaid(TypedDict):
    """A contestant's place by the headline, and the ranks that tests leave possible."""

    contestant: str
    rank: int | None
    low: int
    high: int
    value: Estimate | None


class OverviewSaid(TypedDict):
    """Who leads, and how sure that is; `headline` is the metric of the ranks.

    `tied` are those whom nobody is shown to be better than, `better` and `worse` those who
    are shown to be so than the market's price, and `market` is where that stands.
    """

    headline: str
    ranked_by: str
    level: float
    as_of: datetime | None
    sentence: str
    ranked: bool
    tied: Sequence[str]
    better: Sequence[str]
    worse: Sequence[str]
    market: SpanSaid | None
    places: Sequence[PlaceSaid]


class LeaderboardSaid(TypedDict):
    """The books, and the places; those are null for one cohort and with --fast.

    `demonstration` says that the models are invented; empty where they are real.
    """

    leaderboard: Board
    evidence: Evidence
    overview: OverviewSaid | None
    demonstration: str


class LeftRows(TypedDict):
    """Rows that were left out for one reason."""

    rows: int
    first_row: int | None
    first: Place | None


class ScoreLine(TypedDict):
    """A contestant's scores; its ranks are null where pairs do not tell them."""

    contestant: str
    part: str | None
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    n: int
    questions: int
    markets: int
    events: int
    clipped: int
    scores: Mapping[str, Estimate]


class Breakdown(TypedDict):
    """Scores by a label."""

    by: str
    lines: Sequence[ScoreLine]


class AgainstMarket(TypedDict):
    """Who differs from the price."""

    tests: Sequence[MarketTest]
    level: float
    copies: Sequence[str]
    basis: ClaimBasis
    standing: str
    words: str


class ScoreSaid(Weighed):
    """Scores of forecasts."""

    read_as: Sequence[str]
    forecasts: int
    left_out: Mapping[str, LeftRows]
    level: float
    rank_by: str
    metrics: Mapping[str, Metric]
    contestants: Sequence[ScoreLine]
    pairs: Contest | None
    market: AgainstMarket | None
    breakdown: Breakdown | None
    groups: GroupBoard | None


class CompareSaid(Weighed):
    """Two contestants (`comparison`), or every pair (`contest`, `league`)."""

    comparison: NotRequired[Duel]
    contest: NotRequired[Contest | None]
    league: NotRequired[League]


class CalibrationSaid(Weighed):
    """Reliability, a contestant each."""

    left_out: Mapping[str, int]
    draws: int
    contestants: Sequence[Reliability]


class InsightsSaid(Weighed):
    """Contestants beside the price, and the `together` competitors beside each other."""

    left_out: Mapping[str, int]
    level: float
    contestants: Sequence[ContestantInsights]
    together: int
    values: Mapping[str, Estimate]
    pairs: Sequence[PairInsight]


class ShadowSaid(Weighed):
    """Books under rules: everybody's, with `sums`, or one contestant's, with `closing`."""

    cohort: str | None
    market: Market
    terms: Terms
    books: Sequence[Judged]
    sums: NotRequired[Mapping[str, Mapping[str, Sum]]]
    contestant: NotRequired[str]
    forecasts: NotRequired[int]
    repeated: NotRequired[int]
    closing: NotRequired[Mapping[str, Closing]]


class ExplainSaid(Weighed):
    """A number taken apart."""

    journal: str | None
    explained: Explained | Accounted


class ReviewSaid(TypedDict):
    """A contestant's worst and best forecasts, and the file that they are from."""

    where: str
    review: Review


class PowerSaid(TypedDict):
    """How many events it takes; `chance` is the probability that the variance is of."""

    power: Study
    chance: float | None


class TournamentHead(TypedDict):
    """A tournament's own terms."""

    title: str
    rules: str
    coverage: str | None
    pool: float | None
    minimum_prize: float
    community: str | None


class TournamentSaid(TypedDict):
    """A tournament scored; what lines and questions hold follows its rules."""

    tournament: TournamentHead
    leaderboard: Sequence[Mapping[str, Any]]
    questions: Sequence[Mapping[str, Any]]
    left_out: Mapping[str, Any]
    absent: Sequence[str]
