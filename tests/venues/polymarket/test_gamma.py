"""Gamma's markets. The known answer g6 is about a market without an end."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from arena.records.market import EventId, FeeKind, FeeModel, LeftOut, State
from arena.venues.polymarket.gamma import (
    PAST_END,
    abbreviated_fee,
    falls,
    for_us,
    market,
    markets,
    stated_fee,
)
from tests.present import present
from tests.venues.polymarket.rows import (
    NOW,
    ORIGIN,
    Row,
    closed,
    gamma,
    no_of,
    seen,
    without,
    yes_of,
)


def left_out(row: object) -> LeftOut:
    read = markets({"markets": [row]}, ORIGIN)
    assert not read.rows
    return read.left_out[0]


def why_not_offered(row: Row) -> str:
    read = for_us(markets({"markets": [row]}, ORIGIN))
    assert not read.rows
    assert not read.left_out[0].malformed
    return read.left_out[0].why


def test_a_market_opens_when_it_takes_orders_where_no_start_is_named() -> None:
    row = gamma(startDate=None, acceptingOrdersTimestamp="2026-08-02T00:00:00Z")
    assert seen(row).market.opens_at == datetime(2026, 8, 2, tzinfo=UTC)


def test_a_volume_is_read_as_text_where_it_is_no_number() -> None:
    found = present(seen(gamma(volumeNum=None)).quote)
    assert found.volume == Decimal("1200.5")


@pytest.mark.parametrize("bid", [None, 0, ""])
def test_where_nobody_bids_there_is_no_bid(bid: object) -> None:
    found = present(seen(gamma(bestBid=bid)).quote)
    assert (found.bid, found.ask) == (None, Decimal("0.42"))


def test_without_any_price_there_is_no_quote() -> None:
    assert seen(gamma(bestBid=None, bestAsk=1)).quote is None


def test_frozen_prices_of_a_closed_market_are_no_quote() -> None:
    assert seen(closed(bestBid=0.69, bestAsk=0.71)).quote is None


def test_where_no_comes_first_yes_is_the_second_token_and_the_complement() -> None:
    found = seen(gamma("5", outcomes='["No", "Yes"]', bestBid=0.58, bestAsk=0.6))
    assert found.yes_token == no_of("5")
    assert found.quote is not None
    assert (found.quote.bid, found.quote.ask) == (Decimal("0.4"), Decimal("0.42"))
    assert found.market.labels == ()


def test_sides_of_other_names_keep_them_and_the_first_is_yes() -> None:
    found = seen(gamma("5", outcomes='["Oslo", "Bergen"]'))
    assert (found.market.labels, found.yes_token) == (("Oslo", "Bergen"), yes_of("5"))


def test_markets_of_an_event_share_it() -> None:
    assert seen(gamma()).market.event == EventId("polymarket:event:77")


def test_without_an_event_the_exclusive_group_is_it_and_else_the_market_alone() -> None:
    grouped = seen(gamma(events=[], negRiskMarketID="0xabc")).market
    alone = seen(gamma("8", events=None)).market
    assert grouped.event == EventId("polymarket:0xabc")
    assert alone.event == EventId("polymarket:8")


def test_only_neg_risk_makes_markets_exclusive() -> None:
    dated: Row = {"id": "77", "enableNegRisk": True, "negRisk": False}
    assert seen(gamma(negRisk=True)).market.exclusive
    assert not seen(gamma(negRisk=False, events=[dated])).market.exclusive


def test_a_market_of_another_group_than_its_events_is_not_exclusive_in_it() -> None:
    groups: Row = {"id": "77", "negRiskMarketID": "0xabc"}
    row = gamma(negRisk=True, negRiskMarketID="0xdef", events=[groups])
    assert not seen(row).market.exclusive


@pytest.mark.parametrize(
    ("row", "category"),
    [
        (gamma(category="Weather"), "Weather"),
        (gamma(tags=[{"label": "Fed", "slug": "fed"}, {"label": "E", "slug": "economy"}]), "E"),
        (gamma(tags=[{"label": "Fed", "slug": "fed"}]), "Fed"),
        (gamma(events=[{"id": "7", "tags": [{"label": "Rain", "slug": "rain"}]}]), "Rain"),
        (gamma(tags=[{"label": 7}]), ""),
    ],
)
def test_a_category_is_said_or_is_a_section_or_the_first_tag(row: Row, category: str) -> None:
    assert seen(row).market.category == category


@pytest.mark.parametrize(
    ("row", "address"),
    [
        (gamma(), "/rain/rain-1001"),
        (gamma(slug="rain"), "/rain"),
        (gamma(events=None), "/rain-1001"),
        (gamma(slug='a b/?"'), "/rain/a%20b%2F%3F%22"),
        (gamma(events=[{"id": "7"}], slug=None), None),
    ],
)
def test_a_page_is_named_by_the_slugs_of_event_and_market(
    row: Row, address: str | None
) -> None:
    url = seen(row).market.url
    assert url == ("" if address is None else f"https://polymarket.com/event{address}")


def test_g6_without_an_end_date_ours_has_none_and_a_doubt_and_never_365_days() -> None:
    found = seen(without(gamma(), "endDate")).market
    assert (found.closes_at, "end" in dict(found.refs)) == (None, False)


def test_the_end_of_the_event_stands_in_for_the_end_of_the_market() -> None:
    row = gamma(endDate=None, events=[{"endDate": "2027-06-30T00:00:00Z"}])
    assert seen(row).market.closes_at == datetime(2027, 6, 30, tzinfo=UTC)


def test_a_past_end_of_an_open_market_is_unknown() -> None:
    row = gamma(closed=False, endDate=NOW.isoformat())
    found = seen(row).market
    assert (found.closes_at, dict(found.refs)["end"]) == (None, PAST_END)
    assert seen({**row, "closed": True}).market.closes_at == NOW


def test_a_past_end_of_an_open_market_is_that_of_its_event_if_that_is_to_come() -> None:
    later = NOW + timedelta(days=9)
    row = gamma(closed=False, endDate=NOW.isoformat(), events=[{"endDate": later.isoformat()}])
    assert seen(row).market.closes_at == later


def test_a_placeholder_that_is_not_on_the_chain_is_not_malformed() -> None:
    read = markets({"markets": [gamma(conditionId="", active=False)]}, ORIGIN)
    assert [(left.malformed, left.why) for left in read.left_out] == [
        (False, "it is a placeholder that is not on the chain yet")
    ]
    assert markets({"markets": [gamma(conditionId="")]}, ORIGIN).left_out[0].malformed


def test_a_game_begins_when_its_market_says() -> None:
    game, event = "2026-08-18 21:00:00+00", "2026-08-19T13:30:00Z"
    assert seen(gamma(gameStartTime=game)).market.starts_at == datetime(
        2026, 8, 18, 21, tzinfo=UTC
    )
    found = seen(gamma(gameStartTime=game, eventStartTime=event)).market
    assert found.starts_at == datetime(2026, 8, 19, 13, 30, tzinfo=UTC)
    assert seen(gamma()).market.starts_at is None


def test_a_fee_that_is_not_stated_is_unknown() -> None:
    found = seen(without(gamma(), "feesEnabled", "feeSchedule"))
    assert (found.fee, found.market.fee.kind) == (None, FeeKind.UNKNOWN)


@pytest.mark.parametrize(
    ("changes", "state"),
    [
        ({}, State.OPEN),
        ({"umaResolutionStatus": ""}, State.OPEN),
        ({"umaResolutionStatus": "requested"}, State.OPEN),
        ({"acceptingOrders": False}, State.HALTED),
        ({"acceptingOrders": None}, State.HALTED),
        ({"enableOrderBook": False}, State.HALTED),
        ({"active": False}, State.HALTED),
        ({"archived": True}, State.HALTED),
        ({"clobTokenIds": ""}, State.HALTED),
        ({"umaResolutionStatus": "proposed"}, State.PROPOSED),
        ({"umaResolutionStatus": "disputed"}, State.DISPUTED),
        ({"umaResolutionStatuses": '["proposed"]'}, State.PROPOSED),
        ({"umaResolutionStatuses": '["proposed", "disputed"]'}, State.DISPUTED),
        ({"closed": True}, State.CLOSED_PENDING),
        ({"closed": True, "umaResolutionStatus": "proposed"}, State.PROPOSED),
        ({"closed": True, "umaResolutionStatus": "disputed"}, State.DISPUTED),
        ({"closed": True, "umaResolutionStatuses": '["resolved"]'}, State.CLOSED_PENDING),
    ],
)
def test_a_state_is_more_than_one_flag(changes: Row, state: State) -> None:
    found = seen(gamma(**changes)).status
    assert (found.state, found.outcome, found.unconfirmed) == (state, None, True)


def test_active_and_prices_near_1_are_no_outcome() -> None:
    found = seen(closed(active=True, acceptingOrders=True))
    assert found.status.state is State.CLOSED_PENDING


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (gamma(clobTokenIds="[]"), "it has no token ids yet"),
        (gamma(acceptingOrders=False), "it takes no orders"),
        (gamma(enableOrderBook=None), "it has no order book"),
        (gamma(archived=True), "it is archived"),
        (gamma(active=False), "it is not active yet"),
        (closed(), "it is closed"),
        (gamma(umaResolutionStatus="proposed"), "it is PROPOSED"),
        (gamma(slug="btc-updown-5m-1788"), "it asks whether a price goes up or down"),
        (
            gamma(events=[{"id": "7", "slug": "bitcoin-up-or-down-today"}]),
            "it asks whether a price goes up or down",
        ),
        (
            gamma(events=[{"id": "7", "series": [{"recurrence": "15m"}]}]),
            "it recurs within hours",
        ),
        (gamma(events=[{"id": "7", "series": '[{"recurrence": "hourly"}]'}]), "recurs within"),
        (gamma(negRiskOther=True), "it is a placeholder"),
        (
            gamma(groupItemTitle="Person X", events=[{"id": "7", "negRiskAugmented": True}]),
            "it is a placeholder",
        ),
    ],
)
def test_what_cannot_be_traded_or_is_unfit_is_not_offered(row: Row, why: str) -> None:
    assert why in why_not_offered(row)


@pytest.mark.parametrize(
    "row",
    [
        gamma(events=[{"id": "7", "series": [{"recurrence": "monthly"}]}]),
        gamma(groupItemTitle="Other", events=[{"id": "7", "negRiskAugmented": False}]),
        gamma(groupItemTitle="Ada Berg", events=[{"id": "7", "negRiskAugmented": True}]),
        gamma(endDate="2026-01-01T00:00:00Z"),
    ],
    ids=["a monthly series", "an outcome called other", "a named person", "an end that passed"],
)
def test_what_only_looks_unfit_is_offered(row: Row) -> None:
    assert len(for_us(markets({"markets": [row]}, ORIGIN)).rows) == 1


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (gamma(version="v2"), "it is of protocol version v2"),
        (gamma(outcomes='["A", "B", "C"]'), "it has 3 outcomes, not 2"),
    ],
)
def test_what_is_sound_but_not_for_us_is_not_malformed(row: Row, why: str) -> None:
    assert left_out(row) == LeftOut("1001", why)


@pytest.mark.parametrize(
    ("row", "field"),
    [
        (gamma(id=1001), "id"),
        (gamma(id="../1"), "id"),
        (without(gamma(), "question"), "question"),
        (gamma(question="   "), "question"),
        (gamma(conditionId="0x12"), "conditionId"),
        (gamma(closed="false"), "closed"),
        (gamma(outcomes="Yes,No"), "outcomes"),
        (gamma(outcomes=["Yes", "yes"]), "outcomes"),
        (gamma(outcomes=["Yes", ""]), "outcomes"),
        (gamma(clobTokenIds=[7, 8]), "clobTokenIds"),
        (gamma(clobTokenIds=["12", "12"]), "clobTokenIds"),
        (gamma(clobTokenIds=["12"]), "clobTokenIds"),
        (gamma(bestBid=40), "bestBid"),
        (gamma(bestAsk="cheap"), "bestAsk"),
        ("a word", "no object"),
    ],
)
def test_a_needed_field_that_cannot_be_read_is_named(row: object, field: str) -> None:
    left = left_out(row)
    assert left.malformed
    assert field in left.why


def test_of_two_rows_of_one_id_the_first_counts() -> None:
    read = markets([gamma("1", question="First?"), gamma("1", question="Second?")], ORIGIN)
    assert [row.market.question for row in read.rows] == ["First?"]
    assert read.left_out == (LeftOut("1", "id comes a second time", malformed=True),)


@pytest.mark.parametrize("payload", [None, 7, "x", {}, {"markets": {}}, {"markets": None}])
def test_what_is_no_list_of_markets_is_one_malformed_thing(payload: object) -> None:
    read = markets(payload, ORIGIN)
    assert not read.rows
    assert [left.malformed for left in read.left_out] == [True]


def test_an_error_is_told_in_its_own_words() -> None:
    read = market({"type": "not found error", "error": "id not found"}, ORIGIN)
    assert [left.why for left in read.left_out] == [
        'it holds no market: it says "id not found"'
    ]


def test_a_list_that_falls_here_and_there_rises_is_in_order() -> None:
    page = [gamma(volume24hr=value) for value in (900, 80, 81, 7, None, 3)]
    assert falls({"markets": page}, "volume24hr") is True


def test_numbers_that_were_sorted_as_text_are_not_in_order() -> None:
    told = sorted((str(value**3) for value in range(100)), reverse=True)
    page = [gamma(volume24hr=value) for value in told]
    assert falls({"markets": page}, "volume24hr") is False


def test_without_a_number_no_order_can_be_told() -> None:
    assert falls({"markets": [gamma(volume24hr=None)]}, "volume24hr") is None


FREE, UNKNOWN = FeeModel(), FeeModel(FeeKind.UNKNOWN)
FIVE = FeeModel(FeeKind.QUADRATIC, Decimal("0.05"), 1)
SQUARED = FeeModel(FeeKind.QUADRATIC, Decimal("0.05"), 2)
SCHEDULE: Row = {"rate": 0.05, "exponent": 1, "takerOnly": True}


@pytest.mark.parametrize(
    ("market", "fee"),
    [
        ({"feesEnabled": True, "feeSchedule": SCHEDULE}, FIVE),
        ({"feeSchedule": SCHEDULE}, FIVE),
        ({"feesEnabled": False, "feeSchedule": SCHEDULE}, FREE),
        ({"feesEnabled": True, "feeSchedule": {"rate": 0}}, FREE),
        ({"feesEnabled": True, "feeSchedule": SCHEDULE | {"exponent": 2}}, SQUARED),
        ({"feesEnabled": True}, UNKNOWN),
        ({"feesEnabled": "yes"}, UNKNOWN),
        ({"feesEnabled": True, "feeSchedule": "5 %"}, UNKNOWN),
        ({"feesEnabled": True, "feeSchedule": {"rate": 0.05}}, UNKNOWN),
        ({"feesEnabled": True, "feeSchedule": SCHEDULE | {"exponent": 0.5}}, UNKNOWN),
        ({"feesEnabled": True, "feeSchedule": SCHEDULE | {"rate": 5}}, UNKNOWN),
        ({"feesEnabled": True, "feeSchedule": SCHEDULE | {"rate": -0.05}}, UNKNOWN),
        ({"feesEnabled": True, "feeSchedule": SCHEDULE | {"exponent": 10**9}}, UNKNOWN),
        ({"makerBaseFee": 1000, "takerBaseFee": 1000}, None),
        ({}, None),
    ],
)
def test_a_fee_is_what_the_market_says_and_never_a_guess(
    market: Row, fee: FeeModel | None
) -> None:
    assert stated_fee(market) == fee


@pytest.mark.parametrize(
    ("market", "fee"),
    [
        ({"fd": {"r": 0.05, "e": 1, "to": True}}, FIVE),
        ({"fd": {"r": 0, "e": 0, "to": True}}, FREE),
        ({"fd": {}}, UNKNOWN),
        ({"fd": 7}, UNKNOWN),
        ({"mbf": 1000, "tbf": 1000}, None),
        ({"mbf": 1000, "tbf": 0}, FREE),
        ({"fd": {"r": 0.05, "e": 1}, "tbf": 0}, FIVE),
        ({"fd": {}, "tbf": 0}, UNKNOWN),
    ],
)
def test_an_abbreviated_market_states_its_fee_under_fd(
    market: Row, fee: FeeModel | None
) -> None:
    assert abbreviated_fee(market) == fee
