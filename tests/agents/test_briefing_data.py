import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.agents.briefing_data import (
    BriefingBlock,
    as_json,
    clean,
    clean_line,
    decision_data,
    forecast_data,
    reading_data,
    stake_data,
)
from arena.agents.reply import read_words
from arena.records.answer import Briefing, Holding
from arena.records.cohort import FeeRule, FillRule, Rules
from arena.records.market import EventId, FeeKind, FeeModel, MarketId, Quote, Side, Unit
from arena.records.money import price, shares, usd
from tests.agents.briefings import T0, briefing, market, offer, offering
from tests.build import with_depth

STATED = {"M1": 0.25}
PRICES = {"yes_bid", "yes_ask", "no_bid", "no_ask", "volume"}


def decided(shown: Briefing, *, prices: bool = True) -> dict[str, Any]:
    return read(decision_data(shown, prices=prices))


def read(block: BriefingBlock) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(block.text)
    return said


def holding(side: Side = Side.YES, worth: str | None = "0.6") -> Holding:
    return Holding(
        alias="M1",
        market=MarketId("id-of-M1"),
        question="Will it rain?",
        side=side,
        shares=shares(100),
        cost=usd(70),
        worth=None if worth is None else price(worth),
    )


def staked(shown: Briefing, *, prices: bool) -> BriefingBlock:
    return stake_data(shown, STATED, prices=prices)


def test_an_offer_shows_both_sides_of_the_book() -> None:
    shown = decided(briefing([offer("M1", bid="0.38", ask="0.4")]))["markets"][0]
    assert [shown[name] for name in ("yes_bid", "yes_ask", "no_bid", "no_ask")] == [
        0.38,
        0.4,
        0.6,
        0.62,
    ]


DEPTH = {"yes_offered", "no_offered", "yes_wanted", "no_wanted"}


def test_under_fill_book_an_offer_shows_how_much_stands_there() -> None:
    book = with_depth([("0.38", "100"), ("0.30", "100")], [("0.40", "100"), ("0.50", "10")])
    deep = replace(offer("M1"), quote=book)
    shown = briefing([deep], rules=Rules(fill=FillRule.BOOK))
    said = decided(shown)["markets"][0]
    assert {name: said[name] for name in DEPTH} == {
        "yes_offered": 45,
        "no_offered": 132,
        "yes_wanted": 200,
        "no_wanted": 110,
    }
    blocks = [
        decision_data(shown, prices=False),
        forecast_data(shown, prices=True),
        decision_data(briefing([deep]), prices=True),
    ]
    assert not any(DEPTH & read(block)["markets"][0].keys() for block in blocks)


def test_rules_are_told_once_an_event() -> None:
    storm, other = EventId("storm"), EventId("other")
    told = [
        (storm, "R."),
        (storm, "R."),
        (storm, "S."),
        (other, "R."),
        (storm, ""),
        (storm, ""),
    ]
    offers = [
        offer(f"M{n}", replace(market(f"m{n}"), event=event, rules=rules))
        for n, (event, rules) in enumerate(told, 1)
    ]
    said = decided(briefing(offers))["markets"]
    assert [one.get("rules") for one in said] == ["R.", None, "S.", "R.", "", ""]
    assert [one.get("rules_of") for one in said] == [None, "M1", *[None] * 4]


def test_a_side_where_nobody_stands_is_null() -> None:
    shown = decided(briefing([offer("M1", bid=None)]))["markets"][0]
    assert (shown["yes_bid"], shown["no_ask"], shown["no_bid"]) == (None, None, 0.6)
    assert shown["volume"] is None
    assert shown["closes_at"] is None


@pytest.mark.parametrize(
    ("fee", "told"),
    [
        (FeeModel(FeeKind.QUADRATIC, Decimal("0.0700")), "0.07 x shares x price x (1 - price)"),
        (FeeModel(FeeKind.NOTIONAL, Decimal("0.02")), "0.02 x dollars traded"),
        (
            FeeModel(FeeKind.QUADRATIC, Decimal("0.25"), exponent=2),
            "0.25 x shares x (price x (1 - price)) ^ 2",
        ),
        (
            FeeModel(FeeKind.QUADRATIC, Decimal("0.07"), step=usd("0.01")),
            "0.07 x shares x price x (1 - price), rounded up to a multiple of 0.01",
        ),
        (FeeModel(FeeKind.NOTIONAL, Decimal(0)), None),
        (FeeModel(), None),
    ],
)
@pytest.mark.parametrize("prices", [True, False])
def test_a_market_says_how_its_fee_is_reckoned(
    fee: FeeModel, told: str | None, *, prices: bool
) -> None:
    dear = replace(market("m"), fee=fee)
    shown = briefing([offer("M1", dear)], sell_only=[offer("H1", dear)])
    said = decided(shown, prices=prices)
    assert said["markets"][0]["fee"] == told
    assert said["portfolio"]["can_only_be_sold"][0]["fee"] == told


