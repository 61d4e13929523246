"""Profit and loss split into forecasting, sizing, luck and costs."""

from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import ArrayLike

from arena.odds.columns import Floats, alike, finite, probabilities
from arena.scoring.bets.book import BetBook, MarketLines


@dataclass(frozen=True, slots=True)
class Attribution:
    """Dollars of one book; `pnl` is the sum of the five parts.

    `bets` are settled bets. Every part is 0 for none.
    """

    pnl: float
    forecast: float
    sizing: float
    luck: float
    spread: float
    fees: float
    bets: int
    staked: float

    @property
    def costs(self) -> float:
        """What trading cost: spread and fees, both 0 or less as a rule."""
        return self.spread + self.fees

    @property
    def skill(self) -> float:
        """What forecasting and sizing made together, before costs."""
        return self.forecast + self.sizing


@dataclass(frozen=True, slots=True, eq=False)
class SettledBets:
    """Settled bets as columns of n rows, each in terms of the side that was backed.

    `shares` were bought at `price` with `fee` dollars in all; `fair` was the market's own
    probability of the side at that moment (the middle of its spread) and `reference` the one
    that decides what was skill and what was luck: the close. `payout` is what a share was
    paid, in [0, 1]: the outcome, or the price at which it was sold again.
    """

    shares: Floats
    price: Floats
    fee: Floats
    fair: Floats
    reference: Floats
    payout: Floats


def bought(book: BetBook, lines: MarketLines) -> SettledBets:
    """The settled bets of a book, with the close as their reference where there is one.

    Their split adds up to the book's profit. A void bet got its stake back: it has made
    nothing but its fee.
    """
    kept = ~np.isnan(book.pnl)
    rows, yes, price = book.rows[kept], book.yes[kept], book.price[kept]

    def side(column: Floats) -> Floats:
        return np.where(yes, column[rows], 1 - column[rows])

    fair, close, payout = side(lines.fair), side(lines.close), side(lines.payout)
    void = np.isnan(payout)
    return SettledBets(
        shares=book.shares[kept],
        price=price,
        fee=book.fee[kept],
        fair=np.where(void, price, fair),
        reference=np.where(void, price, np.where(np.isnan(close), fair, close)),
        payout=np.where(void, price, payout),
    )


def attribute(bets: SettledBets) -> Attribution:
    """Split the P/L of a book, exactly.

    For bet i with n shares at price c, fee f, fair probability m when it was made, reference
    q and payout o, the P/L n (o - c) - f is the sum of

        luck     n (o - q)          what the outcome gave beyond the reference
        edge     n (q - m)          what the reference moved the bettor's way
        spread  -n (c - m)          what was paid above the fair price
        fees    -f

    An edge is s e, with s = n c the dollars staked and e = (q - m)/c the gain a dollar, so
    that over N bets of S dollars in all

        forecast  S/N sum e         the same bets at equal stakes of S/N
        sizing    sum (s - S/N) e   larger stakes where the gain was larger

    and forecast + sizing + luck + spread + fees = P/L. A bet of whose reference nothing is
    known takes q = m: then all it made is luck and costs. With the forecaster's own p as the
    reference, forecast is what was hoped for and luck is the disappointment.

    Args:
        bets: Settled bets; `bought` reads them from a book.

    Raises:
        ValueError: Columns of unequal length, a price of 0, shares not above 0, or a number
            that is out of range.

    Source:
        The split into edge and outcome is that of closing line value; forecast and sizing
        are the mean and the covariance term of Brinson, Hood and Beebower (1986), Financial
        Analysts Journal 42, with equal stakes as the benchmark.
    """
    price, fair = _in_range(bets.price, "price"), _in_range(bets.fair, "fair")
    sure, payout = _in_range(bets.reference, "reference"), _in_range(bets.payout, "payout")
    shares, fee = finite(bets.shares, "shares"), finite(bets.fee, "fee")
    alike(shares=shares, price=price, fee=fee, fair=fair, reference=sure, payout=payout)
    if not ((price > 0) & (shares > 0)).all():
        raise ValueError("a bet has shares, and a price above 0")
    stake, gain = shares * price, (sure - fair) / price
    staked, count = fsum(stake), len(shares)
    forecast = staked / count * fsum(gain) if count else 0.0
    return Attribution(
        pnl=fsum(shares * (payout - price) - fee),
        forecast=forecast,
        sizing=fsum(stake * gain) - forecast,
        luck=fsum(shares * (payout - sure)),
        spread=fsum(shares * (fair - price)),
        fees=0.0 - fsum(fee),
        bets=count,
        staked=staked,
    )


def _in_range(values: ArrayLike, name: str) -> Floats:
    return np.atleast_1d(probabilities(values, name))
