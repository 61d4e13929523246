"""What a study registers before outcomes are known; the defaults are the World Cup paper's.

Its forecasts are columns: models, questions, options, and the market's quotes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Annotated, Final

import numpy as np

from arena.odds.devig import OddsVenue
from arena.odds.edge import DERIVATIVE, MAINLINE, MAINLINE_CLASSES, PATHS, GateRules
from arena.odds.staking import Brakes, StakeLimits
from arena.scoring.logarithmic import Clip, log_option_terms
from arena.scoring.proper import brier_option_terms, rps_terms
from arena.scoring.table import Factor, Flags, Floats, Whole
from arena.stats.comparisons.kill import TWO_SE
from arena.stats.reflected import DRAWS, REGISTERED, UNKNOWN_CODE
from arena.stats.regression.efficiency import CLIP

# The most that a number of these fields may be; the least is above 0.
Level = Annotated[float, "level"]
Share = Annotated[float, "share"]

PRINTED_CRITICAL: Final = 8.668  # of chi-squared, as the paper prints it


class StudyScore(StrEnum):
    """A loss that models are compared by."""

    BRIER = "brier"
    RPS = "rps"
    LOG = "log"

    @property
    def words(self) -> str:
        """Its name in a sentence."""
        return {"brier": "Brier", "rps": "RPS"}.get(self.value, "log loss")


class Opponent(StrEnum):
    """Whom the champion is tested against."""

    BASELINE = "baseline"
    MARKET = "market"


@dataclass(frozen=True, slots=True)
class PrimaryTest:
    """A test of the champion that was announced as a main one."""

    against: Opponent
    score: StudyScore = StudyScore.BRIER


@dataclass(frozen=True, slots=True)
class PairLevels:
    """The level of the test of a pair: champion and baseline, champion and market, others."""

    baseline: Level = 0.05
    market: Level = 0.05
    others: Level = 0.005


@dataclass(frozen=True, slots=True)
class FamilyRates:
    """The error rate of a family of tests, and the false discovery rate of exploration."""

    alpha: Level = 0.05
    exploratory: Level = 0.10


@dataclass(frozen=True, slots=True)
class BootstrapPlan:
    """The bootstrap of mean losses: resamples, seed and confidence."""

    draws: int = 10_000
    seed: int = 42
    level: Level = 0.95


@dataclass(frozen=True, slots=True)
class KillPlan:
    """The kill rule: how many standard errors, and how many times it is looked at."""

    errors: float = TWO_SE
    looks: int = 4
    test_over_train: float | None = None


@dataclass(frozen=True, slots=True)
class EfficiencyPlan:
    """The test of market efficiency: levels, the critical value as printed, prices, clip.

    `replicates` are those of the parametric bootstrap; 1 is the fewest.
    """

    level: Level = 0.05
    corrected: Level = 0.0125
    printed_critical: float = PRINTED_CRITICAL
    clip: Share = CLIP
    prices: str = "closing"
    replicates: int = 999


@dataclass(frozen=True, slots=True)
class ClosingPlan:
    """The test of closing line value; `printed_z` is the other document's end point."""

    alpha: Level = 0.05
    printed_z: float = 1.96
    draws: int = DRAWS
    shortest_block: int = REGISTERED[0]
    longest_block: int = REGISTERED[1]
    code: str = UNKNOWN_CODE


@dataclass(frozen=True, slots=True)
class EdgePlan:
    """How far a forecast must be from the market, by the class of the market.

    `paths` is the size of the simulation that probabilities were counted in.
    """

    mainline: Share = MAINLINE
    derivative: Share = DERIVATIVE
    classes: tuple[str, ...] = tuple(sorted(MAINLINE_CLASSES))
    paths: int = PATHS


@dataclass(frozen=True, slots=True)
class BiasPlan:
    """A bookmaker's leanings: what the draw of a knockout match gains, the host loses."""

    knockout_draw: Share = 0.014
    host_discount: Share = 0.006
    draw: str = "draw"
    knockout_stages: tuple[str, ...] = ("knockout",)
    group_stages: tuple[str, ...] = ("group",)


@dataclass(frozen=True, slots=True)
class OddsBook:
    """Whose odds stand in the columns odds_NAME_open_1, ..., and of what kind it is."""

    name: str
    venue: OddsVenue = OddsVenue.BOOKMAKER


class PredictionKind(StrEnum):
    """What a registered prediction may say."""

    BEATS = "beats"  # the mean score of `model` is below that of `against`
    REJECTS = "rejects"  # and the registered test rejects that they are equal
    OUTCOME = "outcome"  # `option` comes in `question`
    FORECAST = "forecast"  # P(option) of `model` in `question` is from `low` to `high`
    SHARE = "share"  # `option` comes in a share from `low` to `high` of the questions


@dataclass(frozen=True, slots=True)
class Prediction:
    """A statement that comes out right or wrong; `confidence` is its stated probability."""

    id: str
    kind: PredictionKind
    model: str = ""
    against: str = ""
    score: StudyScore = StudyScore.BRIER
    question: str = ""
    option: str = ""
    stage: str = ""
    low: Annotated[float, "probability"] = 0.0
    high: Annotated[float, "probability"] = 1.0
    confidence: Annotated[float, "probability"] | None = None


NEEDED: Final = {
    PredictionKind.BEATS: ("model", "against"),
    PredictionKind.REJECTS: ("model", "against"),
    PredictionKind.OUTCOME: ("question", "option"),
    PredictionKind.FORECAST: ("model", "question", "option"),
    PredictionKind.SHARE: ("option",),
}


@dataclass(frozen=True, slots=True)
class QuotedGap:
    """A mean difference that was published with how many standard errors it is."""

    id: str
    difference: Annotated[float, "signed"]
    errors: Annotated[float, "signed"]


