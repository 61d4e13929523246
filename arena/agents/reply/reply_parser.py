"""Reads a reply as a decision: broken syntax is repaired, the meaning is never changed.

What a reply says in one way only is read, whatever its form; each thing that was mended is
noted. Where a guess would be needed there is no decision, because a guess at what a
contestant meant would move its money.
"""

import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from arena.agents.reply.json_repair import (
    FORECAST,
    LEG,
    Object,
    letters_of,
    market_of,
    named,
    stated,
    unpacked,
)
from arena.agents.reply.order_checks import (
    Budget,
    OrderTerms,
    ParsedOrder,
    orders_of,
    refuse_orders_elsewhere,
    word_of,
)
from arena.agents.reply.words import Knot, Notes, UnreadableError, few, number_of, shown
from arena.records.answer import PARSER_VERSION, Briefing
from arena.records.decision import (
    Action,
    Bet,
    BetId,
    Decision,
    Dropped,
    Forecast,
    Sale,
    Status,
)
from arena.records.market import MarketId, Side
from arena.records.money import usd

MAX_REASONING = 4_000


def write_reply(
    action: Action,
    *,
    forecasts: Mapping[str, float] = {},
    bets: Sequence[tuple[str, Side, Decimal]] = (),
    reasoning: str = "",
) -> str:
    """Say a decision in the reply format: compact JSON, in the order given.

    Args:
        action: What to do.
        forecasts: P(YES) by alias, in [0, 1].
        bets: Alias, side, and dollars (BET) or percent of the position (SELL): above 0, one
            order a market.
        reasoning: Why, in plain words; its first 4,000 characters.
    """
    legs = ",".join(
        f'{{"market_id":{json.dumps(alias)},"side":"{side}","amount":{amount.normalize():f}}}'
        for alias, side, amount in bets
    )
    stated = json.dumps(dict(forecasts), separators=(",", ":"), allow_nan=False)
    why = json.dumps(plain_reasoning(reasoning))
    return f'{{"forecasts":{stated},"action":"{action}","bets":[{legs}],"reasoning":{why}}}'


def plain_reasoning(text: str) -> str:
    """Keep the beginning of what can be stored and shown: no control characters."""
    kept = (c for c in text if c in "\n\t" or unicodedata.category(c) not in {"Cc", "Cs"})
    return "".join(kept)[:MAX_REASONING]


# Reads the probabilities that a reply states.
#
# Each market is on its own: a probability without a reading is left out and noted, and the
# others stand. None is ever mended by its size: 62 is not 0.62.


def forecasts_of(
    stated: object, markets: Mapping[str, MarketId], notes: Notes
) -> tuple[Forecast, ...]:
    """Read probabilities: a list of market_id and p_yes, or an object of one by the other.

    Null is no forecast. Where a market is given two different values, neither counts.

    Args:
        stated: What the reply says under `forecasts`.
        markets: What may be named, and which market each name is.
        notes: Takes what was mended and what was left out; its knots among these are untied.
    """
    settled: set[int] = set()
    probabilities: dict[MarketId, float | None] = {}
    for name, value in _pairs(unpacked(stated, notes), markets, notes):
        settled |= {id(part) for part in (name, value) if isinstance(part, Knot)}
        market = market_of(name, markets, notes)
        if market is None:
            notes.mend(f"forecasts: {shown(name)} is not on offer")
        elif value is not None:
            p = _probability(name, value, notes)
            if market in probabilities and probabilities[market] != p:
                notes.mend(f"forecasts: {shown(name)} has two different values: none counts")
                p = None
            probabilities[market] = p
    notes.knots = [knot for knot in notes.knots if id(knot) not in settled]
    return tuple(Forecast(market, p) for market, p in probabilities.items() if p is not None)


def _pairs(
    stated: object, markets: Mapping[str, MarketId], notes: Notes
) -> Iterator[tuple[object, object]]:
    if stated is None:
        return
    if isinstance(stated, list):
        for n, entry in enumerate(stated, start=1):
            yield from _entry(entry, f"forecast {n}: ", notes)
    elif not isinstance(stated, dict):
        notes.mend(f"forecasts is a list of market_id and p_yes, not {shown(stated)}")
    elif "pyes" in map(letters_of, stated) and markets.keys().isdisjoint(stated):
        notes.mend("forecasts is a list, also of one")
        yield from _entry(stated, "forecast 1: ", notes)
    else:
        yield from stated.items()


