"""Every paid call: asked once, within budget, kept on the tape."""

import asyncio
from contextlib import suppress
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import settings as law
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.llms.scripted import ScriptedLlm
from arena.records.answer import Call, Completion, Question, Trouble, Usage
from arena.records.cohort import CohortId
from arena.records.money import usd, usd_from_micro
from arena.records.settings import Budgets, ModelSettings
from arena.steps.rounds.budget import NO_PRICE
from arena.steps.rounds.cached_llm import ModelLine, request_digest
from arena.store.pages.costs import SqliteCosts
from tests.build import ADA, BEN, COHORT, DAY, HOUR, PEERS, T0, at, spec
from tests.sizes import size
from tests.stage import playing
from tests.steps.asking import (
    LOST,
    MODEL,
    ONE_CALL,
    UNPRICED,
    WELL,
    WORST,
    Broken,
    BrokenError,
    Gated,
    board,
    question,
    settle,
)
from tests.store.spending import caller

# Asked once.


def test_what_came_back_is_given_and_kept() -> None:
    with board() as here:
        assert here.ask(ScriptedLlm([WELL]), caller()) == [WELL]
        assert here.calls == (Call("decide", question(caller()), WELL),)
        row = here.store.db.row("SELECT at, llm, request FROM tape_calls")
        assert row is not None
        digest = request_digest(MODEL, question(caller()))
        assert tuple(row) == (T0.isoformat(), "small", digest)


@pytest.mark.parametrize("first", [WELL, LOST])
def test_a_call_that_is_on_the_tape_is_not_asked_again(first: Completion) -> None:
    with board() as here:
        llm = ScriptedLlm([first, "something else"])
        assert here.ask(llm, caller(), caller()) == [first, first]
        assert here.ask(llm, caller()) == [first]
        assert len(llm.asked) == 1


def test_calls_of_other_names_contestants_rounds_and_cohorts_are_others() -> None:
    others = (
        caller("stake"),
        caller(contestant=BEN),
        caller(number=2),
        caller(cohort=CohortId("d")),
    )
    with board() as here:
        llm = ScriptedLlm(lambda _: "words")
        here.ask(llm, caller(), *others)
        assert len(llm.asked) == 5


def test_a_question_without_a_caller_goes_straight_through() -> None:
    with board(Budgets(day=usd(0))) as here:
        llm = ScriptedLlm(["a", "b"])
        line = here.line(llm, replace(MODEL, retires_on=date(2020, 1, 1)))
        said = [asyncio.run(line.complete(question())) for _ in range(2)]
        assert [one.text for one in said] == ["a", "b"]
        for table in ("tape_calls", "tape_asks"):
            assert here.store.db.value(f"SELECT count(*) FROM {table}") == 0  # noqa: S608


def test_an_ask_is_on_the_tape_before_it_is_sent() -> None:
    with board() as here:

        def say(asked: Question) -> str:
            assert asked.caller is not None
            assert here.store.tape.calls.was_asked(asked.caller)
            assert not here.store.db.raw.in_transaction
            return "words"

        here.ask(ScriptedLlm(say), caller())
        assert here.store.db.value("SELECT reserved_micro FROM tape_asks") > 100_000


def test_what_was_asked_and_never_came_back_is_asked_again_and_says_so() -> None:
    with board() as here:
        here.asked_before(caller())
        (said,) = here.ask(ScriptedLlm([WELL]), caller())
        first, second = said.attempts
        assert (first.billed, first.status, first.trouble) == (None, None, Trouble.UNREACHABLE)
        assert "interruption" in first.detail
        assert second == WELL.attempts[0]
        assert here.calls[0].completion == said


def test_however_often_a_call_was_lost_each_time_counts_against_the_budget() -> None:
    with board(Budgets(day=usd("0.5"))) as here:
        broken = Broken(BrokenError("killed"))
        for _ in range(9):
            with suppress(BrokenError):
                here.ask(broken, caller())
        worst = here.store.db.value("SELECT reserved_micro FROM tape_asks")
        spent = SqliteCosts(here.store.db).on(T0.date()).counted
        assert broken.asked == usd("0.5") // usd_from_micro(worst)
        assert spent == broken.asked * usd_from_micro(worst)


def test_each_time_that_a_call_was_lost_is_an_attempt_of_it() -> None:
    with board() as here:
        for _ in range(3):
            with suppress(BrokenError):
                here.ask(Broken(BrokenError("killed")), caller())
        (said,) = here.ask(ScriptedLlm([WELL]), caller())
        assert [attempt.billed for attempt in said.attempts] == [None, None, None, True]


