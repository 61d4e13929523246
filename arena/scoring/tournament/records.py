"""The records of a tournament: its questions with their forecasts, and its rules.

Times are numbers of days from any fixed day; those of dates are from `DAY_ZERO`.

What a tournament and its questions are refused for.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from itertools import pairwise
from math import inf, isfinite, isnan, log
from typing import Final

from arena.scoring.tournament.prizes import Medal

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


@dataclass(frozen=True, slots=True)
class Stretch:
    """A time in which nothing changed, or a day.

    `community` is what the community said of the outcome, None where nobody did; `said` and
    `scores` have a number for each row of the question, `said` None where none stood.
    """

    start: float
    end: float
    community: float | None
    said: tuple[float | None, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """One question, scored; the tuples have a number for each of `names`.

    `stood` says who had a standing forecast at any time. The community is told where scores
    are relative to it. `days` are empty for a spot score,
    and have no community and nothing said: those may change within a day.
    """

    id: str
    kind: QuestionKind
    weight: float
    names: tuple[str, ...]
    stood: tuple[bool, ...]
    scores: tuple[float, ...]
    coverage: tuple[float, ...]
    intervals: tuple[Stretch, ...]
    days: tuple[Stretch, ...]


@dataclass(frozen=True, slots=True)
class TournamentEntry:
    """One line of a leaderboard.

    `score` is what is ranked by, and `total` the weighted sum of scores that it is made of;
    they differ in a global ranking by peer scores. By relative scores the take is ranked by.
    `completion` is the share of questions with a standing forecast. `take`, `share` and
    `prize` are None where the rules pay nobody, `share` and `prize` also of an entry that is
    excluded, and `share` where nobody has taken anything.
    """

    rank: int
    name: str
    included: bool
    score: float
    total: float
    coverage: float
    questions: int
    completion: float
    take: float | None = None
    share: float | None = None
    prize: float | None = None
    medal: Medal | None = None


@dataclass(frozen=True, slots=True)
class TournamentResult:
    """A scored tournament.

    `left_out` has the questions without scores, and why; `absent` who has forecasts of which
    none ever counted.
    """

    tournament: Tournament
    entries: tuple[TournamentEntry, ...]
    questions: tuple[QuestionResult, ...]
    left_out: Mapping[str, Void]
    absent: tuple[str, ...]


SUM_TOLERANCE: Final = 1e-6


def check_question(question: TournamentQuestion) -> None:
    """Refuse a question whose times or numbers cannot be.

    Raises:
        ValueError: It closes before it opens; a time or weight is out of place; its weights
            of coverage do not sum to 1; there is no such outcome; or a forecast does not fit.
    """
    QuestionKind(question.kind)
    _check_times(question)
    _check_numbers(question)
    if question.coverage:
        _check_coverage(question)
    for n, forecast in enumerate(question.forecasts, 1):
        _check_forecast(question, forecast, f"forecast {n} ({forecast.forecaster})")
    for n, forecast in enumerate(question.community, 1):
        _check_forecast(question, forecast, f"community forecast {n}")


def check_tournament(tournament: Tournament) -> None:
    """Refuse a tournament that cannot be scored.

    Raises:
        ValueError: A question does not fit (it is named), two have one id, a name is nobody's
            or an aggregate's, or the pool or the smallest prize is not an amount.
    """
    TournamentRule(tournament.rule)
    Coverage(tournament.coverage)
    seen: set[str] = set()
    for question in tournament.questions:
        if question.id in seen:
            raise ValueError(f"question {question.id}: two questions have this id")
        seen.add(question.id)
        try:
            check_question(question)
        except ValueError as error:
            raise ValueError(f"question {question.id}: {error}") from error
    _check_names(tournament)
    for name, amount in (
        ("pool", tournament.pool),
        ("minimum prize", tournament.minimum_prize),
    ):
        if amount is not None and not (isfinite(amount) and amount >= 0):
            raise ValueError(f"the {name} is an amount of 0 or more, not {amount}")


def check_value(question: TournamentQuestion, value: Value) -> None:
    """Refuse a forecast that a question of this kind cannot have.

    Raises:
        ValueError: It has another shape, leaves [0, 1], does not sum to 1, or falls.
    """
    if question.kind in {QuestionKind.BINARY, QuestionKind.DENSITY}:
        if isinstance(value, tuple):
            raise ValueError("the forecast is one number")
        top = 1.0 if question.kind == QuestionKind.BINARY else inf
        if not (isfinite(value) and 0 <= value <= top):
            what = "a probability in [0, 1]" if top == 1 else "a density, 0 or more"
            raise ValueError(f"the forecast is {what}, not {value}")
    elif not isinstance(value, tuple):
        raise ValueError("the forecast is a list of numbers")
    elif question.kind == QuestionKind.MULTIPLE_CHOICE:
        _check_options(question, value)
    else:
        _check_cumulative(question, value)


def bucket_of(
    value: float, low: float, high: float, *, buckets: int, zero_point: float | None = None
) -> int:
    """Which bucket of a range a value is in: 0 below the range, `buckets` + 1 above it.

    Buckets are equally wide between `low` and `high`, or, with a zero point, on the
    logarithmic scale that starts there. An edge belongs to the bucket below it.

    Raises:
        ValueError: The range is empty, a number is not finite, or the zero point is in it.

    >>> [bucket_of(x, 0, 10, buckets=5) for x in (-1, 0, 2, 2.1, 10, 11)]
    [0, 1, 1, 2, 5, 6]
    """
    numbers = (value, low, high, 0.0 if zero_point is None else zero_point)
    if not (all(isfinite(x) for x in numbers) and low < high and buckets >= 1):
        raise ValueError("a range has two ends, the lower one first, and a bucket")
    if not low <= value <= high:
        return 0 if value < low else buckets + 1
    place = (value - low) / (high - low)
    if zero_point is not None:
        if low <= zero_point <= high:
            raise ValueError("the zero point lies outside of the range")
        ratio = (high - zero_point) / (low - zero_point)
        place = log(1 + place * (ratio - 1)) / log(ratio)
    return min(max(int(place * buckets + 1 - 1e-10), 1), buckets)


def _check_names(tournament: Tournament) -> None:
    taken = {each.name for each in tournament.aggregates}
    if len(taken) < len(tournament.aggregates):
        raise ValueError("an aggregate is named twice")
    names = {
        forecast.forecaster
        for question in tournament.questions
        for forecast in question.forecasts
    }
    if names & taken:
        raise ValueError("a forecaster has the name of an aggregate")
    nobody = sorted((tournament.excluded | tournament.uncounted) - names)
    if nobody:
        raise ValueError(f"nobody who is excluded or uncounted is called {nobody[0]}")


def _check_times(question: TournamentQuestion) -> None:
    optional = (question.closed, question.hidden_until, question.reveal, question.spot)
    times = [question.open, question.close, *(t for t in optional if t is not None)]
    if not all(isfinite(t) for t in times):
        raise ValueError("a time is a finite number")
    if question.close <= question.open:
        raise ValueError("it closes after it opens")
    if question.closed is not None and question.closed < question.open:
        raise ValueError("it cannot have closed before it opened")
    hidden = question.hidden_until
    if hidden is not None and not question.open < hidden <= question.close:
        raise ValueError("the hidden period ends after the opening, at the close at the latest")
    if question.spot is not None and question.spot < question.open:
        raise ValueError("the time of the spot score is not before the opening")


def _check_numbers(question: TournamentQuestion) -> None:
    if not (isfinite(question.weight) and question.weight >= 0):
        raise ValueError(f"a weight is a number of 0 or more, not {question.weight}")
    if not (isfinite(question.floor) and question.floor > 0):
        raise ValueError("the smallest density is a positive number")
    if question.options < BINARY_SIDES or question.buckets < 1:
        raise ValueError("a question has at least two options, and a range one bucket")
    outcome = question.outcome
    if isinstance(outcome, Void) or question.kind == QuestionKind.DENSITY:
        return
    last = {QuestionKind.BINARY: 1, QuestionKind.MULTIPLE_CHOICE: question.options - 1}
    if not 0 <= outcome <= last.get(question.kind, question.buckets + 1):
        raise ValueError(f"there is no outcome number {outcome}")
    below = outcome == 0 and not question.open_below
    above = outcome == question.buckets + 1 and not question.open_above
    if question.kind == QuestionKind.NUMERIC and (below or above):
        raise ValueError("nothing lies beyond a closed bound")


def _check_coverage(question: TournamentQuestion) -> None:
    for period in question.coverage:
        inside = question.open <= period.start < period.end <= question.close
        if not (inside and isfinite(period.weight) and period.weight >= 0):
            raise ValueError(
                "a weight of coverage has a period of the question, and is 0 or more"
            )
    if abs(sum(period.weight for period in question.coverage) - 1) > SUM_TOLERANCE:
        raise ValueError("the weights of coverage sum to 1")


def _check_forecast(question: TournamentQuestion, forecast: TimedForecast, where: str) -> None:
    if not isfinite(forecast.at):
        raise ValueError(f"{where}: a time is a finite number")
    if forecast.value is not None:
        try:
            check_value(question, forecast.value)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from error


def _check_options(question: TournamentQuestion, value: tuple[float, ...]) -> None:
    there = [p for p in value if not isnan(p)]
    if len(value) != question.options:
        raise ValueError(f"the forecast has {question.options} options, not {len(value)}")
    if len(there) < BINARY_SIDES or not all(0 <= p <= 1 for p in there):
        raise ValueError("each option has a probability in [0, 1], or did not exist yet")
    if len(there) < len(value) and isnan(value[-1]):
        raise ValueError("where an option did not exist yet, the last one did: it is Other")
    if abs(sum(there) - 1) > SUM_TOLERANCE:
        raise ValueError(f"the probabilities sum to 1, not to {sum(there):.9g}")


def _check_cumulative(question: TournamentQuestion, value: tuple[float, ...]) -> None:
    if len(value) != question.buckets + 1:
        raise ValueError(f"the forecast has {question.buckets + 1} edges, not {len(value)}")
    if not all(isfinite(p) and 0 <= p <= 1 for p in value):
        raise ValueError("a cumulative distribution lies in [0, 1]")
    if any(b < a for a, b in pairwise(value)):
        raise ValueError("a cumulative distribution does not fall")
    below = value[0] > SUM_TOLERANCE and not question.open_below
    above = value[-1] < 1 - SUM_TOLERANCE and not question.open_above
    if below or above:
        raise ValueError("a forecast gives nothing to what lies beyond a closed bound")