def _entry(entry: object, where: str, notes: Notes) -> Iterator[tuple[object, object]]:
    if not isinstance(entry, dict):
        notes.mend(f"{where}{shown(entry)} is not an object with market_id and p_yes")
        return
    try:
        fields = named(entry, FORECAST, notes, where)
    except UnreadableError as error:
        notes.mend(f"{error.reason}: it does not count")
        return
    if missing := [key for key in ("market_id", "p_yes") if key not in fields]:
        notes.mend(f"{where}it has no {' and no '.join(missing)}")
        return
    yield fields["market_id"], fields["p_yes"]


def _probability(name: object, value: object, notes: Notes) -> float | None:
    exact = number_of(value, notes) if isinstance(value, str) else value
    if isinstance(exact, Decimal) and 0 <= exact <= 1:
        return float(exact) + 0.0  # without the sign of -0
    why = f"needs a number from 0 to 1, not {shown(value)}"
    notes.mend(f"forecasts: {shown(name)} {why}: it does not count")
    return None


MAX_ORDERS = 20
LONGEST_READ = 5 * 4_000


@dataclass(frozen=True, slots=True)
class ReplyReading:
    """The result of reading a reply.

    `decision` is None where `status` is reject. `dropped` are the orders that were left out
    of it. `reasons` say what was mended, or why the reply is rejected.
    """

    status: Status
    decision: Decision | None = None
    dropped: tuple[Dropped, ...] = ()
    reasons: tuple[str, ...] = ()


def read_reply(
    text: str,
    briefing: Briefing,
    *,
    finish: str = "",
    version: int = PARSER_VERSION,
) -> ReplyReading:
    """Read the one decision that a reply states. Nothing that it says makes this raise.

    Args:
        text: The contestant's words, of at most 200 kB.
        briefing: What it was shown: names the markets and the turn.
        finish: The server's own word on why the reply ended. One that was cut off is
            rejected, however whole it looks.
        version: Of the parser: that of the day when the reply came.
    """
    turn = f"{briefing.cohort}/{briefing.round}/{briefing.contestant}"
    return read_words(text, _named_in(briefing), turn=turn, finish=finish, version=version)


def read_forecasts(
    text: str, briefing: Briefing, *, finish: str = "", version: int = PARSER_VERSION
) -> ReplyReading:
    """Read the probabilities that a reply states, and nothing else of it.

    The decision is HOLD. A reply without any probability is rejected. Every version of the
    parser reads them alike.
    """
    del version
    try:
        fields, _, notes = stated(text, finish)
        for key in ("action", "bets"):
            if key in fields:
                notes.mend(f"{key} was not asked for: it was passed over")
                _untie(fields[key], notes)
        before = len(notes.mended)
        forecasts = forecasts_of(fields.get("forecasts"), _named_in(briefing), notes)
        if not forecasts:
            return _rejected(list(notes.mended)[before:] or ["there are no forecasts"])
        reasoning = _reasoning(fields, notes, is_needed=False)
        _refuse_knots(notes)
    except UnreadableError as error:
        return _rejected([error.reason])
    return _read(Decision(Action.HOLD, forecasts, reasoning=reasoning), (), notes)


