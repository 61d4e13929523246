"""How an estimate stands in a table: its value, its interval, and what it was made from."""

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.estimate import Estimate, Interval
from arena.site import places
from arena.site.views.parts import Between, Cell, Column


def estimated(key: str, found: Estimate | None, *, counted: bool = False) -> Cell:
    """A value with its interval; `counted` adds how many forecasts and events it is from."""
    if found is None or found.value is None:
        return Cell(figures.MISSING)
    between = interval_of(key, found.interval)
    note = between.text if between else ""
    if counted:
        note = ", ".join(part for part in (note, f"n {figures.count(found.n)}") if part)
    return Cell(METRICS[key].shown(found.value), note, found.value, between)


def interval_of(key: str, found: Interval | None) -> Between | None:
    """An interval in a metric's own figures."""
    if found is None:
        return None
    shown = METRICS[key].shown
    kind = f"{figures.percent(found.level, 0)}, {found.method}"
    return Between(found.low, found.high, f"{shown(found.low)} to {shown(found.high)}", kind)


def head_of(key: str, root: str) -> Column:
    """The head of a metric's column, with the way to its formula."""
    metric = METRICS[key]
    return Column(key, metric.short, metric.name, formula(key, root))


def formula(key: str, root: str) -> str:
    """Where a metric is explained."""
    return f"{root}{places.METHODOLOGY}#{key}"
