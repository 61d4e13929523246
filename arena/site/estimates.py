"""How an estimate stands in a table: its value, its interval, and what it was made from."""

from arena.metrics import figures
from arena.metrics.metric import Better
from arena.metrics.registry import METRICS
from arena.records.estimate import Estimate, Interval
from arena.site import places
from arena.site.views.parts import Between, Cell, Column


def estimated(key: str, found: Estimate | None, *, counted: bool = False) -> Cell:
    """A value with its interval; `counted` adds how many things it is from."""
    if found is None or found.value is None:
        return Cell(figures.MISSING)
    return Cell(
        METRICS[key].shown(found.value),
        counted_n(found.n) if counted else "",
        found.value,
        interval_of(key, found.interval),
    )


def counted_n(n: int) -> str:
    """How many things a number is made from; the two words stay on one line."""
    return f"n\N{NO-BREAK SPACE}{figures.count(n)}"


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
    better = "" if metric.better is Better.NEITHER else metric.better.value
    return Column(key, metric.short, metric.name, formula(key, root), better)


def formula(key: str, root: str) -> str:
    """Where a metric is explained."""
    return f"{root}{places.METHODOLOGY}#{key}"
