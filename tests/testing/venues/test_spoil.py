import json
import math
from typing import Any

import pytest

from arena.records.market import State
from tests.present import present, some
from tests.standins.venues.faults import IN_FIELDS, Fault
from tests.standins.venues.spoil import (
    bend_books,
    flicker,
    groups_of,
    spoil_fields,
    spoil_list,
)
from tests.standins.venues.world import StandInWorld
from tests.testing.venues.moments import AT, HOUR, OPEN, RESOLVED, TWO_SIDED, VIEW, WORLD, found

ROWS = [{"id": str(n), "bid": 0.25, "won": True, "said": "0.5"} for n in range(50)]
PAGE: dict[str, Any] = {"markets": ROWS, "cursor": "x"}


def rows_of(payload: object) -> list[dict[str, Any]]:
    assert isinstance(payload, dict)
    rows: list[dict[str, Any]] = payload["markets"]
    return rows


def spoilt(fault: Fault, field: str, seed: int = 1) -> list[dict[str, Any]]:
    return rows_of(spoil_fields(PAGE, fault, (seed,), field))


@pytest.mark.parametrize(
    ("fault", "field", "wrong"),
    [
        (Fault.DROPPED, "bid", None),
        (Fault.RENAMED, "bid", None),
        (Fault.NULLED, "bid", None),
        (Fault.NUMBER_AS_TEXT, "bid", "0.25"),
        (Fault.TEXT_AS_NUMBER, "said", 0.5),
        (Fault.NOT_A_NUMBER, "said", "NaN"),
    ],
)
def test_a_fault_befalls_the_field_that_is_named(
    fault: Fault, field: str, wrong: object
) -> None:
    first = spoilt(fault, field)[0]
    assert first.get(field) == wrong
    assert (field in first) == (fault not in {Fault.DROPPED, Fault.RENAMED})
    assert (f"{field}_v2" in first) == (fault is Fault.RENAMED)


def test_a_number_may_be_none() -> None:
    value = spoilt(Fault.NOT_A_NUMBER, "bid")[0]["bid"]
    assert math.isnan(value)
    assert json.dumps({"bid": value}) == '{"bid": NaN}'


def test_a_field_is_wrong_in_all_rows_or_in_few() -> None:
    counts = {
        sum("bid" not in row for row in spoilt(Fault.DROPPED, "bid", seed))
        for seed in range(20)
    }
    assert counts == {50, 6}


def test_true_is_no_number_and_words_are_none_either() -> None:
    for fault in (Fault.NUMBER_AS_TEXT, Fault.NOT_A_NUMBER):
        assert spoil_fields(PAGE, fault, (1,), "won") == PAGE


@pytest.mark.parametrize("fault", IN_FIELDS)
def test_the_payload_itself_is_left_alone(fault: Fault) -> None:
    before = json.dumps(PAGE)
    assert spoil_fields(PAGE, fault, (1,)) == spoil_fields(PAGE, fault, (1,))
    assert json.dumps(PAGE) == before


@pytest.mark.parametrize("payload", [None, 5, "x", [], {}, [1, 2], b"bytes", {"a": []}])
@pytest.mark.parametrize("fault", IN_FIELDS)
def test_a_payload_without_fields_stays_as_it_is(payload: object, fault: Fault) -> None:
    told = spoil_fields(payload, fault, (1,), "b")
    assert told == payload


def test_all_prices_go_at_once_and_nothing_else() -> None:
    for row in some(rows_of(spoil_fields(PAGE, Fault.NULL_PRICES, (1,)))):
        assert (row["bid"], row["said"]) == (None, "0.5")


def test_markets_in_events_are_rows_too() -> None:
    events = {"events": [{"id": "1", "markets": [{"id": "2"}]}, {"id": "3"}]}
    kinds = groups_of(events)
    assert [[row["id"] for row in kind] for kind in kinds] == [["1", "3"], ["2"]]


def test_a_single_object_is_a_row() -> None:
    assert groups_of({"mid": "0.5"}) == [[{"mid": "0.5"}]]
    assert groups_of({"market": {"ticker": "A"}}) == [[{"ticker": "A"}]]


def test_some_rows_come_twice() -> None:
    rows = rows_of(spoil_list(PAGE, Fault.DUPLICATES))
    assert rows == [*ROWS, *ROWS[:2]]


def test_an_empty_page_keeps_its_cursor() -> None:
    assert spoil_list(PAGE, Fault.EMPTY_PAGE) == {"markets": [], "cursor": "x"}


def test_a_market_with_lists_of_its_own_is_no_page() -> None:
    market = {"a": 1, "b": 2, "c": 3, "d": 4, "tokens": [1, 2]}
    assert spoil_list(market, Fault.EMPTY_PAGE) == market


def test_books_are_bent_where_there_is_trade_and_nowhere_else() -> None:
    ghost = bend_books(VIEW, Fault.GHOST_BOOK)
    assert {(float(present(m.bid)), float(present(m.ask))) for m in map_open(ghost)} == {
        (0.01, 0.99)
    }
    assert found(ghost, RESOLVED[0].number) == RESOLVED[0]


def test_a_crossed_book_bids_more_than_it_asks() -> None:
    bent = found(bend_books(VIEW, Fault.CROSSED_BOOK), TWO_SIDED.number)
    assert (bent.bid, bent.ask) == (TWO_SIDED.ask, TWO_SIDED.bid)


def test_a_book_may_be_empty_or_lack_a_side() -> None:
    assert {m.bids + m.asks for m in map_open(bend_books(VIEW, Fault.EMPTY_BOOK))} == {()}
    one_sided = map_open(bend_books(VIEW, Fault.ONE_SIDED_BOOK))
    assert not any(m.bids and m.asks for m in one_sided)
    assert {bool(m.bids) for m in one_sided if m.bids or m.asks} == {True, False}


def test_a_state_is_wrong_for_exactly_one_hour_of_a_life() -> None:
    small = StandInWorld(seed=1, events_per_day=1)
    over = [m for m in small.view(AT).markets if m.state is State.RESOLVED and m.closed_at]
    for market in some(over[-3:]):
        closed, last = market.closed_at or AT, small.course(market.number)[-1].at
        views = [small.view(closed + n * HOUR) for n in range(-3, (last - closed) // HOUR + 30)]
        wrong = [v for v in views if flicker(v, 1).find(market.number) != v.find(market.number)]
        assert len(wrong) == 1


def test_a_wrong_state_is_another_outcome_or_none() -> None:
    seen = set()
    for hours in range(0, 48, 3):
        view = WORLD.view(AT + hours * HOUR)
        for market in flicker(view, 1).markets:
            true = found(view, market.number)
            if market == true:
                continue
            assert market.outcome != WORLD.truth(market.number)
            seen.add((true.state is State.RESOLVED, market.state is State.RESOLVED))
    assert seen == {(True, True), (True, False), (False, True)}


def map_open(view: Any) -> list[Any]:  # noqa: ANN401  shorter to read
    return [found(view, market.number) for market in OPEN]
