"""From words to a decision, and back: one format for every contestant.

The reader mends nothing and guesses nothing. What is not strict JSON of the agreed shape is
a `ReplyError`, because a guess at what a contestant meant would move its money.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import Decimal

from arena.records.briefing import Briefing
from arena.records.decision import Action, Bet, BetId, Decision, Forecast, Sale
from arena.records.market import MarketId, Side
from arena.records.money import usd

MAX_BYTES = 200_000
MAX_REASONING = 4_000
MAX_ORDERS = 20
SHOWN = 40  # characters of hostile words that an error repeats
TOO_MUCH = Decimal(10) ** 12  # millionths of more would not fit in 64 bits

_KEYS = frozenset({"action", "bets", "forecasts", "reasoning"})
_LEG_KEYS = frozenset({"amount", "market_id", "side"})
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^`~{}\[\]]*)")
_ANOTHER_VOICE = re.compile(r"[{}]|<[|/A-Za-z]")  # JSON or tags beside the fence


class ReplyError(Exception):
    """A reply cannot be read as a decision. The message says what to mend."""


def read_reply(text: str, briefing: Briefing) -> Decision:
    """Read the one decision that a reply states.

    The reply is a JSON object, or holds exactly one Markdown fence around one. Unknown keys
    are passed over. An amount is kept as it is, zero and below included: the rules judge it.

    Args:
        text: The contestant's words, of at most 200 kB.
        briefing: What it was shown: names the markets and the turn.

    Raises:
        ReplyError: The words are not strict JSON, state no decision or more than one, or
            name a market that was not offered.
    """
    said = _only_object(text)
    _refuse_other_spellings(said, _KEYS)
    named = briefing.offers + briefing.sell_only
    markets = {offer.alias: offer.market.id for offer in named}
    action = _action(said)
    legs = _legs(said.get("bets"), action, most=max(MAX_ORDERS, 2 * len(markets)))
    orders = [_order(leg, n, markets) for n, leg in enumerate(legs, start=1)]
    turn = f"{briefing.cohort}/{briefing.round}/{briefing.contestant}"
    ids = [BetId(f"{turn}/{n}") for n in range(1, len(orders) + 1)]
    betting = action is Action.BET
    return Decision(
        action=action,
        forecasts=_forecasts(said.get("forecasts"), markets),
        bets=tuple(
            Bet(i, market, side, usd(amount))
            for i, (market, side, amount) in zip(ids, orders, strict=True)
            if betting
        ),
        sales=tuple(
            Sale(i, market, side, amount)
            for i, (market, side, amount) in zip(ids, orders, strict=True)
            if not betting
        ),
        reasoning=_reasoning(said.get("reasoning")),
    )


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
        bets: Alias, side, and dollars (BET) or percent of the position (SELL).
        reasoning: Why, in plain words.
    """
    legs = ",".join(
        f'{{"market_id":{json.dumps(alias)},"side":"{side}","amount":{amount.normalize():f}}}'
        for alias, side, amount in bets
    )
    stated = json.dumps(dict(forecasts), separators=(",", ":"), allow_nan=False)
    why = json.dumps(reasoning)
    return f'{{"forecasts":{stated},"action":"{action}","bets":[{legs}],"reasoning":{why}}}'


def _only_object(text: str) -> dict[str, object]:
    if len(text) > MAX_BYTES or len(text.encode(errors="replace")) > MAX_BYTES:
        raise ReplyError(f"the reply is longer than {MAX_BYTES} bytes")
    bare = text.strip().removeprefix("\ufeff").strip()
    if not bare:
        raise ReplyError("the reply is empty")
    try:
        said = _strict_json(bare)
    except ReplyError as error:
        said = _strict_json(_fenced(bare, error))
    if not isinstance(said, dict):
        raise ReplyError("the reply is JSON, but not an object")
    return said


def _strict_json(text: str) -> object:
    try:
        return json.loads(
            text,
            parse_float=Decimal,
            parse_int=Decimal,
            parse_constant=_refuse_constant,
            object_pairs_hook=_object_of,
        )
    except json.JSONDecodeError as error:
        raise ReplyError(f"not strict JSON at character {error.pos}: {error.msg}") from error
    except RecursionError as error:
        raise ReplyError("the JSON is nested too deeply") from error
    except ArithmeticError as error:
        raise ReplyError("a number is too large") from error


def _refuse_constant(word: str) -> object:
    raise ReplyError(f"{word} is not a number")


