"""From entries to positions and balances: a ledger's state is a fold over its entries."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal

from arena.records.cohort import CohortId, ContestantId
from arena.records.market import MarketId, Side, Verdict
from arena.records.money import Shares, Usd
from arena.records.trade import (
    Book,
    Entry,
    Fill,
    Position,
    PositionState,
    Reversed,
    Settled,
    SoldFill,
)

Seat = tuple[CohortId, ContestantId]

_SETTLED = {Verdict.VOID: PositionState.CANCELLED, Verdict.FRACTION: PositionState.PAID}


class LedgerError(ValueError):
    """An entry does not fit the position it moves: a defect in this program."""


def bought(position: Position | None, fill: Fill, seat: Seat, number: int = 1) -> Position:
    """Add a fill to an open position, or open position `number` of that side."""
    if position is None:
        return Position(*seat, fill.market, fill.side, fill.shares, fill.cost, number)
    return replace(
        position,
        shares=Shares(position.shares + fill.shares),
        cost=Usd(position.cost + fill.cost),
    )


def sold(position: Position, sale: SoldFill) -> Position:
    """Take a sale out of a position at average cost; sold out, it is EXITED."""
    left = Shares(position.shares - sale.shares)
    if left < 0:
        raise LedgerError(f"{sale.bet} sells {sale.shares} of {position.shares} shares")
    return replace(
        position,
        shares=left,
        cost=Usd(position.cost - sale.basis),
        state=PositionState.OPEN if left else PositionState.EXITED,
        proceeds=Usd(position.proceeds + sale.proceeds),
        realised=Usd(position.realised + sale.proceeds - sale.basis),
    )


def settled(position: Position, event: Settled) -> Position:
    """Close a position on its market's outcome."""
    won = event.payout > 0
    return replace(
        position,
        shares=Shares(position.shares - event.shares),
        cost=Usd(position.cost - event.cost),
        state=_SETTLED.get(
            event.outcome.verdict, PositionState.WON if won else PositionState.LOST
        ),
        proceeds=Usd(position.proceeds + event.payout),
        realised=Usd(position.realised + event.payout - event.cost),
    )


def reopened(position: Position, event: Reversed) -> Position:
    """Undo a settlement: the shares and their cost are back, what they were paid is gone."""
    return replace(
        position,
        shares=event.shares,
        cost=event.cost,
        state=PositionState.OPEN,
        proceeds=Usd(position.proceeds - event.payout),
        realised=Usd(position.realised - event.payout + event.cost),
    )


def moved(position: Position | None, entry: Entry, number: int = 1) -> Position:
    """Fold one entry that touches a position into it.

    Raises:
        LedgerError: The entry moves no position, or one that is not there.
    """
    event = entry.event
    if isinstance(event, Fill) and entry.cohort and entry.contestant:
        return bought(position, event, (entry.cohort, entry.contestant), number)
    if position is None:
        raise LedgerError(f"{entry.id} moves a position that is not there")
    if isinstance(event, SoldFill):
        return sold(position, event)
    if isinstance(event, Settled):
        return settled(position, event)
    if isinstance(event, Reversed):
        return reopened(position, event)
    raise LedgerError(f"{entry.id} moves no position")


def all_positions(entries: Iterable[Entry]) -> tuple[Position, ...]:
    """Every position that ever was, in the order first opened."""
    histories: dict[tuple[str, str, MarketId, Side], list[Position]] = {}
    for entry in entries:
        event = entry.event
        if not isinstance(event, Fill | SoldFill | Settled | Reversed):
            continue
        key = (str(entry.cohort), str(entry.contestant), event.market, event.side)
        history = histories.setdefault(key, [])
        last = history[-1] if history else None
        live = last if last and (last.shares or isinstance(event, Reversed)) else None
        position = moved(live, entry, len(history) + 1)
        if live:
            history[-1] = position
        else:
            history.append(position)
    return tuple(p for history in histories.values() for p in history)


def balances(entries: Iterable[Entry]) -> dict[tuple[Seat, Book], Usd]:
    """Dollars in each account of each contestant; the sum over all of them is 0."""
    total: dict[tuple[Seat, Book], Decimal] = defaultdict(Decimal)
    for entry in entries:
        for posting in entry.postings:
            seat = (CohortId(entry.cohort or ""), ContestantId(entry.contestant or ""))
            total[seat, posting.account.book] += posting.amount
    return {key: Usd(amount) for key, amount in total.items()}
