"""Known answers are named by their row: fN of resolution, gN of prices."""

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.records.market import NO_WINS, YES_WINS, Outcome
from arena.records.money import Price, price
from arena.venues.polymarket_parse import (
    Choice,
    Doubt,
    PricePoint,
    choices,
    decide_outcome,
    decisive,
    end_date,
    json_list,
    midpoints,
    moment,
    nearest_point,
    number,
    priced_by_token,
    single_midpoints,
    unanswered,
    unit_price,
    yes_choice,
    yes_index,
    yes_price,
)

RECORDED = Path(__file__).parents[3] / "shared" / "fixtures" / "polymarket"
T0 = datetime(2026, 3, 1, 12, tzinfo=UTC)
PEERS = Decimal("0.99")  # a looser reading of what is decisive

Payload = dict[str, object]


def closed(*prices: str, names: str = '["Yes","No"]', uma: str | None = None) -> Payload:
    payload: Payload = {
        "closed": True,
        "outcomes": names,
        "outcomePrices": json.dumps(prices),
    }
    return payload if uma is None else payload | {"umaResolutionStatus": uma}


def tokens(*rows: tuple[str, float, bool | None]) -> Payload:
    listed = [
        {"outcome": name, "price": paid} | ({} if winner is None else {"winner": winner})
        for name, paid, winner in rows
    ]
    return {"closed": True, "tokens": listed}


def paid(payload: Payload) -> dict[str, Price]:
    return {c.name: c.price for c in choices(payload) if c.price is not None}


def test_f6_closed_at_1_and_0_is_yes_once_the_oracle_has_spoken() -> None:
    market = closed(uma="resolved") | {"outcomePrices": "[1,0]"}
    assert decide_outcome(market) == YES_WINS


def test_f6_without_a_final_word_ours_waits() -> None:
    assert decide_outcome(closed("1", "0")) is None


def test_f7_tokens_at_99_and_1_cents_name_alpha_to_a_peer() -> None:
    market = tokens(("ALPHA", 0.99, None), ("BETA", 0.01, None))
    listed = choices(market)
    named = decisive([choice.price for choice in listed], least=PEERS)
    assert named is not None
    assert listed[named].name == "ALPHA"


def test_f7_without_a_winner_flag_ours_waits() -> None:
    assert decide_outcome(tokens(("ALPHA", 0.99, None), ("BETA", 0.01, None))) is None


def test_f8_closed_at_98_cents_is_not_resolved() -> None:
    assert decide_outcome(closed("0.985", "0.015", uma="resolved")) is None
    assert decisive([price("0.985"), price("0.015")], least=PEERS) is None


def test_f9_a_market_that_is_not_closed_is_not_resolved() -> None:
    assert decide_outcome(closed("1", "0", uma="resolved") | {"closed": False}) is None


def test_f10_half_and_half_pays_half_once_the_oracle_has_spoken() -> None:
    assert decide_outcome(closed("0.5", "0.5", uma="resolved")) == Outcome(price("0.5"))


def test_f10_half_and_half_without_a_final_word_waits() -> None:
    assert decide_outcome(closed("0.5", "0.5", uma="proposed")) is None


def test_f11_a_disputed_market_waits_whatever_its_price() -> None:
    disputed = closed("0.9995", "0.0005", uma="disputed")
    assert decide_outcome(disputed) is None
    assert decide_outcome(disputed, tokens(("Yes", 1, True), ("No", 0, False))) is None


@pytest.mark.parametrize("least", [Decimal("0.999"), PEERS])
def test_f12_three_outcomes_with_two_near_1_are_ambiguous(least: Decimal) -> None:
    market = closed("0.995", "0.99", "0", names='["A","B","C"]', uma="resolved")
    assert decide_outcome(market) is None
    assert decisive([choice.price for choice in choices(market)], least=least) is None


@pytest.mark.parametrize("prices", ['["0.99"]', "not json", '["1"]', "[]", None])
def test_f13_a_single_or_unreadable_price_is_not_decisive(prices: object) -> None:
    market = closed(uma="resolved") | {"outcomePrices": prices}
    assert decide_outcome(market) is None


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
    assert decide_outcome(market) == YES_WINS


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


def test_g6_without_an_end_date_ours_has_none_and_a_doubt_and_never_365_days() -> None:
    assert end_date({"outcomes": ["Yes", "No"]}) == (None, Doubt.NO_END_DATE)


def test_g7_where_no_comes_first_yes_has_the_second_price_and_token() -> None:
    market: Payload = {
        "outcomes": ["No", "Yes"],
        "outcomePrices": ["0.2", "0.8"],
        "clobTokenIds": '["11", "22"]',
    }
    assert yes_index(choices(market)) == 1
    assert yes_choice(market) == Choice("Yes", price("0.8"), "22")


