"""Calls on the tape: asked before they are sent, told when they came back, never changed."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as law
from hypothesis import strategies as st

from arena.records.answer import (
    PARSER_VERSION,
    Answer,
    Attempt,
    Call,
    Caller,
    Completion,
    Question,
    Trouble,
    Usage,
)
from arena.records.cohort import CohortId
from arena.records.money import usd
from arena.records.settings import ModelSettings
from arena.store import Store, open_store
from arena.store.tape.payloads import storable
from tests.build import ADA, BEN, COHORT, at
from tests.plans import listening, plans
from tests.present import present
from tests.sizes import size
from tests.store.spending import ANSWERED, BROKEN, LOST, MODEL, REFUSED, caller

OTHER = CohortId("other")
WELL = Completion(
    text='{"action":"HOLD"}',
    raw=b'{"choices":[]}\xff',
    model="small-1-2026",
    finish="stop",
    usage=Usage(100, 10, usd("0.0123"), 60, 20, 5, "reported"),
    latency_ms=1234,
    attempts=(BROKEN, ANSWERED),
    route="west",
    tier="flex",
    adapted=("temperature was left out",),
)
ILL = Completion(None, trouble=Trouble.SERVER, detail="busy", attempts=(LOST, REFUSED))
TRUNCATED = Completion("half of", finish="length", trouble=Trouble.TRUNCATED, usage=Usage(1, 2))

words = st.text(st.characters(), max_size=12)  # halves of characters too
counts = st.none() | st.integers(0, 10**12)
attempts = st.builds(
    Attempt,
    latency_ms=st.integers(0, 10**6),
    status=st.none() | st.integers(100, 599),
    trouble=st.none() | st.sampled_from(Trouble),
    detail=words,
    billed=st.none() | st.booleans(),
)
usages = st.builds(
    Usage,
    tokens_in=counts,
    tokens_out=counts,
    cost=st.none() | st.decimals(0, 10**6, places=6).map(usd),
    tokens_cached=counts,
    tokens_written=counts,
    tokens_reasoning=counts,
    priced=st.sampled_from(["", "reported", "configured", "table 2026-11-01"]),
)
completions = st.builds(
    Completion,
    text=st.none() | words,
    raw=st.binary(max_size=20),
    model=words,
    finish=words,
    usage=usages,
    latency_ms=st.integers(0, 10**6),
    attempts=st.lists(attempts, max_size=3).map(tuple),
    trouble=st.none() | st.sampled_from(Trouble),
    detail=words,
    route=words,
    tier=words,
    adapted=st.lists(words, max_size=2).map(tuple),
    parser_version=st.integers(1, PARSER_VERSION),
)


def question(
    who: Caller, user: str = "the market, and your cash", shared: int = 10
) -> Question:
    return Question("the rules", user, shared, '{"type":"object"}', who)


def record(
    store: Store,
    who: Caller,
    said: Completion = WELL,
    *,
    request: str = "r",
    model: ModelSettings = MODEL,
) -> Call:
    call = Call(who.call, question(who), said)
    with store.write():
        store.tape.calls.record(who, at(), model, request, call)
    return call


def stored(said: Completion) -> Completion:
    """What is left of hostile words: halves of characters become marks."""
    tries = tuple(replace(one, detail=storable(one.detail)) for one in said.attempts)
    text = None if said.text is None else storable(said.text)
    told = ("model", "finish", "detail", "route", "tier")
    words: Any = {name: storable(getattr(said, name)) for name in told}
    return replace(said, text=text, attempts=tries, **words)


schemas = words.map(lambda text: text and "{" + text)  # an object, or none


def told(store: Store, answer: Answer) -> Answer:
    """The answer of a turn, as the tape tells it again."""
    with store.write():
        store.tape.record_answer(COHORT, 1, ADA, answer)
    return present(store.tape.answer(COHORT, 1, ADA))


@law(max_examples=size(20, 60))
@given(said=completions, system=words, user=words, schema=schemas, cut=st.integers(0, 12))
def test_any_call_comes_back_as_it_was_but_for_halves_of_characters(
    said: Completion, system: str, user: str, schema: str, cut: int
) -> None:
    asked = Question(system, user, min(cut, len(user)), schema, caller())
    with open_store(None) as store:
        store.tape.calls.record(caller(), at(), MODEL, "r", Call("decide", asked, said))
        (found,) = store.tape.calls.of_turn(COHORT, 1, ADA)
        assert store.tape.calls.find(caller()) == found.completion == stored(said)
    texts = [storable(text) for text in (system, user, schema)]
    assert found.question == replace(asked, system=texts[0], user=texts[1], schema=texts[2])


def test_what_contestants_share_of_a_question_is_kept_once(store: Store) -> None:
    for who in (caller(), caller(contestant=BEN)):
        asked = question(who, f"the markets and {who.contestant}'s cash", len("the markets"))
        with store.write():
            store.tape.calls.record(who, at(), MODEL, "r", Call("decide", asked, WELL))
    sql = "SELECT count(DISTINCT {}) FROM tape_calls"
    parts = [store.db.value(sql.format(f"{part}_digest")) for part in ("shared", "own")]
    assert parts == [1, 2]


def test_a_call_is_never_overwritten(store: Store) -> None:
    record(store, caller(), WELL)
    record(store, caller(), replace(ILL, attempts=(ANSWERED, LOST, LOST)), request="s")
    assert store.tape.calls.find(caller()) == WELL
    assert store.tape.calls.like("s", caller()) is None


def test_each_call_has_its_own_attempts(store: Store) -> None:
    record(store, caller("forecast"), WELL)
    record(store, caller("stake"), ILL)
    found = [store.tape.calls.find(caller(name)) for name in ("forecast", "stake")]
    assert [one and one.attempts for one in found] == [WELL.attempts, ILL.attempts]


def test_the_calls_of_a_turn_are_in_the_order_in_which_they_came_back(store: Store) -> None:
    names = ("stake", "decide", "again", "decide/2")
    for name in names:
        record(store, caller(name))
    assert tuple(call.name for call in store.tape.calls.of_turn(COHORT, 1, ADA)) == names


@pytest.mark.parametrize(
    "other", [caller("stake"), caller(contestant=BEN), caller(cohort=OTHER), caller(number=2)]
)
def test_a_call_is_one_of_its_cohort_round_contestant_and_name(
    store: Store, other: Caller
) -> None:
    record(store, caller())
    store.tape.calls.record_ask(caller(), at(), "small", None)
    assert store.tape.calls.find(other) is None
    assert not store.tape.calls.was_asked(other)


def test_what_is_about_to_be_sent_is_known_before_it_comes_back(store: Store) -> None:
    assert not store.tape.calls.was_asked(caller())
    store.tape.calls.record_ask(caller(), at(), "small", usd("0.5"))
    assert store.tape.calls.was_asked(caller())
    assert store.tape.calls.find(caller()) is None


def test_what_was_reserved_first_stays(store: Store) -> None:
    for reserved in (usd("0.5"), usd(9), None):
        store.tape.calls.record_ask(caller(), at(), "small", reserved)
    assert store.db.value("SELECT reserved_micro FROM tape_asks") == 500_000


def test_the_same_request_is_found_in_another_cohort(store: Store) -> None:
    record(store, caller(), WELL, request="r")
    assert store.tape.calls.like("r", caller(cohort=OTHER, number=7)) == WELL


@pytest.mark.parametrize("who", [caller(contestant=BEN), caller("stake")])
def test_a_request_is_found_for_the_same_contestant_and_call_alone(
    store: Store, who: Caller
) -> None:
    record(store, caller(), WELL, request="r")
    assert store.tape.calls.like("r", who) is None
    assert store.tape.calls.like("s", caller()) is None


def test_of_two_same_requests_that_of_the_same_turn_counts(store: Store) -> None:
    """A contestant in two cohorts may be asked the same: each was answered for itself."""
    record(store, caller(cohort=OTHER), ILL, request="r")
    record(store, caller(number=2), TRUNCATED, request="r")
    record(store, caller(), WELL, request="r")
    like = store.tape.calls.like
    assert like("r", caller()) == WELL
    assert like("r", caller(number=2)) == TRUNCATED
    assert like("r", caller(cohort=OTHER)) == ILL
    assert like("r", caller(cohort=CohortId("third"))) == ILL


def test_a_request_is_found_by_its_index(store: Store) -> None:
    with listening(store) as said:
        store.tape.calls.like("r", caller())
        store.tape.calls.find(caller())
        store.tape.calls.of_turn(COHORT, 1, ADA)
        store.tape.calls.batches_of(COHORT, 1, ADA)
    found = [detail for detail, _ in plans(store, said)]
    assert found
    assert not [detail for detail in found if "SCAN" in detail]


def test_a_turn_of_several_calls_takes_its_usage_and_attempts_from_them(store: Store) -> None:
    first = record(store, caller("forecast"), WELL)
    second = record(store, caller("stake"), replace(ILL, usage=Usage(1, 2, usd("0.001"))))
    wrong = Usage(7, 7, usd(7), 7, 7, 7, "configured")
    said = replace(WELL, text="words of its own", usage=wrong, attempts=())
    answer = told(store, Answer(said, None, (first, second)))
    assert answer.completion.text == "words of its own"
    assert answer.completion.usage == Usage(101, 12, usd("0.0133"), 60, 20, 5, "reported")
    assert answer.completion.attempts == (BROKEN, ANSWERED, LOST, REFUSED)
    assert (answer.question, answer.calls) == (first.question, (first, second))


def test_a_turn_that_ended_badly_still_has_the_calls_that_were_paid_for(store: Store) -> None:
    call = record(store, caller("forecast"))
    missed = Completion(None, trouble=Trouble.MISSED, detail="too late")
    answer = told(store, Answer(missed))
    assert (answer.completion.trouble, answer.calls) == (Trouble.MISSED, (call,))
    assert answer.completion.usage == WELL.usage


def test_a_turn_whose_calls_cost_nobody_knows_what_has_no_known_cost(store: Store) -> None:
    record(store, caller("forecast"), WELL)
    record(store, caller("stake"), replace(WELL, usage=Usage(5, 5)))
    assert told(store, Answer(WELL)).completion.usage == Usage(105, 15, None, 60, 20, 5)


def test_a_call_knows_the_batch_that_it_was_last_handed_in_with(store: Store) -> None:
    calls = store.tape.calls
    for hours, batch in enumerate(("", "b1")):
        calls.record_batched(caller(), at(hours), "small", batch)
    calls.record_batched(caller("stake"), at(), "small", "b2")
    calls.record_batched(caller(contestant=BEN), at(), "small", "b3")
    assert calls.batches_of(COHORT, 1, ADA) == {"decide": "b1", "stake": "b2"}
    assert calls.batches_of(COHORT, 2, ADA) == {}


def test_an_answer_keeps_the_version_of_the_parser_that_read_it(store: Store) -> None:
    assert told(store, Answer(replace(WELL, parser_version=1))).completion.parser_version == 1


def test_what_was_handed_in_first_stays(store: Store) -> None:
    calls = store.tape.calls
    assert calls.submission(COHORT, 1, ADA) is None
    calls.record_submission(COHORT, 1, ADA, at(), "first \ud800")
    calls.record_submission(COHORT, 1, ADA, at(1), "second")
    assert calls.submission(COHORT, 1, ADA) == Completion("first ?")
    assert calls.submission(COHORT, 1, BEN) is None
