"""What a study reports: records that the text, the page, the JSON and the LaTeX are made of.

A number that the paper published stands beside the right one; `errata` is the row of
docs/errata.md that says why they differ. What cannot be had is None, and a part that cannot is
named in `StudyReport.missing` with its reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from arena.metrics.calibration import Reliability
from arena.metrics.closing import Closing
from arena.metrics.study.protocol import PredictionKind, StudyScore
from arena.odds.edge import GateReason
from arena.records.estimate import Estimate, Interval, Test
from arena.scoring.bets.clv import PseudoPassReason
from arena.stats import Edge
from arena.stats.comparisons.kill import FoldGap, KillVerdict


@dataclass(frozen=True, slots=True)
class NumberPair:
    """A number as it was published and as it is right, under one name."""

    name: str
    published: float | None
    right: float | None
    errata: str


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """A mean loss: `published` resamples rows (percentile), `right` whole events."""

    score: StudyScore
    mean: float | None
    median: float | None
    published: Interval | None
    right: Interval | None


@dataclass(frozen=True, slots=True)
class ModelScores:
    """A model's losses on its questions; of one stage where `stage` says so."""

    model: str
    stage: str | None
    n: int
    events: int
    clipped: int
    scores: tuple[ScoreSummary, ...]

    @property
    def brier(self) -> float | None:
        """The mean Brier score."""
        return self._mean(StudyScore.BRIER)

    @property
    def rps(self) -> float | None:
        """The mean ranked probability score; None of options without an order."""
        return self._mean(StudyScore.RPS)

    @property
    def log_loss(self) -> float | None:
        """The mean clipped log loss."""
        return self._mean(StudyScore.LOG)

    def _mean(self, score: StudyScore) -> float | None:
        return next((each.mean for each in self.scores if each.score is score), None)


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One score of a model's, for a line of its own."""

    line: ModelScores
    of: ScoreSummary


@dataclass(frozen=True, slots=True)
class PairComparison:
    """Two models' losses, `model` less `against`: below 0 the first loses less.

    `published` is the paper's test, with its bandwidth as the horizon and a floor under the
    variance; `textbook` the test for one step ahead, which the corrections adjust;
    `newey_west` and `by_event` two other variances. `rejected` says that the registered test
    rejects at `level`, `held` that Holm's p does at the family's rate, `explored` that the p
    of Benjamini and Hochberg is below the rate of exploration.
    """

    model: str
    against: str
    score: StudyScore
    family: str
    level: float
    published: Test
    textbook: Test
    newey_west: Test
    by_event: Test
    bonferroni: float | None
    holm: float | None
    bh: float | None
    published_rejected: bool
    rejected: bool
    held: bool
    explored: bool

    @property
    def holds(self) -> str:
        """What is left of a rejection once the family is corrected."""
        return "yes" if self.held else "BH" if self.explored else "no"

    @property
    def pair(self) -> str:
        """Both names."""
        return f"{self.model} v {self.against}"


@dataclass(frozen=True, slots=True)
class KillReport:
    """Both readings of the kill rule, on log loss, and what the gap over folds is worth."""

    stop: KillVerdict
    gate: KillVerdict
    folds: FoldGap | None
    numbers: tuple[NumberPair, ...]

    @property
    def rules(self) -> tuple[KillVerdict, KillVerdict]:
        """Both readings."""
        return self.stop, self.gate


@dataclass(frozen=True, slots=True)
class StudyPower:
    """How many events show a champion that is right wherever it differs from the market.

    `deviation` is the root mean square of P less Q over all options. `events_for_score` is for
    the Brier difference, `events_for_slope` for the test of the slope, four of five times.
    """

    deviation: float | None
    events: int
    events_for_score: int | None
    events_for_slope: int | None


@dataclass(frozen=True, slots=True)
class EfficiencyReport:
    """What a model adds to the market's prices at one moment.

    `wald` has the same hypothesis by the name of the covariance: "hc3 as coded" is the
    paper's. `bootstrap_p` draws outcomes under the hypothesis: look at it where `small` says
    that there are fewer than 60 rows. `few` says that there are under ten rows a parameter.
    `weight` is the model's in log odds; `adds_nothing` and `suffices` test it. `rejected` is at
    the protocol's level, `corrected` at its corrected one, `published` at the printed value.
    """

    model: str
    prices: str
    primary: bool
    few: bool
    small: bool
    test: Test
    wald: Mapping[str, Test]
    bootstrap_p: float | None
    weight: Estimate
    adds_nothing: Test
    suffices: Test
    rejected: bool
    corrected: bool
    published: bool


@dataclass(frozen=True, slots=True)
class MarketReport:
    """Whether the market's prices at one moment are the true odds."""

    prices: str
    test: Test


@dataclass(frozen=True, slots=True)
class BookReport:
    """A bookmaker's opening odds without their margin, by the paper's method and by ours.

    `refused` counts books that the paper's method cannot solve, `out_of_band` those whose
    exponent is doubtful. `moved` counts legs that the bias constants changed.
    """

    book: str
    books: int
    refused: int
    out_of_band: int
    overround: float | None
    exponent: float | None
    moved: int
    numbers: tuple[NumberPair, ...]