def test_g8_an_invalid_midpoint_is_absent() -> None:
    assert midpoints({"yes": "0.2", "no": 1, "bad": "1.2"}) == {"yes": Decimal("0.2"), "no": 1}


def test_g9_after_a_failed_batch_every_token_is_asked_singly_and_only_prices_are_kept() -> None:
    singly = unanswered(["a", "b", "c", "d"], midpoints(None))
    assert singly == ("a", "b", "c", "d")  # with the batch, five calls
    answers = dict(zip(singly, ({"mid": "0.33"}, None, {"mid": -0.1}, None), strict=True))
    assert single_midpoints(answers) == {"a": Decimal("0.33")}


def test_g10_the_history_point_nearest_to_the_moment_counts() -> None:
    prices = {-901: "0.1", -60: "0.2", 30: "0.55", 120: "0.6", 901: "0.9"}
    history = [{"t": int(T0.timestamp()) + s, "p": p} for s, p in prices.items()]
    found = nearest_point({"history": history}, T0, within=timedelta(seconds=900))
    assert found == PricePoint(T0 + timedelta(seconds=30), price("0.55"))


def test_g11_where_the_services_disagree_the_clob_counts_and_a_doubt_says_so() -> None:
    found = yes_price(Choice("Yes", price("0.9"), "t"), {"t": price("0.25")})
    assert (found.yes, found.no) == (Decimal("0.25"), Decimal("0.75"))
    assert found.doubt is Doubt.FAR_APART


def test_g12_midpoints_belong_to_outcomes_in_the_order_of_the_tokens() -> None:
    listed = choices({"outcomes": ["A", "B"], "clobTokenIds": ["11", "22"]})
    mids = midpoints({"22": "0.7", "11": "0.2"})
    assert priced_by_token(listed, mids) == {"A": Decimal("0.2"), "B": Decimal("0.7")}


def test_g13_without_a_token_id_the_gamma_price_stands_with_a_doubt() -> None:
    found = yes_price(Choice("Yes", price("0.4")), {"t": price("0.9")})
    assert (found.yes, found.doubt) == (Decimal("0.4"), Doubt.NO_TOKEN)
    assert found.doubt == "missing CLOB YES token id"


@pytest.mark.parametrize(("winner", "outcome"), [("Yes", YES_WINS), ("No", NO_WINS)])
def test_the_clob_may_confirm_where_the_oracle_is_silent(winner: str, outcome: Outcome) -> None:
    prices = ("1", "0") if winner == "Yes" else ("0", "1")
    clob = tokens(("Yes", 1, winner == "Yes"), ("No", 0, winner == "No"))
    assert decide_outcome(closed(*prices), clob) == outcome


def test_the_clob_alone_names_a_winner() -> None:
    assert decide_outcome(tokens(("Yes", 0, False), ("No", 1, True))) == NO_WINS


@pytest.mark.parametrize("prices", [("1", "0"), ("0.5", "0.5")])
def test_where_the_clob_names_another_winner_it_waits(prices: tuple[str, str]) -> None:
    clob = tokens(("Yes", 0, False), ("No", 1, True))
    assert decide_outcome(closed(*prices, uma="resolved"), clob) is None


def test_where_no_comes_first_the_first_price_is_the_price_of_no() -> None:
    market = closed("1", "0", names='["No","Yes"]', uma="resolved")
    assert decide_outcome(market) == NO_WINS


def test_the_first_outcome_is_yes_where_none_has_that_name() -> None:
    market = closed("1", "0", names='["Up","Down"]', uma="resolved")
    assert decide_outcome(market) == YES_WINS


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
    assert decide_outcome(market) is None


def test_old_payouts_near_0_and_1_are_decisive() -> None:
    market = closed("0.0000010245", "0.9999989755", uma="resolved")
    assert decide_outcome(market) == NO_WINS


def test_without_a_midpoint_the_gamma_price_stands_with_a_doubt() -> None:
    found = yes_price(Choice("Yes", price("0.4"), "t"), {})
    assert (found.yes, found.doubt) == (Decimal("0.4"), Doubt.NO_MIDPOINT)


def test_without_any_price_yes_and_no_have_none() -> None:
    found = yes_price(Choice("Yes", None, "t"), {})
    assert (found.yes, found.no) == (None, None)


def test_services_that_are_close_leave_no_doubt() -> None:
    found = yes_price(Choice("Yes", price("0.35"), "t"), {"t": price("0.25")})
    assert (found.yes, found.doubt) == (Decimal("0.25"), None)


def test_a_token_without_a_midpoint_gives_its_outcome_no_price() -> None:
    listed = (Choice("A", price("0.4"), "11"), Choice("B", price("0.6")))
    assert priced_by_token(listed, {}) == {"A": None, "B": None}


