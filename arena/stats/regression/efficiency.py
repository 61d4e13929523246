"""Does a model know what the market does not? Likelihood-ratio tests on log odds.

The outcome is regressed on the market's log odds and the model's. If the market already
holds what the model knows, the model's coefficients are 0. This is a test of forecast
encompassing, in the spirit of Nyberg's test of the odds themselves.

Where there is no answer there is a state: DEGENERATE with LR = 0 and p = 1 when the model
says nothing that the market does not, up to shift and scale; NOT_ESTIMABLE when an outcome
never came, the data are separated or the market's own log odds are collinear. Rows of one
event alone are SINGLE: they have fits, but no test.
"""

from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from scipy.special import chdtrc

from arena.records.estimate import State, Test
from arena.stats.columns import Floats, Whole
from arena.stats.regression import wald
from arena.stats.regression.logit import (
    Design,
    LogitFit,
    fit,
    indicators,
    log_odds,
    own_parameters,
)

CLIP: Final = 1e-6
ROWS_PER_PARAMETER: Final = 10
SMALL: Final = 60
NAME: Final = "market efficiency, likelihood ratio"
ROW_SUM: Final = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Efficiency:
    """A test of efficiency with the two fits that it compares.

    `beta` has, for each non-reference outcome, its constant, the market's coefficient and
    the model's. `collinear` says that model and market are one up to shift and scale, `few`
    that there are fewer than ten rows a parameter, `small` that there are fewer than 60: then
    look at `efficiency_bootstrap`. `wald` holds the same hypothesis under other covariances:
    "model", "hc0", "hc3", "hc3 as coded" and, with events, "clustered".
    """

    test: Test
    parameters: int
    loglik_full: float | None = None
    loglik_restricted: float | None = None
    beta: tuple[float, ...] = ()
    wald: dict[str, Test] = field(default_factory=dict)
    collinear: bool = False
    few: bool = False
    small: bool = False


def market_efficiency(  # noqa: PLR0913  columns and named options
    model: Floats,
    market: Floats,
    outcome: Whole,
    *,
    reference: int = 1,
    clip: float = CLIP,
    event: Whole | None = None,
) -> Efficiency:
    """Whether a model adds to the market's prices of K outcomes.

    ln P(k)/P(reference) = b0_k + b1_k logit q_k + b2_k logit p_k for each other outcome k;
    under the hypothesis every b2 is 0, and LR is chi-squared with K - 1 degrees of freedom.

    Args:
        model: (n, K) probabilities p, rows summing to 1.
        market: (n, K) probabilities q without margin.
        outcome: (n,) which outcome came, from 0.
        reference: The outcome the others are held against; the draw of home, draw, away.
        clip: Probabilities are moved into [clip, 1 - clip] before the logit.
        event: (n,) which rows share an event, for the clustered Wald test.

    Raises:
        ValueError: The shapes do not fit, a row is no distribution, an outcome is none of
            the K, or the clip is not in (0, 1/2).

    Source:
        The 45 Percent Problem (2026), after Nyberg (2014), HECER discussion paper 380.
    """
    design = efficiency_design(model, market, outcome, reference=reference, clip=clip)
    k = design.x.shape[1]
    return _tested(design, 3 * np.arange(k) + 2, event)


def efficiency_design(
    model: Floats, market: Floats, outcome: Whole, *, reference: int, clip: float = CLIP
) -> Design:
    """Regressors 1, logit q_k and logit p_k of each outcome k but the reference.

    Raises:
        ValueError: As for `market_efficiency`.
    """
    p, q = checked_rows(model), checked_rows(market)
    if p.shape != q.shape:
        raise ValueError(f"model and market differ in shape: {p.shape}, {q.shape}")
    if not 0 < clip < 0.5:  # noqa: PLR2004
        raise ValueError(f"a clip lies in (0, 1/2), not {clip}")
    came, others = which_came(outcome, p.shape, reference)
    ours, theirs = log_odds(p, clip), log_odds(q, clip)
    blocks = [np.column_stack([np.ones(len(p)), theirs[:, k], ours[:, k]]) for k in others]
    return Design(own_parameters(blocks), np.zeros(came.shape), came)


def two_sided(p: Floats) -> Floats:
    """P(YES) as rows of P(NO), P(YES)."""
    yes = np.asarray(p, np.float64)
    return np.column_stack([1 - yes, yes])


def checked_rows(p: Floats) -> Floats:
    """Distributions over K outcomes, (n, K).

    Raises:
        ValueError: They are none.
    """
    distributions = np.asarray(p, np.float64)
    if distributions.ndim != 2 or distributions.shape[1] < 2:  # noqa: PLR2004
        raise ValueError(f"a distribution has two outcomes or more, not {distributions.shape}")
    if not ((distributions >= 0) & (distributions <= 1)).all():
        raise ValueError("a probability lies in [0, 1]")
    if (np.abs(distributions.sum(axis=1) - 1) > ROW_SUM).any():
        raise ValueError("the probabilities of a row do not sum to 1")
    return distributions


