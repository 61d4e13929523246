"""Fills taken apart into what was sold and what was held, at average cost like the ledger."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Final

import numpy as np

from arena.records.market import Side
from arena.scoring.bets.book import Times
from arena.scoring.table import Factor, Flags, Floats, Whole
from arena.store.codec import read_moment
from arena.store.journal.packed import PackedKind, packed
from arena.store.sqlite import Connection
from arena.store.tape.prices import floats, moments, numbered

MICRO: Final = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Trades:
    """Fills and sales, one row each, in the order of the journal.

    `position` numbers what a seat holds of one side of a market, and `offered_at` is the
    moment of a trade's round; `at`, its own, is as the file writes it too. `fair` is the
    middle price at that of the round. Dollars are floats, `micro_shares` whole millionths;
    `proceeds` is NaN for a fill, `cost` 0 for a sale.
    """

    contestant: Factor
    market: Factor
    offered_at: Factor
    position: Whole
    at: Factor
    yes: Flags
    fair: Floats
    micro_shares: Whole
    cost: Floats
    fee: Floats
    proceeds: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Lots:
    """Parts of fills with one end each; `price` and `at` are those of its sale.

    `fill` is the row of its fill among the trades. What is held has NaN and NaT.
    """

    fill: Whole
    shares: Floats
    cost: Floats
    fee: Floats
    price: Floats
    at: Times

    def take(self, rows: Whole | Flags) -> "Lots":
        """Only some of them."""
        return Lots(
            self.fill[rows],
            self.shares[rows],
            self.cost[rows],
            self.fee[rows],
            self.price[rows],
            self.at[rows],
        )


@dataclass(frozen=True, slots=True)
class _Lot:
    fill: int
    shares: float
    cost: float
    fee: float
    price: float | None = None
    sale: int | None = None


def trades(db: Connection, cohort: str | None = None) -> Trades:
    """Every fill and sale, in the order of the journal."""
    columns = packed(db, PackedKind.TRADED).of(cohort)
    seats, who, offered_at, market, at, side = columns.words
    fair, *_, shares, cost, fee, proceeds = columns.numbers
    yes = side.codes == side.code(Side.YES)
    position = who.codes
    for more, width in ((seats.codes, len(seats.names)), (market.codes, len(market.names))):
        position = position * width + more
    return Trades(
        contestant=who,
        market=market,
        offered_at=offered_at,
        position=numbered(2 * position + yes)[1],
        at=at,
        yes=yes,
        fair=fair,
        micro_shares=shares.astype(np.intp),
        cost=cost / MICRO,
        fee=fee / MICRO,
        proceeds=proceeds / MICRO,
    )


def fills(traded: Trades) -> Lots:
    """Every fill whole, as if nothing had been sold."""
    return _whole(traded, np.flatnonzero(np.isnan(traded.proceeds)))


def lots(rows: Trades) -> Lots:
    """Split fills where they were sold in part; a sale takes its share of every fill held.

    What a sale brought a share, less its fee, is paid for every share in it alike. The lots
    of a position add up to its fills, and to its realised P/L. What was sold comes first, in
    the order of sales, then what is held, position by position.
    """
    traded = np.isin(rows.position, rows.position[~np.isnan(rows.proceeds)])
    sold, kept = _split(rows, np.flatnonzero(traded))
    held = _joined(_whole(rows, np.flatnonzero(~traded)), _columns(rows, kept))
    order = np.argsort(rows.position[held.fill], kind="stable")
    return _joined(_columns(rows, sold), held.take(order))


def _whole(traded: Trades, rows: Whole) -> Lots:
    return Lots(
        rows,
        traded.micro_shares[rows] / MICRO,
        traded.cost[rows],
        traded.fee[rows],
        np.full(len(rows), np.nan),
        np.full(len(rows), "NaT", dtype="datetime64[us]"),
    )


def _columns(traded: Trades, parts: Sequence[_Lot]) -> Lots:
    names, codes = traded.at.names, traded.at.codes
    ends = [None if p.sale is None else read_moment(names[codes[p.sale]]) for p in parts]
    return Lots(
        np.array([part.fill for part in parts], dtype=np.intp),
        floats([part.shares for part in parts]),
        floats([part.cost for part in parts]),
        floats([part.fee for part in parts]),
        floats([part.price for part in parts]),
        moments(ends),
    )


def _joined(first: Lots, second: Lots) -> Lots:
    names = ("fill", "shares", "cost", "fee", "price", "at")
    return Lots(
        *(np.concatenate([getattr(part, n) for part in (first, second)]) for n in names)
    )


def _split(traded: Trades, rows: Whole) -> tuple[Sequence[_Lot], Sequence[_Lot]]:
    """Split positions of which something was sold into sold lots and held lots."""
    held: dict[int, list[_Lot]] = defaultdict(list)
    count: dict[int, int] = defaultdict(int)
    sold: list[_Lot] = []
    columns = (traded.position, traded.micro_shares, traded.cost, traded.fee, traded.proceeds)
    each = zip(rows.tolist(), *(column[rows].tolist() for column in columns), strict=True)
    for row, key, shares, cost, fee, proceeds in each:
        if isnan(proceeds):
            held[key].append(_Lot(row, shares / MICRO, cost, fee))
            count[key] += shares
            continue
        part = shares / count[key]
        count[key] -= shares
        sale = _Lot(row, shares / MICRO, 0.0, fee, proceeds / (shares / MICRO))
        sold += [_sold(lot, sale, part) for lot in held[key]]
        held[key] = [_part(lot, 1 - part) for lot in held[key]] if count[key] else []
    return sold, [lot for kept in held.values() for lot in kept]


def _sold(lot: _Lot, sale: _Lot, part: float) -> _Lot:
    gone = _part(lot, part)
    fee = gone.fee + sale.fee * gone.shares / sale.shares
    return replace(gone, fee=fee, price=sale.price, sale=sale.fill)


def _part(lot: _Lot, part: float) -> _Lot:
    return replace(lot, shares=lot.shares * part, cost=lot.cost * part, fee=lot.fee * part)
