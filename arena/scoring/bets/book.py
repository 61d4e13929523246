"""The market as it was offered, and a book of bets on it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import fsum
from typing import Final

import numpy as np

from arena.odds import Flags, Floats, alike, finite, probabilities
from arena.scoring.bets.clv import Bets, ClosingLines, closing_lines
from arena.scoring.table import Times, Whole

RANGED: Final = ("bid", "ask", "fair", "close", "payout")
COLUMNS: Final = (
    *("market", "event", "at", "bid", "ask", "fair", "close"),
    *("payout", "settled", "fee_yes", "fee_no", "gated"),
)


class PassReason(StrEnum):
    """Why a line has no bet, the first that applies."""

    NO_FORECAST = "NO_FORECAST"
    GATE_FIRED = "GATE_FIRED"
    NO_PRICE = "NO_PRICE"
    NO_EDGE = "NO_EDGE"  # neither side is worth its price and fee
    BELOW_THRESHOLD = "BELOW_THRESHOLD"
    NO_STAKE = "NO_STAKE"  # caps, brakes or an empty purse left nothing


@dataclass(frozen=True, slots=True, eq=False)
class MarketLines:
    """One row a market at one moment; all columns have n rows, NaN where unknown.

    `market` and `event` are numbers: of the question, and of the unit of dependence. `bid`
    and `ask` are of YES, `fair` the market's own P(YES) then and `close` its last before the
    event. `payout` is what a YES share was paid, in [0, 1], and `settled` when: a line that
    is settled without a payout is void, and one without `settled` (NaT) is still open. Fees
    are dollars a share, on top of the price.
    `gated` lines are not for betting.
    """

    market: Whole
    event: Whole
    at: Times
    bid: Floats
    ask: Floats
    fair: Floats
    close: Floats
    payout: Floats
    settled: Times
    fee_yes: Floats
    fee_no: Floats
    gated: Flags

    def __post_init__(self) -> None:
        sizes = {getattr(self, name).shape for name in COLUMNS}
        if len(sizes) != 1 or self.event.ndim != 1:
            raise ValueError(f"columns of unequal length: {sizes}")
        for name in RANGED:
            column = getattr(self, name)
            if not (np.isnan(column) | ((column >= 0) & (column <= 1))).all():
                raise ValueError(f"{name}: a price lies in [0, 1]")
        if not ((self.fee_yes >= 0) & (self.fee_no >= 0)).all():
            raise ValueError("a fee is known and not below 0")
        if np.isnat(self.at).any() or (self.settled < self.at).any():
            raise ValueError("a line has a moment, and settles after it")

    def __len__(self) -> int:
        """How many lines there are."""
        return len(self.event)


@dataclass(frozen=True, slots=True, eq=False)
class BetBook:
    """Bets in the order of their lines, in dollars; `rows` says which line each is on.

    `bankroll` is what the bet was sized by: capital and the P/L settled until then. `pnl` is
    NaN while a bet is open, and minus the fee where it is void. `passed` counts the lines
    without a bet, `lowest` is the bankroll at its worst settlement.
    """

    rows: Whole
    yes: Flags
    price: Floats
    stake: Floats
    shares: Floats
    fee: Floats
    bankroll: Floats
    pnl: Floats
    capital: float
    lowest: float
    passed: Mapping[PassReason, int]

    def __len__(self) -> int:
        """How many bets there are."""
        return len(self.rows)

    @property
    def staked(self) -> float:
        """Dollars put on all bets, without fees."""
        return fsum(self.stake)

    @property
    def open(self) -> int:
        """How many bets are not settled."""
        return int(np.isnan(self.pnl).sum())

    @property
    def profit(self) -> float:
        """Dollars won on settled bets, after fees."""
        return fsum(self.pnl[~np.isnan(self.pnl)])

    @property
    def returned(self) -> float:
        """Profit as a part of the capital."""
        return self.profit / self.capital

    def events(self, lines: MarketLines) -> int:
        """How many different events were bet on."""
        return len(np.unique(lines.event[self.rows]))

    def closing_lines(self, lines: MarketLines) -> ClosingLines:
        """CLV of every bet that has one; a line settled without a close is left out."""
        rows = self.rows
        return closing_lines(
            Bets(
                q_open=lines.fair[rows],
                q_close=lines.close[rows],
                price=self.price,
                fee=self.fee / self.shares,
                stake=self.stake,
                yes=self.yes,
                resolved_first=np.isnan(lines.close[rows]) & ~np.isnat(lines.settled[rows]),
            )
        )


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
