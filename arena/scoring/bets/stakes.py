"""What each market pays a book under its two outcomes: one row a market from one row a bet."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from arena.odds.columns import Flags, Floats, alike, finite, probabilities
from arena.scoring.bets.book import BetBook, MarketLines
from arena.scoring.table import Whole

ROUNDING: Final = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Stakes:
    """What each market pays a book, net of all it cost: one row a market, dollars.

    `if_yes` and `if_no` are the P/L of all bets on the market under its two outcomes, `q`
    the fair P(YES) when they were made, `event` the event's number, `yes` the outcome.
    """

    q: Floats
    if_yes: Floats
    if_no: Floats
    event: Whole
    yes: Flags


def stakes_of(  # noqa: PLR0913  columns of one table
    market: Whole,
    event: Whole,
    on_yes: Flags,
    shares: Floats,
    outlay: Floats,
    *,
    q: Floats,
    yes: Flags,
) -> Stakes:
    """Add up the bets of each market: one row a market from one row a bet.

    Args:
        market: The market of each bet, by number.
        event: Its event, by number.
        on_yes: Which side was backed.
        shares: Shares that pay $1 if the side wins.
        outlay: Dollars paid for them, fee included.
        q: Fair P(YES) at the bet. A market with bets at several gets the one that leaves them
            together the mean they have: weighted by shares, those of NO against those of YES.
            Where both sides cancel, chance moves nothing, and it is the plain mean.
        yes: The outcome.

    Raises:
        ValueError: Columns of unequal length, or a market with two events or outcomes.
    """
    held, spent = finite(shares, "shares"), finite(outlay, "outlay")
    alike(shares=held, outlay=spent, q=probabilities(q, "q"))
    _, first, row = np.unique(market, return_index=True, return_inverse=True)
    if (event != event[first][row]).any() or (yes != yes[first][row]).any():
        raise ValueError("a market has one event and one outcome")
    size = len(first)
    signed = np.where(on_yes, held, -held)
    net = np.asarray(np.bincount(row, signed, minlength=size), np.float64)
    risky = np.abs(net) > ROUNDING * np.bincount(row, held, minlength=size)
    weighted = np.bincount(row, signed * q, minlength=size) / np.where(risky, net, 1.0)
    plain = np.bincount(row, q, minlength=size) / np.bincount(row, minlength=size)
    won: Floats = np.where(on_yes, held, 0.0)
    cost = np.bincount(row, spent, minlength=size)
    return Stakes(
        np.where(risky, np.clip(weighted, 0.0, 1.0), plain),
        np.asarray(np.bincount(row, won, minlength=size) - cost, np.float64),
        np.asarray(np.bincount(row, held - won, minlength=size) - cost, np.float64),
        event[first],
        yes[first],
    )


def stakes_of_book(book: BetBook, lines: MarketLines) -> Stakes:
    """The bets of a book on lines that came out YES or NO, at the prices of their moment.

    Open, void and fractional ones are left out: no price says how likely those were. Where
    the fair price is not known, what was paid stands for it.

    Raises:
        ValueError: As `stakes_of`.
    """
    payout = lines.payout[book.rows]
    kept = ~np.isnan(book.pnl) & ((payout == 0) | (payout == 1))
    rows, yes = book.rows[kept], book.yes[kept]
    paid = np.where(yes, book.price[kept], 1 - book.price[kept])
    return stakes_of(
        lines.market[rows],
        lines.event[rows],
        yes,
        book.shares[kept],
        book.stake[kept] + book.fee[kept],
        q=np.where(np.isnan(lines.fair[rows]), paid, lines.fair[rows]),
        yes=payout[kept] == 1,
    )
