"""Two contestants compared by every test there is, each under its name."""

from dataclasses import dataclass, replace
from math import ceil, sqrt
from typing import Final

import numpy as np

from arena.errors import ArenaError, nearest
from arena.metrics.claims.board_claims import board_claims
from arena.metrics.claims.questions import Claim, panel_of
from arena.metrics.metric_values import LEVEL, is_mean, terms, unknown_contestant
from arena.metrics.registry import PAIRED, PAIRED_WORDS
from arena.records.claim import ClaimBasis, Scope
from arena.records.estimate import Estimate, Interval, Test
from arena.scoring.table import Floats, Forecasts, Whole
from arena.stats.bootstrap import (
    BootstrapMethod,
    BootstrapOptions,
    cluster_bootstrap,
    generator,
    sign_flip,
)
from arena.stats.comparisons.difference import events_needed
from arena.stats.diebold_mariano import (
    diebold_mariano,
    dm_bandwidth_as_horizon,
    dm_ewc,
    dm_textbook,
    naive_z,
)
from arena.stats.mean_intervals import mean_test

LEAST: Final = 10  # events in a row before a test of a series in time says anything
FEWEST: Final = 15  # events below which no bootstrap is worth printing
DRAWS: Final = 9_999
ANTI_CONSERVATIVE: Final = frozenset({"naive Z", "Diebold-Mariano, bandwidth as horizon"})


@dataclass(frozen=True, slots=True)
class Duel:
    """The difference of two contestants: the first's metric less the second's.

    `better` is who is shown to be better by the board's rule, with nobody else compared, and
    `p` the p-value of all its looks, None where there was none. `estimate` and `default` are
    of one look at what has resolved. `tests` are others to compare them with, some known to
    be anti-conservative in such data: see `ANTI_CONSERVATIVE`. `needed` is how many events
    would show a difference as large as this one with a power of 80 %.
    """

    metric: str
    first: str
    second: str
    questions: int
    events: int
    estimate: Estimate
    default: Test
    intervals: tuple[Interval, ...]
    tests: tuple[Test, ...]
    needed: int | None
    better: str | None
    p: float | None
    basis: ClaimBasis


def duel(  # noqa: PLR0913  what is compared, and by which board's rule
    forecasts: Forecasts,
    names: tuple[str, str],
    key: str,
    *,
    level: float = LEVEL,
    by_moment: bool = False,
    scope: Scope | None = None,
) -> Duel:
    """Compare two contestants on the questions that both answered.

    Args:
        forecasts: The rows of any contestants.
        names: The two contestants.
        key: A metric that is a mean over rows.
        level: Confidence, in (0, 1).
        by_moment: Whether forecasts of a market at different moments are different questions.
        scope: The board; None for a file of somebody's own, which is looked at once.

    Raises:
        ArenaError: One has no resolved forecast, the metric is no mean, or they have no
            question in common.
    """
    rows, who = _rows_of(forecasts, names, key)
    contest = board_claims(
        _of_pair(forecasts, names), key, level=level, by_moment=by_moment, scope=scope
    ).contest
    forecasts = replace(forecasts, event=forecasts.event.in_order(), waiting=None)
    values = terms(key, forecasts)
    table = panel_of(forecasts, values, rows, who, by_moment=by_moment)
    both = table.there.all(axis=0)
    if not both.any():
        raise ArenaError(
            "compare.nothing",
            f"{names[0]} and {names[1]} have no resolved question in common",
            hint="`arena score` shows who answered how much",
            status=2,
        )
    differences, events = (table.losses[0] - table.losses[1])[both], table.events[both]
    if contest is None:
        raise AssertionError("two who have a question in common are compared")
    (claim,) = contest.claims
    sign = 1 if claim.first == names[0] else -1
    estimate = _estimate(claim, sign)
    series = _in_time(forecasts, rows, differences, events)
    return Duel(
        metric=key,
        first=names[0],
        second=names[1],
        questions=len(differences),
        events=estimate.events,
        estimate=estimate,
        default=_turned(claim.test, sign),
        intervals=_intervals(differences, events, names, level),
        tests=_tests(differences, events, series, names),
        needed=_events_needed(estimate, 1 - level),
        better=claim.better,
        p=claim.p_anytime,
        basis=contest.basis,
    )


