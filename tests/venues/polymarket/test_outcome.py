"""Known answers are named by their row: fN of resolution.

Known answers are named by their row: gN of prices.
"""

import json
from collections.abc import Mapping
from decimal import Decimal

import pytest

from arena.records.market import NO_WINS, YES_WINS, Outcome
from arena.records.money import Price, price
from arena.venues.polymarket.outcome import (
    Choice,
    choices,
    decide_outcome,
    decisive,
    last_word,
    yes_index,
)

Payload = dict[str, object]


def decided(market: Payload, clob: Payload | None = None) -> Outcome | None:
    return decide_outcome(last_word(market), None if clob is None else last_word(clob))


def closed(*prices: str, names: str = '["Yes","No"]', uma: str | None = None) -> Payload:
    payload: Payload = {"closed": True, "outcomes": names, "outcomePrices": json.dumps(prices)}
    return payload if uma is None else payload | {"umaResolutionStatus": uma}


def tokens(*rows: tuple[str, float, bool | None]) -> Payload:
    listed = [
        {"outcome": name, "price": paid} | ({} if winner is None else {"winner": winner})
        for name, paid, winner in rows
    ]
    return {"closed": True, "tokens": listed}


HALF = Outcome(price("0.5"))
DISPUTED = closed("0.9995", "0.0005", uma="disputed")
YES_WON, NO_WON = (tokens(("Yes", won, won == 1), ("No", 1 - won, won == 0)) for won in (1, 0))
NEAR = [
    closed(*near, "0", names='["A","B","C"]', uma="resolved")
    for near in (("0.995", "0.99"), ("0.9995", "0.9991"))
]
SPOKEN = closed(uma="resolved")
UNREADABLE = ('["0.99"]', "not json", '["1"]', "[]", None)

DECIDED: dict[str, tuple[Payload, Payload | None, Outcome | None]] = {
    "f6 one and zero, the oracle has spoken": (
        SPOKEN | {"outcomePrices": "[1,0]"},
        None,
        YES_WINS,
    ),
    "f6 without a final word": (closed("1", "0"), None, None),
    "f7 without a winner flag": (tokens(("A", 0.99, None), ("B", 0.01, None)), None, None),
    "f8 at 98 cents": (closed("0.985", "0.015", uma="resolved"), None, None),
    "f9 not closed": (closed("1", "0", uma="resolved") | {"closed": False}, None, None),
    "f10 half and half": (closed("0.5", "0.5", uma="resolved"), None, HALF),
    "f10 half and half, proposed": (closed("0.5", "0.5", uma="proposed"), None, None),
    "f11 disputed": (DISPUTED, None, None),
    "f11 disputed, a winner at the CLOB": (DISPUTED, YES_WON, None),
    **{f"f12 two of three near 1, {n}": (near, None, None) for n, near in enumerate(NEAR)},
    **{f"f13 {x}": (SPOKEN | {"outcomePrices": x}, None, None) for x in UNREADABLE},
    "the CLOB confirms YES": (closed("1", "0"), YES_WON, YES_WINS),
    "the CLOB confirms NO": (closed("0", "1"), NO_WON, NO_WINS),
    "the CLOB alone": (NO_WON, None, NO_WINS),
    "the CLOB names another": (closed("1", "0", uma="resolved"), NO_WON, None),
    "the CLOB names one of halves": (closed("0.5", "0.5", uma="resolved"), NO_WON, None),
    "NO comes first": (closed("1", "0", names='["No","Yes"]', uma="resolved"), None, NO_WINS),
    "none is called YES": (
        closed("1", "0", names='["Up","Down"]', uma="resolved"),
        None,
        YES_WINS,
    ),
    "zero and zero": (closed("0", "0", uma="resolved"), None, None),
    "a scalar": (closed("0.584", "0.416", uma="resolved"), None, None),
    "nameless": (closed("1", "0", "0.5", names='["A","B",""]', uma="resolved"), None, None),
    "closed as text": (closed("1", "0", uma="resolved") | {"closed": "true"}, None, None),
    "empty": ({"closed": True, "umaResolutionStatus": "resolved"}, None, None),
    "old payouts near 0 and 1": (
        closed("0.0000010245", "0.9999989755", uma="resolved"),
        None,
        NO_WINS,
    ),
}


