"""Providers, families and releases: compared by what their entrants can do on average."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.metrics.contest import panel_of
from arena.metrics.measures import LEVEL, lower_is_better, mean_like, terms
from arena.records.estimate import Estimate, State
from arena.scoring.table import Factor, Flags, Floats, Forecasts, Whole
from arena.stats.mean_losses import mean_losses
from arena.stats.shrinkage import compare_groups

Found = tuple[Whole, Floats, Whole, Flags]

ENOUGH: Final = 20  # events that everybody forecast


@dataclass(frozen=True, slots=True)
class GroupLine:
    """One group: the mean of its entrants, as it is and drawn towards the mean of all groups.

    `best` is its best entrant, and `luck` how far the best of so many equals stands out by
    errors alone.
    """

    name: str
    entrants: int
    own: float
    ability: Estimate
    best: float
    luck: float


@dataclass(frozen=True, slots=True)
class GroupBoard:
    """Groups, best ability first.

    `metric` is what was compared, over `questions` in `events`; `common` says that everybody
    forecast all of them. Otherwise each entrant is taken on its own questions, by alpha,
    which is measured against the price of the same question.
    """

    label: str
    metric: str
    common: bool
    questions: int
    events: int
    lines: tuple[GroupLine, ...]
    state: State


def groups(
    forecasts: Forecasts, label: str, key: str, *, level: float = LEVEL
) -> GroupBoard | None:
    """Compare the groups of a label that says who a contestant is.

    Entrants vary about their group, and groups about the mean of all; estimates are drawn
    together by how much they vary beyond chance. More entrants make a group's mean more
    certain and not better.

    Args:
        forecasts: The rows.
        label: A label, such as `provider`.
        key: The metric; where it is no mean over rows, the Brier score is taken.
        level: Of the intervals, in (0, 1).

    Returns:
        None where the label is not one of contestants (it differs between rows of one), or
        names fewer than two groups, or nothing can be compared.

    Source:
        Fay and Herriot (1979), JASA 74, in two levels.
    """
    group = _group_of(forecasts, label)
    if group is None:
        return None
    used = mean_like(key, forecasts)
    found = _losses(forecasts, used)
    common = found is not None
    if found is None and forecasts.options is None:
        used = "alpha"
        found = _losses(forecasts, used, gaps=True)
    if found is None:
        return None
    there, losses, event, made = found
    means = mean_losses(losses, event, made)
    covariance = np.zeros(len(there)) if means.covariance is None else means.covariance
    codes = group.codes[there]
    told = compare_groups(
        means.means,
        covariance,
        codes,
        higher_is_better=not lower_is_better(used),
        level=level,
    )
    names = [group.names[code] for code in np.unique(codes).tolist()]
    lines = [
        GroupLine(name, g.entrants, g.own, g.ability, g.best, g.luck)
        for name, g in zip(names, told.groups, strict=True)
    ]
    sign = 1 if lower_is_better(used) else -1
    lines.sort(key=lambda line: (sign * (line.ability.value or 0.0), line.name))
    return GroupBoard(
        label,
        used,
        common,
        len(losses),
        len(np.unique(event)),
        tuple(lines),
        told.state,
    )


def _group_of(forecasts: Forecasts, label: str) -> Factor | None:
    """Each contestant's group, by its code; None where a contestant is in several."""
    column, who = forecasts.labels.get(label), forecasts.contestant
    if column is None or not len(forecasts):
        return None
    codes = np.zeros(len(who.names), dtype=np.intp)
    codes[who.codes] = column.codes
    if np.any(codes[who.codes] != column.codes):
        return None
    there = codes[np.unique(who.codes)]
    return Factor(column.names, codes) if len(np.unique(there)) > 1 else None


def _losses(forecasts: Forecasts, key: str, *, gaps: bool = False) -> Found | None:
    """Contestants' codes, losses (questions, contestants), events and where there is one.

    Without gaps only what everybody forecast; None where that is of fewer than 20 events.
    """
    values = terms(key, forecasts)
    rows = np.flatnonzero(~np.isnan(values))
    there, who = np.unique(forecasts.contestant.codes[rows], return_inverse=True)
    if len(there) < 2:  # noqa: PLR2004  nobody to compare with
        return None
    table = panel_of(forecasts, values, rows, who, by_moment=False)
    if gaps:
        return there, table.losses.T, table.events, table.there.T
    kept = table.there.all(axis=0)
    if len(np.unique(table.events[kept])) < ENOUGH:
        return None
    return there, table.losses.T[kept], table.events[kept], table.there.T[kept]