def _of_pair(forecasts: Forecasts, names: tuple[str, str]) -> Forecasts:
    is_named = np.array([name in names for name in forecasts.contestant.names], np.bool_)
    waiting = forecasts.waiting
    if waiting is not None:
        waiting = waiting.take(is_named[waiting.contestant.codes])
    return replace(forecasts.take(is_named[forecasts.contestant.codes]), waiting=waiting)


def _turned(test: Test, sign: int) -> Test:
    if sign > 0 or test.estimate is None:
        return test
    statistic = None if test.statistic is None else -test.statistic
    return replace(test, estimate=-test.estimate, statistic=statistic)


def _estimate(claim: Claim, sign: int) -> Estimate:
    test, between = _turned(claim.test, sign), claim.interval
    if between is not None and sign < 0:
        between = replace(between, low=-between.high, high=-between.low)
    df = test.df[0] if test.df else None
    return Estimate(test.estimate, test.n, test.events, test.se, df, between, test.state)


def no_mean(key: str) -> ArenaError:
    """The error for a metric that is no mean, by which pairs cannot be compared."""
    near = nearest(key, PAIRED)
    meant = f"did you mean {near}? " if near and near != key else ""
    return ArenaError(
        "score.metric",
        f"{key} is not a mean over such forecasts, so a difference of it has no paired test",
        hint=f"{meant}take {PAIRED_WORDS}",
        status=2,
    )


def _rows_of(forecasts: Forecasts, names: tuple[str, str], key: str) -> tuple[Whole, Whole]:
    if names[0] == names[1]:
        raise ArenaError(
            "compare.same",
            f"{names[0]} does not differ from itself",
            hint="name two contestants",
            status=2,
        )
    if not is_mean(key, forecasts):
        raise no_mean(key)
    codes = [forecasts.contestant.code(name) for name in names]
    valued = ~np.isnan(terms(key, forecasts))
    for name, code in zip(names, codes, strict=True):
        if code is None or not np.any(forecasts.contestant.codes[valued] == code):
            raise unknown_contestant(name, forecasts.contestant.in_order().names)
    who = forecasts.contestant.codes
    rows = np.flatnonzero(valued & ((who == codes[0]) | (who == codes[1])))
    return rows, (who[rows] == codes[1]).astype(np.intp)


def _in_time(
    forecasts: Forecasts, rows: Whole, differences: Floats, events: Whole
) -> Floats | None:
    """What each event adds to the mean, times their number, in the order of last forecasts.

    The mean of the series is that of all rows. None where a moment is not known.
    """
    at = forecasts.at[rows]
    if np.isnat(at).any():
        return None
    last = np.full(len(forecasts.event.names), at.min())
    np.maximum.at(last, forecasts.event.codes[rows], at)
    there, place = np.unique(events, return_inverse=True)
    parts = np.bincount(place, weights=differences) * (len(there) / len(differences))
    return np.asarray(parts[np.lexsort((there, last[there]))], np.float64)


def _intervals(
    differences: Floats, events: Whole, names: tuple[str, str], level: float
) -> tuple[Interval, ...]:
    intervals: list[Interval] = []
    if len(np.unique(events)) < FEWEST:
        return ()
    for method in (
        BootstrapMethod.STUDENTISED,
        BootstrapMethod.BCA,
        BootstrapMethod.PERCENTILE,
    ):
        rng = generator("compare", *names, method.value)
        how = BootstrapOptions(method, level=level, draws=DRAWS)
        again = cluster_bootstrap(differences, events, rng, how)
        if again.interval is not None:
            intervals.append(again.interval)
    return tuple(intervals)


def _tests(
    differences: Floats, events: Whole, series: Floats | None, names: tuple[str, str]
) -> tuple[Test, ...]:
    rng = generator("compare", *names, "sign flip")
    tests = [mean_test(differences, events), sign_flip(differences, rng, events=events)]
    if series is not None and len(series) >= LEAST:
        tests += [
            comparison.test
            for comparison in (
                diebold_mariano(series),
                dm_ewc(series),
                dm_textbook(series),
                dm_bandwidth_as_horizon(series),
            )
        ]
    if len(differences) > 1:
        tests.append(naive_z(differences).test)
    return tuple(tests)


def _events_needed(estimate: Estimate, significance: float) -> int | None:
    """How many such events would show the estimate, were it the true difference."""
    if estimate.events < LEAST or estimate.value is None or estimate.se is None:
        return None
    sd = estimate.se * sqrt(estimate.events)
    events = events_needed(estimate.value, sd, significance=significance)
    return None if events is None else max(2, ceil(events))