@pytest.mark.parametrize(("market", "clob", "outcome"), DECIDED.values(), ids=DECIDED)
def test_what_market_and_clob_say_decides_or_waits(
    market: Payload, clob: Payload | None, outcome: Outcome | None
) -> None:
    assert decided(market, clob) == outcome


@pytest.mark.parametrize("market", NEAR)
def test_f12_three_outcomes_with_two_near_1_are_ambiguous(market: Payload) -> None:
    assert decisive([choice.price for choice in choices(market)]) is None


def yes_choice(market: Mapping[str, object]) -> Choice | None:
    listed = choices(market)
    index = yes_index(listed)
    return None if index is None else listed[index]


def paid(payload: Payload) -> dict[str, Price]:
    return {c.name: c.price for c in choices(payload) if c.price is not None}


def test_g1_lists_inside_strings_are_read() -> None:
    market: Payload = {"outcomes": '["Yes","No"]', "outcomePrices": '["0.42","0.58"]'}
    assert len(choices(market)) == 2
    assert yes_choice(market) == Choice("Yes", price("0.42"))


def test_g2_bare_lists_of_three_outcomes_are_read() -> None:
    market: Payload = {
        "outcomes": ["Alice", "Bob", "Carol"],
        "outcomePrices": ["1", "0", "0"],
        "closed": True,
        "umaResolutionStatus": "resolved",
    }
    assert paid(market) == {"Alice": 1, "Bob": 0, "Carol": 0}
    assert decided(market) == YES_WINS


@pytest.mark.parametrize("text", ["1.5", ""])
def test_g3_a_price_out_of_range_or_empty_is_missing(text: str) -> None:
    market: Payload = {"outcomes": ["Yes", "No"], "outcomePrices": [text, "0.5"]}
    assert yes_choice(market) == Choice("Yes", None)


def test_g4_an_outcome_without_a_name_or_a_price_has_none() -> None:
    market: Payload = {"outcomes": ["One", "", "Three"], "outcomePrices": ["0.4", "0.5"]}
    assert paid(market) == {"One": Decimal("0.4")}


def test_g5_where_the_lists_are_broken_the_tokens_say() -> None:
    market: Payload = {"outcomes": "[", "outcomePrices": "["} | tokens(
        ("Yes", 0.7, None), ("No", 0.3, None)
    )
    assert len(choices(market)) == 2
    assert yes_choice(market) == Choice("Yes", price("0.7"))


def test_g7_where_no_comes_first_yes_has_the_second_price_and_token() -> None:
    market: Payload = {
        "outcomes": ["No", "Yes"],
        "outcomePrices": ["0.2", "0.8"],
        "clobTokenIds": '["11", "22"]',
    }
    assert yes_index(choices(market)) == 1
    assert yes_choice(market) == Choice("Yes", price("0.8"), "22")


def test_blanks_around_a_name_are_no_part_of_it() -> None:
    market: Payload = {"outcomes": ["No ", " Yes"], "outcomePrices": ["0.2", "0.8"]}
    assert yes_choice(market) == Choice("Yes", price("0.8"))


def test_a_market_without_outcomes_has_no_yes() -> None:
    assert yes_choice({}) is None


@pytest.mark.parametrize("said", [None, "", 7, [], "\0"])
def test_what_is_no_id_of_a_token_is_none(said: object) -> None:
    market: Payload = {"tokens": [{"outcome": "Yes", "price": 0.5, "token_id": said}]}
    assert yes_choice(market) == Choice("Yes", price("0.5"), None)
