"""The columns of the leaderboard, in six glances: what each one's cell says of a contestant."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from arena.metrics import figures
from arena.metrics.registry import LINEAR_CAVEAT, METRICS
from arena.records.estimate import Estimate, State
from arena.records.grade import Standing
from arena.site.charts.small import whisker
from arena.site.estimates import interval_of
from arena.site.overview import Profile
from arena.site.pages.standings import cells, head
from arena.site.views.leaderboard import Glance
from arena.site.views.parts import Cell, Column
from arena.store.conduct import ConductTotals

_REASONS = {
    State.OK: "no interval",
    State.EMPTY: "nothing has come out",
    State.SINGLE: "one event: no interval",
    State.TOO_FEW: "too few events for an interval",
    State.DEGENERATE: "no spread: no interval",
    State.PERFECT_REFERENCE: "the market made no error",
    State.NOT_ESTIMABLE: "cannot be estimated",
}
_OUTSIDE = "resampled events lie to one side of it"


@dataclass(frozen=True, slots=True)
class Line:
    """What the pages know of a contestant; without turns there is no `conduct`."""

    standing: Standing
    profile: Profile
    conduct: ConductTotals | None


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
    return estimate_cell(key, line.profile.scores.get(key))


def estimate_cell(key: str, found: Estimate | None) -> Cell:
    """An estimate with its interval, or with the reason why it has none."""
    if found is None:
        return Cell(figures.MISSING)
    if found.value is None:
        return Cell(figures.MISSING, _REASONS[found.state])
    text = METRICS[key].shown(found.value)
    between = interval_of(key, found.interval)
    if between is None:
        return Cell(text, _REASONS[found.state], found.value)
    inside = between.low <= found.value <= between.high
    return Cell(text, "" if inside else _OUTSIDE, found.value, between)


def axis_of(key: str, lines: Iterable[Line]) -> Axis | None:
    """An axis on which every interval of a metric has room."""
    found = [line.profile.scores[key] for line in lines if key in line.profile.scores]
    ends = [end for one in found if one.interval for end in (one.interval.low, one.interval.high)]
    values = [one.value for one in found if one.value is not None] + ends
    if not ends:
        return None
    base = 0.0 if METRICS[key].signed else None
    return Axis(min(values + ([0.0] if base is not None else [])), max(values), base)


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


def _events(_key: str, line: Line) -> Cell:
    found = [one for one in line.profile.scores.values() if one.n]
    events = max((one.events for one in found), default=0)
    rows = max((one.n for one in found), default=line.standing.forecast.n)
    return Cell(figures.count(events), figures.many(rows, "forecast"), events)


def _realised_return(key: str, line: Line) -> Cell:
    if key in line.profile.scores:
        return score(key, line)
    capital = line.standing.capital
    value = float(line.standing.realised / capital) if capital else None
    return Cell(figures.percent(value, 2, signed=True), value=value)


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


def _of_bets(key: str, line: Line) -> Cell:
    money = line.profile.money
    return estimate_cell(key, getattr(money, key) if money else None)


def _cost_each(_key: str, line: Line) -> Cell:
    cost, n = line.standing.cost, line.standing.forecast.n
    if cost is None:
        return Cell("unknown")
    value = cost / n if n else None
    return Cell(figures.dollars(value, 6), value=value)


_UNPRICED = "Open positions without a price"
_RETURN = _Shown("returned", _book, "Return, marked")
_REALISED = _Shown(
    "realised_return", _realised_return, "Return, realised", "Realised return on the capital"
)

_SUMMARY = (
    _Shown("events", _events, "Events", "Independent events with resolved forecasts"),
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
            _Shown("win_rate", _book),
            _Shown("break_even", _book),
            _Shown("ev_clv", _of_bets),
        ),
    ),
    (
        "forecasting",
        "Forecasting",
        (
            *(
                _Shown(key, score)
                for key in ("alpha", "brier", "brier_skill", "log", "mcb", "ece", "dsc", "auc")
            ),
            _Shown("stated", _book, "Bets, stated"),
            _Shown("kelly", _book, "Bets, Kelly"),
            _Shown("linear", _book, "Bets, linear"),
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
            _Shown("cost_each", _cost_each, "Per resolved forecast", "Cost of a forecast"),
            _Shown("tokens", _count, "Tokens", "Tokens read and written"),
        ),
    ),
    (
        "replies",
        "Replies",
        (
            _Shown("turns_ok", _count, "Turns ok", "Turns that could be read"),
            _Shown("turns_failed", _count, "Failed", "Turns that failed"),
            _Shown("calls", _conduct, "Calls", "Calls to a model"),
            _Shown("reasks", _conduct, "Re-asks", "Calls made again for an unreadable reply"),
            _Shown("repaired", _conduct, "Repairs", "Replies whose syntax was mended"),
            _Shown("refused", _count, "Refused", "Orders refused by the rules"),
        ),
    ),
)
_OWN_NAMES = frozenset({"events", "realised_return", "unpriced", "cost_each", "tokens"}) | {
    shown.key for shown in _GLANCES[-1][2]
}
LINEAR_NOTE = f"Brier scores of bets, linear mapping: {LINEAR_CAVEAT}."


def glances(headline: str) -> tuple[Glance, ...]:
    """The heads of all glances; the first one begins with the metric of the ranks."""
    return tuple(
        Glance(
            key,
            label,
            tuple(_head(shown) for shown in columns),
            LINEAR_NOTE if key == "forecasting" else "",
        )
        for key, label, columns in _shown(headline)
    )


def cells_of(line: Line, headline: str, axis: Axis | None) -> tuple[tuple[Cell, ...], ...]:
    """A contestant's cells, glance by glance; the metric of the ranks is drawn, too."""
    said = [
        [shown.cell(shown.key, line) for shown in columns]
        for _, _, columns in _shown(headline)
    ]
    if headline:
        said[0][0] = with_whisker(said[0][0], axis)
    return tuple(map(tuple, said))


def _shown(headline: str) -> Sequence[tuple[str, str, tuple[_Shown, ...]]]:
    first = (_Shown(headline, score),) if headline else ()
    summary = first + tuple(shown for shown in _SUMMARY if shown.key != headline)
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
