"""Providers, families and releases: compared by what their entrants can do on average."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.metrics.claims.questions import panel_of
from arena.metrics.metric_values import LEVEL, lower_is_better, mean_like, terms
from arena.records.estimate import Estimate, State
from arena.scoring.table import Factor, Flags, Floats, Forecasts, Whole
from arena.stats.comparisons.joint_losses import mean_losses
from arena.stats.shrinkage import GroupAbilities, GroupAbility, compare_groups

GroupLosses = tuple[tuple[str, ...], Floats, Whole, Flags]

ENOUGH: Final = 20  # events that everybody forecast, or each if that fails


@dataclass(frozen=True, slots=True)
class GroupLine:
    """One group: the mean of its entrants, as it is and drawn towards the mean of all groups.

    `ability` counts the forecasts of its entrants that were compared, and their events.
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
    which is measured against the price of the same question; who forecast fewer than 20
    events is left out.
    """

    label: str
    metric: str
    common: bool
    questions: int
    events: int
    lines: tuple[GroupLine, ...]
    state: State


def groups(
    forecasts: Forecasts,
    label: str,
    key: str,
    *,
    level: float = LEVEL,
    by_moment: bool = False,
) -> GroupBoard | None:
    """Compare the groups of a label that says who a contestant is.

    Entrants vary about their group, and groups about the mean of all; estimates are drawn
    together by how much they vary beyond chance. More entrants make a group's mean more
    certain and not better. Whose values are all the same has no part in it.

    Args:
        forecasts: The rows.
        label: A label, such as `provider`.
        key: The metric; where it is no mean over rows, the Brier score is taken.
        level: Of the intervals, in (0, 1).
        by_moment: Whether forecasts of a market at different moments are different questions.

    Returns:
        None where the label is not one of contestants (it differs between rows of one), or
        fewer than two groups can be compared.

    Source:
        Fay and Herriot (1979), JASA 74, in two levels.
    """
    group = _group_of(forecasts, label)
    if group is None:
        return None
    used, common = mean_like(key, forecasts), True
    table = _losses(forecasts, used, by_moment=by_moment)
    if table is None and forecasts.options is None:
        used, common = "alpha", False
        table = _losses(forecasts, used, by_moment=by_moment, gaps=True)
    if table is None:
        return None
    entrants, losses, event, made = table
    codes = np.array([group[name] for name in entrants])
    names = np.unique(codes)
    if len(names) < 2:  # noqa: PLR2004  nobody to compare with
        return None
    compared = _group_abilities((losses, event, made), codes, used, level)
    lines = [
        _line(name, summary, event, made[:, codes == name])
        for name, summary in zip(names.tolist(), compared.groups, strict=True)
    ]
    sign = 1 if lower_is_better(used) else -1
    lines.sort(key=lambda line: (sign * (line.ability.value or 0.0), line.name))
    events = len(np.unique(event))
    return GroupBoard(label, used, common, len(losses), events, tuple(lines), compared.state)


def _group_abilities(
    rows: tuple[Floats, Whole, Flags], codes: NDArray[np.str_], key: str, level: float
) -> GroupAbilities:
    means = mean_losses(*rows)
    if means.covariance is None:
        raise AssertionError("twenty events give a covariance")
    return compare_groups(
        means.means,
        means.covariance,
        np.unique(codes, return_inverse=True)[1],
        higher_is_better=not lower_is_better(key),
        level=level,
    )


def _line(name: str, group: GroupAbility, event: Whole, made: Flags) -> GroupLine:
    """A group with how many forecasts of how many events it was compared by."""
    events = len(np.unique(event[made.any(axis=1)]))
    ability = replace(group.ability, n=int(made.sum()), events=events)
    return GroupLine(name, group.entrants, group.own, ability, group.best, group.luck)


def _group_of(forecasts: Forecasts, label: str) -> dict[str, str] | None:
    """Each contestant's group by name; None where a contestant is in several."""
    column, who = forecasts.labels.get(label), forecasts.contestant
    if column is None:
        return None
    codes = np.zeros(len(who.names), dtype=np.intp)
    codes[who.codes] = column.codes
    if np.any(codes[who.codes] != column.codes):
        return None
    there = np.unique(who.codes).tolist()
    return {who.names[code]: column.names[codes[code]] for code in there}


def _varies(values: Floats, who: Factor) -> Flags:
    """The rows of those whose values differ: a copy of the price has no error to weigh."""
    least, most = np.full(len(who.names), np.inf), np.full(len(who.names), -np.inf)
    known = ~np.isnan(values)
    np.minimum.at(least, who.codes[known], values[known])
    np.maximum.at(most, who.codes[known], values[known])
    return np.asarray((least < most)[who.codes])


def _losses(
    forecasts: Forecasts, key: str, *, by_moment: bool, gaps: bool = False
) -> GroupLosses | None:
    """The contestants, losses (questions, contestants), events and where there is one.

    Without gaps only what everybody forecast; None where that is of fewer than 20 events.
    With gaps only who forecast as many; None for fewer than two.
    """
    values = terms(key, forecasts)
    values = np.where(_varies(values, forecasts.contestant), values, np.nan)
    rows = np.flatnonzero(~np.isnan(values))
    who = forecasts.contestant.take(rows).in_order()
    if len(who.names) < 2:  # noqa: PLR2004  nobody to compare with
        return None
    table = panel_of(forecasts, values, rows, who.codes, by_moment=by_moment)
    if gaps:
        events = [len(np.unique(table.events[made])) for made in table.there]
        enough = np.array(events) >= ENOUGH
        if np.count_nonzero(enough) < 2:  # noqa: PLR2004
            return None
        answered = table.there[enough].any(axis=0)
        there = tuple(name for name, e in zip(who.names, enough, strict=True) if e)
        cells = np.ix_(enough, answered)
        return there, table.losses[cells].T, table.events[answered], table.there[cells].T
    kept = table.there.all(axis=0)
    if len(np.unique(table.events[kept])) < ENOUGH:
        return None
    return who.names, table.losses.T[kept], table.events[kept], table.there.T[kept]
