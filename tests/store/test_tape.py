from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.records.answer import Answer, Attempt, Completion, Question, Trouble, Usage
from arena.records.market import VOIDED, YES_WINS, MarketId, Outcome, Quote, State, Status
from arena.records.money import price, usd
from arena.store import Store, open_store
from tests.build import (
    ADA,
    BEN,
    COHORT,
    HERE,
    RAIN,
    SNOW,
    T0,
    at,
    at_price,
    market,
    quote,
    with_depth,
)

FULL = Answer(
    Completion(
        text="HOLD",
        raw=b"\x00\xff{}",
        model="m-1",
        finish="stop",
        usage=Usage(2100, 550, usd("0.36")),
        latency_ms=1500,
        attempts=(
            Attempt(500, 429, Trouble.RATE_LIMITED, "slow down", billed=False),
            Attempt(900, None, Trouble.TIMEOUT, billed=None),
            Attempt(100, 200, billed=True),
        ),
    ),
    Question("the rules", "the facts"),
)
FAILED = Answer(Completion(None, trouble=Trouble.CRASHED, detail="ValueError: no"))


def known(store: Store, hours: float) -> Mapping[MarketId, Quote]:
    return store.tape.quotes([RAIN, SNOW], at(hours))


@pytest.mark.parametrize(
    "shown",
    [
        pytest.param(quote("0.38", "0.40"), id="plain"),
        pytest.param(quote("0.38", None), id="without-an-ask"),
        pytest.param(quote(None, None), id="without-either"),
        pytest.param(quote("0.41", "0.40"), id="crossed"),
        pytest.param(replace(quote(), volume=usd("12.5")), id="with-a-volume"),
        pytest.param(with_depth([("0.38", "5")], [("0.4", "1"), ("0.5", "2")]), id="deep"),
        pytest.param(with_depth([], [("0.4", "1")]), id="deep-on-one-side"),
    ],
)
def test_a_quote_is_read_back_as_it_was_told(store: Store, shown: Quote) -> None:
    store.tape.record_quotes([shown], at())
    assert known(store, 0) == {RAIN: shown}


def test_nothing_is_known_before_it_was_told(store: Store) -> None:
    store.tape.record_quotes([quote()], at(1))
    assert known(store, 0.99) == {}


def test_the_newest_quote_at_a_moment_is_known_then(store: Store) -> None:
    for hours, bid in ((1, "0.30"), (2, "0.31"), (3, "0.32")):
        store.tape.record_quotes([quote(bid, "0.40", hours=hours)], at(hours))
    assert known(store, 2.5)[RAIN].bid == price("0.31")


def test_a_quote_that_has_not_changed_is_kept_once(store: Store) -> None:
    store.tape.record_quotes([quote()], at())
    store.tape.record_quotes([quote()], at(1))
    assert store.db.value("SELECT count(*) FROM tape_quotes") == 1


def test_what_was_told_at_a_moment_is_never_written_over(store: Store) -> None:
    store.tape.record_quotes([quote("0.38")], at())
    store.tape.record_quotes([quote("0.39")], at())
    assert known(store, 0)[RAIN].bid == price("0.38")


def test_a_book_that_lost_a_side_leaves_the_last_whole_one(store: Store) -> None:
    store.tape.record_quotes([quote(hours=0)], at(0))
    store.tape.record_quotes([quote("0.38", None, hours=1)], at(1))
    assert store.tape.two_sided_quotes([RAIN], at(1)) == {RAIN: quote(hours=0)}


told_quotes = st.lists(
    st.tuples(
        st.sampled_from([RAIN, SNOW]), st.integers(0, 9), st.sampled_from(["0.4", "0.5"])
    ),
    max_size=12,
)


@given(told=told_quotes, when=st.integers(-1, 10))
def test_the_tape_knows_at_a_moment_what_had_been_told_by_then(
    told: list[tuple[MarketId, int, str]], when: int
) -> None:
    expected: dict[MarketId, Quote] = {}
    with open_store(None) as store:
        for hours, name, of_yes in sorted((h, n, p) for n, h, p in told):
            shown = at_price(of_yes, name, hours)
            if hours <= when and (name not in expected or expected[name].at < at(hours)):
                expected[name] = shown
            store.tape.record_quotes([shown], at(hours))
        assert known(store, when) == expected


def test_facts_of_a_market_are_known_from_when_they_changed(store: Store) -> None:
    renamed = replace(market(), question="Will it pour?")
    store.tape.record_markets([market()], at(0))
    store.tape.record_markets([renamed], at(2))
    assert store.tape.markets([RAIN], at(1)) == {RAIN: market()}
    assert store.tape.markets([RAIN], at(2)) == {RAIN: renamed}


