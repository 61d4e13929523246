"""What is read in Kalshi's events and markets, and what is left out and why.

What a taker pays, by a series' terms and an event's changes to them.
States and outcomes: by a market's own fields, and never by its price.
The grid that prices lie on, where a market stands.
"""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ledger.fees import taker_fee
from arena.records.market import (
    NO_WINS,
    YES_WINS,
    FeeKind,
    FeeModel,
    LeftOut,
    Market,
    MarketId,
    Outcome,
    Quote,
    Source,
    State,
    Status,
)
from arena.records.money import Price, price, usd
from arena.venues.kalshi import parse
from arena.venues.kalshi.parse import (
    FREE,
    NOT_KNOWN,
    KalshiFeeTerms,
    series,
    status_of,
    tick_of,
)
from arena.venues.reading import Listed, Origin, unreadable
from tests.present import present
from tests.venues.kalshi.rows import (
    DAY,
    EVENT,
    HERE,
    NOW,
    ORIGIN,
    RAIN,
    SNOW,
    Row,
    decided,
    event,
    events,
    iso,
    market,
    markets,
)


def listed(*rows: Row, **fields: object) -> tuple[Listed, ...]:
    read = parse.events(events(event(*rows, **fields)), ORIGIN)
    assert read.left_out == ()
    return read.rows


def said(row: Row, **fields: object) -> Market:
    return listed(row, **fields)[0].market


def quote(row: Row) -> Quote:
    return present(listed(row)[0].quote)


def left(row: Row) -> LeftOut:
    read = parse.events(events(event(row)), ORIGIN)
    assert read.rows == ()
    return read.left_out[0]


def test_only_true_is_exclusive() -> None:
    assert not said(market(), mutually_exclusive="true").exclusive


def test_a_question_has_no_markup_and_names_the_choice() -> None:
    assert said(market(RAIN)).question == ("What will fall from the sky in November? (Rain)")


@pytest.mark.parametrize(
    ("title", "label"),
    [
        ("Will rain fall?", "Rain"),
        ("Will the Celtics win?", "Celtics"),
        ("Will it hail?", "Yes"),
        ("Will it hail?", ""),
        ("Will it hail?", None),
    ],
)
def test_a_choice_that_the_title_begins_with_is_not_named_again(
    title: str, label: object
) -> None:
    assert said(market(title=title, yes_sub_title=label)).question == title


@pytest.mark.parametrize(
    ("title", "labels"),
    [
        ("Indiana vs Phoenix winner?", ("Indiana", "Phoenix")),
        ("Indiana at Phoenix winner?", ("Indiana", "Phoenix")),
        ("Will Ramp or Brex IPO first?", ("Ramp", "Brex")),
        ("Will Ramp, Brex or Stripe IPO first?", ("Ramp", "Stripe")),
        ("Will the Ramp & Brex deal close?", ("Ramp", "Brex")),
        ("Will the Fed cut rates?", ("Cut 25bps", "Cut 50bps")),
    ],
)
def test_a_title_that_names_several_choices_is_told_apart_by_one(
    title: str, labels: tuple[str, str]
) -> None:
    rows = zip((RAIN, SNOW), labels, strict=True)
    found = listed(*(market(own, title=title, yes_sub_title=label) for own, label in rows))
    assert [one.market.question for one in found] == [f"{title} ({name})" for name in labels]
    assert [one.market.labels for one in found] == [(name, f"not {name}") for name in labels]


def test_what_nothing_tells_apart_is_left_out() -> None:
    rows = (market(own, yes_sub_title="") for own in (RAIN, SNOW))
    read = parse.events(events(event(*rows)), ORIGIN)
    assert (read.rows, len(read.left_out)) == ((), 2)
    assert "no label tells them apart" in read.left_out[0].why


TITLES = st.text(st.sampled_from("Wil RampBrex?, or"), min_size=1, max_size=20).filter(
    str.strip
)


