"""Reads the orders of a decision; those that cannot be placed are dropped with a reason.

As on an exchange, each order is accepted or dropped as it is; none is ever resized. An order
that comes twice counts once. Orders that contradict each other are all dropped: none of them
can be taken for the one that was meant.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, Decimal

from arena.agents.reply.agreement import IntendedOrder, contradiction
from arena.agents.reply.amounts import amount_of
from arena.agents.reply.statement import LEG, market_of, named, others_than
from arena.agents.reply.words import Notes, UnreadableError, shown
from arena.records.answer import PARSER_VERSION
from arena.records.decision import Action, Drop, Dropped
from arena.records.market import MarketId, Side
from arena.records.money import MICRO, Usd

CENT = Decimal("0.01")
TOO_MUCH = Decimal(10) ** 12  # millionths of more would not fit in 64 bits

_OMITTED = re.compile(r"[.\u2026\s]+")


@dataclass(frozen=True, slots=True)
class Budget:
    """The money that bets are judged by, in whole cents: cash for all, a cap for each.

    A cap of None allows any.
    """

    cash: Usd
    cap: Usd | None = None


@dataclass(frozen=True, slots=True)
class OrderTerms:
    """What orders are read with: the action, the names of markets, and the budget.

    `beside` are the keys beside the list of orders. Version 1 of the parser asks of no key
    but market_id, side and amount what it says.
    """

    action: Action
    markets: Mapping[str, MarketId]
    budget: Budget | None = None
    beside: Mapping[str, object] = field(default_factory=dict)
    version: int = PARSER_VERSION

    @property
    def unit(self) -> str:
        """What an amount is of."""
        return "percent" if self.action is Action.SELL else "dollars"

    @property
    def grain(self) -> Decimal:
        """What amounts are cut down to: cents, or the millionths that the ledger keeps."""
        return CENT if self.budget else MICRO


@dataclass(frozen=True, slots=True)
class ParsedOrder:
    """An order that stands: `index` is its place in the list, from 0.

    `amount` is dollars of a bet, and percent of the position of a sale.
    """

    index: int
    market: MarketId
    side: Side
    amount: Decimal


class _DroppedError(Exception):
    def __init__(self, reason: Drop, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


def orders_of(
    legs: Sequence[object], terms: OrderTerms, notes: Notes
) -> tuple[tuple[ParsedOrder, ...], tuple[Dropped, ...]]:
    """Read the orders of a decision to bet or to sell.

    Args:
        legs: The orders as they were written.
        terms: What they are read by; without a budget, money is left to the ledger.
        notes: Takes what was mended.

    Returns:
        The orders that stand and those that do not, each in the order written.

    Raises:
        UnreadableError: An order stands for others that were left out, or says two things.
    """
    read: list[ParsedOrder] = []
    dropped: list[Dropped] = []
    for index, leg in enumerate(legs):
        try:
            read.append(_order(leg, index, terms, notes))
        except _DroppedError as error:
            dropped.append(Dropped(index, error.reason, f"bet {index + 1}: {error.detail}"))
    kept = _without_twins(read, terms.action, dropped)
    if terms.budget and terms.action is Action.BET:
        kept = _affordable(kept, terms.budget, dropped)
    return tuple(kept), tuple(sorted(dropped, key=lambda drop: drop.index))


def word_of(value: object) -> str:
    """Upper-case an ASCII word; other letters may have upper cases that look alike."""
    return value.strip().upper() if isinstance(value, str) and value.isascii() else ""


def _order(leg: object, index: int, terms: OrderTerms, notes: Notes) -> ParsedOrder:
    if not isinstance(leg, dict):
        if isinstance(leg, str) and _OMITTED.fullmatch(leg):
            raise UnreadableError(f"bet {index + 1} stands for others that were left out")
        raise _DroppedError(Drop.NOT_AN_OBJECT, f"{shown(leg)} is not an object")
    fields = named(leg, LEG, notes, f"bet {index + 1}: ")
    market = market_of(fields.get("market_id"), terms.markets, notes)
    if market is None:
        raise _DroppedError(Drop.UNKNOWN_MARKET, _unknown(fields))
    word = word_of(fields.get("side"))
    if word not in {"YES", "NO"}:
        raise _DroppedError(
            Drop.BAD_SIDE, f"side is YES or NO, not {shown(fields.get('side', 'missing'))}"
        )
    if word != fields["side"]:
        notes.mend("side is written YES or NO, in capitals")
    exact = _amount(fields, terms, notes)
    meant = IntendedOrder(terms.action, market, Side(word), exact, terms.markets)
    if why := _contradiction(leg, meant, terms):
        raise _DroppedError(Drop.CONFLICTING_ORDER, why)
    return ParsedOrder(index, market, meant.side, _cut_down(exact, terms, notes))


def _contradiction(
    leg: Mapping[str, object], meant: IntendedOrder, terms: OrderTerms
) -> str | None:
    if terms.version == 1:
        return None
    return contradiction(others_than(LEG, leg), meant) or contradiction(
        terms.beside, meant, beside_the_list=True
    )


def _unknown(fields: Mapping[str, object]) -> str:
    if "market_id" not in fields:
        return "it has no market_id"
    return f"{shown(fields['market_id'])} is not on offer"


def _amount(fields: Mapping[str, object], terms: OrderTerms, notes: Notes) -> Decimal:
    if "amount" not in fields:
        raise _DroppedError(Drop.BAD_AMOUNT, "it has no amount")
    stated = fields["amount"]
    exact = amount_of(stated, terms.action, notes, terms.version)
    if exact is None:
        raise _DroppedError(
            Drop.BAD_AMOUNT, f"amount is a bare number of {terms.unit}, not {shown(stated)}"
        )
    if not -TOO_MUCH < exact < TOO_MUCH:  # abs() would overflow on 1e9999999
        raise _DroppedError(Drop.BAD_AMOUNT, "the amount is too large")
    return exact


def _cut_down(exact: Decimal, terms: OrderTerms, notes: Notes) -> Decimal:
    amount = exact.quantize(terms.grain, ROUND_FLOOR)
    if amount <= 0:
        raise _DroppedError(
            Drop.NON_POSITIVE_AMOUNT,
            f"the amount must be at least {terms.grain} {terms.unit}, not {shown(exact)}",
        )
    if amount != exact:
        notes.mend("amounts need two decimals at most: the rest was cut off")
    return amount


def _without_twins(
    orders: Sequence[ParsedOrder], action: Action, dropped: list[Dropped]
) -> list[ParsedOrder]:
    """Keep the first of equal orders of a market, and none where they differ.

    Both sides of a market can be held, and so sold, at once.
    """
    selling = action is Action.SELL
    groups: dict[tuple[MarketId, Side | None], list[ParsedOrder]] = {}
    for order in orders:
        groups.setdefault((order.market, order.side if selling else None), []).append(order)
    if len(groups) == len(orders):
        return list(orders)
    kept: list[ParsedOrder] = []
    for first, *others in groups.values():
        if all((o.side, o.amount) == (first.side, first.amount) for o in others):
            kept.append(first)
            dropped += [
                _out(o, Drop.DUPLICATE_ORDER, f"it repeats bet {first.index + 1}")
                for o in others
            ]
        else:
            why = "the same market has other orders: give one order a market"
            dropped += [_out(o, Drop.CONFLICTING_ORDER, why) for o in (first, *others)]
    return sorted(kept, key=lambda order: order.index)


def _affordable(
    orders: Sequence[ParsedOrder], budget: Budget, dropped: list[Dropped]
) -> list[ParsedOrder]:
    """Keep what fits, in the order written, while the cash lasts."""
    left = Decimal(budget.cash)
    kept: list[ParsedOrder] = []
    for order in orders:
        if budget.cap is not None and order.amount > budget.cap:
            why = (
                f"{_plain(order.amount)} dollars are more than the cap of {_plain(budget.cap)}"
            )
            dropped.append(_out(order, Drop.OVER_CAP, why))
        elif order.amount > left:
            why = (
                f"{_plain(order.amount)} dollars are more than the {_plain(left)} that are left"
            )
            dropped.append(_out(order, Drop.OVER_BUDGET, why))
        else:
            kept.append(order)
            left -= order.amount
    return kept


def _plain(amount: Decimal) -> str:
    return f"{amount.normalize():f}"


def _out(order: ParsedOrder, reason: Drop, why: str) -> Dropped:
    return Dropped(order.index, reason, f"bet {order.index + 1}: {why}")
