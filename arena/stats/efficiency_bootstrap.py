"""The market-efficiency test in small samples: against outcomes drawn from the market's fit."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arena.stats.efficiency import CLIP, efficiency_design, market_efficiency
from arena.stats.logit import Design, fit

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]


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
    whole = efficiency_design(model, market, outcome, reference=reference, clip=clip)
    kept = np.flatnonzero(np.arange(whole.x.shape[2]) % 3 != 2)  # noqa: PLR2004
    up_to = np.cumsum(fit(whole.only(kept)).fitted, axis=1)
    found = np.empty(replicates)
    for r in range(replicates):
        under = rng.random((len(whole), 1)) < up_to
        came = np.diff(under.astype(np.float64), axis=1, prepend=0.0)
        drawn = Design(whole.x, whole.offset, came)
        found[r] = 2 * (fit(drawn).loglik - fit(drawn.only(kept)).loglik)
    as_large = int((found >= seen.statistic * (1 - 1e-12)).sum())
    return Bootstrap(seen.statistic, (1 + as_large) / (1 + replicates), replicates)