@given(st.lists(st.tuples(TITLES, TITLES | st.just("")), min_size=1, max_size=5))
def test_markets_of_an_event_never_share_question_and_labels(
    said_of: list[tuple[str, str]],
) -> None:
    rows = (
        market(f"{EVENT}-{n}", title=title, yes_sub_title=label)
        for n, (title, label) in enumerate(said_of)
    )
    found = [row.market for row in parse.events(events(event(*rows)), ORIGIN).rows]
    assert len({(one.question, one.labels) for one in found}) == len(found)


def test_the_only_market_of_an_event_needs_no_choice() -> None:
    alone = market(EVENT, title="Will it hail?", yes_sub_title="Hailstones")
    assert said(alone).question == "Will it hail?"


def test_a_market_without_a_title_asks_what_its_event_asks() -> None:
    found = said(market(title=""))
    assert found.question == "What will fall from the sky? (Rain)"


def test_a_market_closes_when_its_answer_is_expected() -> None:
    assert said(market()).closes_at == NOW + 20 * DAY


def test_without_that_it_closes_when_trading_ends() -> None:
    assert said(market(expected_expiration_time=...)).closes_at == NOW + 300 * DAY


def test_a_past_end_of_an_open_market_says_nothing() -> None:
    past = iso(NOW - DAY)
    assert said(market(expected_expiration_time=past)).closes_at == NOW + 300 * DAY
    row = market(expected_expiration_time=past, expected_settlement_time=iso(NOW + DAY))
    assert said(row).closes_at == NOW + DAY
    assert said(market(expected_expiration_time=past, close_time=past)).closes_at is None


GAME = "If A wins the A vs B professional baseball game originally scheduled for {}, then Yes."


@pytest.mark.parametrize(
    ("stated", "begins"),
    [
        ("Sep 26, 2026 at 7:15 PM EDT", "2026-09-26T23:15"),
        ("September 26, 2026 at 12:05 AM PST", "2026-09-26T08:05"),
        ("Sep 26, 2026", "2026-09-25T10:00"),
        ("Sep 26, 2026 at 7:15 PM BST", "2026-09-25T10:00"),
        ("Jun 31, 2026", None),
        ("Jan 1, 0001", None),
        ("a day in May", None),
    ],
)
def test_a_game_begins_when_its_rules_say(stated: str, begins: str | None) -> None:
    found = said(market(rules_primary=GAME.format(stated))).starts_at
    assert found == (datetime.fromisoformat(f"{begins}:00+00:00") if begins else None)


def test_a_game_begins_at_its_field_or_earlier_and_nothing_else_has_one() -> None:
    field = {"occurrence_datetime": iso(NOW)}
    assert said(market(**field), category="Sports").starts_at == NOW
    assert said(market(**field)).starts_at is None
    rules = GAME.format("Oct 1, 2026 at 1:00 PM UTC")
    found = said(market(rules_primary=rules, **field), category="Sports").starts_at
    assert found == datetime(2026, 10, 1, 13, tzinfo=UTC)


def test_the_sources_that_decide_are_part_of_the_rules() -> None:
    found = said(market(), settlement_sources=[{"name": "A **gauge**"}, {"name": "B"}, 3, {}])
    assert found.rules.endswith("\n\nSettlement sources: A gauge, B")


def test_year_1_is_no_time() -> None:
    never = "0001-01-01T00:00:00Z"
    assert said(market(open_time=never)).opens_at == NOW - 3 * DAY
    assert said(market(open_time=never, created_time=never)).opens_at is None


def test_a_page_of_markets_gives_their_prices_as_those_of_books() -> None:
    read = parse.quotes(markets(market()), ORIGIN)
    assert [found.source for found in read.rows] == [Source.BOOK]


@pytest.mark.parametrize("ask", ["1.0000", "0.0000"])
def test_an_empty_book_is_no_quote_and_never_one_half(ask: str) -> None:
    assert listed(market(yes_bid_dollars="0.0000", yes_ask_dollars=ask))[0].quote is None


