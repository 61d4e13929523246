"""How an estimate stands in a table: its value, its interval, and what it was made from."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, sqrt
from typing import Final, TypeVar

from arena.metrics import figures
from arena.metrics.claims.questions import Claim
from arena.metrics.metric import BetterDirection, Metric
from arena.metrics.pair_test import LEAST
from arena.metrics.registry import METRICS
from arena.records.cohort import ContestantId
from arena.records.estimate import Estimate, Interval, State
from arena.scoring.leaderboard import brier_score
from arena.site import places
from arena.site.charts.subjects import Scale
from arena.site.pages.parts import Between, Cell, Column, Field, Table
from arena.stats.comparisons.difference import events_needed

_SMALL: Final = 0.0001

Claims = Mapping[frozenset[str], Claim]
Row = TypeVar("Row")
# A column's head and its kind, the metric that the head leads to or "", and the cell of a row.
TableColumn = tuple[str, str, str, Callable[[Row], Cell]]


@dataclass(frozen=True, slots=True)
class Versus:
    """What the common questions of two say, `one` less `other`; None where they say nothing."""

    one: ContestantId
    other: ContestantId
    claim: Claim
    level: float

    @property
    def difference(self) -> float | None:
        """The mean difference."""
        estimate = self.claim.test.estimate
        return estimate if estimate is None else self._sign * estimate + 0.0

    @property
    def between(self) -> Between | None:
        """Its interval, for this pair alone."""
        interval = self.claim.interval
        if interval is not None and self._sign < 0:
            interval = Interval(-interval.high, -interval.low, interval.level, interval.method)
        return interval_of("difference", interval)

    @property
    def needed(self) -> int | None:
        """How many events would show the difference; None for too few to say."""
        test = self.claim.test
        if test.events < LEAST or test.estimate is None or test.se is None:
            return None
        spread = test.se * sqrt(test.events)
        events = events_needed(test.estimate, spread, significance=1 - self.level)
        return None if events is None else max(2, ceil(events))

    @property
    def _sign(self) -> int:
        return 1 if self.claim.first == self.one else -1

    def shown(self) -> Cell:
        """The difference with its interval."""
        text = METRICS["difference"].shown(self.difference)
        return Cell(text, "", self.difference, self.between)

    def common(self) -> Cell:
        """How many questions and events both answered."""
        test = self.claim.test
        return count_cell(test.n, figures.many(test.events, "event"))


def claims_of(claims: Iterable[Claim]) -> Claims:
    """Claims by the two they are about."""
    return {frozenset((claim.first, claim.second)): claim for claim in claims}


def compare_command(metric: str, *names: str) -> str:
    """The command that tests two, or without names every pair, by the metric of the pages."""
    return " ".join(("arena compare", *names, "--metric", metric))


def p_words(p: float | None) -> str:
    """A p-value; one that would be written as 0 is said to be below what can be written."""
    if p is not None and p < _SMALL:
        return f"<{METRICS['holm_p'].shown(_SMALL)}"
    return METRICS["holm_p"].shown(p)


def p_cell(p: float | None) -> Cell:
    """A p-value in a table."""
    return Cell(p_words(p), value=p)


def metric_cell(key: str, value: Decimal | float | None, note: str = "") -> Cell:
    """A value without an interval, as its metric is written."""
    return Cell(METRICS[key].shown(value), note, value)


def count_cell(n: int | None, note: str = "") -> Cell:
    """A number of things; n/a where it is not known."""
    return Cell(figures.MISSING if n is None else figures.count(n), note, n)


def brier_cell(probability: float | None, truth: int | None) -> Cell:
    """The Brier score of a forecast; n/a where there is nothing to score."""
    if probability is None or truth is None:
        return Cell(figures.MISSING)
    return metric_cell("brier", brier_score(probability, truth))


_REASONS = {
    State.OK: "no interval",
    State.EMPTY: "",
    State.SINGLE: "one event: no interval",
    State.TOO_FEW: "too few events for an interval",
    State.DEGENERATE: "the values do not vary: no interval",
    State.PERFECT_REFERENCE: "the market made no error",
    State.NOT_ESTIMABLE: "cannot be estimated",
}
_OUTSIDE = "the interval does not contain the estimate"


def estimated(key: str, estimate: Estimate | None, *, counted: bool = False) -> Cell:
    """A value with its interval, or with the reason why it has none.

    `counted` adds the n of the estimate.
    """
    if estimate is None:
        return Cell(figures.MISSING)
    metric, why = METRICS[key], _REASONS[estimate.state]
    if "over cohorts" in metric.interval:
        why = why.replace("event", "cohort")
    if estimate.value is None:
        return Cell(figures.MISSING, why if estimate.n else "")
    between = interval_of(key, estimate.interval)
    if between is None:
        reason = why if metric.interval else ""
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


def scale_of(metric: Metric) -> Scale:
    """The axis of a metric; one of a difference has the line of zero."""
    return Scale(metric.short, metric.shown, base=0.0 if metric.signed else None)


def head_of(key: str, root: str, label: str = "") -> Column:
    """The head of a metric's column, under its short name unless another is given."""
    metric = METRICS[key]
    better = "" if metric.better is BetterDirection.NEITHER else metric.better.value
    return Column(key, label or metric.short, metric.name, formula(key, root), better)


def formula(key: str, root: str) -> str:
    """Where a metric is explained."""
    return f"{root}{places.METHODOLOGY}#{key}"


def table_of(
    label: str,
    rows: Iterable[Row],
    columns: Sequence[TableColumn[Row]],
    root: str,
    caption: str = "",
) -> Table | None:
    """A table with a line for each row, with the kinds of `Field`; None without a row."""
    listed = tuple(rows)
    if not listed:
        return None
    return Table(
        label,
        tuple(
            Field(head, kind, formula(key, root) if key else "")
            for head, kind, key, _ in columns
        ),
        tuple(tuple(cell(row) for *_, cell in columns) for row in listed),
        caption,
    )
