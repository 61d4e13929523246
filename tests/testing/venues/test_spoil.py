import json
from typing import Any

import pytest

from arena.records.market import State
from tests.present import some
from tests.standins.venues.faults import IN_FIELDS, Fault
from tests.standins.venues.spoil import (
    flicker,
    spoil_fields,
)
from tests.standins.venues.world import StandInWorld
from tests.testing.venues.moments import AT, HOUR

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


@pytest.mark.parametrize("fault", IN_FIELDS)
def test_the_payload_itself_is_left_alone(fault: Fault) -> None:
    before = json.dumps(PAGE)
    assert spoil_fields(PAGE, fault, (1,)) == spoil_fields(PAGE, fault, (1,))
    assert json.dumps(PAGE) == before


def test_a_state_is_wrong_for_exactly_one_hour_of_a_life() -> None:
    small = StandInWorld(seed=1, events_per_day=1)
    over = [m for m in small.view(AT).markets if m.state is State.RESOLVED and m.closed_at]
    for market in some(over[-3:]):
        closed, last = market.closed_at or AT, small.course(market.number)[-1].at
        views = [small.view(closed + n * HOUR) for n in range(-3, (last - closed) // HOUR + 30)]
        wrong = [v for v in views if flicker(v, 1).find(market.number) != v.find(market.number)]
        assert len(wrong) == 1