@pytest.mark.parametrize(
    ("bid", "ask", "told"),
    [
        ("0.0000", "0.0100", (None, price("0.01"))),
        ("0.9900", "1.0000", (price("0.99"), None)),
        ("0.9900", "0.0000", (price("0.99"), None)),
    ],
)
def test_a_one_sided_book_has_one_price(bid: str, ask: str, told: object) -> None:
    found = quote(market(yes_bid_dollars=bid, yes_ask_dollars=ask))
    assert (found.bid, found.ask) == told
    assert found.mid is None


@pytest.mark.parametrize("bad", [None, 41, "41", "-0.01", "x", "NaN", [], Decimal("0.41")])
def test_a_price_is_text_of_dollars_or_the_row_is_malformed(bad: object) -> None:
    assert left(market(yes_ask_dollars=bad)) == unreadable(RAIN, "no yes_ask_dollars")


@pytest.mark.parametrize("field", ["status", "market_type", "yes_bid_dollars"])
def test_a_needed_field_that_is_missing_is_named(field: str) -> None:
    assert left(market(**{field: ...})) == unreadable(RAIN, f"no {field}")


def test_a_market_without_a_name_is_malformed() -> None:
    assert left(market(ticker=...)).why == "no ticker"


@pytest.mark.parametrize("odd", ["A/B", "A,B", "a b", "", "\ud800", "x" * 129, "é", "A\n", 7])
def test_a_ticker_that_an_address_cannot_hold_is_none(odd: object) -> None:
    assert left(market(ticker=odd)).why == "no ticker"


def test_a_market_that_nobody_asks_anything_about_is_malformed() -> None:
    read = parse.markets(markets(market(title="")), ORIGIN)
    assert read.left_out == (unreadable(RAIN, "no title"),)


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"mve_collection_ticker": "KXM"}, "it is a combination of other markets"),
        ({"is_provisional": True}, "it is provisional: it may be deleted"),
        ({"market_type": "scalar"}, "its market_type is not binary"),
        ({"strike_type": "functional"}, "it pays by a number, not by yes or no"),
        ({"functional_strike": "x / 10"}, "it pays by a number, not by yes or no"),
        ({"settlement_bounds_type": "floor"}, "it pays by a number, not by yes or no"),
        ({"notional_value_dollars": "10.0000"}, "a contract does not pay 1 dollar"),
    ],
)
def test_what_is_no_plain_question_is_left_out_as_sound(fields: Row, why: str) -> None:
    assert left(market(**fields)) == LeftOut(RAIN, why)


def test_fields_that_kalshi_has_dropped_are_not_missed() -> None:
    gone = ("settlement_bounds_type", "notional_value_dollars", "price_level_structure")
    found = said(market(**dict.fromkeys(gone, ...), price_ranges=...))
    assert found.tick is None


def test_a_market_that_comes_twice_counts_once() -> None:
    read = parse.events(events(event(market(), market(title="Again?"))), ORIGIN)
    assert [row.market.question for row in read.rows] == [
        "What will fall from the sky in November? (Rain)"
    ]
    assert read.left_out == (unreadable(RAIN, "it comes twice"),)


def test_a_market_in_two_events_counts_once() -> None:
    other = event(market(event_ticker="KXB"), event_ticker="KXB")
    read = parse.events(events(event(market()), other), ORIGIN)
    assert len(read.rows) == 1
    assert read.left_out == (unreadable(f"kalshi:{RAIN}", "it comes twice"),)


def test_a_market_of_another_event_is_malformed() -> None:
    assert left(market(event_ticker="KXB")).why == "its event_ticker is of another event"


def test_an_event_that_was_sent_without_its_markets_is_malformed() -> None:
    read = parse.events(events(event(markets=...)), ORIGIN)
    assert read.left_out == (unreadable(EVENT, "no markets"),)


