from dataclasses import replace

from arena.records.market import YES_WINS, State, Status
from arena.store import Store
from tests.build import RAIN, T0, at

ONCE = Status(RAIN, State.RESOLVED, T0, YES_WINS, unconfirmed=True)


def test_an_unconfirmed_word_is_read_back_as_one(store: Store) -> None:
    store.tape.record_statuses([ONCE], at())
    assert store.tape.statuses([RAIN], at()) == {RAIN: ONCE}


def test_a_word_that_is_confirmed_is_a_new_one(store: Store) -> None:
    second = replace(ONCE, at=at(1), unconfirmed=False)
    store.tape.record_statuses([ONCE], at())
    store.tape.record_statuses([second], at(1))
    assert store.tape.statuses([RAIN], at(0.5)) == {RAIN: ONCE}
    assert store.tape.statuses([RAIN], at(1)) == {RAIN: second}


def test_an_unconfirmed_word_that_is_said_again_keeps_its_first_moment(store: Store) -> None:
    store.tape.record_statuses([ONCE], at())
    store.tape.record_statuses([replace(ONCE, at=at(0.5))], at(0.5))
    assert store.tape.statuses([RAIN], at(1)) == {RAIN: ONCE}
