"""Reads the orders of a decision; those that cannot be placed are dropped with a reason.

As on an exchange, each order is accepted or dropped as it is; none is ever resized. An order
that comes twice counts once. Orders that contradict each other are all dropped: none of them
can be taken for the one that was meant.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_FLOOR, Decimal
from enum import Enum, auto

from arena.agents.reply.json_repair import LEG, letters_of, market_of, named, others_than
from arena.agents.reply.words import Notes, UnreadableError, amount_of, shown
from arena.records.answer import PARSER_VERSION
from arena.records.decision import Action, Drop, Dropped
from arena.records.market import MarketId, Side
from arena.records.money import MICRO, Usd

# Checks that further keys of an order agree with its market_id, side and amount.
#
# A key that says what an order is has to agree with what would be done: an order that says
# "unit": "shares" is no order of dollars. A key that comments is passed over. One that is
# neither could be a condition, so that the order is not taken either.


class Subject(Enum):
    """What a key beside an order is about."""

    ACTION = auto()
    AMOUNT = auto()
    COMMENT = auto()
    MARKET = auto()
    NUMBER = auto()  # which one of its list an order is
    SIDE = auto()
    STATUS = auto()
    UNIT = auto()


_KEYS = {
    Subject.ACTION: "action bet_type instruction intent kind op operation order_action "
    "order_type trade trade_type transaction transaction_type type verb",
    Subject.MARKET: "alias market market_alias market_id market_name market_ref name symbol "
    "ticker",
    Subject.NUMBER: "bet_id bet_number id index leg_id number order_id order_number priority "
    "rank",
    Subject.SIDE: "answer bet_side choice direction outcome outcome_name pick position "
    "prediction selection side token",
    Subject.STATUS: "order_status state status",
    Subject.UNIT: "amount_currency amount_in amount_type amount_unit amount_units ccy currency "
    "denomination stake_unit unit units",
    Subject.COMMENT: "// analysis argument ask ask_price belief bid bid_price category "
    "certainty close_date close_time closes_at comment comments confidence confidence_level "
    "conviction current_price description edge entry_price estimate "
    "estimated_probability ev event event_title evidence expected_payout expected_price "
    "expected_profit expected_return expected_value explanation fair fair_price fair_value fee "
    "forecast implied_probability justification kelly kelly_fraction liquidity "
    "market_description market_price market_probability market_question market_title max_loss "
    "max_profit mid my_probability no_ask no_bid note notes p p_no p_yes payoff payout "
    "potential_payout potential_profit price prob probability profit question rationale reason "
    "reasoning reasons remark remarks resolves_at risk risk_level roi score source sources "
    "spread summary tags thesis thought thoughts title topic volume why yes_ask yes_bid",
}
_SUBJECTS = {
    letters_of(key): subject for subject, keys in _KEYS.items() for key in keys.split()
}
_OF_BETS = (
    "amount amount_dollars amount_in_dollars amount_usd bet_amount dollar_amount dollars stake "
    "stake_dollars stake_usd usd usd_amount wager"
)
_OF_SALES = "amount amount_percent pct percent percent_of_position percent_to_sell percentage"
_AMOUNTS = {
    Action.BET: frozenset(map(letters_of, _OF_BETS.split())),
    Action.SELL: frozenset(map(letters_of, _OF_SALES.split())),
}
_ANY_AMOUNT = frozenset().union(*_AMOUNTS.values()) | {"quantity", "shares", "size"}
_UNITS = {
    Action.BET: {"$", "dollar", "dollars", "us dollar", "us dollars", "us$", "usd"},
    Action.SELL: {"%", "pct", "percent", "percent of position", "percentage"},
}
_DEEDS = {
    Action.BET: {"back", "bet", "buy", "open", "purchase"},
    Action.SELL: {"sell"},
}
_ORDER_TYPES = {"market", "market order"}
_STATUSES = {"active", "confirmed", "final", "new", "ok", "open", "success"}
_DENIALS = {"cancel", "canceled", "cancelled", "close", "hold", "pass", "short", "skip", "void"}
_FOR_EACH = {Subject.AMOUNT, Subject.MARKET, Subject.SIDE, Subject.STATUS, Subject.UNIT}
_LISTS = frozenset(
    {"buy", "buys", "cancel", "cancels", "closes", "hedges", "legs", "orders", "purchases"}
    | {"sales", "sell", "sells", "trades"}
)
_SPACES = re.compile(r"[\s_-]+")
_NAMES = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class IntendedOrder:
    """The order that will be placed, the names of markets, and the parser's version."""

    action: Action
    market: MarketId
    side: Side
    amount: Decimal
    markets: Mapping[str, MarketId]
    version: int