def test_an_event_may_have_no_markets_left() -> None:
    assert listed(markets=None) == ()


@pytest.mark.parametrize("inside", [True, False])
def test_one_event_has_its_markets_inside_or_beside_it(inside: bool) -> None:  # noqa: FBT001
    whole = event(market(RAIN), market(SNOW))
    beside: Row = {"event": event(markets=...), "markets": whole["markets"]}
    read = parse.event({"event": whole} if inside else beside, ORIGIN)
    assert [row.market.id for row in read.rows] == [f"kalshi:{RAIN}", f"kalshi:{SNOW}"]
    assert all(row.market.exclusive for row in read.rows)


@pytest.mark.parametrize("payload", [{}, {"event": None}, {"event": event(markets=...)}])
def test_one_event_that_cannot_be_read_is_malformed(payload: object) -> None:
    assert [left.malformed for left in parse.event(payload, ORIGIN).left_out] == [True]


def test_one_market_is_read_without_its_event() -> None:
    (found,) = parse.market({"market": market(RAIN)}, ORIGIN).rows
    assert found.market.question.endswith("(Rain)")
    assert (found.market.url, found.market.category) == ("", "")


def test_a_page_of_markets_counts_those_of_an_event() -> None:
    pair = [market(EVENT, yes_sub_title="Hail"), market(SNOW)]
    read = parse.markets(markets(*pair), ORIGIN)
    assert read.rows[0].market.question.endswith("(Hail)")


def test_a_market_of_an_unsafe_series_has_no_address() -> None:
    found = said(market(), series_ticker="../x")
    assert (found.url, found.refs) == ("", (("event", EVENT),))


def test_the_fee_is_unknown_until_the_series_is_read() -> None:
    assert said(market()).fee == FeeModel(FeeKind.UNKNOWN)


def test_the_fee_of_an_event_that_says_it_whole_is_known() -> None:
    found = said(market(), fee_type_override="quadratic", fee_multiplier_override=2)
    assert found.fee == FeeModel(FeeKind.QUADRATIC, Decimal("0.14"), step=usd("0.01"))


def test_a_waived_fee_is_none_until_the_waiver_ends() -> None:
    fields = {"fee_type_override": "flat"}
    ends = iso(NOW + timedelta(seconds=1))
    assert said(market(fee_waiver_expiration_time=ends), **fields).fee == FeeModel()
    over = market(fee_waiver_expiration_time=iso(NOW))
    assert said(over, **fields).fee.kind is FeeKind.UNKNOWN


def test_what_is_not_active_has_no_price_however_its_fields_stand() -> None:
    assert listed(market(status="closed"))[0].quote is None
    read = parse.quotes(markets(market(status="closed")), ORIGIN)
    assert (read.rows, read.left_out) == ((), (LeftOut(RAIN, "it is closed"),))


def test_an_active_market_that_nobody_quotes_is_left_out_as_sound() -> None:
    empty = market(yes_bid_dollars="0.0000", yes_ask_dollars="1.0000")
    read = parse.quotes(markets(empty), ORIGIN)
    assert read.left_out == (LeftOut(RAIN, "nobody bids and nobody asks"),)


def test_states_are_read_of_markets_of_any_kind() -> None:
    row = decided("no", "0.0000", "KXMVE-1", title=..., yes_bid_dollars=...)
    for payload in (markets(row), {"market": row}):
        (status,) = parse.statuses(payload, ORIGIN).rows
        assert (status.market, status.state) == ("kalshi:KXMVE-1", State.RESOLVED)


def test_an_event_ticker_and_a_series_ticker_are_found_where_they_are() -> None:
    assert parse.event_of({"market": market()}) == EVENT
    assert parse.series_of({"event": event()}) == "KXSKY"
    assert parse.event_of({}) is None
    assert parse.series_of({"event": event(series_ticker="a/b")}) is None


