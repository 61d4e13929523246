"""What may be claimed by somebody who looks at the board every day."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from arena.metrics.contest import Contest
from arena.scoring.table import Flags, Floats, Forecasts, Whole
from arena.stats.promotion import DailyGains, daily_board, daily_gains

NEVER: Final = np.iinfo(np.int64).min  # the day of what has none


def with_daily(found: Contest, forecasts: Forecasts, *, by_moment: bool = False) -> Contest:
    """Add to each claim of a contest what holds after a look on every day.

    It is about Brier scores, whatever the contest's metric, and about all pairs together:
    see `daily_of` for what counts. Nothing is added where there are no moments to go by, or
    no two forecast anything at the same time.

    Source:
        `arena.stats.promotion`: bets with known bounds, Ville's inequality, and the closed
        testing of Vovk and Wang (2021), Annals of Statistics 49.
    """
    names = list(found.ranks)
    daily = daily_of(forecasts, names, by_moment=by_moment)
    if daily is None:
        return found
    levels = daily_board(daily, len(names)).p[-1]
    claims = []
    for claim in found.claims:
        i, j = names.index(claim.first), names.index(claim.second)
        least = float(min(levels[i, j], levels[j, i]))
        better = claim.first if levels[i, j] < levels[j, i] else claim.second
        told = better if least < 1 - found.level else None
        claims.append(replace(claim, p_anytime=least, better_anytime=told))
    return replace(found, claims=tuple(claims))


def daily_of(
    forecasts: Forecasts, names: Sequence[str], *, by_moment: bool = False
) -> DailyGains | None:
    """What the first of each pair gained on the second, each event once.

    An event counts with what was said when two of them first forecast the same market of it:
    later forecasts are there only because it had not come out. With `by_moment` that is what
    was said at that moment; without, what each said first on that day.

    It counts on a day that does not hang on its outcome: the one on which its market was to
    close, the first such day of several markets, or where nobody said when, the day of the
    forecast. Of what has been forecast, the first to come out are those that happened early;
    so days count only up to the first on which something that was asked is still waiting,
    and none do where that is not known.

    Args:
        forecasts: The rows of any contestants.
        names: Whom.
        by_moment: Whether all are asked at the same moments, as in the arena's rounds.

    Returns:
        None for forecasts over options, where a moment is not known, and where there is no
        day that counts.
    """
    rows = _rows_of(forecasts, names)
    if rows is None or not len(rows.who):
        return None
    said = rows.at if by_moment else rows.at.astype("datetime64[D]")
    when = np.unique(said, return_inverse=True)[1]
    cells = when * len(forecasts.market.names) + rows.market
    asked, first_row, place = np.unique(cells, return_index=True, return_inverse=True)
    p, made = np.zeros((len(asked), len(names))), np.zeros((len(asked), len(names)), np.bool_)
    early_last = np.argsort(rows.at, kind="stable")[::-1]
    p[place[early_last], rows.who[early_last]] = rows.p[early_last]
    made[place, rows.who] = True
    outcome, event, time, day = (
        column[first_row] for column in (rows.outcome, rows.event, when, rows.day)
    )
    counts = _least(time, event, np.count_nonzero(made, axis=1) > 1)
    counts = _least(day, event, counts & (day > NEVER))
    open_days = day[counts & (outcome < 0)]
    if open_days.size:
        counts &= day < open_days.min()
    if not counts.any():
        return None
    return daily_gains(
        p[counts], outcome[counts], event[counts], day[counts], made=made[counts]
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """Rows of the named contestants; the outcome is -1 for what has not come out."""

    who: Whole
    market: Whole
    event: Whole
    at: NDArray[np.datetime64]
    day: Whole
    p: Floats
    outcome: Whole


def _rows_of(forecasts: Forecasts, names: Sequence[str]) -> _Rows | None:
    numbers = {name: n for n, name in enumerate(names)}
    column = np.array([numbers.get(n, -1) for n in forecasts.contestant.names], dtype=np.intp)
    waiting = forecasts.waiting
    if forecasts.options is not None or (
        waiting is None and forecasts.left_out.get("outcome_missing")
    ):
        return None
    parts = [forecasts] if waiting is None else [forecasts, waiting]
    found = [part.take(column[part.contestant.codes] >= 0) for part in parts]
    at = np.concatenate([part.at for part in found])
    if np.isnat(at).any():
        return None
    due = np.concatenate([part.at if part.due is None else part.due for part in found])
    day = np.maximum(due, at).astype("datetime64[D]")
    return _Rows(
        who=column[np.concatenate([part.contestant.codes for part in found])],
        market=np.concatenate([part.market.codes for part in found]),
        event=np.concatenate([part.event.codes for part in found]),
        at=at,
        day=np.where(np.isnat(day), NEVER, day.astype(np.int64)),
        p=np.concatenate([part.p for part in found]),
        outcome=np.concatenate(
            [found[0].outcome, *(np.full(len(part), -1) for part in found[1:])]
        ),
    )


def _least(time: Whole, event: Whole, counts: Flags) -> Flags:
    """Which of what counts is of its event's earliest."""
    first = np.full(int(event.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(first, event[counts], time[counts])
    return np.asarray(counts & (time == first[event]))