def contradiction(
    others: Mapping[str, object], meant: IntendedOrder, *, beside_the_list: bool = False
) -> str | None:
    """Say what of an order's other keys does not agree with it; None where all of them do.

    Args:
        others: The keys other than market_id, side and amount, with their values.
        meant: What would be done.
        beside_the_list: They stand beside the list of orders, and hold for each of it: there
            a key that is not of an order is about something else.
    """
    for key, value in others.items():
        subject = _subject(key, meant.action)
        if says_nothing(value) or (beside_the_list and subject not in _FOR_EACH):
            continue
        if subject is None:
            return (
                f"the key {shown(key)} is none of an order: give market_id, side and amount, "
                "and comments under reasoning"
            )
        if not _agrees(subject, value, meant):
            return f"{shown(key)} is {shown(value)}, which contradicts the rest of the order"
    return None


def refuse_orders_elsewhere(beside: Mapping[str, object]) -> None:
    """Refuse orders that stand beside the list of bets: left out, they would change the rest.

    Raises:
        UnreadableError: A key is called like a list of orders, or holds an amount.
    """
    for key, value in beside.items():
        is_list = letters_of(key) in _LISTS and not says_nothing(value) and value is not False
        if is_list or _holds_an_amount(value):
            raise UnreadableError(
                f"{shown(key)} holds orders beside bets: put all of them into bets"
            )


def says_nothing(value: object) -> bool:
    """Whether a key was left empty: null, or nothing between quotation marks or brackets."""
    return value is None or (isinstance(value, str | list | dict) and not value)


def _subject(key: str, action: Action) -> Subject | None:
    letters = letters_of(key)
    return Subject.AMOUNT if letters in _AMOUNTS[action] else _SUBJECTS.get(letters)


def _agrees(subject: Subject, value: object, meant: IntendedOrder) -> bool:
    if subject is Subject.AMOUNT:
        exact = amount_of(value, meant.action, Notes(), meant.version)
        return exact is not None and exact == meant.amount
    if subject is Subject.MARKET:
        return _is_of_market(value, meant)
    if subject is Subject.NUMBER:
        named = market_of(value, meant.markets, Notes())
        return isinstance(value, str | Decimal) and named in {None, meant.market}
    if subject is Subject.COMMENT:
        return not isinstance(value, str) or _comments(_agreement_plain(value), meant)
    return isinstance(value, str) and _agreement_plain(value) in _words_for(subject, meant)


def _is_of_market(value: object, meant: IntendedOrder) -> bool:
    """Whether it is the order's market, or a text about it that names no other."""
    if market_of(value, meant.markets, Notes()) == meant.market:
        return True
    words = _NAMES.findall(value) if isinstance(value, str) else []
    others = {name for name, market in meant.markets.items() if market != meant.market}
    return len(words) > 1 and others.isdisjoint(words)


def _comments(word: str, meant: IntendedOrder) -> bool:
    """Whether a comment is more than one word that an order could say and this one does not."""
    if word in {"yes", "no"}:
        return word == meant.side.lower()
    deeds = _DENIALS.union(*_DEEDS.values())
    return word not in deeds or word in _DEEDS[meant.action]


def _words_for(subject: Subject, meant: IntendedOrder) -> set[str]:
    """The words on a subject that agree with the order."""
    side = meant.side.lower()
    if subject is Subject.ACTION:
        deeds = _DEEDS[meant.action]
        return deeds | _ORDER_TYPES | {f"{deed} {side}" for deed in deeds}
    if subject is Subject.SIDE:
        return {side}
    return _STATUSES if subject is Subject.STATUS else _UNITS[meant.action]


def _agreement_plain(value: str) -> str:
    return _SPACES.sub(" ", value.strip()).lower() if value.isascii() else value


def _holds_an_amount(value: object) -> bool:
    """Whether an order stands somewhere inside a value; deep nesting was refused before."""
    if isinstance(value, list):
        return any(map(_holds_an_amount, value))
    if not isinstance(value, dict):
        return False
    return any(
        letters_of(key) in _ANY_AMOUNT or _holds_an_amount(inner)
        for key, inner in value.items()
    )


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
    meant = IntendedOrder(terms.action, market, Side(word), exact, terms.markets, terms.version)
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