def model(kind: object, multiplier: object) -> FeeModel:
    row = {"ticker": "KXSKY", "fee_type": kind, "fee_multiplier": multiplier}
    return series({"series": row}, Origin(HERE, NOW)).rows[0].terms.model


@pytest.mark.parametrize(
    "kind", ["quadratic", "quadratic_with_maker_fees", "quadratic_with_combo_maker_fees"]
)
def test_a_taker_pays_the_general_rate_whatever_makers_pay(kind: str) -> None:
    assert model(kind, 1) == FeeModel(FeeKind.QUADRATIC, Decimal("0.07"), step=usd("0.01"))


@pytest.mark.parametrize(
    ("multiplier", "rate"), [(Decimal("0.5"), "0.035"), ("2", "0.14"), (1.5, "0.105")]
)
def test_a_multiplier_scales_the_rate(multiplier: object, rate: str) -> None:
    assert model("quadratic", multiplier).rate == Decimal(rate)


def test_a_multiplier_of_nothing_is_no_fee() -> None:
    assert model("quadratic", 0) == FREE


@pytest.mark.parametrize("kind", ["flat", "quadratics", "new", "", None, 3, ["quadratic"]])
def test_a_form_that_is_not_known_is_an_unknown_fee(kind: object) -> None:
    assert model(kind, 1) == NOT_KNOWN


@pytest.mark.parametrize("multiplier", [None, -1, 101, "x", True, Decimal("1e99")])
def test_a_multiplier_that_cannot_be_meant_is_an_unknown_fee(multiplier: object) -> None:
    assert model("quadratic", multiplier) == NOT_KNOWN


def test_an_event_changes_what_it_says_and_nothing_else() -> None:
    general = KalshiFeeTerms("quadratic", Decimal(1))
    dearer = KalshiFeeTerms(None, Decimal(2))
    assert general.changed_by(dearer) == KalshiFeeTerms("quadratic", Decimal(2))
    assert general.changed_by(KalshiFeeTerms("flat")).model == NOT_KNOWN


def test_a_hundred_contracts_at_a_half_cost_175_cents_and_one_costs_two() -> None:
    fee = model("quadratic", 1)
    assert taker_fee(fee, Decimal(100), Decimal("0.5")) == usd("1.75")
    assert taker_fee(fee, Decimal(1), Decimal("0.5")) == usd("0.02")


ITSELF = MarketId("kalshi:m")


def status(row: Row) -> Status:
    return status_of(row, ITSELF, ORIGIN)


@pytest.mark.parametrize(
    ("word", "state"),
    [
        ("initialized", State.HALTED),
        ("inactive", State.HALTED),
        ("paused", State.HALTED),
        ("active", State.OPEN),
        ("closed", State.CLOSED_PENDING),
        ("determined", State.CLOSED_PENDING),
        ("amended", State.CLOSED_PENDING),
        ("disputed", State.DISPUTED),
        ("settled", State.UNKNOWN),
        ("ACTIVE", State.UNKNOWN),
    ],
)
def test_each_word_is_a_state_and_an_unknown_one_is_unknown(word: str, state: State) -> None:
    assert status(market(status=word)) == Status(ITSELF, state, NOW, unconfirmed=True)


@pytest.mark.parametrize("word", ["determined", "amended"])
@pytest.mark.parametrize("result", ["yes", "no", "scalar"])
def test_a_result_that_is_not_final_is_proposed(word: str, result: str) -> None:
    told = status(decided(result, "1.0000", status=word))
    assert (told.state, told.outcome) == (State.PROPOSED, None)


@pytest.mark.parametrize("result", [None, "", [], ["yes"], {}, 1])
def test_a_result_of_another_type_is_no_result(result: object) -> None:
    told = status(decided(result, "1.0000", status="determined"))
    assert (told.state, told.outcome) == (State.CLOSED_PENDING, None)