@dataclass(frozen=True, slots=True)
class StudyProtocol:
    """Models, options, tests, levels and rules; `matches` and `look` say when it is read."""

    name: str = "world-cup"
    champion: str = "M_STAR"
    baseline: str = "M0"
    market: str = "MARKET_DEVIGGED"
    options: tuple[str, ...] = ("home", "draw", "away")
    ordered: bool = True
    reference: str = "draw"
    matches: int | None = None
    look: date | None = None
    primary: tuple[PrimaryTest, ...] = (
        PrimaryTest(Opponent.BASELINE),
        PrimaryTest(Opponent.MARKET),
    )
    levels: PairLevels = PairLevels()
    families: FamilyRates = FamilyRates()
    bootstrap: BootstrapPlan = BootstrapPlan()
    kill: KillPlan = KillPlan()
    efficiency: EfficiencyPlan = EfficiencyPlan()
    closing: ClosingPlan = ClosingPlan()
    edge: EdgePlan = EdgePlan()
    bias: BiasPlan = BiasPlan()
    kelly: StakeLimits = field(default_factory=StakeLimits)
    drawdown: Brakes = field(default_factory=Brakes)
    gate: GateRules = field(default_factory=GateRules)
    books: tuple[OddsBook, ...] = ()
    predictions: tuple[Prediction, ...] = ()
    quoted: tuple[QuotedGap, ...] = ()

    def level_of(self, first: str, second: str) -> float:
        """The level of the test of two models."""
        pair = {first, second}
        if pair == {self.champion, self.baseline}:
            return self.levels.baseline
        return (
            self.levels.market if pair == {self.champion, self.market} else self.levels.others
        )


@dataclass(frozen=True, slots=True, eq=False)
class BookQuotes:
    """Decimal odds of a book, (n, K) each; NaN rows where it had none."""

    opening: Floats
    closing: Floats


@dataclass(frozen=True, slots=True, eq=False)
class GateColumns:
    """What is known of the market at each question; NaN, NaT or None where nobody looked.

    `before` (n, K) is the price half an hour earlier and `exchange` (n, K) that of an
    exchange; `volume`, `quoted_at`, `at` and `news` have one value a question.
    """

    before: Floats
    exchange: Floats
    volume: Floats
    quoted_at: np.ndarray[tuple[int], np.dtype[np.datetime64]]
    at: np.ndarray[tuple[int], np.dtype[np.datetime64]]
    news: tuple[tuple[np.datetime64, ...] | None, ...]


@dataclass(frozen=True, slots=True, eq=False)
class StudyForecasts:
    """m models' forecasts of n questions over K options, questions in the order of time.

    `p` (m, n, K) has NaN where a model did not forecast. `event` (n,) says which questions
    share their news, `outcome` (n,) which option came. `opening` and `closing` (n, K) are fair
    probabilities, rows of NaN where there is no quote. `stage`, `fold` and `kind` (the class
    of a market) are None where the file has none, and an empty name where a question has none;
    `host` (n,) is the host's option or -1. `stake` and `backed` (m, n) are bets that were
    made: NaN and -1 without one. `day` (n,) is the UTC date of the forecast, empty where
    unknown.
    """

    models: tuple[str, ...]
    questions: tuple[str, ...]
    event: Whole
    outcome: Whole
    p: Floats
    opening: Floats
    closing: Floats
    host: Whole
    stake: Floats
    backed: Whole
    day: tuple[str, ...]
    gate: GateColumns
    stage: Factor | None = None
    fold: Factor | None = None
    kind: Factor | None = None
    odds: Mapping[str, BookQuotes] = field(default_factory=dict)

    def of(self, model: str) -> Floats | None:
        """A model's forecasts, (n, K); None if it has none."""
        return self.p[self.models.index(model)] if model in self.models else None

    def made(self, model: str) -> Flags:
        """The questions that a model forecast, (n,)."""
        p = self.of(model)
        return np.zeros(len(self.outcome), np.bool_) if p is None else known(p)


def known(rows: Floats) -> Flags:
    """Which rows of a table have no gap."""
    return np.asarray(~np.isnan(rows).any(axis=-1))


@dataclass(frozen=True, slots=True, eq=False)
class StudyLosses:
    """The loss of each model and question, (m, n) a score; NaN where there is no forecast."""

    models: tuple[str, ...]
    terms: Mapping[StudyScore, Floats]

    def paired(self, first: str, second: str, score: StudyScore) -> tuple[Floats, Flags]:
        """The losses of two models, (2, q), on the q questions that both forecast."""
        table = self.terms[score]
        both = table[[self.models.index(first), self.models.index(second)]]
        common = known(both.T)
        return both[:, common], common


def losses(forecasts: StudyForecasts, protocol: StudyProtocol) -> StudyLosses:
    """Brier score of all options, clipped log loss and, of ordered options, the RPS."""
    scores = [StudyScore.BRIER, StudyScore.RPS, StudyScore.LOG]
    if not protocol.ordered:
        scores.remove(StudyScore.RPS)
    terms = {score: np.full(forecasts.p.shape[:2], np.nan) for score in scores}
    for m, p in enumerate(forecasts.p):
        there = known(p)
        own, came = p[there], forecasts.outcome[there]
        for score, table in terms.items():
            if score is StudyScore.BRIER:
                table[m, there] = brier_option_terms(own, came)
            elif score is StudyScore.RPS:
                table[m, there] = rps_terms(own, came, order=protocol.options)
            else:
                table[m, there] = log_option_terms(own, came, clip=Clip.FORTY_FIVE_PERCENT)
    return StudyLosses(forecasts.models, terms)
