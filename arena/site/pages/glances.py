"""The columns of the leaderboard, in six glances: what each one's cell says of a contestant."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from arena.metrics import figures
from arena.metrics.registry import LINEAR_CAVEAT, METRICS
from arena.records.estimate import Estimate
from arena.records.grade import Standing
from arena.site.charts.small import whisker
from arena.site.estimates import estimated
from arena.site.overview import Profile
from arena.site.pages.standings import cells, head, realised
from arena.site.views.leaderboard import Glance
from arena.site.views.parts import Cell, Column
from arena.store.conduct import ConductTotals


@dataclass(frozen=True, slots=True)
class Line:
    """What the pages know of a contestant; without turns there is no `conduct`.

    `first` is how often it came first when events were resampled.
    """

    standing: Standing
    profile: Profile
    conduct: ConductTotals | None
    first: float | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    """Where whiskers of a column begin and end, and what their reader compares them with."""

    least: float
    most: float
    base: float | None


@dataclass(frozen=True, slots=True)
class _Shown:
    """A column: its cell, and what it is called where it is not what its metric is called."""

    key: str
    cell: Callable[[str, Line], Cell]
    label: str = ""
    name: str = ""


def score(key: str, line: Line) -> Cell:
    """An estimate with its interval, or with the reason why it has none."""
    return estimated(key, estimate_of(key, line))


def estimate_of(key: str, line: Line) -> Estimate | None:
    """What is estimated of a contestant; of two, the one that has an interval."""
    found = line.profile.scores.get(key)
    curve = line.profile.reliability
    if curve and key in curve.scores and not (found and found.interval):
        return curve.scores[key]
    return found


def axis_of(key: str, lines: Iterable[Line]) -> Axis | None:
    """An axis for the intervals of a metric: where most of them are, so that they are seen.

    What lies beyond the quartiles by more than their distance is drawn with an arrow.
    """
    found = [one for one in (estimate_of(key, line) for line in lines) if one]
    values = sorted(one.value for one in found if one.value is not None)
    ends = [
        end for one in found if one.interval for end in (one.interval.low, one.interval.high)
    ]
    if not values or not ends:
        return None
    low, high = values[len(values) // 4], values[-1 - len(values) // 4]
    room = (high - low) or max(ends) - min(ends)
    base = [0.0] if METRICS[key].signed else []
    least = max(min(ends), low - room)
    most = min(max(ends), high + room)
    return Axis(min([least, *base]), max([most, *base]), base[0] if base else None)


def with_whisker(cell: Cell, axis: Axis | None) -> Cell:
    """The same cell with its interval drawn; as it was where it has none."""
    if axis is None or cell.between is None or not isinstance(cell.value, float):
        return cell
    between = cell.between
    drawn = whisker(
        cell.value,
        between.low,
        between.high,
        least=axis.least,
        most=axis.most,
        base=axis.base,
    )
    return replace(cell, between=replace(between, drawn=drawn))


def _book(key: str, line: Line) -> Cell:
    return cells((key,), line.standing)[0]


def _of_bets(key: str, line: Line) -> Cell:
    """A mean over bets with its n: what is estimated of it, or the books' own."""
    found = estimate_of(key, line)
    if found is None or found.value is None:
        return _book(key, line)
    return estimated(key, found, counted=True)


def _realised(key: str, line: Line) -> Cell:
    return realised(key, line.standing, estimate_of(key, line))


def _events_of(headline: str, key: str, line: Line) -> Cell:
    """From how many events the forecasts behind a headline are, and how many these are."""
    found = estimate_of(headline or "forecast", line)
    if found is None:
        n = line.standing.forecast.n
        return Cell(figures.MISSING, f"n {figures.count(n)}")
    return Cell(METRICS[key].shown(found.events), f"n {figures.count(found.n)}", found.events)


def _first(key: str, line: Line) -> Cell:
    return Cell(METRICS[key].shown(line.first), value=line.first)


def _amount(key: str, line: Line) -> Cell:
    value = getattr(line.standing, key)
    return Cell(METRICS[key].shown(value), value=value)


def _count(key: str, line: Line) -> Cell:
    value = int(getattr(line.standing, key))
    return Cell(figures.count(value), value=value)


def _conduct(key: str, line: Line) -> Cell:
    if line.conduct is None:
        return Cell(figures.MISSING)
    value = int(getattr(line.conduct, key))
    return Cell(figures.count(value), value=value)


