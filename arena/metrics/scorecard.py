"""A table of scores: who, from how many forecasts of how many events, and how sure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from arena.errors import ArenaError
from arena.metrics.measures import (
    CELLS,
    LEVEL,
    computable,
    default_metrics,
    lower_is_better,
    measure,
)
from arena.records.estimate import Estimate
from arena.scoring.logarithmic import Clip
from arena.scoring.table import Factor, Floats, Forecasts, Whole
from arena.stats.ranks import ranks


@dataclass(frozen=True, slots=True)
class Line:
    """A contestant, or a part of one, with its scores by the metrics' keys.

    `clipped` counts the forecasts whose log loss stopped at the smallest likelihood.
    """

    name: str
    part: str
    n: int
    markets: int
    events: int
    clipped: int
    rank: int | None
    scores: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class Scorecard:
    """Lines, best first within each part; a line without the value stands last, unranked."""

    rank_by: str
    level: float
    lines: tuple[Line, ...]
    by: str = ""
    left_out: Mapping[str, int] = field(default_factory=dict)


def scorecard(  # noqa: PLR0913  what is scored, and how it is laid out
    forecasts: Forecasts,
    keys: Sequence[str] = (),
    *,
    by: str = "",
    rank_by: str | None = None,
    level: float = LEVEL,
    ordered: bool = False,
) -> Scorecard:
    """Score every contestant; with `by`, every contestant in each part of a label.

    Args:
        forecasts: The rows.
        keys: Metrics of the registry; a default choice if none is named.
        by: A label of the forecasts, such as `category`.
        rank_by: The metric that orders the lines; the first that is computed, if not said.
        level: Confidence of the intervals, in (0, 1).
        ordered: Whether the options of a question stand in an order.

    Raises:
        ArenaError: A metric or a label that these forecasts do not have.
    """
    used = tuple(keys) or default_metrics(forecasts, ordered=ordered)
    first = rank_by or used[0]
    used = used if first in used else (first, *used)
    _check(used, computable(forecasts, ordered=ordered))
    groups = forecasts.contestant if not by else _split(forecasts, by)
    found = measure(used, forecasts, by=groups, level=level)
    n = np.bincount(groups.codes, minlength=len(groups.names))
    markets = _distinct(groups, forecasts.market)
    events = _distinct(groups, forecasts.event)
    clipped = _clipped(forecasts, groups)
    lines = []
    for code, name in enumerate(groups.names):
        who, _, part = name.partition("\x1f")
        if n[code]:
            scores = {key: found[key][code] for key in used}
            lines.append(
                Line(
                    name=who,
                    part=part,
                    n=int(n[code]),
                    markets=int(markets[code]),
                    events=int(events[code]),
                    clipped=int(clipped[code]),
                    rank=None,
                    scores=scores,
                )
            )
    return Scorecard(first, level, _ranked(lines, first), by, forecasts.left_out)


def _check(keys: Sequence[str], known: Sequence[str]) -> None:
    unknown = [key for key in keys if key not in known]
    if unknown:
        raise ArenaError(
            "score.metric",
            f"there is no metric {', '.join(unknown)} for these forecasts",
            hint=f"there are {', '.join(known)}",
            status=2,
        )


def _split(forecasts: Forecasts, by: str) -> Factor:
    """Each contestant in each part of a label that it has a forecast in."""
    if by not in forecasts.labels:
        raise ArenaError(
            "score.label",
            f"there is no label {by} to break scores down by",
            hint=f"there are {', '.join(sorted(forecasts.labels)) or 'none'}",
            status=2,
        )
    label, who = forecasts.labels[by], forecasts.contestant
    cell = who.codes * len(label.names) + label.codes
    there, codes = np.unique(cell, return_inverse=True)
    names = tuple(
        f"{who.names[c // len(label.names)]}\x1f{label.names[c % len(label.names)]}"
        for c in there.tolist()
    )
    return Factor(names, codes)


def _distinct(groups: Factor, column: Factor) -> Whole:
    """How many different names of a column each group has."""
    width = len(column.names)
    cell = groups.codes * width + column.codes
    if len(groups.names) * width > CELLS:
        return np.bincount(np.unique(cell) // width, minlength=len(groups.names))
    there = np.bincount(cell, minlength=len(groups.names) * width) > 0
    return (
        np.count_nonzero(there.reshape(-1, width), axis=1) if width else there.astype(np.intp)
    )


def _clipped(forecasts: Forecasts, groups: Factor) -> Whole:
    cut = given_to_outcome(forecasts) < Clip.DEFAULT.low
    return np.bincount(groups.codes[cut], minlength=len(groups.names))


def given_to_outcome(forecasts: Forecasts) -> Floats:
    """What each forecast gave to what happened, (n,)."""
    if forecasts.options is not None:
        return forecasts.options[np.arange(len(forecasts)), forecasts.outcome]
    return np.where(forecasts.outcome == 1, forecasts.p, 1 - forecasts.p)


def _ranked(lines: Sequence[Line], key: str) -> tuple[Line, ...]:
    parts: dict[str, list[Line]] = {}
    for line in lines:
        parts.setdefault(line.part, []).append(line)
    done: list[Line] = []
    for part in sorted(parts):
        valued = [line for line in parts[part] if line.scores[key].value is not None]
        values = np.array([line.scores[key].value for line in valued], dtype=np.float64)
        order = ranks(values, higher_is_better=not lower_is_better(key))
        ranked = [replace(line, rank=int(r)) for line, r in zip(valued, order, strict=True)]
        done += sorted(ranked, key=lambda line: (line.rank or 0, line.name))
        done += [line for line in parts[part] if line.scores[key].value is None]
    return tuple(done)