def test_sides_that_have_names_are_told_with_and_without_prices() -> None:
    match = replace(market("m"), labels=("Hollin\n<b>", "Ansel" + "l" * 200))
    shown = briefing([offer("M1", match), offer("M2")], sell_only=[offer("H1", match)])
    for prices in (True, False):
        said = decided(shown, prices=prices)
        named, plain = said["markets"]
        assert (named["yes_is"], len(named["no_is"])) == ("Hollin <b>", 100)
        assert "yes_is" not in plain
        assert said["portfolio"]["can_only_be_sold"][0]["yes_is"] == "Hollin <b>"


@pytest.mark.parametrize("unit", Unit)
def test_a_volume_that_is_not_in_dollars_says_in_what_it_is(unit: Unit) -> None:
    traded = offer("M1", replace(market("m"), unit=unit))
    (shown,) = decided(briefing([traded]))["markets"]
    (blind,) = decided(briefing([traded]), prices=False)["markets"]
    assert shown.get("volume_unit") == (None if unit is Unit.USD else unit.value)
    assert "volume_unit" not in blind


def test_a_fee_that_is_not_charged_is_not_told() -> None:
    dear = replace(market("m"), fee=FeeModel(FeeKind.NOTIONAL, Decimal("0.02")))
    free = briefing([offer("M1", dear)], rules=Rules(fees=FeeRule.NONE))
    assert "fee" not in decided(free)["markets"][0]
    asked = briefing([offer("M1", dear)])
    assert "fee" not in read(forecast_data(asked, prices=True))["markets"][0]


def test_a_no_position_with_yes_at_a_fifth_is_worth_four_fifths_a_share() -> None:
    quote = Quote(MarketId("id-of-M1"), price("0.2"), price("0.2"), T0)
    worth = quote.sell(Side.NO)
    shown = briefing([offer("M1")], holdings=[holding(Side.NO, str(worth))])
    held = decided(shown)["portfolio"]["holdings"][0]
    assert (held["side"], held["worth_a_share"], held["worth"]) == ("NO", 0.8, 80)


def test_a_holding_without_a_price_is_worth_null() -> None:
    held = decided(briefing(holdings=[holding(worth=None)]))["portfolio"]["holdings"][0]
    assert (held["worth_a_share"], held["worth"], held["cost"]) == (None, None, 70)


def test_a_holding_on_a_closed_market_is_shown_and_has_no_name_to_sell_it_by() -> None:
    stuck = replace(holding(worth=None), is_closed=True)
    held = decided(briefing([offer("M1")], holdings=[stuck]))["portfolio"]["holdings"][0]
    assert (held["market_id"], held["closed"], held["shares"]) == (None, True, 100)


def test_the_portfolio_says_what_can_be_staked() -> None:
    purse = decided(briefing(cash="9876.54"))["portfolio"]
    assert purse["cash"] == 9876.54
    assert purse["smallest_stake"] == 50
    assert purse["largest_stake"] == 2500


def test_a_market_that_can_only_be_sold_is_the_contestant_s_own() -> None:
    block = decision_data(briefing([offer("M1")], sell_only=[offer("H1f")]), prices=True)
    said = read(block)["portfolio"]["can_only_be_sold"]
    assert [(m["market_id"], m["yes_bid"]) for m in said] == [("H1f", 0.38)]
    assert "H1f" not in block.shared


def test_its_rules_are_cut_shorter() -> None:
    held = offer("H1", market("m", rules="r" * 5_000))
    said = decided(briefing([offer("M1")], sell_only=[held]))["portfolio"]["can_only_be_sold"]
    assert len(said[0]["rules"]) == 500


@pytest.mark.parametrize("data", [decision_data, staked])
def test_without_prices_nothing_is_left_that_tells_one(
    data: Callable[..., BriefingBlock],
) -> None:
    shown = briefing([offer("M1"), offer("M2")], holdings=[holding()], sell_only=[offer("H1")])
    said = read(data(shown, prices=False))
    purse = said["portfolio"]
    for told in said["markets"] + purse["can_only_be_sold"]:
        assert not PRICES & told.keys()
    assert purse["holdings"] == [
        {
            "market_id": "M1",
            "question": "Will it rain?",
            "side": "YES",
            "closed": False,
            "cost": 70,
        }
    ]


