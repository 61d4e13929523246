"""What is read in Manifold's markets, and what is left out and why."""

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.records.market import (
    NO_WINS,
    VOIDED,
    YES_WINS,
    LeftOut,
    Outcome,
    Quote,
    Source,
    State,
    Unit,
    Verdict,
)
from arena.records.money import price
from arena.venues.manifold.venue import falls, market, markets
from arena.venues.reading import Listed, unreadable
from tests.present import present
from tests.venues.manifold.rows import DAY, NOW, ORIGIN, Row, millis, resolved, row

YEAR_10000 = 253_402_300_800_000

scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
anything = st.recursive(
    scalars | st.decimals(allow_nan=False),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=3,
)
fields = st.sampled_from([*row(), "resolution", "resolutionProbability", "groupSlugs"])


def one(payload: object) -> Listed:
    read = market(payload, ORIGIN)
    assert read.left_out == ()
    return read.rows[0]


def quote(payload: object) -> Quote:
    return present(one(payload).quote)


def left(payload: object, min_bettors: int | None = None) -> LeftOut:
    read = market(payload, ORIGIN, min_bettors)
    assert read.rows == ()
    return read.left_out[0]


def test_the_rules_are_the_text_of_the_description() -> None:
    rich = {"type": "doc", "content": []}
    said = one(row(description=rich, textDescription="Resolves by the gauge.")).market
    assert said.rules == "Resolves by the gauge."


def test_the_rules_of_an_old_market_are_its_plain_description() -> None:
    assert one(row(description="By the gauge.")).market.rules == "By the gauge."


def test_rich_text_alone_is_no_rules() -> None:
    assert one(row(description={"type": "doc"})).market.rules == ""


def test_the_category_is_the_first_topic() -> None:
    assert one(row(groupSlugs=["", 3, "weather", "europe"])).market.category == "weather"


@pytest.mark.parametrize(
    "url",
    ["http://manifold.markets/a", "https://manifold.markets.evil.example/a", "javascript:x", 4],
)
def test_an_address_elsewhere_is_no_page_of_the_market(url: object) -> None:
    assert one(row(url=url)).market.url == ""


@pytest.mark.parametrize("closes", [..., None, YEAR_10000, 10**30, -5, Decimal("1e999999")])
def test_a_market_that_never_closes_has_no_hint_and_is_open(closes: object) -> None:
    read = one(row(closeTime=closes))
    assert (read.market.closes_at, read.status.state) == (None, State.OPEN)


def test_a_date_far_off_is_milliseconds_all_the_same() -> None:
    found = present(one(row(closeTime=YEAR_10000 - 1)).market.closes_at)
    assert found.year == 9999


@pytest.mark.parametrize("closes", ["soon", [], {}, True])
def test_a_date_of_another_type_is_malformed(closes: object) -> None:
    assert left(row(closeTime=closes)) == unreadable("rain", "closeTime is no date")


def test_past_its_date_a_market_waits_and_has_no_price() -> None:
    read = one(row(closeTime=millis(NOW)))
    assert (read.status.state, read.quote) == (State.CLOSED_PENDING, None)


@pytest.mark.parametrize(
    ("word", "outcome"), [("YES", YES_WINS), ("NO", NO_WINS), ("CANCEL", VOIDED)]
)
def test_a_resolution_is_read_from_its_word(word: str, outcome: Outcome) -> None:
    status = one(resolved(word, probability=Decimal("0.9185"))).status
    assert (status.state, status.outcome) == (State.RESOLVED, outcome)


def test_a_market_resolved_to_its_price_pays_the_probability_that_was_named() -> None:
    found = one(resolved("MKT", resolutionProbability=Decimal("0.7"))).status.outcome
    assert found == Outcome(price("0.7"))
    assert found.verdict is Verdict.FRACTION


def test_where_none_was_named_it_pays_the_last_probability() -> None:
    found = one(resolved("MKT", probability=Decimal("0.4953"))).status.outcome
    assert found == Outcome(price("0.4953"))


def test_resolved_yes_pays_a_whole_share_whatever_probability_was_named() -> None:
    found = one(resolved("YES", resolutionProbability=Decimal("0.7"))).status.outcome
    assert found == YES_WINS


@pytest.mark.parametrize("named", ["high", 7, -1, [], True])
def test_a_named_probability_that_cannot_be_read_settles_nothing(named: object) -> None:
    status = one(resolved("MKT", resolutionProbability=named)).status
    assert (status.state, status.outcome) == (State.CLOSED_PENDING, None)


@pytest.mark.parametrize("word", [..., None, "", "MAYBE", "yes", 1, ["YES"], "CHOOSE_ONE"])
def test_a_resolution_of_an_unknown_kind_settles_nothing(word: object) -> None:
    status = one(resolved(word)).status
    assert (status.state, status.outcome) == (State.CLOSED_PENDING, None)


def test_what_was_taken_back_is_not_resolved() -> None:
    taken_back = row(isResolved=False, resolution="YES", closeTime=millis(NOW - DAY))
    assert one(taken_back).status.state is State.CLOSED_PENDING


def test_a_resolved_market_has_no_price_and_needs_none() -> None:
    read = one(resolved("NO", pool="gone", p=..., probability=...))
    assert (read.quote, read.status.outcome) == (None, NO_WINS)


def test_the_book_is_the_curve_of_the_pool() -> None:
    found = quote(row())
    assert (found.bid, found.ask) == (price("0.495"), price("0.505"))
    assert (found.source, found.at) == (Source.CURVE, NOW)
    assert found.bids[0].price == found.bid
    assert found.asks[0].price == found.ask
    assert len(found.bids) == len(found.asks) == 20