def test_an_answer_that_is_still_to_come_is_not_kept() -> None:
    pending = Completion(None, trouble=Trouble.PENDING)
    with board() as here:
        assert here.ask(ScriptedLlm([pending]), caller()) == [pending]
        assert here.calls == ()


# Within budget.


def test_what_no_budget_allows_is_not_sent_and_is_no_call() -> None:
    with board(ONE_CALL) as here:
        llm = ScriptedLlm([replace(WELL, usage=Usage(10, 10, usd("0.1"))), WELL])
        first, second = here.ask(llm, caller(), caller("stake"))
        assert first.trouble is None
        assert (second.trouble, second.text, second.attempts) == (Trouble.BUDGET, None, ())
        assert second.detail.startswith("the budget of $0.15 for ada in cohort c has $0.05")
        assert len(llm.asked) == 1
        assert [call.name for call in here.calls] == ["decide"]
        assert not here.store.tape.calls.was_asked(caller("stake"))


def test_with_a_budget_a_model_of_unknown_price_is_not_asked() -> None:
    with board(ONE_CALL) as here:
        llm = ScriptedLlm([WELL])
        (said,) = here.ask(llm, caller(), model=UNPRICED)
        assert (said.trouble, said.detail) == (Trouble.BUDGET, NO_PRICE)
        assert llm.asked == []


def test_without_a_budget_a_model_of_unknown_price_is_asked() -> None:
    with board() as here:
        assert here.ask(ScriptedLlm([WELL]), caller(), model=UNPRICED) == [WELL]
        assert here.store.db.value("SELECT reserved_micro FROM tape_asks") is None


def test_what_is_on_the_tape_needs_no_budget() -> None:
    with board() as here:
        here.ask(ScriptedLlm([WELL]), caller())
        here.budgets = Budgets(day=usd(0))
        assert here.ask(ScriptedLlm([]), caller()) == [WELL]


def test_calls_at_once_cannot_both_take_what_is_left() -> None:
    async def both(line: ModelLine, llm: Gated) -> list[Completion]:
        callers = (caller(), caller("stake"))
        tasks = [asyncio.create_task(line.complete(question(who))) for who in callers]
        await settle()
        llm.let("facts")
        return await asyncio.gather(*tasks)

    with board(ONE_CALL) as here:
        llm = Gated()
        said = asyncio.run(both(here.line(llm), llm))
        assert [one.trouble for one in said] == [None, Trouble.BUDGET]
        assert len(llm.started) == 1


def test_what_a_call_cost_takes_the_place_of_what_was_set_aside() -> None:
    with board(ONE_CALL) as here:
        names = [caller(f"decide/{n}") for n in range(40)]
        said = here.ask(ScriptedLlm(lambda _: WELL), *names)
        assert [one.trouble for one in said] == [None] * 40


@pytest.mark.parametrize("error", [BrokenError("no"), asyncio.CancelledError()])
def test_what_a_plugin_raises_is_counted_as_its_worst_and_reserves_nothing_more(
    error: BaseException,
) -> None:
    with board(Budgets(contestant=usd("0.25"))) as here:
        exchange = here.exchange
        broken, well = Broken(error), ScriptedLlm(lambda _: WELL)
        with pytest.raises(type(error)):
            asyncio.run(exchange.line(broken, MODEL).complete(question(caller("a"))))
        (purse,) = exchange.guard._purses.values()  # noqa: SLF001  nothing else shows it
        assert purse.reserved == 0
        assert WORST < purse.spent.counted < 2 * WORST
        said = asyncio.run(exchange.line(well, MODEL).complete(question(caller("b"))))
        assert said.trouble is None
        assert here.store.tape.calls.find(caller("a")) is None
        assert here.store.tape.calls.was_asked(caller("a"))


# A model that is gone.


@pytest.mark.parametrize(("days", "asked"), [(1, True), (0, False), (-1, False)])
def test_a_model_is_asked_until_the_day_that_its_provider_ends_it(
    days: int,
    asked: bool,  # noqa: FBT001
) -> None:
    ends = T0.date() + timedelta(days=days)
    with board() as here:
        llm = ScriptedLlm([WELL])
        (said,) = here.ask(llm, caller(), model=replace(MODEL, retires_on=ends))
        assert len(llm.asked) == int(asked)
        if not asked:
            assert said.trouble is Trouble.REQUEST
            assert said.detail == (
                f"small was retired by its provider on {ends}; it is not asked any more"
            )
            assert here.calls == ()


