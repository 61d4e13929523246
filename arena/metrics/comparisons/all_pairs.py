"""Claims about pairs and against the market's price, and the questions that pairs share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.records.claim import ClaimBasis
from arena.records.estimate import Interval, Test
from arena.scoring.table import Floats, Forecasts, Whole
from arena.stats.columns import compact, moment_codes
from arena.stats.comparisons.pairs import LossPanel, panel

MOST: Final = 100  # contestants; their pairs grow with the square


@dataclass(frozen=True, slots=True)
class Claim:
    """What two contestants' common questions say; the difference is the first less the second.

    `better` names who is shown to be better by the board's rule, and is None where neither
    is; `p_anytime` is the p-value that it goes by, over all looks and all pairs, None where
    there was no look. `test` and `interval` are of this pair alone and of one look at the
    questions that have resolved; `p_adjusted` is that test's p, corrected for all pairs.
    """

    first: str
    second: str
    test: Test
    interval: Interval | None
    p_adjusted: float | None
    better: str | None
    p_anytime: float | None = None


@dataclass(frozen=True, slots=True)
class Contest:
    """Claims about all pairs, and the ranks that they leave open: [low, high] by name.

    Ranks are among those who compete: references have none.
    """

    metric: str
    level: float
    claims: tuple[Claim, ...]
    ranks: Mapping[str, tuple[int, int]]
    basis: ClaimBasis = ClaimBasis()  # noqa: RUF009  frozen


@dataclass(frozen=True, slots=True)
class MarketTest:
    """What one contestant's gain over the market's price says; above 0 it is better.

    `verdict` is "better" or "worse" where the board's rule shows it, else None; `p_anytime`
    is the p-value that it goes by. `test` is of one look at what has resolved, `interval` its
    interval, and `p_adjusted` its p corrected for all contestants.
    """

    contestant: str
    test: Test
    p_adjusted: float | None
    verdict: str | None
    interval: Interval | None = None
    p_anytime: float | None = None


@dataclass(frozen=True, slots=True)
class MarketTests:
    """A test a contestant, in the order of names.

    `copies` names those who said the price itself wherever it is known: there is nothing to
    test, and they are no part of the family.
    """

    level: float
    tests: tuple[MarketTest, ...]
    copies: tuple[str, ...] = ()
    basis: ClaimBasis = ClaimBasis()  # noqa: RUF009  frozen


def panel_of(
    forecasts: Forecasts, values: Floats, rows: Whole, who: Whole, *, by_moment: bool
) -> LossPanel:
    """Rows, in their order, as a matrix of contestants by questions."""
    if len(rows) < len(forecasts):
        forecasts, values = forecasts.take(rows), values[rows]
    question = question_codes(forecasts, by_moment=by_moment)
    return panel(values, who, question, forecasts.event.codes)


def question_codes(forecasts: Forecasts, *, by_moment: bool) -> Whole:
    """The number of each row's question: its market, or its market at its moment."""
    market = forecasts.market.codes
    if by_moment and len(forecasts):
        moment = moment_codes(forecasts.at)
        market = market * (int(moment.max()) + 1) + moment
    return compact(market)[1]


def questions_of(forecasts: Forecasts) -> Whole:
    """How many questions each contestant answered: one in two cohorts at once is one."""
    who = forecasts.contestant
    cell = question_codes(forecasts, by_moment=True) * len(who.names) + who.codes
    return np.bincount(compact(cell)[0] % len(who.names), minlength=len(who.names))
