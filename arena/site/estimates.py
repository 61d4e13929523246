"""How an estimate stands in a table: its value, its interval, and what it was made from."""

from arena.metrics import figures
from arena.metrics.metric import BetterDirection
from arena.metrics.registry import METRICS
from arena.records.estimate import Estimate, Interval, State
from arena.site import places
from arena.site.pages.parts import Between, Cell, Column

_REASONS = {
    State.OK: "no interval",
    State.EMPTY: "",
    State.SINGLE: "one event: no interval",
    State.TOO_FEW: "too few events for an interval",
    State.DEGENERATE: "no spread: no interval",
    State.PERFECT_REFERENCE: "the market made no error",
    State.NOT_ESTIMABLE: "cannot be estimated",
}
_OUTSIDE = "resampled events lie to one side of it"


def estimated(key: str, estimate: Estimate | None, *, counted: bool = False) -> Cell:
    """A value with its interval, or with the reason why it has none.

    `counted` adds the n of the estimate.
    """
    if estimate is None:
        return Cell(figures.MISSING)
    if estimate.value is None:
        return Cell(figures.MISSING, _REASONS[estimate.state] if estimate.n else "")
    metric = METRICS[key]
    between = interval_of(key, estimate.interval)
    if between is None:
        reason = _REASONS[estimate.state] if metric.interval else ""
    else:
        reason = "" if between.low <= estimate.value <= between.high else _OUTSIDE
    notes = [counted_n(estimate.n)] if counted else []
    notes += [reason] if reason else []
    return Cell(metric.shown(estimate.value), ", ".join(notes), estimate.value, between)


def counted_n(n: int) -> str:
    """How many things a number is made from; the two words stay on one line."""
    return f"n\N{NO-BREAK SPACE}{figures.count(n)}"


def interval_of(key: str, interval: Interval | None) -> Between | None:
    """An interval, written in a metric's own number format."""
    if interval is None:
        return None
    shown = METRICS[key].shown
    kind = f"{figures.percent(interval.level, 0)}, {interval.method}"
    return Between(
        interval.low, interval.high, f"{shown(interval.low)} to {shown(interval.high)}", kind
    )


def head_of(key: str, root: str) -> Column:
    """The head of a metric's column, with the way to its formula."""
    metric = METRICS[key]
    better = "" if metric.better is BetterDirection.NEITHER else metric.better.value
    return Column(key, metric.short, metric.name, formula(key, root), better)


def formula(key: str, root: str) -> str:
    """Where a metric is explained."""
    return f"{root}{places.METHODOLOGY}#{key}"