def test_what_a_model_said_before_it_was_gone_stands() -> None:
    with board() as here:
        model = replace(MODEL, retires_on=T0.date() + DAY)
        here.ask(ScriptedLlm([WELL]), caller(), model=model)
        here.clock.at = at(48)
        assert here.ask(ScriptedLlm([]), caller(), model=model) == [WELL]


# After the deadline.


@pytest.mark.parametrize(("hours", "asked"), [(12, True), (12.01, False)])
def test_nothing_new_is_asked_after_a_round_s_deadline(
    hours: float,
    asked: bool,  # noqa: FBT001
) -> None:
    patient = spec(COHORT, rules=replace(PEERS, answer_within=12 * HOUR))
    with playing({ADA: {}}, patient) as game, board() as here:
        game.tick(0)
        here.store, here.clock.at = game.store, at(hours)
        llm = ScriptedLlm([WELL])
        (said,) = here.ask(llm, caller())
        assert len(llm.asked) == int(asked)
        if not asked:
            assert (said.trouble, here.calls) == (Trouble.MISSED, ())
            assert not here.store.tape.calls.was_asked(caller())


def test_what_came_back_before_a_round_s_deadline_is_given_after_it() -> None:
    with playing({ADA: {}}) as game, board() as here:
        game.tick(0)
        here.store = game.store
        here.ask(ScriptedLlm([WELL]), caller())
        here.clock.at = at(48)
        assert here.ask(ScriptedLlm([]), caller()) == [WELL]


# Batches.


def test_a_model_that_knows_no_batches_cannot_be_asked_in_them() -> None:
    with board() as here, pytest.raises(ArenaError) as caught:
        here.line(ScriptedLlm([]), replace(MODEL, batch=True))
    assert (caught.value.code, caught.value.status) == ("llm.batch", 2)
    assert "small" in caught.value.message
    assert "openai_chat" in caught.value.message


def test_where_nothing_is_collected_nothing_is_handed_in() -> None:
    with board() as here:
        assert asyncio.run(here.exchange.flush()) is False


# The digest of a request.


options = st.recursive(
    st.text(max_size=3) | st.integers() | st.floats(allow_nan=False) | st.booleans(),
    lambda inner: st.lists(inner, max_size=2).map(tuple),
    max_leaves=4,
)
requests = st.tuples(
    st.builds(
        ModelSettings,
        name=st.just("m"),
        adapter=st.sampled_from(["openai_chat", "gemini"]),
        base_url=st.sampled_from(["http://a", "http://b"]),
        model=st.sampled_from(["x", "y"]),
        max_tokens=st.integers(1, 2),
        options=st.lists(st.tuples(st.text(max_size=2), options), max_size=2).map(tuple),
    ),
    st.builds(
        Question, st.text(max_size=2), st.text(max_size=2), schema=st.sampled_from(["", "{}"])
    ),
)


@law(max_examples=size(20, 200))
@given(one=requests, other=requests)
def test_a_request_is_its_server_its_settings_and_its_words(
    one: tuple[ModelSettings, Question], other: tuple[ModelSettings, Question]
) -> None:
    same = repr(one) == repr(other)
    assert (request_digest(*one) == request_digest(*other)) is same


@pytest.mark.parametrize(
    "other",
    [
        replace(MODEL, adapter="gemini"),
        replace(MODEL, base_url="http://there/v1"),
        replace(MODEL, model="small-2"),
        replace(MODEL, max_tokens=1001),
        replace(MODEL, options=(("effort", "high"),)),
    ],
)
def test_another_model_or_another_way_to_ask_is_another_request(other: ModelSettings) -> None:
    assert request_digest(other, question()) != request_digest(MODEL, question())


@pytest.mark.parametrize(
    "other",
    [
        replace(MODEL, name="renamed"),
        replace(MODEL, key_env="A_KEY"),
        replace(MODEL, price_in=None, price_out=Decimal(7)),
        replace(MODEL, retires_on=date(2020, 1, 1), at_once=1, warm=True, batch=True),
    ],
)
def test_what_is_not_sent_makes_no_other_request(other: ModelSettings) -> None:
    assert request_digest(other, question()) == request_digest(MODEL, question())


def test_who_asks_and_how_much_is_shared_make_no_other_request() -> None:
    asked = {
        request_digest(MODEL, question(who, "facts", shared))
        for who in (None, caller(), caller("stake", BEN))
        for shared in (0, 3)
    }
    assert len(asked) == 1


def test_half_a_character_in_a_question_can_be_digested() -> None:
    assert request_digest(MODEL, question(user="\ud800")) != request_digest(MODEL, question())
