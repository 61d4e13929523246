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
from arena.metrics.claims.widened_intervals import BEYOND_CHANCE, shared
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
        Nobody where no price is known; NOT_ESTIMABLE and TOO_FEW as the fit says.

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
    counts = np.bincount(who.codes)
    events = [rows.event.take(who.codes == code).used() for code in range(market)]
    return {
        name: _estimate(fit, code, spreads, (int(counts[code]), events[code], level))
        for code, name in enumerate(who.names)
    }


def _spread(fit: TwoWay, codes: Whole) -> tuple[Floats | None, float]:
    """Variances of the effects over the market's, which comes last, and degrees of freedom."""
    cluster = compact(codes)[1]
    covariance = effect_covariance(fit, cluster=cluster)
    if covariance is None:
        return None, 0.0
    own = np.diag(covariance)
    counts = np.bincount(cluster).astype(np.float64)
    worth = min(float(counts.size), float(counts.sum() ** 2 / (counts**2).sum()))
    return own + own[-1] - 2 * covariance[:, -1], worth - 1


def _estimate(
    fit: TwoWay,
    code: int,
    spreads: Mapping[Source, tuple[Floats | None, float]],
    how: tuple[int, int, float],
) -> Estimate:
    n, events, level = how
    if fit.panel.group[code] != fit.panel.group[-1]:
        return Estimate(None, n, events, state=State.NOT_ESTIMABLE)
    value = float(fit.effect[code] - fit.effect[-1])
    by_event, df = spreads[Source.EVENT]
    if by_event is None or df <= 0:
        return Estimate(value, n, events, state=State.TOO_FEW)
    best = (float(by_event[code]), df, Source.EVENT)
    for source, (variances, own) in spreads.items():
        if variances is None or own <= 0:
            continue
        ratio = float(fdtri(own, df, BEYOND_CHANCE))
        if variances[code] > max(best[0], float(by_event[code]) * ratio):
            best = (float(variances[code]), own, source)
    se = float(np.sqrt(max(best[0], 0.0)))
    if no_spread(se, value):
        return Estimate(value, n, events, state=State.DEGENERATE)
    arm = float(stdtrit(best[1], (1 + level) / 2)) * se
    between = Interval(value - arm, value + arm, level, f"two-way effects t, by {best[2]}")
    return Estimate(value, n, events, se, best[1], between)