_UNPRICED = "Open positions without a price"
_RETURN = _Shown("returned", _book, "Return, marked")
_REALISED = _Shown("realised_return", _realised, "Return, realised")

_SUMMARY = (
    _RETURN,
    _REALISED,
    _Shown("brier", score),
    _Shown("cost", _book),
)
_GLANCES = (
    (
        "returns",
        "Returns",
        (
            _RETURN,
            _Shown("pnl", _book, "P/L, marked"),
            _Shown("realised", _book, "P/L, realised"),
            _Shown("unrealised", _book, "P/L, open"),
            _REALISED,
            _Shown("fees", _amount),
            _Shown("win_rate", _of_bets),
            _Shown("break_even", _book),
            _Shown("ev_clv", score),
        ),
    ),
    (
        "forecasting",
        "Forecasting",
        (
            *(
                _Shown(key, score)
                for key in ("alpha", "brier", "brier_skill", "log", "mcb", "ece", "dsc")
            ),
            _Shown("stated", _of_bets, "Bets, stated"),
            _Shown("kelly", _of_bets, "Bets, Kelly"),
            _Shown("linear", _of_bets, "Bets, linear"),
        ),
    ),
    (
        "risk",
        "Risk",
        (
            *(_Shown(key, score) for key in ("max_drawdown", "volatility", "worst_day")),
            _Shown("open", _count),
            _Shown("unpriced", _count, "Unpriced", _UNPRICED),
        ),
    ),
    (
        "cost",
        "Cost",
        (
            _Shown("cost", _book),
            _Shown("cost_per_forecast", score),
            _Shown("tokens", _count),
            _Shown("latency", score),
        ),
    ),
    (
        "replies",
        "Replies",
        (
            _Shown("turns_ok", _count, "Turns ok", "Turns that could be read"),
            _Shown("turns_failed", _count, "Failed", "Turns that failed"),
            _Shown("calls", _conduct),
            _Shown("reasks", _conduct, "Re-asks", "Calls made again for an unreadable reply"),
            _Shown("repaired", _conduct, "Repairs", "Replies whose syntax was mended"),
            _Shown("refused", _count, "Refused", "Orders refused by the rules"),
        ),
    ),
)
_OWN_NAMES = frozenset({"unpriced"}) | {shown.key for shown in _GLANCES[-1][2]}
LINEAR_NOTE = f"Brier scores of bets, linear mapping: {LINEAR_CAVEAT}."
FEES_NOTE = "P/L, realised and open: before fees. P/L, marked, and both returns: less fees."
FIRST_NOTE = "P(first) is over questions that all answered, ranks over all that each answered."
_NOTES = {"summary": FIRST_NOTE, "returns": FEES_NOTE, "forecasting": LINEAR_NOTE}


def glances(headline: str) -> tuple[Glance, ...]:
    """The heads of all glances; the first one begins with the metric of the ranks."""
    return tuple(
        Glance(
            key,
            label,
            tuple(_head(shown) for shown in columns),
            _NOTES.get(key, ""),
        )
        for key, label, columns in _shown(headline)
    )


def cells_of(line: Line, headline: str, axis: Axis | None) -> tuple[tuple[Cell, ...], ...]:
    """A contestant's cells, glance by glance; the metric of the ranks is drawn, too."""
    said = [
        [shown.cell(shown.key, line) for shown in columns] for _, _, columns in _shown(headline)
    ]
    if headline:
        said[0][0] = with_whisker(said[0][0], axis)
    return tuple(map(tuple, said))


def _shown(headline: str) -> Sequence[tuple[str, str, tuple[_Shown, ...]]]:
    first = (_Shown(headline, score),) if headline else ()
    weight = (
        _Shown("first", _first),
        _Shown("forecasts_n", partial(_events_of, headline), "Events"),
    )
    rest = (shown for shown in _SUMMARY if shown.key != headline)
    summary = (*first, *weight, *rest)
    return [
        (key, label, tuple(shown for shown in columns if _is_known(shown.key)))
        for key, label, columns in (("summary", "Summary", summary), *_GLANCES)
    ]


def _is_known(key: str) -> bool:
    return key in METRICS or key in _OWN_NAMES


def _head(shown: _Shown) -> Column:
    if shown.key in METRICS:
        return head(shown.key, "", shown.label)
    return Column(shown.key, shown.label, shown.name, "")
