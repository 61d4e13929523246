"""How far to trust an agent over the market: one weight, and whether it is 0 or 1.

Also what a forecast knows that the price does not, and whether stated probabilities are the
true ones: a likelihood-ratio test on log odds.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtri, stdtrit

from arena.records.estimate import Estimate, Interval, State, Test
from arena.stats.columns import Floats, Whole
from arena.stats.mean_intervals import interval
from arena.stats.regression.efficiency import CLIP, checked_rows, which_came
from arena.stats.regression.logit import (
    Design,
    LogitFit,
    fit,
    likelihood,
    log_odds,
    own_parameters,
)
from arena.stats.regression.wald import clustered

ADDS = "the agent adds nothing (weight 0)"
SUFFICES = "the agent suffices (weight 1)"


@dataclass(frozen=True, slots=True)
class Encompassing:
    """The agent's weight in log odds, and the likelihood-ratio tests of 0 and of 1.

    A weight of 0 says that the market has it all, 1 that the agent is right wherever the
    two differ; below 0 the market is better moved away from the agent. The standard error
    and the interval are by event where events were given.
    """

    weight: Estimate
    adds_nothing: Test
    suffices: Test


def encompassing(  # noqa: PLR0913  columns and named options
    agent: Floats,
    market: Floats,
    outcome: Whole,
    *,
    clip: float = CLIP,
    event: Whole | None = None,
    level: float = 0.95,
) -> Encompassing:
    """The weight w in log odds = market's + w (agent's - market's), one for all outcomes.

    Args:
        agent: (n, K) probabilities, rows summing to 1.
        market: (n, K) probabilities without margin.
        outcome: (n,) which outcome came, from 0.
        clip: Smaller probabilities are raised to this before the logarithm.
        event: (n,) which rows share an event.
        level: Of the interval.

    Returns:
        DEGENERATE without a weight, LR = 0 and p = 1, if agent and market are the same;
        NOT_ESTIMABLE if the best weight is infinite; SINGLE, a weight without any test, for
        rows of one event alone.

    Raises:
        ValueError: The shapes do not fit, a row is no distribution, an outcome is none of
            the K, or the level is not in (0, 1).

    Source:
        Fair and Shiller (1990), American Economic Review 80; Clements and Harvey (2010),
        Journal of Applied Econometrics 25, in log odds.
    """
    p, q = checked_rows(agent), checked_rows(market)
    if p.shape != q.shape:
        raise ValueError(f"agent and market differ in shape: {p.shape}, {q.shape}")
    if not 0 < level < 1:
        raise ValueError(f"a level lies in (0, 1), not {level}")
    came, others = which_came(outcome, p.shape, 0)
    if event is not None and len(event) != len(p):
        raise ValueError(f"{len(p)} rows have {len(event)} events")
    theirs = _odds(q, clip, others)
    ours = _odds(p, clip, others)
    design = Design((ours - theirs)[:, :, None], theirs, came)
    events = len(p) if event is None else len(np.unique(event))
    state = State.OK if len(p) else State.EMPTY
    if state is State.OK and np.abs(design.x).max() <= 1e-12:  # noqa: PLR2004
        state = State.DEGENERATE
    fitted = fit(design) if state is State.OK else None
    if fitted is None or fitted.state is not State.OK:
        return _nothing(len(p), events, State.NOT_ESTIMABLE if fitted else state)
    return Encompassing(
        weight=_weight(fitted, design, event, level),
        adds_nothing=_ratio(ADDS, fitted, design, 0.0, events),
        suffices=_ratio(SUFFICES, fitted, design, 1.0, events),
    )


def _odds(p: Floats, clip: float, others: list[int]) -> Floats:
    logs = np.log(np.maximum(p, clip))
    log_odds: Floats = logs[:, others] - logs[:, [0]]
    return log_odds


def _nothing(n: int, events: int, state: State) -> Encompassing:
    same, single = state is State.DEGENERATE and events > 1, events == 1
    tests = [
        Test(
            name,
            n,
            events,
            statistic=0.0 if same else None,
            df=(1.0,),
            p=1.0 if same else None,
            state=State.SINGLE if single else state,
        )
        for name in (ADDS, SUFFICES)
    ]
    return Encompassing(Estimate(None, n, events, state=state), tests[0], tests[1])


def _weight(fitted: LogitFit, design: Design, event: Whole | None, level: float) -> Estimate:
    n, weight = len(design), float(fitted.beta[0])
    events = n if event is None else len(np.unique(event))
    if events < 2:  # noqa: PLR2004
        return Estimate(weight, n, events, state=State.SINGLE)
    by_event = event is not None
    covariance = fitted.covariance if event is None else clustered(fitted, design.x, event)
    se = sqrt(float(covariance[0, 0]))
    room = -float(ndtri((1 - level) / 2)) * se
    method = "Wald, clustered by event" if by_event else "Wald"
    interval = Interval(weight - room, weight + room, level, method)
    return Estimate(weight, n, events, se=se, interval=interval)


def _ratio(name: str, fitted: LogitFit, design: Design, weight: float, events: int) -> Test:
    n, beta = len(design), float(fitted.beta[0])
    if events == 1:
        return Test(name, n, 1, estimate=beta, df=(1.0,), state=State.SINGLE)
    at, _ = likelihood(design, np.array([weight]))
    lr = max(0.0, 2 * (fitted.loglik - at))
    p = float(chdtrc(1.0, lr))
    return Test(name, n, events, estimate=beta, statistic=lr, df=(1.0,), p=p)


PRICE_CLIP: Final = 0.001  # nearer to 0 and 1 a few forecasts would decide everything
SAME: Final = 1e-9  # of log odds: a forecast that near to the price is the price


@dataclass(frozen=True, slots=True)
class Information:
    """The weight of a forecast beside the price, and what it adds to the mean log score."""

    weight: Estimate
    gain: Estimate


def information(  # noqa: PLR0913  columns and named options
    forecast: Floats,
    price: Floats,
    outcome: Whole,
    event: Whole,
    *,
    fold: Whole,
    level: float = 0.95,
) -> Information:
    """Fit log odds of YES = a + c logit(price) + w (logit(forecast) - logit(price)).

    The weight w is 0 of a forecast that adds nothing to the price. The gain is the mean log
    score of this fit less that of a and c alone, each row scored by a fit without the events of
    its fold; it is below 0 where a forecast adds nothing.

    Args:
        forecast: (n,) P(YES) of a contestant.
        price: (n,) the market's at that moment.
        outcome: (n,) 1 for YES, 0 for NO.
        event: (n,) the event of each row, from 0.
        fold: (n,) the fold of each row; an event is in one fold.
        level: Confidence of the intervals, by event, in (0, 1).

    Returns:
        EMPTY without rows, SINGLE with one event, DEGENERATE of a copy of the price, and
        NOT_ESTIMABLE where the data are separated, so that the best weight is infinite.

    Source:
        Fair and Shiller (1990), American Economic Review 80; Clemen (1989), International
        Journal of Forecasting 5.
    """
    n, events = len(outcome), int(np.count_nonzero(np.bincount(event))) if len(event) else 0
    known = log_odds(price, PRICE_CLIP)
    apart = log_odds(forecast, PRICE_CLIP) - known
    state = State.EMPTY if not n else State.SINGLE if events == 1 else State.OK
    if state is State.OK and np.abs(apart).max() <= SAME:
        state = State.DEGENERATE
    if state is not State.OK:
        nothing = Estimate(None, n, events, state=state)
        return Information(nothing, nothing)
    design = _design(np.column_stack([np.ones(n), known, apart]), outcome)
    return Information(
        _information_weight(design, event, events, level), _gain(design, event, fold, level)
    )


def _design(columns: Floats, outcome: Whole) -> Design:
    came = (outcome == 1).astype(np.float64)[:, None]
    return Design(columns[:, None, :], np.zeros((len(columns), 1)), came)


def _information_weight(design: Design, event: Whole, events: int, level: float) -> Estimate:
    n, fitted = len(design), fit(design)
    if fitted.state is not State.OK:
        return Estimate(None, n, events, state=fitted.state)
    weight = float(fitted.beta[2])
    se = sqrt(float(clustered(fitted, design.x, event)[2, 2]))
    arm = float(stdtrit(events - 1, (1 + level) / 2)) * se
    bounds = Interval(weight - arm, weight + arm, level, "cluster t, CR1")
    return Estimate(weight, n, events, se=se, df=events - 1.0, interval=bounds)


def _gain(design: Design, event: Whole, fold: Whole, level: float) -> Estimate:
    """The mean difference of two log scores; NOT_ESTIMABLE where a fold cannot be left out."""
    gains = np.zeros(len(design))
    columns = np.arange(design.x.shape[2])
    for own in np.unique(fold):
        tested = fold == own
        scored = [_log_scores(design.only(used), tested) for used in (columns, columns[:-1])]
        if scored[0] is None or scored[1] is None:
            state = State.NOT_ESTIMABLE
            return Estimate(None, len(design), len(np.unique(event)), state=state)
        gains[tested] = scored[0] - scored[1]
    return interval(gains, event, level)


def _log_scores(design: Design, tested: NDArray[np.bool_]) -> Floats | None:
    """The log score of each tested row by a fit to the others; None where there is no fit."""
    others = ~tested
    fitted = fit(Design(design.x[others], design.offset[others], design.came[others]))
    if fitted.state is not State.OK:
        return None
    odds = design.x[tested, 0] @ fitted.beta
    # of log odds beyond 37 the probability is 1, and the logarithm of what it leaves is none
    scores: Floats = -np.logaddexp(0, np.where(design.came[tested, 0] == 1, -odds, odds))
    return scores


def true_odds(p: Floats, outcome: Whole, *, reference: int = 0, clip: float = CLIP) -> Test:
    """Test that the log odds that were stated are the true ones.

    ln P(k)/P(ref) = a_k + sum_j b_kj ln p_j/p_ref for each outcome k but the reference;
    under the hypothesis a_k = 0, b_kk = 1 and b_kj = 0 otherwise. LR is chi-squared with
    K(K - 1) degrees of freedom. For K = 2 it is Cox's test.

    Args:
        p: (n, K) probabilities, rows summing to 1.
        outcome: (n,) which outcome came, from 0.
        reference: The outcome the others are held against.
        clip: Smaller probabilities are raised to this before the logarithm.

    Raises:
        ValueError: The shapes do not fit, a row is no distribution, or an outcome is none
            of the K.

    Source:
        Nyberg (2014), HECER discussion paper 380; Cox (1958), Biometrika 45.
    """
    stated = checked_rows(p)
    came, others = which_came(outcome, stated.shape, reference)
    n, k = stated.shape
    df = float(k * (k - 1))
    name = "true odds, likelihood ratio"
    if n == 0:
        return Test(name, 0, 0, df=(df,), state=State.EMPTY)
    logs = np.log(np.maximum(stated, clip))
    x = np.column_stack([np.ones(n), logs[:, others] - logs[:, [reference]]])
    design = Design(own_parameters([x] * (k - 1)), np.zeros(came.shape), came)
    full = fit(design)
    if full.state is not State.OK:
        return Test(name, n, n, df=(df,), state=State.NOT_ESTIMABLE)
    loglik_stated, _ = likelihood(design, np.eye(k - 1, k, 1).ravel())
    lr = max(0.0, 2 * (full.loglik - loglik_stated))
    return Test(name, n, n, statistic=lr, df=(df,), p=float(chdtrc(df, lr)))
