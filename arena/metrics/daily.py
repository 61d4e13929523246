"""What may be claimed by somebody who looks at the board every day."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from arena.metrics.contest import Contest
from arena.scoring.table import Forecasts
from arena.stats.promotion import DailyGains, daily_board, daily_gains


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

    An event counts on the day on which two of them first forecast the same market of it, and
    only with what was said then: its place in time must not hang on when it came out, and
    later forecasts are there only because it had not. With `by_moment` it is what was said at
    that moment; without, what each said first on that day.

    Args:
        forecasts: The rows of any contestants.
        names: Whom.
        by_moment: Whether all are asked at the same moments, as in the arena's rounds.

    Returns:
        None for forecasts over options, where a moment is not known, and where no two
        forecast the same market at the same time.
    """
    numbers = {name: n for n, name in enumerate(names)}
    column = np.array([numbers.get(n, -1) for n in forecasts.contestant.names], dtype=np.intp)
    own = forecasts.take(column[forecasts.contestant.codes] >= 0)
    if own.options is not None or np.isnat(own.at).any():
        return None
    moments, when = np.unique(
        own.at if by_moment else own.at.astype("datetime64[D]"), return_inverse=True
    )
    asked, place = np.unique(
        when * len(own.market.names) + own.market.codes, return_inverse=True
    )
    p, made = np.zeros((len(asked), len(names))), np.zeros((len(asked), len(names)), np.bool_)
    early_last = np.argsort(own.at, kind="stable")[::-1]
    at = place[early_last], column[own.contestant.codes][early_last]
    p[at], made[at] = own.p[early_last], True
    outcome, event, time = np.zeros((3, len(asked)), dtype=np.intp)
    outcome[place], event[place], time[place] = own.outcome, own.event.codes, when
    shared = np.count_nonzero(made, axis=1) > 1
    first = np.full(len(own.event.names), len(moments))
    np.minimum.at(first, event[shared], time[shared])
    kept = shared & (time == first[event])
    if not kept.any():
        return None
    day = moments[time[kept]].astype("datetime64[D]").astype(np.intp)
    return daily_gains(p[kept], outcome[kept], event[kept], day, made=made[kept])
