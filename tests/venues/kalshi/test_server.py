"""Two addresses for the same interface."""

import pytest

from arena.records.market import MarketId, State
from tests.http.asking import failure
from tests.standins.misbehaviour import DROPS, Misbehaviour
from tests.venues.kalshi.rows import RAIN, market, markets
from tests.venues.kalshi.server import BASE, GUARD, Desk, Kalshi, refuses, run

RAINY = MarketId(f"kalshi:{RAIN}")


@pytest.mark.parametrize("mishap", [DROPS, GUARD, refuses(503)])
def test_where_the_first_does_not_answer_the_second_is_asked(mishap: Misbehaviour) -> None:
    with (
        Kalshi({"/markets": mishap}) as first,
        Kalshi({"/markets": markets(market())}) as second,
    ):
        desk = Desk(first, fallback=second.home + BASE)
        assert run(desk.venue.statuses([RAINY]))[RAINY].state is State.OPEN
        tried = first.times("/markets")
        assert tried > 0
        run(desk.venue.statuses([RAINY]))
        assert first.times("/markets") == tried  # the one that answered is asked first


def test_a_refusal_is_an_answer() -> None:
    with Kalshi({"/markets": refuses(400)}) as first, Kalshi() as second:
        desk = Desk(first, fallback=second.home + BASE)
        assert failure(desk.venue.statuses([RAINY])).code == "venue.refused"
        assert second.asked == []


def test_where_neither_answers_the_first_is_told() -> None:
    with Kalshi({"/markets": DROPS}) as first, Kalshi({"/markets": DROPS}) as second:
        told = failure(Desk(first, fallback=second.home + BASE).venue.statuses([RAINY]))
    assert told.code == "venue.silent"
    assert first.home.rpartition(":")[2] in told.message


def test_without_a_second_address_the_first_is_all_there_is() -> None:
    with Kalshi({"/markets": DROPS}) as only:
        assert failure(Desk(only).venue.statuses([RAINY])).code == "venue.silent"


def test_the_same_address_twice_is_asked_once() -> None:
    with Kalshi({"/markets": DROPS}) as only:
        failure(Desk(only, fallback=only.home + BASE + "/").venue.statuses([RAINY]))
        assert only.times("/markets") == 2  # tries of one address
