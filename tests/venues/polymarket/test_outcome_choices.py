"""Known answers are named by their row: gN of prices."""

from collections.abc import Mapping
from decimal import Decimal

import pytest

from arena.records.market import YES_WINS
from arena.records.money import Price, price
from arena.venues.polymarket.outcome import Choice, choices, yes_index
from tests.venues.polymarket.test_outcome import Payload, decided, tokens


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