def test_a_list_gives_the_same_prices_without_depth() -> None:
    (listed,) = markets([row()], ORIGIN).rows
    found = present(listed.quote)
    assert (found.bid, found.ask) == (price("0.495"), price("0.505"))
    assert (found.source, found.bids, found.asks) == (Source.LIST, (), ())


@pytest.mark.parametrize("pool", [..., None, Decimal("219.28"), {"YES": 0, "NO": 100}])
def test_without_a_pool_to_trade_with_there_is_no_price(pool: object) -> None:
    assert one(row(pool=pool)).quote is None


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"id": ...}, "id"),
        ({"id": "a/../b"}, "id"),
        ({"question": ""}, "question"),
        ({"outcomeType": ...}, "outcomeType"),
        ({"mechanism": 1}, "mechanism"),
        ({"isResolved": "false"}, "isResolved"),
        ({"probability": ...}, "probability"),
        ({"probability": "1.2"}, "probability"),
        ({"p": ...}, "p"),
        ({"p": 1}, "p"),
        ({"pool": {"YES": 100}}, "pool"),
        ({"pool": {"YES": 100, "NO": -1}}, "pool"),
        ({"pool": {"YES": "x", "NO": 100}}, "pool"),
    ],
)
def test_a_market_without_what_is_needed_is_malformed(changes: Row, name: str) -> None:
    found = left(row(**changes))
    assert found.malformed
    assert found.why.startswith(f"{name} ")


def test_a_probability_that_its_own_pool_contradicts_is_malformed() -> None:
    found = left(row(probability=Decimal("0.52")))
    assert found.malformed
    assert "contradicts its pool" in found.why
    assert quote(row(probability=Decimal("0.509")))


@pytest.mark.parametrize(
    "changes",
    [
        {"outcomeType": "MULTIPLE_CHOICE", "mechanism": "cpmm-multi-1", "probability": ...},
        {"outcomeType": "PERP"},
        {"mechanism": "dpm-2"},
        {"token": "CASH"},
    ],
)
def test_a_market_of_another_kind_is_sound_but_not_for_us(changes: Row) -> None:
    assert not left(row(**changes)).malformed


def test_before_there_was_anything_but_mana_nobody_named_it() -> None:
    assert one(row(token=...)).market.unit is Unit.MANA


def test_of_a_market_listed_twice_the_first_counts() -> None:
    read = markets([row("rain"), row("snow"), row("rain", question="Other?")], ORIGIN)
    assert [r.market.question for r in read.rows] == ["Will it rain?", "Will it snow?"]
    assert read.left_out == (unreadable("rain", "it comes twice"),)


@pytest.mark.parametrize(
    "payload", [None, {}, "[]", 3, {"message": "Not found", "details": []}]
)
def test_what_is_no_list_is_one_malformed_thing(payload: object) -> None:
    read = markets(payload, ORIGIN)
    assert read.rows == ()
    assert [out.malformed for out in read.left_out] == [True]


def test_a_row_that_is_no_object_is_named_by_its_place() -> None:
    assert markets([row(), 7], ORIGIN).left_out[0].what == "markets row 2"


@pytest.mark.parametrize(
    "changes",
    [
        {"uniqueBettorCount": 14},
        {"visibility": "unlisted"},
        {"visibility": None},
        {"isRanked": False},
        {"groupSlugs": ["weather", "nonpredictive"]},
    ],
)
def test_what_is_not_good_enough_is_not_offered(changes: Row) -> None:
    found = left(row(**changes), 15)
    assert not found.malformed


def test_what_is_good_enough_is_offered() -> None:
    good = row(uniqueBettorCount=15, visibility="public", groupSlugs=["weather"])
    assert market(good, ORIGIN, 15).left_out == ()


def test_an_unknown_number_of_bettors_is_malformed_only_where_it_matters() -> None:
    silent = row(uniqueBettorCount=...)
    assert left(silent, 15).malformed
    assert market(silent, ORIGIN, 0).left_out == ()


def test_a_list_falls_where_no_volume_rises() -> None:
    volumes = [90, 40, Decimal("39.5"), 39.5, 0]
    assert falls([row(str(n), volume24Hours=v) for n, v in enumerate(volumes)])


def test_one_rise_in_twenty_is_forgiven_and_two_are_not() -> None:
    volumes = [*range(40, 1, -1), 3]
    assert falls([row(str(n), volume24Hours=v) for n, v in enumerate(volumes)])
    lost = [row(str(n), volume24Hours=v) for n, v in enumerate([1, 2, 1, 2, 1, 2, 1])]
    assert not falls(lost)


def test_rows_without_a_volume_say_nothing_about_the_order() -> None:
    assert falls([row("a", volume24Hours=...), 3, row("b", volume24Hours="much")])


@given(st.dictionaries(fields, anything, max_size=3))
def test_only_a_resolution_settles(changes: Row) -> None:
    for listed in market(row(**changes), ORIGIN).rows:
        settles = listed.status.outcome is not None
        assert settles <= (changes.get("isResolved") is True)


def test_a_million_digits_are_read_as_fast_as_any() -> None:
    long = Decimal("100." + "3" * 1_000_000)
    assert quote(row(pool={"YES": long, "NO": long})).bid == price("0.495")


def test_a_number_out_of_all_proportion_is_no_number_of_shares() -> None:
    payload = json.loads('{"YES": 1e999999999, "NO": 100}', parse_float=Decimal)
    assert left(row(pool=payload)).malformed