def read_words(  # noqa: PLR0913  a reply's words, and what they are read by
    text: str,
    markets: Mapping[str, MarketId],
    *,
    turn: str = "reply",
    finish: str = "",
    budget: Budget | None = None,
    version: int = PARSER_VERSION,
) -> ReplyReading:
    """Read the one decision that words state about markets that are known by name.

    Args:
        text: The words, of at most 200 kB.
        markets: What may be named, and which market each name is.
        turn: What the ids of its orders begin with.
        finish: The server's own word on why the words ended.
        budget: The money that bets are judged by, in their order and in whole cents; None
            leaves it to the ledger, which keeps millionths.
        version: Of the parser: that of the day when the words came.
    """
    try:
        fields, beside, notes = stated(text, finish)
        action = _action(fields, notes)
        most = max(MAX_ORDERS, 2 * len(markets))
        legs = _legs(fields, action, most, notes)
        if version > 1:
            refuse_orders_elsewhere(beside)
        terms = OrderTerms(action, markets, budget, beside, version)
        orders, dropped = orders_of(legs, terms, notes)
        forecasts = forecasts_of(fields.get("forecasts"), markets, notes)
        reasoning = _reasoning(fields, notes)
        _refuse_knots(notes)
    except UnreadableError as error:
        return _rejected([error.reason])
    if dropped and not orders:
        return _rejected([drop.detail for drop in dropped], dropped)
    if not orders:
        action = Action.HOLD
    bets, sales = _placed(orders, action, turn)
    return _read(Decision(action, forecasts, bets, sales, reasoning), dropped, notes)


def _named_in(briefing: Briefing) -> dict[str, MarketId]:
    return {o.alias: o.market.id for o in briefing.offers + briefing.sell_only}


def _read(decision: Decision, dropped: tuple[Dropped, ...], notes: Notes) -> ReplyReading:
    is_whole = not dropped and not notes.mended
    status = Status.OK if is_whole else Status.REPAIRED
    return ReplyReading(status, decision, dropped, few(list(notes.mended)))


def _rejected(reasons: list[str], dropped: tuple[Dropped, ...] = ()) -> ReplyReading:
    return ReplyReading(Status.REJECT, None, dropped, few(reasons))


def _action(fields: Object, notes: Notes) -> Action:
    if "action" not in fields:
        raise UnreadableError("there is no action")
    value = fields["action"]
    try:
        action = Action(word_of(value))
    except ValueError:
        raise UnreadableError(
            f"action is one of {', '.join(Action)}, not {shown(value)}"
        ) from None
    if value != action:
        notes.mend(f"action is written {action}, in capitals")
    return action


def _legs(fields: Object, action: Action, most: int, notes: Notes) -> list[object]:
    bets = unpacked(fields.get("bets"), notes)
    if action is Action.HOLD:
        if bets:
            raise UnreadableError("HOLD comes with bets: give an empty list, or bet")
        if bets is None:
            notes.mend("there was no list of bets: HOLD has an empty one")
        elif bets != []:
            notes.mend("bets is a list")
        return []
    if isinstance(bets, dict) and any(letters_of(key) in LEG for key in bets):
        notes.mend("bets is a list, also of one")
        bets = [bets]
    if not isinstance(bets, list):
        raise UnreadableError("bets must be a list of objects with market_id, side and amount")
    if len(bets) > most:
        raise UnreadableError(f"{len(bets)} bets are more than the {most} that are read")
    if not bets:
        notes.mend(f"{action} without bets was read as HOLD")
    return bets


def _placed(
    orders: tuple[ParsedOrder, ...], action: Action, turn: str
) -> tuple[tuple[Bet, ...], tuple[Sale, ...]]:
    """Number the orders by their places in the list."""
    numbered = [(BetId(f"{turn}/{order.index + 1}"), order) for order in orders]
    if action is Action.BET:
        return tuple(Bet(i, o.market, o.side, usd(o.amount)) for i, o in numbered), ()
    return (), tuple(Sale(i, o.market, o.side, usd(o.amount)) for i, o in numbered)


def _reasoning(fields: Object, notes: Notes, *, is_needed: bool = True) -> str:
    value = fields.get("reasoning")
    if isinstance(value, str):
        return plain_reasoning(value[:LONGEST_READ])
    if is_needed or value is not None:
        notes.mend("reasoning is a string of a few sentences")
    return ""


def _untie(value: object, notes: Notes) -> None:
    """Forget the knots in something that is passed over."""
    inside: list[object] = [value]
    passed: set[int] = set()
    while inside:
        part = inside.pop()
        if isinstance(part, Knot):
            passed.add(id(part))
        elif isinstance(part, dict):
            inside += part.values()
        elif isinstance(part, list):
            inside += part
    notes.knots = [knot for knot in notes.knots if id(knot) not in passed]


def _refuse_knots(notes: Notes) -> None:
    if notes.knots:
        raise UnreadableError(notes.knots[0].reason)
