"""Every paid call: asked once, within budget, kept on the tape.

Models that answer from a tape: what is not there stops everything.
The first of several questions that begin alike goes alone, and warms the cache.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import settings as law
from hypothesis import strategies as st

from arena.errors import ArenaError, StopError
from arena.records.answer import Call, Caller, Completion, Question, Trouble, Usage
from arena.records.cohort import CohortId, ContestantId
from arena.records.money import usd, usd_from_micro
from arena.records.settings import Budgets, ModelSettings
from arena.steps.rounds.budget import NO_PRICE
from arena.steps.rounds.cached_llm import WARM, ModelLine, TapeLlm, Warmth, request_digest
from arena.store import Store
from arena.store.pages.costs import SqliteCosts
from arena.testing import ScriptedLlm
from tests.build import ADA, BEN, COHORT, DAY, HOUR, PEERS, T0, at, spec
from tests.llms.virtual_time import in_no_time
from tests.present import present
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
        row = present(here.store.db.row("SELECT at, llm, request FROM tape_calls"))
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
    days: int, *, asked: bool
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
def test_nothing_new_is_asked_after_a_round_s_deadline(hours: float, *, asked: bool) -> None:
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


@contextmanager
def taped(*said: Completion) -> Iterator[Store]:
    """A tape of what Ada was asked, one round after the other."""
    with board() as here:
        for number, one in enumerate(said, 1):
            who = caller(number=number)
            line = here.line(ScriptedLlm([one]))
            asyncio.run(line.complete(question(who, f"facts of {number}")))
        yield here.store


def test_a_tape_says_what_was_said() -> None:
    again = Caller(CohortId("replay"), 1, ADA, "decide")
    with taped(WELL, LOST) as tape:
        llm = TapeLlm(MODEL, tape)
        said = [
            asyncio.run(llm.complete(question(replace(again, round=n), f"facts of {n}")))
            for n in (1, 2)
        ]
        assert said == [WELL, LOST]


def test_a_tape_of_before_longer_answers_were_usual_is_still_heard() -> None:
    short, asked = replace(MODEL, max_tokens=4_096), question(caller(), "facts of 1")
    with board() as here:
        asyncio.run(here.line(ScriptedLlm([WELL]), short).complete(asked))
        llm = TapeLlm(replace(MODEL, max_tokens=16_000), here.store)
        assert asyncio.run(llm.complete(asked)) == WELL


@pytest.mark.parametrize(
    ("who", "user", "model"),
    [
        (caller(contestant=BEN), "facts of 1", MODEL),
        (caller("stake"), "facts of 1", MODEL),
        (caller(), "facts of 2", MODEL),
        (caller(), "facts of 1", replace(MODEL, model="small-2")),
    ],
)
def test_what_is_not_on_the_tape_stops_everything(
    who: Caller, user: str, model: ModelSettings
) -> None:
    with taped(WELL) as tape, pytest.raises(StopError) as stopped:
        asyncio.run(TapeLlm(model, tape).complete(question(who, user)))
    assert stopped.value.code == "replay.miss"
    assert f"{who.contestant} asks small something in round 1 of c" in stopped.value.message
    assert stopped.value.hint


def test_a_question_without_a_caller_is_on_no_tape() -> None:
    with taped(WELL) as tape, pytest.raises(StopError):
        asyncio.run(TapeLlm(MODEL, tape).complete(question(None, "facts of 1")))


def test_a_replay_has_a_tape_of_its_own() -> None:
    """It goes through the exchange like any model, and may be replayed in its turn."""
    with taped(WELL) as tape, board() as here:
        asked = question(caller(), "facts of 1")
        said = asyncio.run(here.line(TapeLlm(MODEL, tape)).complete(asked))
        assert said == WELL
        assert here.calls == (Call("decide", asked, WELL),)


def test_what_stops_a_replay_leaves_no_call() -> None:
    with taped() as tape, board() as here:
        with pytest.raises(StopError):
            asyncio.run(here.line(TapeLlm(MODEL, tape)).complete(question(caller())))
        assert here.calls == ()


def test_a_tape_answers_for_a_model_that_is_asked_in_batches() -> None:
    with taped(WELL) as tape, board() as here:
        line = here.line(TapeLlm(replace(MODEL, batch=True), tape), replace(MODEL, batch=True))
        assert line.batches is None


async def hold(warmth: Warmth, beginning: str, name: str, seen: list[str]) -> None:
    async with warmth.turn(beginning):
        seen.append(name)
        await asyncio.Event().wait()


async def go(warmth: Warmth, beginning: str, name: str, seen: list[str]) -> None:
    async with warmth.turn(beginning):
        seen.append(name)


def test_the_others_wait_for_the_first_and_then_go_together() -> None:
    async def play() -> None:
        llm = Gated()
        with board() as here:
            line = here.line(llm, replace(MODEL, warm=True))
            asked = [
                question(caller(contestant=who), f"shared {who}", len("shared "))
                for who in (ADA, BEN, ContestantId("c"))
            ]
            tasks = [asyncio.create_task(line.complete(one)) for one in asked]
            await settle()
            assert llm.started == ["shared ada"]
            llm.let("shared ada")
            await settle()
            assert llm.started == ["shared ada", "shared ben", "shared c"]
            llm.let("shared ben", "shared c")
            assert [one.text for one in await asyncio.gather(*tasks)] == ["words"] * 3

    asyncio.run(play())


@pytest.mark.parametrize(
    ("warm", "shared", "users"),
    [(False, 7, ("shared 1", "shared 2")), (True, 0, ("a", "b")), (True, 1, ("a1", "b1"))],
)
def test_nobody_waits_where_nothing_is_shared_or_nothing_is_warmed(
    shared: int, users: tuple[str, str], *, warm: bool
) -> None:
    async def play() -> None:
        llm = Gated()
        with board() as here:
            line = here.line(llm, replace(MODEL, warm=warm))
            for n, user in enumerate(users):
                asked = question(caller(f"decide/{n}"), user, shared)
                asyncio.create_task(line.complete(asked)).add_done_callback(str)
            await settle()
            assert llm.started == list(users)
            llm.let(*users)
            await settle()

    asyncio.run(play())


def test_who_asks_another_model_does_not_wait() -> None:
    async def play() -> None:
        llm = Gated()
        with board() as here:
            exchange = here.exchange
            models = [replace(MODEL, name=name, warm=True) for name in ("one", "two")]
            lines = [exchange.line(llm, model) for model in models]
            for n, line in enumerate(lines):
                asked = question(caller(f"decide/{n}"), f"same {n}", 5)
                asyncio.create_task(line.complete(asked)).add_done_callback(str)
            await settle()
            assert llm.started == ["same 0", "same 1"]
            llm.let(*llm.started)
            await settle()

    asyncio.run(play())


def test_other_beginnings_do_not_wait() -> None:
    async def play() -> list[str]:
        warmth, seen = Warmth(), list[str]()
        first = asyncio.create_task(hold(warmth, "a", "first", seen))
        await settle()
        await go(warmth, "b", "other", seen)
        first.cancel()
        return seen

    assert asyncio.run(play()) == ["first", "other"]


def test_where_the_first_fails_the_others_go_on() -> None:
    async def play() -> list[str]:
        warmth, seen = Warmth(), list[str]()

        async def fail() -> None:
            async with warmth.turn("a"):
                await settle()
                raise BrokenError

        failing = asyncio.create_task(fail())
        others = [asyncio.create_task(go(warmth, "a", name, seen)) for name in "bc"]
        await settle()
        with pytest.raises(BrokenError):
            await failing
        await asyncio.gather(*others)
        return seen

    assert asyncio.run(play()) == ["b", "c"]


def test_where_the_first_is_cancelled_the_others_go_on() -> None:
    async def play() -> list[str]:
        warmth, seen = Warmth(), list[str]()
        first = asyncio.create_task(hold(warmth, "a", "first", seen))
        others = [asyncio.create_task(go(warmth, "a", name, seen)) for name in "bc"]
        await settle()
        assert seen == ["first"]
        first.cancel()
        await asyncio.gather(*others)
        return seen

    assert asyncio.run(play()) == ["first", "b", "c"]


def test_the_others_wait_a_minute_at_most_counted_from_the_first() -> None:
    async def play() -> list[tuple[str, float]]:
        warmth, clock = Warmth(), asyncio.get_running_loop().time
        went = list[tuple[str, float]]()

        async def come(name: str, at: float, lasts: float) -> None:
            await asyncio.sleep(at)
            async with warmth.turn("a"):
                went.append((name, clock()))
                await asyncio.sleep(lasts)

        await asyncio.gather(
            come("1", 0, 500), come("2", 1, 0), come("3", 59, 0), come("4", 70, 0)
        )
        return went

    assert in_no_time(play()) == [("1", 0.0), ("2", 60.0), ("3", 60.0), ("4", 70.0)]


def test_one_who_is_cancelled_while_waiting_holds_nobody_up() -> None:
    async def play() -> list[str]:
        warmth, seen = Warmth(), list[str]()
        first = asyncio.create_task(hold(warmth, "a", "first", seen))
        waits = asyncio.create_task(go(warmth, "a", "waits", seen))
        last = asyncio.create_task(go(warmth, "a", "last", seen))
        await settle()
        waits.cancel()
        first.cancel()
        await last
        return seen

    assert asyncio.run(play()) == ["first", "last"]


def test_what_is_warm_stays_warm_in_another_loop() -> None:
    warmth, seen = Warmth(), list[str]()
    for name in "abc":
        asyncio.run(go(warmth, "same", name, seen))
    assert seen == ["a", "b", "c"]


def test_what_was_long_ago_is_forgotten_and_its_next_one_goes_alone() -> None:
    async def play() -> None:
        warmth, seen = Warmth(), list[str]()
        await go(warmth, "old", "1", seen)
        for n in range(WARM):
            await go(warmth, f"new {n}", "", [])
        first = asyncio.create_task(hold(warmth, "old", "2", seen))
        waits = asyncio.create_task(go(warmth, "old", "3", seen))
        await settle()
        assert seen == ["1", "2"]
        first.cancel()
        await waits

    asyncio.run(play())
