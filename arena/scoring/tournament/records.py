"""The records of a tournament: its questions with their forecasts, and its rules.

Times are numbers of days from any fixed day; those of dates are from `DAY_ZERO`.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

DAY_ZERO: Final = datetime(2020, 1, 1, tzinfo=UTC)  # from which the days of dates are counted
BINARY_SIDES: Final = 2
Value = float | tuple[float, ...]


class QuestionKind(StrEnum):
    """What a question asks for, and so what a forecast of it looks like."""

    BINARY = "binary"  # P(yes)
    MULTIPLE_CHOICE = "multiple_choice"  # a probability for each option
    NUMERIC = "numeric"  # a cumulative distribution on the edges of the buckets
    DENSITY = "density"  # the height of the density at the value that came true


class Void(StrEnum):
    """Why a question gives no scores."""

    UNRESOLVED = "unresolved"
    ANNULLED = "annulled"
    AMBIGUOUS = "ambiguous"
    WEIGHTLESS = "weightless"  # its weight is 0


class TournamentRule(StrEnum):
    """By what a tournament is scored and ranked."""

    Y2022 = "2022"
    PEER = "peer"
    BASELINE = "baseline"
    SPOT_PEER = "spot-peer"
    SPOT_BASELINE = "spot-baseline"
    RELATIVE_LEGACY = "relative-legacy"
    PEER_GLOBAL = "peer-global"
    PEER_GLOBAL_BEFORE_2024 = "peer-global-before-2024"
    BASELINE_GLOBAL = "baseline-global"


class Coverage(StrEnum):
    """Which times of a question count towards coverage."""

    ALL = "all"  # the whole scheduled period, evenly
    HIDDEN = "hidden"  # only while the community's forecast is hidden
    GIVEN = "given"  # the question's own weights


class CrowdMedian(StrEnum):
    """Of what the community's median is taken; the same for yes/no questions."""

    VALUES = "values"  # of what each forecast says of the outcome
    FORECASTS = "forecasts"  # of whole forecasts: what the median forecast says of the outcome


@dataclass(frozen=True, slots=True)
class Crowd:
    """How a community's forecast is made from the standing ones."""

    middle: CrowdMedian = CrowdMedian.VALUES
    recent: bool = False  # newer forecasts weigh more

    def __post_init__(self) -> None:
        """Refuse a middle that is none."""
        CrowdMedian(self.middle)

    @property
    def words(self) -> str:
        """What a file and a table call it.

        >>> Crowd(recent=True).words
        'recency-weighted median'
        """
        suffix = " forecast" if self.middle == CrowdMedian.FORECASTS else ""
        return f"{'recency-weighted ' if self.recent else ''}median{suffix}"

    @property
    def name(self) -> str:
        """Whose line it is in a leaderboard."""
        return f"community ({self.words})"


CROWDS: Final = tuple(Crowd(m, r) for r in (False, True) for m in CrowdMedian)


@dataclass(frozen=True, slots=True)
class TimedForecast:
    """A forecast from `at` on, until the forecaster's next; no value is a withdrawal."""

    forecaster: str
    at: float
    value: Value | None


@dataclass(frozen=True, slots=True)
class Period:
    """A time and the weight of coverage that is spread over it evenly."""

    start: float
    end: float
    weight: float


@dataclass(frozen=True, slots=True)
class TournamentQuestion:
    """One question, with every forecast of it.

    `open` to `close` is the scheduled period, `closed` when it closed before its time.
    `outcome` is 0 or 1, the number of an option or of a bucket (0 is below the range,
    `buckets` + 1 above it), or why there is none; a density has no use for its number.
    `community` is what the community's forecast was, where that is known; it is computed
    where it is empty. `floor` is the smallest density, on a range taken as [0, 1].
    """

    id: str
    kind: QuestionKind
    open: float
    close: float
    outcome: int | Void
    forecasts: tuple[TimedForecast, ...] = ()
    closed: float | None = None
    weight: float = 1.0
    options: int = BINARY_SIDES
    buckets: int = 200
    open_below: bool = False
    open_above: bool = False
    floor: float = 0.01
    hidden_until: float | None = None
    coverage: tuple[Period, ...] = ()
    community: tuple[TimedForecast, ...] = ()
    reveal: float | None = None
    spot: float | None = None

    @property
    def open_bounds(self) -> int:
        """How many ends of the range may be left."""
        return self.open_below + self.open_above

    @property
    def ended(self) -> float:
        """When forecasting ended: at the early close, or as scheduled."""
        return self.close if self.closed is None else min(self.closed, self.close)

    @property
    def spot_time(self) -> float:
        """When a spot score looks: never after the question has closed.

        The time that was set, else when the community's forecast is shown if that is after
        the opening, else the close.
        """
        wanted = self.ended
        if self.spot is not None:
            wanted = self.spot
        elif self.reveal is not None and self.reveal > self.open:
            wanted = self.reveal
        return min(wanted, self.ended)

    @property
    def void(self) -> Void | None:
        """Why this question gives no scores; None where it does."""
        if isinstance(self.outcome, Void):
            return self.outcome
        return None if self.weight else Void.WEIGHTLESS

    @property
    def continuous(self) -> bool:
        """Whether it asks for a number."""
        return self.kind in {QuestionKind.NUMERIC, QuestionKind.DENSITY}


@dataclass(frozen=True, slots=True)
class Tournament:
    """Questions that are scored together, and how.

    `excluded` forecasters are shown and neither ranked nor paid. `uncounted` ones are scored
    against a community that they are not part of. `aggregates` are scored beside the
    forecasters: excluded, and uncounted.
    """

    questions: tuple[TournamentQuestion, ...]
    title: str = ""
    rule: TournamentRule = TournamentRule.Y2022
    coverage: Coverage = Coverage.ALL
    pool: float | None = None
    minimum_prize: float = 0.0
    crowd: Crowd | None = None
    aggregates: tuple[Crowd, ...] = ()
    excluded: frozenset[str] = frozenset()
    uncounted: frozenset[str] = frozenset()
