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


def test_f6_closed_at_1_and_0_is_yes_once_the_oracle_has_spoken() -> None:
    market = closed(uma="resolved") | {"outcomePrices": "[1,0]"}
    assert decided(market) == YES_WINS


def test_f6_without_a_final_word_ours_waits() -> None:
    assert decided(closed("1", "0")) is None


def test_f7_without_a_winner_flag_ours_waits() -> None:
    assert decided(tokens(("ALPHA", 0.99, None), ("BETA", 0.01, None))) is None


def test_f8_closed_at_98_cents_is_not_resolved() -> None:
    assert decided(closed("0.985", "0.015", uma="resolved")) is None


def test_f9_a_market_that_is_not_closed_is_not_resolved() -> None:
    assert decided(closed("1", "0", uma="resolved") | {"closed": False}) is None


def test_f10_half_and_half_pays_half_once_the_oracle_has_spoken() -> None:
    assert decided(closed("0.5", "0.5", uma="resolved")) == Outcome(price("0.5"))


def test_f10_half_and_half_without_a_final_word_waits() -> None:
    assert decided(closed("0.5", "0.5", uma="proposed")) is None


def test_f11_a_disputed_market_waits_whatever_its_price() -> None:
    disputed = closed("0.9995", "0.0005", uma="disputed")
    assert decided(disputed) is None
    assert decided(disputed, tokens(("Yes", 1, True), ("No", 0, False))) is None


@pytest.mark.parametrize("near", [("0.995", "0.99"), ("0.9995", "0.9991")])
def test_f12_three_outcomes_with_two_near_1_are_ambiguous(near: tuple[str, str]) -> None:
    market = closed(*near, "0", names='["A","B","C"]', uma="resolved")
    assert decided(market) is None
    assert decisive([choice.price for choice in choices(market)]) is None


@pytest.mark.parametrize("prices", ['["0.99"]', "not json", '["1"]', "[]", None])
def test_f13_a_single_or_unreadable_price_is_not_decisive(prices: object) -> None:
    market = closed(uma="resolved") | {"outcomePrices": prices}
    assert decided(market) is None


@pytest.mark.parametrize(("winner", "outcome"), [("Yes", YES_WINS), ("No", NO_WINS)])
def test_the_clob_may_confirm_where_the_oracle_is_silent(winner: str, outcome: Outcome) -> None:
    prices = ("1", "0") if winner == "Yes" else ("0", "1")
    clob = tokens(("Yes", 1, winner == "Yes"), ("No", 0, winner == "No"))
    assert decided(closed(*prices), clob) == outcome


def test_the_clob_alone_names_a_winner() -> None:
    assert decided(tokens(("Yes", 0, False), ("No", 1, True))) == NO_WINS


@pytest.mark.parametrize("prices", [("1", "0"), ("0.5", "0.5")])
def test_where_the_clob_names_another_winner_it_waits(prices: tuple[str, str]) -> None:
    clob = tokens(("Yes", 0, False), ("No", 1, True))
    assert decided(closed(*prices, uma="resolved"), clob) is None


def test_where_no_comes_first_the_first_price_is_the_price_of_no() -> None:
    market = closed("1", "0", names='["No","Yes"]', uma="resolved")
    assert decided(market) == NO_WINS


def test_the_first_outcome_is_yes_where_none_has_that_name() -> None:
    market = closed("1", "0", names='["Up","Down"]', uma="resolved")
    assert decided(market) == YES_WINS


@pytest.mark.parametrize(
    "market",
    [
        closed("0", "0", uma="resolved"),
        closed("0.584", "0.416", uma="resolved"),
        closed("1", "0", "0.5", names='["A","B",""]', uma="resolved"),
        closed("1", "0", uma="resolved") | {"closed": "true"},
        {"closed": True, "umaResolutionStatus": "resolved"},
    ],
    ids=["zero zero", "scalar", "nameless", "text", "empty"],
)
def test_what_names_no_winner_waits(market: Payload) -> None:
    assert decided(market) is None


def test_old_payouts_near_0_and_1_are_decisive() -> None:
    market = closed("0.0000010245", "0.9999989755", uma="resolved")
    assert decided(market) == NO_WINS


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