@pytest.mark.parametrize("word", ["active", "closed", "disputed"])
def test_nothing_else_has_an_outcome_whatever_its_fields_say(word: str) -> None:
    told = status(decided("yes", "1.0000", status=word))
    assert told.outcome is None
    assert told.state is not State.PROPOSED


@pytest.mark.parametrize(
    ("result", "value", "outcome"),
    [
        ("yes", "1.0000", YES_WINS),
        ("no", "0.0000", NO_WINS),
        ("scalar", "0.5000", Outcome(price("0.5"))),
        ("scalar", "0.2400", Outcome(price("0.24"))),
        ("scalar", "0.0000", NO_WINS),
        ("yes", "0.9000", Outcome(price("0.9"))),
        ("no", "0.3000", Outcome(price("0.3"))),
    ],
)
def test_a_final_market_pays_its_settlement_value(
    result: str, value: str, outcome: Outcome
) -> None:
    told = status(decided(result, value))
    assert (told.state, told.outcome, told.unconfirmed) == (State.RESOLVED, outcome, True)


@pytest.mark.parametrize(
    ("result", "value"),
    [
        ("yes", "0.0000"),
        ("no", "1.0000"),
        ("yes", None),
        ("yes", 1),
        ("yes", "100"),
        ("scalar", None),
        ("scalar", "1.5000"),
        ("", "1.0000"),
        ("YES", "1.0000"),
        ("void", "0.0000"),
        (None, "1.0000"),
        (["yes"], "1.0000"),
    ],
)
def test_a_final_market_whose_fields_do_not_agree_waits(result: object, value: object) -> None:
    told = status(decided(result, value))
    assert (told.state, told.outcome) == (State.CLOSED_PENDING, None)


def test_a_price_of_one_is_no_result() -> None:
    told = status(
        market(status="closed", yes_bid_dollars="0.9900", last_price_dollars="1.0000")
    )
    assert told.outcome is None


TAPERED = [
    {"start": "0.0000", "end": "0.1000", "step": "0.0010"},
    {"start": "0.1000", "end": "0.9000", "step": "0.0100"},
    {"start": "0.9000", "end": "1.0000", "step": "0.0010"},
]


def at(bid: str | None, ask: str | None) -> Quote:
    ends = [None if end is None else price(end) for end in (bid, ask)]
    return Quote(MarketId("m"), ends[0], ends[1], NOW)


@pytest.mark.parametrize(
    ("quote", "tick"),
    [
        (at("0.41", "0.43"), "0.01"),
        (at("0.051", "0.053"), "0.001"),
        (at("0.951", None), "0.001"),
        (at(None, "0.05"), "0.001"),
        (at("0.09", "0.12"), None),
        (at("0.1", "0.12"), None),
        (None, None),
    ],
)
def test_a_tapered_ladder_has_the_step_of_both_prices(
    quote: Quote | None, tick: str | None
) -> None:
    assert tick_of(market(price_ranges=TAPERED), quote) == (
        None if tick is None else Decimal(tick)
    )


def test_an_even_ladder_needs_no_price() -> None:
    assert tick_of(market(), None) == price("0.01")


@pytest.mark.parametrize(
    ("name", "tick"),
    [
        ("linear_cent", price("0.01")),
        ("deci_cent", price("0.001")),
        ("tapered_deci_cent", None),
        ("new_in_july", None),
        (7, None),
        ([], None),
    ],
)
def test_without_ranges_the_name_of_the_ladder_tells(name: object, tick: Price | None) -> None:
    assert tick_of(market(price_ranges=None, price_level_structure=name), None) == tick


@pytest.mark.parametrize("step", ["0.0000", "2", None, 1, "x"])
def test_a_step_that_is_none_is_not_known(step: object) -> None:
    ladder = [{"start": "0.0000", "end": "1.0000", "step": step}]
    assert tick_of(market(price_ranges=ladder), at("0.41", "0.43")) is None