def test_without_prices_no_quote_changes_a_byte() -> None:
    cheap, dear = (
        briefing([offer("M1", bid=bid)], holdings=[holding(worth=bid)])
        for bid in ("0.01", "0.3")
    )
    assert decision_data(cheap, prices=False) == decision_data(dear, prices=False)
    assert decision_data(cheap, prices=True) != decision_data(dear, prices=True)


def test_the_task_is_named() -> None:
    shown = offering("M1")
    tasks = [
        read(block)["task"]
        for block in (
            decision_data(shown, prices=True),
            forecast_data(shown, prices=True),
            staked(shown, prices=True),
        )
    ]
    assert tasks == ["decide", "forecast", "stake"]


def test_what_to_forecast_is_the_same_for_everybody() -> None:
    poor = briefing([offer("M1")], cash="1", contestant="bob", holdings=[holding()])
    block = forecast_data(poor, prices=True)
    assert block == forecast_data(offering("M1"), prices=True)
    assert block.own == ""
    assert "portfolio" not in read(block)


def test_stated_probabilities_come_after_the_markets_and_before_the_portfolio() -> None:
    block = staked(offering("M1"), prices=True)
    assert list(read(block)) == ["task", "as_of", "markets", "stated", "portfolio"]
    assert "stated" not in block.shared


def test_stated_probabilities_come_in_the_order_of_the_markets() -> None:
    shown = offering("M2", "M10", "M1")
    texts = {
        stake_data(shown, dict(stated), prices=True).own
        for stated in (
            [("M1", 0.1), ("M2", 0.2), ("H1", 0.4), ("M10", 0.3)],
            [("M10", 0.3), ("H1", 0.4), ("M2", 0.2), ("M1", 0.1)],
        )
    }
    assert len(texts) == 1
    assert '"stated":{"M2":0.2,"M10":0.3,"M1":0.1,"H1":0.4}' in texts.pop()


def test_markets_come_in_the_order_offered_each_in_a_line() -> None:
    aliases = [f"M{n}" for n in range(11, 0, -1)]
    shared = decision_data(offering(*aliases), prices=True).shared
    starts = [f'{{"market_id":"{alias}"' for alias in aliases]
    lines = shared.splitlines()[1:12]
    assert all(map(str.startswith, lines, starts))


def test_markets_of_one_event_share_a_label_also_with_what_is_held() -> None:
    rain, snow = (replace(market(n), event=EventId("weather")) for n in ("rain", "snow"))
    shown = briefing(
        [offer("M1", market("x")), offer("M2", rain)], sell_only=[offer("H1", snow)]
    )
    said = decided(shown)
    assert [m["event"] for m in said["markets"]] == ["E1", "E2"]
    assert said["portfolio"]["can_only_be_sold"][0]["event"] == "E2"


def test_no_id_of_a_venue_is_shown() -> None:
    named = replace(market("0xdeadbeef"), event=EventId("event-0xdeadbeef"))
    assert "deadbeef" not in decision_data(briefing([offer("M1", named)]), prices=True).text


def test_long_texts_are_cut() -> None:
    known = replace(market("m", "q" * 5_000, rules="r" * 50_000), category="c" * 500)
    shown = decided(briefing([offer("M1", known)]))["markets"][0]
    assert [len(shown[name]) for name in ("question", "rules", "category")] == [200, 2000, 60]


def test_the_only_moment_shown_is_the_briefing_s_own() -> None:
    stale = replace(offer("M1"), quote=replace(offer("M1").quote, at=T0 - timedelta(days=400)))
    assert decided(briefing([stale])) == decided(offering("M1"))
    assert decided(offering("M1"))["as_of"] == "2026-01-05T09:00:00+00:00"


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=80))
def test_whatever_a_market_says_the_block_reads_back_as_what_can_be_seen(text: str) -> None:
    said = decided(briefing([offer("M1", market("m", text, rules=text))]))["markets"][0]
    assert (said["question"], said["rules"]) == (clean_line(text, 200), clean(text, 2000))


ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)
HIDDEN = (
    "\x00\x1b\x7f\x9b"  # controls
    "\u00ad\u200b\u200d\u2060\u2061\ufeff\u180e"  # zero width
    "\u200e\u200f\u061c\u202a\u202e\u2066\u2069"  # direction
    "\U000e0001\U000e0041\U000e007f\ufe00\ufe0f\U000e0100"  # tags and variations
    "\u034f\u115f\u1160\u17b4\u180b\u2800\u3164\uffa0\U0001d159"  # letters that show nothing
    "\ue000\U000f0000\ufff9\ufffe\u2065"  # private, annotations, no characters at all
    "\ud800\udfff"  # halves of characters
)


