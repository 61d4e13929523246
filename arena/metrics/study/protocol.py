"""What a study registers before outcomes are known; the defaults are the World Cup paper's."""

from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Annotated, Final

from arena.odds.drawdown import Brakes
from arena.odds.edge import DERIVATIVE, MAINLINE, MAINLINE_CLASSES, PATHS
from arena.odds.gate import GateRules
from arena.odds.power import OddsVenue
from arena.odds.staking import StakeLimits
from arena.stats.comparisons.kill import TWO_SE
from arena.stats.regression.efficiency import CLIP
from arena.stats.resampling.reflected import DRAWS, REGISTERED, UNKNOWN_CODE

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