@dataclass(frozen=True, slots=True)
class GateCount:
    """At how many questions a rule fired first, and at how many it had nothing to go by."""

    rule: GateReason
    fired: int
    abstained: int


@dataclass(frozen=True, slots=True)
class GateReport:
    """The questions that the gate was asked of, and what its rules said."""

    questions: int
    rules: tuple[GateCount, ...]


@dataclass(frozen=True, slots=True)
class StakeReport:
    """The champion's bets sized by its rules, as parts of the bankroll, added up.

    `full` Kelly, its `fractional` part, `capped` alone, `final` under the caps of event and
    day together; `cut` says how many rows each cap wrote. `bankroll` is what 1 became, `mode`
    how the drawdown left it.
    """

    bets: int
    full: float
    fractional: float
    capped: float
    final: float
    cut: Mapping[str, int]
    bankroll: float
    mode: str
    numbers: tuple[NumberPair, ...]


@dataclass(frozen=True, slots=True)
class BetBook:
    """A model's bets and what the close says of them.

    `rule` says how they came about: `stated` in the file, `rules` of the protocol, or the
    paper's replay `as coded` or with long shots `by p`. `label` is by event and withheld for
    few bets; that of the paper is in `closing.source_c`.
    """

    model: str
    rule: str
    bets: int
    events: int
    stake: float
    passed: Mapping[PseudoPassReason, int]
    closing: Closing
    label: Edge
    numbers: tuple[NumberPair, ...]

    @property
    def clv(self) -> float | None:
        """Mean ratio of fair prices, less 1."""
        return next(form.mean.value for form in self.closing.forms if form.key == "clv")

    @property
    def ev_clv(self) -> float | None:
        """Mean expected profit a dollar, if the close is right."""
        return next(form.mean.value for form in self.closing.forms if form.key == "ev_clv")


@dataclass(frozen=True, slots=True)
class PredictionResult:
    """What became of a registered statement: HIT, MISS or NEUTRAL; None if open."""

    id: str
    kind: PredictionKind
    statement: str
    confidence: float | None
    value: float | None
    result: str | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ConfidentMiss:
    """A forecast of the champion whose likeliest option did not come."""

    question: str
    option: str
    came: str
    p: float


@dataclass(frozen=True, slots=True)
class LedgerReport:
    """Predictions and the champion's likeliest options, each a hit or a miss alike."""

    predictions: tuple[PredictionResult, ...]
    hits: int
    misses: int
    forecasts: int
    forecast_hits: int
    worst: tuple[ConfidentMiss, ...]


@dataclass(frozen=True, slots=True)
class QuotedError:
    """The standard error that a quoted gap implies; None for a gap of no errors."""

    gap: str
    error: float | None


@dataclass(frozen=True, slots=True)
class AblationRow:
    """A model's line of the ablation table, every number to four decimals or None."""

    model: str
    n: int
    brier: float | None
    rps: float | None
    log_loss: float | None
    p_baseline: float | None
    p_market: float | None
    lr: float | None
    lr_p: float | None
    bets: int | None
    clv: float | None
    sharpe: float | None
    label: str | None


@dataclass(frozen=True, slots=True)
class StudyReport:
    """A protocol run over forecasts. A part that is None has its reason in `missing`."""

    protocol: str
    champion: str
    baseline: str
    market: str
    options: tuple[str, ...]
    level: float
    questions: int
    events: int
    planned: int | None
    look: str | None
    accuracy: tuple[ModelScores, ...]
    reliability: tuple[Reliability, ...]
    families: tuple[NumberPair, ...]
    criticals: tuple[NumberPair, ...]
    quoted: tuple[QuotedError, ...]
    missing: Mapping[str, str]
    ablation: tuple[AblationRow, ...] = ()
    stages: tuple[ModelScores, ...] | None = None
    comparisons: tuple[PairComparison, ...] | None = None
    kill: KillReport | None = None
    power: StudyPower | None = None
    efficiency: tuple[EfficiencyReport, ...] | None = None
    prices: tuple[MarketReport, ...] | None = None
    books: tuple[BookReport, ...] | None = None
    gate: GateReport | None = None
    edges: tuple[NumberPair, ...] | None = None
    stakes: StakeReport | None = None
    bets: tuple[BetBook, ...] | None = None
    ledger: LedgerReport | None = None

    @property
    def clipped(self) -> int:
        """Log losses that were clipped."""
        return sum(line.clipped for line in self.accuracy)

    @property
    def share(self) -> str:
        """The confidence of intervals, in words."""
        return f"{100 * self.level:g} %"

    @property
    def score_lines(self) -> tuple[ScoreLine, ...]:
        """A line a model and score."""
        return tuple(ScoreLine(line, each) for line in self.accuracy for each in line.scores)

    @property
    def powers(self) -> tuple[StudyPower, ...]:
        """The power, where champion and market differ at all."""
        return (self.power,) if self.power and self.power.deviation is not None else ()

    @property
    def stake_lines(self) -> tuple[StakeReport, ...]:
        """The stakes, where there are some."""
        return (self.stakes,) if self.stakes else ()

    @property
    def book_numbers(self) -> tuple[NumberPair, ...]:
        """The numbers of every bookmaker, under its name."""
        return tuple(
            replace(each, name=f"{book.book}: {each.name}")
            for book in self.books or ()
            for each in book.numbers
        )