def which_came(
    outcome: Whole, shape: tuple[int, ...], reference: int
) -> tuple[Floats, list[int]]:
    """(n, K-1) indicators of the outcomes but the reference, and which these are.

    Raises:
        ValueError: An outcome or the reference is none of the K, or their number is not n.
    """
    n, k = shape
    outcomes = np.asarray(outcome)
    if outcomes.shape != (n,) or not np.isin(outcomes, np.arange(k)).all():
        raise ValueError(f"{n} outcomes from 0 to {k - 1} are needed")
    if not 0 <= reference < k:
        raise ValueError(f"a reference is one of {k} outcomes, not {reference}")
    others = [o for o in range(k) if o != reference]
    return indicators(outcomes.astype(np.intp), others), others


def _tested(design: Design, added: Whole, event: Whole | None) -> Efficiency:
    n, parameters = len(design), design.x.shape[2]
    events = n if event is None else len(np.unique(event))
    if event is not None and len(event) != n:
        raise ValueError(f"{n} rows have {len(event)} events")
    marks = {"few": n < ROWS_PER_PARAMETER * parameters, "small": n < SMALL}
    if n == 0:
        return Efficiency(Test(NAME, 0, 0, state=State.EMPTY), parameters, **marks)
    full = fit(design)
    base = fit(design.only(np.setdiff1d(np.arange(parameters), added)))
    df = float(len(added))
    state, single = _state(full, base, len(added)), events == 1
    lr = max(0.0, 2 * (full.loglik - base.loglik))
    test = Test(NAME, n, events, df=(df,), state=State.SINGLE if single else state)
    if state is State.NOT_ESTIMABLE:
        return Efficiency(test, parameters, **marks)
    if not single:
        lr = 0.0 if state is State.DEGENERATE else lr
        test = replace(test, statistic=lr, p=float(chdtrc(df, lr)))
    return Efficiency(
        test=test,
        parameters=parameters,
        loglik_full=base.loglik if state is State.DEGENERATE else full.loglik,
        loglik_restricted=base.loglik,
        beta=tuple(full.beta.tolist()) if state is State.OK else (),
        wald=_walds(full, design, added, event) if test.state is State.OK else {},
        collinear=state is State.DEGENERATE,
        **marks,
    )


def _state(full: LogitFit, base: LogitFit, added: int) -> State:
    """What the two fits can say; a model that is the market adds no rank at all."""
    if State.NOT_ESTIMABLE in {full.state, base.state} or base.state is State.DEGENERATE:
        return State.NOT_ESTIMABLE
    if full.rank == full.beta.size:
        return State.OK
    nothing_new = full.rank == full.beta.size - added
    return State.DEGENERATE if nothing_new else State.NOT_ESTIMABLE


def _walds(
    full: LogitFit, design: Design, added: Whole, event: Whole | None
) -> dict[str, Test]:
    n = len(design)
    made = {
        "model": full.covariance,
        "hc0": wald.hc0(full, design.x),
        "hc3": wald.hc3(full, design.x),
        "hc3 as coded": wald.hc3_as_coded(full, design.x),
    }
    units = dict.fromkeys(made, n)
    if event is not None:
        made["clustered"] = wald.clustered(full, design.x, event)
        units["clustered"] = len(np.unique(event))
    which = added.tolist()
    zero = np.zeros(len(which))
    return {
        kind: wald.wald(
            *wald.restricted(full, covariance, which),
            zero,
            (n, units[kind]),
            name=f"market efficiency, Wald {kind}",
        )
        for kind, covariance in made.items()
    }


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """A likelihood ratio, and the share of drawn ones that are as large.

    `p` counts the observed one as a draw; None where the observed one says nothing.
    """

    statistic: float | None
    p: float | None
    replicates: int


def efficiency_bootstrap(  # noqa: PLR0913  columns and named options
    model: Floats,
    market: Floats,
    outcome: Whole,
    rng: np.random.Generator,
    *,
    replicates: int = 999,
    reference: int = 1,
    clip: float = CLIP,
) -> Bootstrap:
    """P-value of `market_efficiency` from outcomes drawn under its hypothesis.

    Outcomes are drawn from the fit without the model, and both fits made again. Below
    about 60 rows chi-squared rejects too often: in 9.4 per cent of samples of 30 at a level
    of 5. The first arguments, `reference` and `clip` are those of `market_efficiency`; a
    separated replicate has the limit of its likelihood ratio.

    Raises:
        ValueError: There is not one replicate, or as `market_efficiency`.

    Source:
        Davison and Hinkley (1997), Bootstrap Methods and their Application, chapter 4.
    """
    if replicates < 1:
        raise ValueError(f"a bootstrap has a replicate, not {replicates}")
    seen = market_efficiency(model, market, outcome, reference=reference, clip=clip).test
    if seen.statistic is None or seen.p == 1:
        return Bootstrap(seen.statistic, seen.p, replicates)
    design = efficiency_design(model, market, outcome, reference=reference, clip=clip)
    kept = np.flatnonzero(np.arange(design.x.shape[2]) % 3 != 2)  # noqa: PLR2004
    up_to = np.cumsum(fit(design.only(kept)).fitted, axis=1)
    ratios = np.empty(replicates)
    for r in range(replicates):
        under = rng.random((len(design), 1)) < up_to
        came = np.diff(under.astype(np.float64), axis=1, prepend=0.0)
        drawn = Design(design.x, design.offset, came)
        ratios[r] = 2 * (fit(drawn).loglik - fit(drawn.only(kept)).loglik)
    as_large = int((ratios >= seen.statistic * (1 - 1e-12)).sum())
    return Bootstrap(seen.statistic, (1 + as_large) / (1 + replicates), replicates)
