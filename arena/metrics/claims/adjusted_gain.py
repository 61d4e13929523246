"""The gain over the market as if everybody had answered every question.

Who leaves out the hard questions has a better mean and is no better. A gain is read as
contestant + question + noise, the market's own gain being 0 on every question, and fitted by
least squares: only differences on the same questions count.
"""

from collections.abc import Mapping
from typing import Final

import numpy as np
from scipy.special import fdtri, stdtrit

from arena.metrics.claims.questions import question_codes
from arena.metrics.claims.widened_intervals import BEYOND_CHANCE, LEAST_DF, shared
from arena.metrics.metric_values import LEVEL, terms
from arena.records.claim import Source
from arena.records.estimate import Estimate, Interval, State
from arena.scoring.difficulty import TwoWay, effect_covariance, panel, two_way
from arena.scoring.table import Floats, Forecasts, Whole
from arena.stats.columns import compact, no_spread

GAIN: Final = "alpha"
ADJUSTED_GAIN: Final = "alpha_adjusted"


def adjusted_gains(
    forecasts: Forecasts, *, level: float = LEVEL, by_moment: bool = False
) -> Mapping[str, Estimate]:
    """Each contestant's gain over the market on all questions that have a price, by name.

    The interval is that of the difference of two effects, t by event, or by the day, the
    week, the week of asking or the category where these make it wider than chance alone does.

    Args:
        forecasts: Yes/no forecasts.
        level: Confidence of the intervals, in (0, 1).
        by_moment: Whether forecasts of a market at different moments are different questions.

    Returns:
        Nobody where no price is known; NOT_ESTIMABLE and TOO_FEW as the fit says, SINGLE of one
        event. A copy of the price has 0, whatever it left out.

    Source:
        Abowd, Kramarz and Margolis (1999), Econometrica 67; Liang and Zeger (1986),
        Biometrika 73.
    """
    values = terms(GAIN, forecasts)
    priced = np.flatnonzero(~np.isnan(values))
    if not priced.size:
        return {}
    rows = forecasts.take(priced)
    who = rows.contestant.in_order()
    question = question_codes(rows, by_moment=by_moment)
    first = np.unique(question, return_index=True)[1]
    market = len(who.names)
    fit = two_way(
        panel(
            np.concatenate([who.codes, np.full(first.size, market)]),
            np.concatenate([question, question[first]]),
            np.concatenate([values[priced], np.zeros(first.size)]),
        )
    )
    if fit is None:
        raise AssertionError("there are rows")
    every = np.concatenate([np.arange(priced.size), first])
    clusters = {Source.EVENT: rows.event.codes, **shared(rows).clusters}
    spreads = {source: _spread(fit, codes[every]) for source, codes in clusters.items()}
    estimates = {}
    for code, name in enumerate(who.names):
        own = who.codes == code
        events = rows.event.take(own).used()
        if not values[priced][own].any():
            estimate = Estimate(0.0, int(own.sum()), events, state=State.DEGENERATE)
        else:
            mine = {source: _clusters(codes[own]) for source, codes in clusters.items()}
            estimate = _estimate(fit, code, (spreads, mine), (int(own.sum()), events, level))
        estimates[name] = estimate
    return estimates


def _spread(fit: TwoWay, codes: Whole) -> Floats | None:
    """Variances of the effects over the market's, which comes last, without a factor for G."""
    names, cluster = compact(codes)
    covariance = effect_covariance(fit, cluster=cluster)
    if covariance is None:
        return None
    own = np.diag(covariance)
    return np.asarray(own + own[-1] - 2 * covariance[:, -1]) * (1 - 1 / len(names))


def _clusters(codes: Whole) -> tuple[float, float]:
    """The factor g / (g - 1) of g clusters, and degrees of freedom: fewer of unlike sizes."""
    counts = np.bincount(compact(codes)[1]).astype(np.float64)
    g = counts.size
    worth = min(float(g), float(counts.sum() ** 2 / (counts**2).sum()))
    return g / max(g - 1, 1), worth - 1


def _estimate(
    fit: TwoWay,
    code: int,
    by: tuple[Mapping[Source, Floats | None], Mapping[Source, tuple[float, float]]],
    how: tuple[int, int, float],
) -> Estimate:
    """One effect over the market's, as sure as the clusters of its own rows make it."""
    (spreads, mine), (n, events, level) = by, how
    if fit.panel.group[code] != fit.panel.group[-1]:
        return Estimate(None, n, events, state=State.NOT_ESTIMABLE)
    value = float(fit.effect[code] - fit.effect[-1])
    spread, (factor, df) = spreads[Source.EVENT], mine[Source.EVENT]
    if spread is None or df <= 0:
        state = State.SINGLE if events == 1 else State.TOO_FEW
        return Estimate(value, n, events, state=state)
    by_event = float(spread[code]) * factor
    best = (by_event, df, Source.EVENT)
    for source, variances in spreads.items():
        factor, own = mine[source]
        if variances is None or own < LEAST_DF:
            continue
        variance, ratio = float(variances[code]) * factor, fdtri(own, df, BEYOND_CHANCE)
        if variance > max(best[0], by_event * float(ratio)):
            best = (variance, own, source)
    se = float(np.sqrt(max(best[0], 0.0)))
    if no_spread(se, value):
        return Estimate(value, n, events, state=State.DEGENERATE)
    arm = float(stdtrit(best[1], (1 + level) / 2)) * se
    between = Interval(value - arm, value + arm, level, f"two-way effects t, by {best[2]}")
    return Estimate(value, n, events, se, best[1], between)