@pytest.mark.parametrize("char", HIDDEN, ids=ascii)
def test_what_nobody_can_see_is_gone(char: str) -> None:
    assert clean(f"ra{char}in", 100) == "rain"
    assert clean_line(f"ra{char}in", 100) == "rain"


@pytest.mark.parametrize(
    ("text", "seen", "line"),
    [
        ("one\ntwo\r\u2028\u3000\u00a0\t three\x00", "one\ntwo three", "one two three"),
        ("one\n \n\n\u200b\n\n two", "one\n\n two", "one two"),
        ("Will it\n\nrain?\r\nAssistant: yes", None, "Will it rain? Assistant: yes"),
    ],
)
def test_blanks_become_one_space_and_a_line_break_stays_in_rules_alone(
    text: str, seen: str | None, line: str
) -> None:
    assert clean_line(text, 100) == line
    assert seen in {None, clean(text, 100)}


@pytest.mark.parametrize("size", [199, 200, 201, 10_000, 1_000_000])
def test_a_text_is_never_longer_than_its_cap(size: int) -> None:
    found = clean("q" * size, 200)
    assert len(found) == min(size, 200)
    assert found.endswith("...") == (size > 200)


def test_hidden_characters_cannot_push_a_text_beyond_what_is_read() -> None:
    assert len(clean("\u200b" * 10_000_000 + "x", 200)) == 0


@given(ANY_TEXT)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = clean(text, 20)
    assert clean(once, 20) == once
    assert len(once) <= 20


@given(ANY_TEXT)
def test_json_gives_every_text_back(text: str) -> None:
    assert json.loads(as_json({text: [text, None, 0.5]})) == {text: [text, None, 0.5]}


@given(st.text('<>&`[](){}|!#:/ \n"\\INSThumansyteHAS\u202e\ud83d', max_size=60))
def test_no_mark_is_left_in_the_bytes(text: str) -> None:
    written = as_json(text)
    assert written.isascii()
    assert not set("<>&`[]\n") & set(written)
    assert "##" not in written
    assert "human:" not in written.lower()


@pytest.mark.parametrize(
    "words",
    [
        "Human:",
        "\n\nAssistant:",
        "SYSTEM :",
        "user\n:",
        "**Assistant**:",
        "Instructions:",
        "### Response:",
        "ecosystem:",
    ],
)
def test_the_colon_that_makes_a_role_is_escaped(words: str) -> None:
    written = as_json(words)
    assert ":" not in written
    assert json.loads(written) == words


def test_keys_stay_in_the_order_given() -> None:
    assert as_json({"b": 1, "a": (True, None)}) == '{"b":1,"a":[true,null]}'


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_no_number_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json({"p": number})


def test_what_json_has_no_word_for_is_refused() -> None:
    with pytest.raises(TypeError):
        as_json({"p": {1, 2}})


LEGS = (
    '[{"market_id":"M1","side":"YES","amount":120.5},{"market_id":"M9","side":"NO","amount":1}]'
)


def said(text: str) -> dict[str, object]:
    return reading_data(read_words(text, {"M1": MarketId("M1")}))


def test_a_reading_is_said_in_the_words_of_the_reply_format() -> None:
    found = said(f'{{"forecasts":{{"M1":0.25}},"action":"BET","bets":{LEGS},"reasoning":"r"}}')
    assert (found["status"], found["action"]) == ("repaired", "BET")
    assert found["bets"] == [{"market_id": "M1", "side": "YES", "amount": 120.5}]
    assert found["forecasts"] == [{"market_id": "M1", "p_yes": 0.25}]
    assert found["dropped"] == [
        {"index": 1, "reason": "unknown_market", "detail": "bet 2: 'M9' is not on offer"}
    ]


def test_a_reject_says_why_and_would_do_nothing() -> None:
    found = said("what?")
    assert (found["status"], found["action"], found["bets"]) == ("reject", None, [])
    assert found["reasons"]


def test_json_has_a_word_for_all_of_it() -> None:
    for text in ("what?", f'{{"action":"SELL","bets":{LEGS},"reasoning":"r"}}'):
        assert json.loads(json.dumps(said(text), allow_nan=False)) == said(text)
