import pytest

from arena.llms.throttle import FAILURES, GIVEN_UP_FOR, PAUSES, Breaker
from arena.records.answer import Trouble


def opened(at: float = 0.0) -> Breaker:
    breaker = Breaker()
    for _ in range(FAILURES):
        breaker.failed(at, Trouble.SERVER)
    return breaker


def test_one_failure_fewer_stops_nobody() -> None:
    breaker = Breaker()
    for _ in range(FAILURES - 1):
        breaker.failed(0, Trouble.SERVER)
    assert not breaker.is_open()
    breaker.failed(0, Trouble.SERVER)
    assert breaker.is_open()


def test_failures_must_be_in_a_row() -> None:
    breaker = Breaker()
    for _ in range(3 * FAILURES):
        breaker.failed(0, Trouble.SERVER)
        if breaker.failures == FAILURES - 1:
            breaker.answered()
    assert not breaker.is_open()


def test_pauses_grow_until_the_server_is_given_up() -> None:
    breaker = opened()
    now = 0.0
    pauses = []
    for _ in range(len(PAUSES) + 2):
        pauses.append(breaker.seconds_left(now))
        given_up = breaker.is_given_up(now)
        now = breaker.ready_at(now)
        assert breaker.went(now)
        breaker.failed(now, Trouble.SERVER)
        breaker.came_back()
    assert pauses == [*PAUSES, GIVEN_UP_FOR, GIVEN_UP_FOR]
    assert given_up


def test_who_waits_in_a_pause_that_will_end_is_not_given_up() -> None:
    assert not opened().is_given_up(0)


def test_one_at_a_time_tries_the_server() -> None:
    breaker = opened()
    assert breaker.ready_at(1) == PAUSES[0]
    assert breaker.ready_at(3) <= 3
    breaker.went(3)
    assert breaker.ready_at(4) == 33
    breaker.came_back()
    assert breaker.ready_at(4) <= 4


def test_late_failures_do_not_lengthen_a_pause() -> None:
    breaker = opened()
    breaker.failed(1, Trouble.SERVER)
    assert breaker.seconds_left(1) == pytest.approx(PAUSES[0] - 1)


def test_an_answer_closes_it() -> None:
    breaker = opened()
    breaker.answered()
    assert not breaker.is_open()
    assert breaker.ready_at(0) <= 0
    assert not breaker.went(0)