def test_after_a_batch_only_what_is_missing_is_asked_and_each_once() -> None:
    assert unanswered(["a", "b", "b", ""], {"a": price("0.3")}) == ("b",)


def test_outside_the_window_there_is_no_point() -> None:
    rows = [{"t": int(T0.timestamp()) - 901, "p": 0.5}, {"t": None, "p": 0.5}, "odd"]
    assert nearest_point({"history": rows}, T0) is None
    assert nearest_point(None, T0) is None


def test_of_two_points_as_near_the_earlier_counts() -> None:
    rows = [{"t": int(T0.timestamp()) + s, "p": p} for s, p in ((5, 0.6), (-5, 0.4))]
    found = nearest_point({"history": rows}, T0)
    assert found is not None
    assert found.price == Decimal("0.4")


def test_the_end_of_the_event_stands_in_for_the_end_of_the_market() -> None:
    market: Payload = {"endDate": None, "events": [{"endDate": "2026-06-30T00:00:00Z"}]}
    assert end_date(market) == (datetime(2026, 6, 30, tzinfo=UTC), None)


def test_a_market_without_outcomes_has_no_yes() -> None:
    assert yes_choice({}) is None


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (1772366400, T0),
        ("1772366400", T0),
        (1772366400000, T0),
        (1772366400000000, T0),
        ("2026-03-01T12:00:00Z", T0),
        ("2026-03-01 12:00:00+00", T0),
        ("2026-03-01T13:00:00.000000+01:00", T0),
        ("2026-03-01", datetime(2026, 3, 1, tzinfo=UTC)),
        ("0001-01-01T00:00:00Z", None),
        ("10000-01-01T00:00:00Z", None),
        ("9999-12-31T23:59:59-05:00", None),
        ("1e400000000", None),
        ("", None),
        ("soon", None),
        (None, None),
        (True, None),
        ([], None),
    ],
)
def test_a_moment_is_read_in_every_way_the_venue_writes_it(
    value: object, read: datetime | None
) -> None:
    assert moment(value) == read


@pytest.mark.parametrize(
    "value", [None, "", "NaN", "sNaN", "inf", float("nan"), True, [], "0,5"]
)
def test_what_is_no_number_is_missing(value: object) -> None:
    assert number(value) is None


@pytest.mark.parametrize("value", ["[1,", '{"a": 1}', "[" * 50_000, "[1e99999999999999999999]"])
def test_what_is_no_list_is_empty(value: str) -> None:
    assert json_list(value) == []


scalars = st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=5)
jsons = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
KEYS = ("closed", "outcomes", "outcomePrices", "clobTokenIds", "tokens", "events", "endDate")


@settings(deadline=None)
@given(st.fixed_dictionaries(dict.fromkeys(KEYS, jsons | jsons.map(json.dumps))))
def test_no_payload_is_too_odd_to_read(market: Payload) -> None:
    assert decide_outcome(market) is None
    assert all(c.price is None or 0 <= c.price <= 1 for c in choices(market))
    end_date(market)


@pytest.mark.parametrize("text", ["1e400000000", "-1e400000000", "1e-400000000"])
def test_an_absurd_number_is_no_absurd_price(text: str) -> None:
    assert unit_price(text) in (None, 0)


@settings(deadline=None)
@given(jsons)
def test_a_price_is_in_range_or_missing(value: object) -> None:
    found = unit_price(value)
    assert found is None or 0 <= found <= 1


def recorded(name: str) -> Payload:
    if not RECORDED.is_dir():
        pytest.skip("the recorded answers of the venue are not on this machine")
    read = json.loads((RECORDED / name).read_text(encoding="utf-8"))
    found: Payload = read[0] if isinstance(read, list) else read
    return found


def test_a_recorded_market_that_resolved_yes_is_decided() -> None:
    market = recorded("gamma_market_resolved_yes_negrisk.json")
    yes = yes_choice(market)
    assert decide_outcome(market) == YES_WINS
    assert yes is not None
    assert len(yes.token or "") == 77
    assert end_date(market) == (datetime(2026, 6, 30, tzinfo=UTC), None)


def test_a_recorded_event_is_decided_market_by_market() -> None:
    markets = recorded("gamma_event_mixed_live_and_resolved.json")["markets"]
    assert isinstance(markets, list)
    outcomes = [decide_outcome(market) for market in markets]
    assert [outcome for outcome in outcomes if outcome is not None] == [NO_WINS] * 5
    assert outcomes.count(None) == 3


def test_a_recorded_up_or_down_market_has_its_first_outcome_as_yes() -> None:
    markets = recorded("gamma_event_up_down.json")["markets"]
    assert isinstance(markets, list)
    yes = yes_choice(markets[0])
    assert yes is not None
    assert (yes.name, yes.price) == ("Up", Decimal("0.55"))