def _object_of(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Build an object; a key may come twice only if it says the same."""
    built: dict[str, object] = {}
    for key, value in pairs:
        before = built.setdefault(key, value)
        if before is not value and (type(before) is not type(value) or before != value):
            raise ReplyError(f"the key {_shown(key)} comes twice and differs")
    return built


def _fenced(text: str, why_not_whole: ReplyError) -> str:
    """Find the inside of the only Markdown fence; whatever surrounds it must be prose."""
    lines = [line.rstrip() for line in text.split("\n")]
    marks = [(n, m) for n, line in enumerate(lines) if (m := _FENCE.fullmatch(line))]
    if not marks:
        raise why_not_whole
    try:
        (first, opening), (last, closing) = marks
    except ValueError:
        raise ReplyError("expected one fenced block, opened and closed") from None
    if closing[2] or not closing[1].startswith(opening[1]):
        raise ReplyError("the fenced block is not closed")
    outside = [*lines[:first], *lines[last + 1 :]]
    if any(_ANOTHER_VOICE.search(line) for line in outside):
        raise ReplyError("beside the fenced block there is more than plain prose")
    return "\n".join(lines[first + 1 : last]).strip()


def _action(said: Mapping[str, object]) -> Action:
    try:
        return Action(_word(said["action"]))
    except KeyError:
        raise ReplyError("there is no action") from None
    except ValueError:
        raise ReplyError(
            f"action is one of {', '.join(Action)}, not {_shown(said['action'])}"
        ) from None


def _legs(bets: object, action: Action, *, most: int) -> list[object]:
    if bets is None and action is Action.HOLD:
        return []
    if not isinstance(bets, list):
        raise ReplyError("bets must be a list")
    if action is Action.HOLD and bets:
        raise ReplyError("HOLD comes with bets")
    if action is not Action.HOLD and not bets:
        raise ReplyError(f"{action} comes without bets")
    if len(bets) > most:
        raise ReplyError(f"{len(bets)} bets are more than the {most} that are read")
    return bets


def _order(
    leg: object, number: int, markets: Mapping[str, MarketId]
) -> tuple[MarketId, Side, Decimal]:
    where = f"bet {number}"
    if not isinstance(leg, dict):
        raise ReplyError(f"{where} must be an object")
    _refuse_other_spellings(leg, _LEG_KEYS)
    missing = sorted(_LEG_KEYS - leg.keys())
    if missing:
        raise ReplyError(f"{where} lacks {', '.join(missing)}")
    try:
        side = Side(_word(leg["side"]))
    except ValueError:
        raise ReplyError(f"{where}: side is YES or NO, not {_shown(leg['side'])}") from None
    amount = leg["amount"]
    if not isinstance(amount, Decimal):
        raise ReplyError(f"{where}: amount must be a bare number, not {_shown(amount)}")
    if not -TOO_MUCH < amount < TOO_MUCH:  # abs() would overflow on 1e9999999
        raise ReplyError(f"{where}: the amount is too large")
    return _market(leg["market_id"], where, markets), side, usd(amount) + 0


def _forecasts(stated: object, markets: Mapping[str, MarketId]) -> tuple[Forecast, ...]:
    if stated is None:
        return ()
    if not isinstance(stated, dict):
        raise ReplyError("forecasts must be an object of market: probability")
    return tuple(
        Forecast(_market(alias, "forecasts", markets), _probability(alias, value))
        for alias, value in stated.items()
    )


def _probability(alias: str, value: object) -> float:
    if not isinstance(value, Decimal) or not 0 <= value <= 1:
        raise ReplyError(
            f"forecasts: {_shown(alias)} needs a number in [0, 1], not {_shown(value)}"
        )
    return float(value)


def _market(alias: object, where: str, markets: Mapping[str, MarketId]) -> MarketId:
    if not isinstance(alias, str) or alias not in markets:
        raise ReplyError(f"{where}: {_shown(alias)} is not on offer")
    return markets[alias]


def _word(value: object) -> str:
    """Upper-case an ASCII word; other letters may have upper cases that look alike."""
    return value.upper() if isinstance(value, str) and value.isascii() else ""


def _refuse_other_spellings(said: Mapping[str, object], keys: frozenset[str]) -> None:
    for key in said:
        if key not in keys and key.casefold() in keys:
            raise ReplyError(f"the key {_shown(key)} must be written {key.casefold()}")


def _reasoning(value: object) -> str:
    if not isinstance(value, str):
        return ""
    kept = (c for c in value if c in "\n\t" or unicodedata.category(c) not in {"Cc", "Cs"})
    return "".join(kept)[:MAX_REASONING]


def _shown(value: object) -> str:
    """Quote hostile words in an error: short, and in ASCII."""
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    text = value if isinstance(value, str) else str(value)
    return ascii(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")
