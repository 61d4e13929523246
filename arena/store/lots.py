"""Fills taken apart into what was sold and what was held, at average cost like the ledger."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from arena.records.market import Side
from arena.store.codec import read_moment
from arena.store.sqlite import Connection

# Sales stand between the fills of their seat in the order of the journal.
_TRADES = """
SELECT done.*, rounds.at AS offered_at FROM (
    SELECT entry, cohort, contestant, round, at, market, side, shares_micro, cost_micro,
        fee_micro, NULL AS proceeds_micro FROM fills
    UNION ALL
    SELECT entry, cohort, contestant, round, at, market, side, shares_micro, 0,
        fee_micro, proceeds_micro FROM sales
) AS done JOIN rounds ON rounds.cohort = done.cohort AND rounds.round = done.round
WHERE ?1 IS NULL OR done.cohort = ?1 ORDER BY entry
"""


@dataclass(frozen=True, slots=True)
class Trade:
    """A fill or a sale of one seat; `proceeds` is None for a fill, `cost` 0 for a sale.

    Dollars are floats, `micro_shares` whole millionths; `offered_at` is the moment of its
    round as the file writes it.
    """

    contestant: str
    cohort: str
    offered_at: str
    at: datetime
    market: str
    yes: bool
    micro_shares: int
    cost: float
    fee: float
    proceeds: float | None = None

    @property
    def shares(self) -> float:
        """How many shares, as a float."""
        return self.micro_shares / 1_000_000


@dataclass(frozen=True, slots=True)
class Lot:
    """A part of a fill with one end; `price` and `at` are those of its sale, None if held."""

    fill: Trade
    shares: float
    cost: float
    fee: float
    price: float | None = None
    at: datetime | None = None


def trades(db: Connection, cohort: str | None = None) -> Sequence[Trade]:
    """Every fill and sale, in the order of the journal."""
    return [
        Trade(
            row["contestant"],
            row["cohort"],
            row["offered_at"],
            read_moment(row["at"]),
            row["market"],
            row["side"] == Side.YES,
            row["shares_micro"],
            row["cost_micro"] / 1_000_000,
            row["fee_micro"] / 1_000_000,
            None if row["proceeds_micro"] is None else row["proceeds_micro"] / 1_000_000,
        )
        for row in db.rows(_TRADES, cohort)
    ]


def lots(told: Iterable[Trade]) -> Sequence[Lot]:
    """Split fills where they were sold in part; a sale takes its share of every fill held.

    What a sale brought a share, less its fee, is paid for every share in it alike. The lots
    of a position add up to its fills, and to its realised P/L.
    """
    held: dict[tuple[str, str, str, bool], list[Lot]] = defaultdict(list)
    count: dict[tuple[str, str, str, bool], int] = defaultdict(int)
    found: list[Lot] = []
    for trade in told:
        key = trade.contestant, trade.cohort, trade.market, trade.yes
        if trade.proceeds is None:
            held[key].append(Lot(trade, trade.shares, trade.cost, trade.fee))
            count[key] += trade.micro_shares
            continue
        part = trade.micro_shares / count[key]
        count[key] -= trade.micro_shares
        found += [_sold(lot, trade, part) for lot in held[key]]
        held[key] = [_part(lot, 1 - part) for lot in held[key]] if count[key] else []
    return [*found, *(lot for kept in held.values() for lot in kept)]


def by_contestant(told: Iterable[Trade]) -> Mapping[str, Sequence[Trade]]:
    """Each contestant's trades, in their order."""
    found: dict[str, list[Trade]] = defaultdict(list)
    for trade in told:
        found[trade.contestant].append(trade)
    return found


def _sold(lot: Lot, sale: Trade, part: float) -> Lot:
    gone = _part(lot, part)
    price = (sale.proceeds or 0.0) / sale.shares
    fee = gone.fee + sale.fee * gone.shares / sale.shares
    return replace(gone, fee=fee, price=price, at=sale.at)


def _part(lot: Lot, part: float) -> Lot:
    return replace(lot, shares=lot.shares * part, cost=lot.cost * part, fee=lot.fee * part)
