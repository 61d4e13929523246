"""One market as the CLOB knows it: in full with its winner, or abbreviated with its terms.

Source: https://docs.polymarket.com/api-reference (CLOB, `/markets` and `/clob-markets`).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.records.market import FeeModel, LeftOut
from arena.records.money import Price, Shares
from arena.venues.polymarket.fees import abbreviated_fee
from arena.venues.polymarket.fit import condition, token, wrong_shape
from arena.venues.polymarket.outcome import LastWord, last_word
from arena.venues.reading import count, flag, mappings, text, unit_price
from arena.venues.rows import Read, unreadable

SIDES = 2


@dataclass(frozen=True, slots=True)
class ClobMarket:
    """What the CLOB says of a market's end; `winners` in it are named by the CLOB alone."""

    condition: str
    word: LastWord


@dataclass(frozen=True, slots=True)
class PolymarketFeeTerms:
    """On what terms a market is traded. `fee` is None where nothing is said of one.

    `tokens` are the ids of its outcomes' shares, each with the outcome's name.
    """

    condition: str
    tokens: tuple[tuple[str, str], ...]
    accepting: bool | None
    fee: FeeModel | None
    tick: Price | None
    min_order: Shares | None


def clob_market(payload: object) -> Read[ClobMarket]:
    """Read the answer to `/markets/{condition_id}`."""
    if not isinstance(payload, dict) or "condition_id" not in payload:
        return Read((), (wrong_shape(payload, "market of the CLOB"),))
    own, word = condition(payload.get("condition_id")), last_word(payload)
    if not own:
        return Read((), (unreadable("a market", "condition_id cannot be read"),))
    if word.closed is None:
        return Read((), (unreadable(own, "closed is missing or cannot be read"),))
    if len({choice.name for choice in word.choices}) != SIDES or len(word.choices) != SIDES:
        return Read((), (unreadable(own, f"tokens are not those of {SIDES} outcomes"),))
    return Read((ClobMarket(own, word),))


def terms(payload: object) -> Read[PolymarketFeeTerms]:
    """Read the answer to `/clob-markets/{condition_id}`, or a list of such answers."""
    rows = payload if isinstance(payload, list) else [payload]
    kept: dict[str, PolymarketFeeTerms] = {}
    left: list[LeftOut] = []
    for row in rows:
        market_terms = _terms(row if isinstance(row, dict) else {})
        if isinstance(market_terms, LeftOut):
            left.append(market_terms)
        elif market_terms.condition in kept:
            left.append(unreadable(market_terms.condition, "c comes a second time"))
        else:
            kept[market_terms.condition] = market_terms
    return Read(tuple(kept.values()), tuple(left))


def _terms(row: Mapping[str, object]) -> PolymarketFeeTerms | LeftOut:
    own = condition(row.get("c"))
    if not own:
        return wrong_shape(row, "market with a condition id under c")
    tokens = [
        (token(outcome_row.get("t")), text(outcome_row.get("o")))
        for outcome_row in mappings(row.get("t"))
    ]
    if len(tokens) != SIDES or not all(all(pair) for pair in tokens):
        return unreadable(own, f"t does not hold the tokens of {SIDES} outcomes")
    return PolymarketFeeTerms(
        own,
        tuple(tokens),
        flag(row.get("ao")),
        abbreviated_fee(row),
        unit_price(row.get("mts")) or None,
        count(row.get("mos")) or None,
    )
