"""Orders with words beside them, drawn by chance, and a reader of its own that judges them.

The reader knows nothing of the parser: it looks for words and numbers, wherever they stand,
that say something else than the order that was taken. `python -m benchmarks order_words` draws
100,000 orders; the tests draw fewer.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import numpy as np

from arena.agents.reply import read_words
from arena.records.market import MarketId

FEW = 2  # words: more are prose
NAMES = ("M1", "M2", "M12")
TRADES = {"BET": ("BET", "buy", "Purchase"), "SELL": ("SELL", "sell")}
OWN_UNITS = {"BET": ("USD", "dollars", "$", "US dollars"), "SELL": ("percent", "%")}
SAME_AMOUNT = {"BET": ("stake", "amount_usd", "Wager"), "SELL": ("percent", "pct")}
COMMENTS: Mapping[str, tuple[object, ...]] = {
    "price": (0.41, "0.41"),
    "edge": (0.08, -0.02),
    "confidence": (0.7, "high"),
    "rationale": ("the talks go on", "others sell, and are wrong", ""),
    "question": ("Will it rain?", "Will Ada sell?"),
    "p_yes": (0.62,),
    "marketTitle": ("Rain in Rome",),
    "note": (None, "small"),
}
FOREIGN_UNITS = ("shares", "EUR", "contracts", "cents", "percent", "%", "USD", "points")
OTHER: Mapping[str, tuple[object, ...]] = {
    "unit": FOREIGN_UNITS,
    "Amount-Type": FOREIGN_UNITS,
    "currency": ("EUR", "GBP", "shares", "USDC"),
    "action": ("SELL", "BUY", "HOLD", "short", "cancel", "SELL YES", "buy no"),
    "type": ("limit", "SELL", "BUY", "stop", "sell"),
    "outcome": ("YES", "NO", "Yes", "no"),
    "direction": ("YES", "no", "down", "short"),
    "position": ("NO", "YES", "short"),
    "status": ("cancelled", "closed", "void", "draft", "rejected"),
    "quantity": (7, 120, "7"),
    "shares": (240, "240"),
    "fraction": (0.2, 0.5),
    "percent": (10, 100),
    "stake": (1, 77),
    "amount_usd": (5, "$9"),
    "market": ("M1", "M2", "M12", "M99"),
    "ticker": ("M2", "M1"),
    "limit_price": (0.4,),
    "condition": ("only if it rains",),
    "dry_run": (True,),
    "hedge": ({"side": "NO"},),
    "comment": ("SELL", "NO", "YES", "buy", "cancelled"),
}
_UNIT = re.compile(r"unit|currency|denominat|amount.?type", re.IGNORECASE)
_SIZE = re.compile(
    r"share|contract|quantit|qty|size|lot|fraction|percent|pct|stake|wager|usd|dollar|amount",
    re.IGNORECASE,
)
_COMMENT = re.compile(
    r"price|edge|confidence|rationale|question|p_yes|title|note|comment", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Leg:
    """An order as it is written; `is_plain` where all beside it agrees or comments."""

    action: str
    written: Mapping[str, object]
    is_plain: bool


def legs(count: int, seed: int) -> Iterator[Leg]:
    """Draw orders with up to four words beside them."""
    rng = np.random.default_rng(seed)

    def one(items: tuple[object, ...]) -> object:
        return items[int(rng.integers(len(items)))]

    for _ in range(count):
        action = str(one(("BET", "SELL")))
        side, amount = str(one(("YES", "NO"))), int(rng.integers(1, 100))
        written: dict[str, object] = {"market_id": one(NAMES), "side": side, "amount": amount}
        agreeing: dict[str, tuple[object, ...]] = {
            "unit": OWN_UNITS[action],
            "action": TRADES[action],
            "outcome": (side, side.lower()),
            "status": ("open", "active"),
            "market": (written["market_id"],),
            str(one(SAME_AMOUNT[action])): (amount, str(amount)),
        }
        plain = True
        for _ in range(int(rng.integers(5))):
            pool = (agreeing, COMMENTS, OTHER)[int(rng.integers(3))]
            key = str(one(tuple(pool)))
            if key not in written:
                written[key] = one(pool[key])
                plain = plain and pool is not OTHER
        yield Leg(action, written, plain)


def disputes(leg: Leg) -> list[str]:
    """Name the words of an order that say something else than its own three keys."""
    side, market = str(leg.written["side"]), leg.written["market_id"]
    amount = Decimal(str(leg.written["amount"]))
    found = []
    for key, value in leg.written.items():
        if key in {"market_id", "side", "amount"} or value is None or value == "":
            continue
        word = str(value).strip().upper()
        if _disputes(key, word, (leg.action, side), amount) or (
            word in {name.upper() for name in NAMES} and value != market
        ):
            found.append(f"{key}: {value!r}")
    return found


def _disputes(key: str, word: str, said: tuple[str, str], amount: Decimal) -> bool:
    action, side = said
    words = re.findall(r"[A-Z%$]+", word)
    is_short = len(words) <= FEW
    if {"YES": "NO", "NO": "YES"}[side] in words and is_short:
        return True
    if is_short and set(words) & {"SELL": {"BUY", "BET", "PURCHASE"}}.get(
        action, {"SELL", "SHORT"}
    ):
        return True
    if _UNIT.search(key):
        own = {"$", "US", "USD", "DOLLARS"} if action == "BET" else {"%", "PERCENT"}
        return not set(words) <= own
    if _COMMENT.search(key) and not key.startswith("limit"):
        return word in {"HOLD", "CANCEL", "CANCELLED"}
    if _SIZE.search(key):
        is_own = ("percent" in key or "pct" in key) == (action == "SELL")
        named = any(name in key.lower() for name in ("stake", "wager", "usd", "percent", "pct"))
        try:
            return not (is_own and named and Decimal(word.strip("$")) == amount)
        except InvalidOperation:
            return True
    agreeing = {"BUY", "BET", "PURCHASE", "SELL", "YES", "NO", "OPEN", "ACTIVE"}
    return not set(words) <= agreeing and word not in {name.upper() for name in NAMES}


def taken(leg: Leg) -> bool:
    """Whether the arena would carry out an order."""
    said = {"action": leg.action, "bets": [leg.written], "reasoning": ""}
    found = read_words(json.dumps(said), {name: MarketId(name) for name in NAMES}).decision
    return found is not None and bool(found.bets + found.sales)


def main(count: int = 100_000) -> None:
    drawn = list(legs(count, seed=1))
    carried_out = [leg for leg in drawn if taken(leg)]
    wrong = [leg for leg in carried_out if disputes(leg)]
    plain = sum(leg.is_plain for leg in drawn)
    print(f"{count} orders, {sum(bool(disputes(leg)) for leg in drawn)} of them disputed")
    print(f"{len(carried_out)} taken, {plain} have no word against them")
    print(f"{len(wrong)} taken against their own words", *wrong[:5], sep="\n")
