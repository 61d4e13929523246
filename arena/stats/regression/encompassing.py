"""How far to trust an agent over the market: one weight, and whether it is 0 or 1."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtri

from arena.records.estimate import Estimate, Interval, State, Test
from arena.stats.regression.efficiency import CLIP, checked_rows, which_came
from arena.stats.regression.logit import Design, LogitFit, fit, likelihood
from arena.stats.regression.wald import clustered

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]

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
