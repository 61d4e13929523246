from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.records.answer import Answer, Attempt, Completion, Question, Trouble, Usage
from arena.records.market import (
    NO_WINS,
    VOIDED,
    YES_WINS,
    MarketId,
    Outcome,
    Quote,
    State,
    Status,
)
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
from tests.present import present

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


def test_facts_of_a_market_are_kept_once_and_known_from_when_they_changed(store: Store) -> None:
    renamed = replace(market(), question="Will it pour?")
    for hours, facts in ((0, market()), (1, market()), (2, renamed)):
        store.tape.record_markets([facts], at(hours))
    assert store.tape.markets([RAIN], at(1)) == {RAIN: market()}
    assert store.tape.markets([RAIN], at(2)) == {RAIN: renamed}
    assert store.db.value("SELECT count(*) FROM tape_markets") == 2


@pytest.mark.parametrize(
    "status",
    [
        Status(RAIN, State.OPEN, T0),
        Status(RAIN, State.DISPUTED, T0),
        Status(RAIN, State.RESOLVED, T0, YES_WINS),
        Status(RAIN, State.RESOLVED, T0, VOIDED),
        Status(RAIN, State.RESOLVED, T0, NO_WINS, unconfirmed=True),
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


def test_a_word_that_is_confirmed_is_a_new_one(store: Store) -> None:
    once = Status(RAIN, State.RESOLVED, T0, YES_WINS, unconfirmed=True)
    second = replace(once, at=at(1), unconfirmed=False)
    for word in (once, second):
        store.tape.record_statuses([word], word.at)
    assert store.tape.statuses([RAIN], at(0.5)) == {RAIN: once}
    assert store.tape.statuses([RAIN], at(1)) == {RAIN: second}


@pytest.mark.parametrize(
    "word",
    [
        Status(RAIN, State.OPEN, T0),
        Status(RAIN, State.RESOLVED, T0, YES_WINS, unconfirmed=True),
    ],
)
def test_a_word_that_says_nothing_new_keeps_its_first_moment(
    store: Store, word: Status
) -> None:
    for hours in (0, 0.5):
        store.tape.record_statuses([replace(word, at=at(hours))], at(hours))
    assert store.tape.statuses([RAIN], at(1)) == {RAIN: word}


@pytest.mark.parametrize(
    "answer", [pytest.param(FULL, id="full"), pytest.param(FAILED, id="failed")]
)
def test_an_answer_is_read_back_word_for_word(store: Store, answer: Answer) -> None:
    store.tape.record_answer(COHORT, 1, ADA, answer)
    assert store.tape.answer(COHORT, 1, ADA) == answer


def test_the_first_answer_of_a_turn_stays_with_its_attempts(store: Store) -> None:
    more = replace(FAILED.completion, attempts=(Attempt(1),) * 5)
    store.tape.record_answer(COHORT, 1, ADA, FULL)
    store.tape.record_answer(COHORT, 1, ADA, Answer(more))
    assert store.tape.answer(COHORT, 1, ADA) == FULL


def test_the_tape_knows_who_has_answered(store: Store) -> None:
    store.tape.record_answer(COHORT, 1, BEN, FULL)
    store.tape.record_answer(COHORT, 2, ADA, FULL)
    assert store.tape.answered(COHORT, 1) == {BEN}
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
    said = present(store.tape.answer(COHORT, 1, ADA)).completion
    assert {said.text, said.model, said.finish, said.detail} == {"a?b"}
    assert said.attempts[0].detail == "a?b"


def test_a_poll_that_failed_is_no_answer_but_a_moment(store: Store) -> None:
    assert (store.tape.last_poll(HERE), store.tape.last_moment()) == (None, None)
    store.tape.record_poll(HERE, at(1))
    store.tape.record_poll(HERE, at(2), "down")
    assert (store.tape.last_poll(HERE), store.tape.last_moment()) == (at(1), at(2))


@pytest.mark.parametrize("errors", [("down", None), (None, "down")])
def test_of_two_polls_at_one_moment_the_one_that_succeeded_counts(
    store: Store, errors: tuple[str | None, ...]
) -> None:
    for error in errors:
        store.tape.record_poll(HERE, at(1), error)
    assert store.tape.last_poll(HERE) == at(1)
