"""No order is taken for another than all of its own words say."""

import json

import pytest

from arena.agents.reply import ReplyReading, read_words
from arena.records.decision import Drop, Status
from arena.records.market import MarketId
from benchmarks.order_words import NAMES, disputes, legs, taken

MARKETS = {name: MarketId(name) for name in NAMES}
SAMPLE = 5_000


def read(
    *orders: object, action: str = "BET", version: int = 3, **beside: object
) -> ReplyReading:
    said = {"action": action, "bets": orders, "reasoning": "r", **beside}
    return read_words(json.dumps(said), MARKETS, version=version)


def order(**more: object) -> dict[str, object]:
    return {"market_id": "M1", "side": "YES", "amount": 50, **more}


def drops(found: ReplyReading) -> list[Drop]:
    return [one.reason for one in found.dropped]


def stakes(found: ReplyReading) -> list[int]:
    return [int(bet.stake) for bet in found.decision.bets] if found.decision else []


@pytest.mark.parametrize(
    "more",
    [
        {"unit": "shares"}, {"unit": "EUR"}, {"Currency": "GBP"}, {"amount_unit": "percent"},
        {"action": "SELL"}, {"type": "sell"}, {"action": "buy no"}, {"order_type": "limit"},
        {"outcome": "NO"}, {"outcome": "Trump"}, {"direction": "no"}, {"position": "short"},
        {"status": "cancelled"}, {"quantity": 50}, {"shares": 100}, {"fraction": 0.1},
        {"percent": 50}, {"stake": 51}, {"amount_usd": "$49"}, {"market": "M2"},
        {"market": "M99"}, {"market": "like M2 but wetter"}, {"id": "M2"}, {"hedge": True},
        {"only_if": "it rains"}, {"limit_price": 0.4}, {"comment": "SELL"}, {"note": "No"},
        {"\u0443nit": "USD"}, {"x" * 99: 1}, {"unit": ["shares"]}, {"unit": True},
    ],
    ids=str,
)  # fmt: skip
def test_an_order_whose_words_say_something_else_is_dropped(more: dict[str, object]) -> None:
    found = read(order(**more), order(market_id="M2", amount=60))
    assert (drops(found), stakes(found)) == ([Drop.CONFLICTING_ORDER], [60])
    (key,) = more
    assert ascii(key[:40])[1:9] in found.dropped[0].detail


@pytest.mark.parametrize(
    "more",
    [
        {"unit": "USD"}, {"units": "US dollars"}, {"currency": "usd"}, {"action": "BUY"},
        {"action": "buy yes"}, {"type": "market"}, {"outcome": "Yes"}, {"status": "open"},
        {"stake": 50}, {"amount_usd": "$50"}, {"market": "M1"}, {"id": 1}, {"bet_id": "b-1"},
        {"market": "Will it rain in Rome?"}, {"price": 0.41}, {"edge": 0.1}, {"confidence": 1},
        {"rationale": "M2 is a sell, but not this"}, {"question": "Will it?"}, {"unit": None},
        {"hedge": ""}, {"tags": ["a"]}, {"reasoning": {"why": "so"}},
    ],
    ids=str,
)  # fmt: skip
def test_words_that_agree_or_comment_are_passed_over(more: dict[str, object]) -> None:
    found = read(order(**more))
    assert (found.status, stakes(found), drops(found)) == (Status.REPAIRED, [50], [])


def test_a_word_beside_the_list_holds_for_each_order_of_it() -> None:
    both = (order(), order(market_id="M2", side="NO", amount=60))
    assert stakes(read(*both, unit="USD", confidence=0.3, mood="good")) == [50, 60]
    assert drops(read(*both, unit="shares")) == [Drop.CONFLICTING_ORDER] * 2
    assert stakes(read(*both, side="NO")) == [60]


@pytest.mark.parametrize(
    "beside",
    [{"sells": ["M1"]}, {"orders": [order()]}, {"Sales": {"M1": 50}}, {"later": [order()]}],
)
@pytest.mark.parametrize("action", ["BET", "HOLD"])
def test_orders_beside_the_bets_make_a_reply_unreadable(
    beside: dict[str, object], action: str
) -> None:
    bets = [order()] if action == "BET" else []
    said = {"action": action, "bets": bets, **beside}
    found = read_words(json.dumps(said), MARKETS)
    assert found.status is Status.REJECT
    assert "holds orders beside bets" in found.reasons[0]
    assert stakes(read(order(), sells=[], orders=None, trades=False)) == [50]


def test_a_reply_of_an_old_tape_is_read_as_it_was_then() -> None:
    assert stakes(read(order(unit="shares"), version=1, sells=["M2"])) == [50]
    assert stakes(read(order(amount="$50"), version=1)) == [50]
    assert drops(read(order(amount="50 USD"), version=1)) == [Drop.BAD_AMOUNT]
    assert stakes(read(order(amount="0,050"), version=2)) == [50]
    assert stakes(read(order(amount=50, stake="0,050"), version=2)) == [50]
    assert drops(read(order(amount=50, stake="0,050"))) == [Drop.CONFLICTING_ORDER]


def test_no_order_is_taken_that_one_of_its_own_words_disputes() -> None:
    drawn = list(legs(SAMPLE, seed=20_261_122))
    assert [(leg, disputes(leg)) for leg in drawn if taken(leg) and disputes(leg)] == []


def test_an_order_that_nothing_beside_it_disputes_is_taken() -> None:
    plain = [leg for leg in legs(SAMPLE, seed=7) if leg.is_plain]
    assert len(plain) > SAMPLE // 4
    assert [leg for leg in plain if disputes(leg) or not taken(leg)] == []
