"""Words for a model that is none: it reads the arena's prompt and bets a little."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Any

from tests.standins.asked import Asked, Message, mapping

PARTS = ("reasoning", "forecasts", "action", "bets")
DOUBT = 0.3  # how far its mind may be from the price, both ways together


def small_bettor(model: str, messages: Sequence[Message]) -> str:
    """Forecast near the market's price and place one small bet where that differs most.

    It reads the JSON of the arena's prompt, and follows from the model's name and that JSON
    alone; asked anything else, it holds. Where no price is shown, its forecasts are around
    a half. Asked for forecasts alone it gives no more, and shown what it `stated` before it
    bets by that. It gives the parts that the JSON schema names, if it was given one.
    """
    told = _told(messages)
    minds: dict[str, float] = {}
    wishes: list[tuple[float, str, str]] = []
    for market in _markets(told):
        found = _mind(model, market, mapping(told.get("stated")))
        if found is not None:
            minds[market["market_id"]] = found
            wishes += _wishes(market, found)
    bets = _bets(model, mapping(told.get("portfolio")), wishes)
    said: Mapping[str, object] = {
        "forecasts": [{"market_id": m, "p_yes": p} for m, p in minds.items()],
        "action": "BET" if bets else "HOLD",
        "bets": bets,
        "reasoning": f"{model} follows the price, with a doubt",
    }
    return json.dumps({part: said[part] for part in _parts(messages, told)})


def _mind(model: str, market: Mapping[str, Any], stated: Mapping[str, object]) -> float | None:
    """Make up a mind about a market; None where a price is to be shown and there is none."""
    before = stated.get(market["market_id"])
    if isinstance(before, float | int):
        return float(before)
    middle = 0.5
    if "yes_bid" in market:
        bid, ask = market["yes_bid"], market.get("yes_ask")
        if bid is None or ask is None:
            return None
        middle = (bid + ask) / 2
    doubt = _fraction(f"{model}/{market.get('question')}") - 0.5
    return round(min(0.98, max(0.02, middle + DOUBT * doubt)), 2)


def _wishes(market: Mapping[str, Any], mind: float) -> list[tuple[float, str, str]]:
    """Say what each side would be worth to it beyond its price, or beyond a half unseen."""
    bid, ask = market.get("yes_bid", 0.5), market.get("yes_ask", 0.5)
    if bid is None or ask is None:
        return []
    alias = market["market_id"]
    return [(mind - ask, alias, "YES"), (bid - mind, alias, "NO")]


def _bets(
    model: str, purse: Mapping[str, Any], wishes: Sequence[tuple[float, str, str]]
) -> list[Mapping[str, object]]:
    edge, alias, side = max(wishes, default=(0.0, "", ""))
    smallest, largest = purse.get("smallest_stake") or 0, purse.get("largest_stake") or 0
    if edge <= 0 or largest <= 0 or smallest > largest:
        return []
    stake = max(smallest, round(largest * (0.05 + 0.2 * _fraction(model)), 2))
    return [{"market_id": alias, "side": side, "amount": stake}]


def _parts(messages: Sequence[Message], told: Mapping[str, Any]) -> list[str]:
    """Say which parts of an answer are wanted, in order."""
    schema = messages.schema if isinstance(messages, Asked) else None
    named = [part for part in mapping(mapping(schema).get("properties")) if part in PARTS]
    if named:
        return named
    if told.get("task") == "forecast":
        return ["reasoning", "forecasts"]
    return [part for part in PARTS if part != "forecasts" or "stated" not in told]


def _markets(told: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    listed = told.get("markets")
    found = [mapping(market) for market in listed] if isinstance(listed, list) else []
    return [m for m in found if isinstance(m.get("market_id"), str)]


def _told(messages: Sequence[Message]) -> Mapping[str, Any]:
    """Put the JSON objects of what the user said together; what comes first counts."""
    told: dict[str, Any] = {}
    for message in messages:
        if message.get("role", "user") == "user":
            for found in _objects(str(message.get("content", ""))):
                told = {**found, **told}
    return told


def _objects(words: str) -> Iterator[Mapping[str, Any]]:
    decoder = json.JSONDecoder()
    start = words.find("{")
    while start >= 0:
        end = start + 1
        with suppress(ValueError, RecursionError):
            found, end = decoder.raw_decode(words, start)
            yield found
        start = words.find("{", end)


def _fraction(seed: str) -> float:
    return int.from_bytes(sha256(seed.encode(errors="replace")).digest()[:4]) / 2**32
