"""Checks that further keys of an order agree with its market_id, side and amount.

A key that says what an order is has to agree with what would be done: an order that says
"unit": "shares" is no order of dollars. A key that comments is passed over. One that is
neither could be a condition, so that the order is not taken either.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, auto

from arena.agents.reply.amounts import amount_of
from arena.agents.reply.statement import letters_of, market_of
from arena.agents.reply.words import Notes, UnreadableError, shown
from arena.records.answer import PARSER_VERSION
from arena.records.decision import Action
from arena.records.market import MarketId, Side


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
    """The order that will be placed, and the names of markets."""

    action: Action
    market: MarketId
    side: Side
    amount: Decimal
    markets: Mapping[str, MarketId]


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
        exact = amount_of(value, meant.action, Notes(), PARSER_VERSION)
        return exact is not None and exact == meant.amount
    if subject is Subject.MARKET:
        return _is_of_market(value, meant)
    if subject is Subject.NUMBER:
        named = market_of(value, meant.markets, Notes())
        return isinstance(value, str | Decimal) and named in {None, meant.market}
    if subject is Subject.COMMENT:
        return not isinstance(value, str) or _comments(_plain(value), meant)
    return isinstance(value, str) and _plain(value) in _words_for(subject, meant)


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


def _plain(value: str) -> str:
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