def test_facts_that_have_not_changed_are_kept_once(store: Store) -> None:
    store.tape.record_markets([market()], at(0))
    store.tape.record_markets([market()], at(2))
    assert store.db.value("SELECT count(*) FROM tape_markets") == 1


@pytest.mark.parametrize(
    "status",
    [
        Status(RAIN, State.OPEN, T0),
        Status(RAIN, State.DISPUTED, T0),
        Status(RAIN, State.RESOLVED, T0, YES_WINS),
        Status(RAIN, State.RESOLVED, T0, VOIDED),
        Status(RAIN, State.RESOLVED, T0, Outcome(price("0.5"))),
    ],
    ids=lambda s: f"{s.state}-{s.outcome.verdict if s.outcome else None}",
)
def test_a_status_is_read_back_as_it_was_said(store: Store, status: Status) -> None:
    store.tape.record_statuses([status], at())
    assert store.tape.statuses([RAIN], at()) == {RAIN: status}


def test_the_last_word_at_a_moment_is_known_then(store: Store) -> None:
    for hours, state in ((1, State.OPEN), (2, State.PROPOSED), (3, State.DISPUTED)):
        store.tape.record_statuses([Status(RAIN, state, at(hours))], at(hours))
    assert store.tape.statuses([RAIN], at(2.5))[RAIN].state is State.PROPOSED


def test_a_word_that_says_nothing_new_is_kept_once(store: Store) -> None:
    for hours in (1, 2):
        store.tape.record_statuses([Status(RAIN, State.OPEN, at(hours))], at(hours))
    assert store.db.value("SELECT count(*) FROM tape_statuses") == 1


@pytest.mark.parametrize(
    "answer", [pytest.param(FULL, id="full"), pytest.param(FAILED, id="failed")]
)
def test_an_answer_is_read_back_word_for_word(store: Store, answer: Answer) -> None:
    store.tape.record_answer(COHORT, 1, ADA, answer)
    assert store.tape.answer(COHORT, 1, ADA) == answer


def test_the_first_answer_of_a_turn_stays(store: Store) -> None:
    store.tape.record_answer(COHORT, 1, ADA, FULL)
    store.tape.record_answer(COHORT, 1, ADA, FAILED)
    assert store.tape.answer(COHORT, 1, ADA) == FULL


def test_the_tape_knows_who_has_answered(store: Store) -> None:
    store.tape.record_answer(COHORT, 1, BEN, FULL)
    store.tape.record_answer(COHORT, 2, ADA, FULL)
    assert store.tape.answered(COHORT, 1) == {BEN}


def test_without_an_answer_there_is_none(store: Store) -> None:
    assert store.tape.answer(COHORT, 1, ADA) is None


def test_words_that_were_said_twice_are_kept_once(store: Store) -> None:
    store.tape.record_answer(COHORT, 1, ADA, FULL)
    store.tape.record_answer(COHORT, 1, BEN, FULL)
    assert store.db.value("SELECT count(*) FROM tape_blobs") == 4


def test_words_that_cannot_be_written_are_replaced(store: Store) -> None:
    torn = "a\ud800b"
    hostile = Completion(torn, model=torn, finish=torn, detail=torn)
    attempts = (Attempt(1, detail=torn),)
    store.tape.record_answer(COHORT, 1, ADA, Answer(replace(hostile, attempts=attempts)))
    kept = store.tape.answer(COHORT, 1, ADA)
    assert kept is not None
    said = kept.completion
    assert {said.text, said.model, said.finish, said.detail} == {"a?b"}
    assert said.attempts[0].detail == "a?b"


def test_a_venue_that_was_never_asked_has_no_last_poll(store: Store) -> None:
    assert (store.tape.last_poll(HERE), store.tape.last_moment()) == (None, None)


def test_a_poll_that_failed_is_no_answer_but_a_moment(store: Store) -> None:
    store.tape.record_poll(HERE, at(1))
    store.tape.record_poll(HERE, at(2), "down")
    assert (store.tape.last_poll(HERE), store.tape.last_moment()) == (at(1), at(2))


def test_a_poll_that_failed_may_succeed_at_the_same_moment(store: Store) -> None:
    store.tape.record_poll(HERE, at(1), "down")
    store.tape.record_poll(HERE, at(1))
    assert store.tape.last_poll(HERE) == at(1)


def test_a_poll_that_succeeded_does_not_fail_afterwards(store: Store) -> None:
    store.tape.record_poll(HERE, at(1))
    store.tape.record_poll(HERE, at(1), "down")
    assert store.tape.last_poll(HERE) == at(1)
