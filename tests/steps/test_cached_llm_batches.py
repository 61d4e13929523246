"""Questions that wait for a provider's batch: handed in once, fetched when it is over."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import settings as law
from hypothesis import strategies as st

from arena.clock import HandClock
from arena.llms.batch import BatchItem, item_id
from arena.llms.batch_wire import BatchError, BatchState, BatchStatus
from arena.records.answer import Attempt, Completion, Question, Trouble, Usage
from arena.records.cohort import CohortId, ContestantId
from arena.records.money import usd
from arena.records.settings import Budgets, ModelSettings
from arena.steps.play import opening
from arena.steps.rounds.budget import Guard
from arena.steps.rounds.cached_llm import HANDING_IN, PENDING, Batches, ModelExchange, ModelLine
from arena.store import Store, open_store
from arena.store.pages.costs import SqliteCosts
from arena.testing import ScriptedLlm
from tests.build import ADA, BEN, COHORT, HOUR, PEERS, T0, at, spec
from tests.llms.asking import Waits, client, settings
from tests.present import present
from tests.sizes import size
from tests.standins.batch_server import BatchServer
from tests.store.spending import caller

CAT = ContestantId("cat")
SEATS = (ADA, BEN, CAT)
WELL = Completion(
    "words",
    usage=Usage(10, 10, usd("0.001")),
    attempts=(Attempt(0, 200, billed=True),),
    tier="batch",
)
MODEL = ModelSettings(
    "small",
    "openai_chat",
    "http://here/v1",
    "small-1",
    max_tokens=1000,
    price_in=Decimal(1),
    price_out=Decimal(100),
    batch=True,
)
NOT_NOW = BatchError("come back later", Trouble.RATE_LIMITED, again=True, made=False)
NEVER = BatchError("not for you", Trouble.REQUEST, again=False, made=False)
WHO_KNOWS = BatchError("the line went dead", Trouble.UNREACHABLE, again=True, made=None)
LOST = BatchError("no such batch", Trouble.REQUEST, again=False)


@dataclass(slots=True)
class FakeDesk:
    """A provider's batches: each is over after so many polls, and answers all it was given."""

    most: int = 100
    polls: int = 1
    submit_says: list[BaseException] = field(default_factory=list)
    poll_says: list[BatchError] = field(default_factory=list)
    ends: BatchStatus = BatchStatus.ENDED
    silent: frozenset[str] = frozenset()
    made: list[Sequence[BatchItem]] = field(default_factory=list)
    asked_after: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)

    def portions(self, items: Iterable[BatchItem]) -> tuple[tuple[BatchItem, ...], ...]:
        listed = list(items)
        starts = range(0, len(listed), self.most)
        return tuple(tuple(listed[n : n + self.most]) for n in starts)

    async def submit(self, items: Sequence[BatchItem]) -> str:
        assert len({item.id for item in items}) == len(items) > 0
        await asyncio.sleep(0)
        if self.submit_says:
            raise self.submit_says.pop(0)
        self.made.append(items)
        return f"b{len(self.made)}"

    async def poll(self, batch: str) -> BatchState:
        self.asked_after.append(batch)
        await asyncio.sleep(0)
        if self.poll_says:
            raise self.poll_says.pop(0)
        over = self.asked_after.count(batch) >= self.polls
        return BatchState(self.ends if over else BatchStatus.RUNNING, detail="of itself")

    async def results(self, batch: str) -> Mapping[str, Completion]:
        self.fetched.append(batch)
        await asyncio.sleep(0)
        items = self.made[int(batch[1:]) - 1]
        return {
            item.id: replace(WELL, text=item.question.user)
            for item in items
            if item.id not in self.silent
        }

    @property
    def questions(self) -> list[list[str]]:
        return [[item.question.user for item in batch] for batch in self.made]


@contextmanager
def arena(
    desk: FakeDesk | None = None, within: timedelta = 12 * HOUR
) -> Iterator[tuple[Store, FakeDesk]]:
    """An arena with one cohort, which waits for answers so long, and a provider's desk."""
    with open_store(None) as store:
        rules = replace(PEERS, answer_within=within)
        store.journal.append(opening(spec(COHORT, SEATS, rules), T0))
        yield store, desk or FakeDesk()


def line(
    store: Store,
    desk: FakeDesk,
    hours: float = 0,
    budgets: Budgets = Budgets(),  # noqa: B008
) -> ModelLine:
    """A model behind the exchange, as of a new process."""
    guard = Guard(budgets, SqliteCosts(store.db))
    exchange = ModelExchange(store, HandClock(at(hours)), guard)
    return ModelLine(
        ScriptedLlm(["directly"] * 9), MODEL, exchange, Batches(desk, "small", store)
    )


def put(asked: ModelLine, *seats: ContestantId, call: str = "decide") -> list[Completion]:
    """Ask for several contestants at once."""

    async def all_of_them() -> list[Completion]:
        callers = [caller(call, who) for who in seats]
        questions = [Question("rules", f"{c.contestant} {c.call}", caller=c) for c in callers]
        return list(await asyncio.gather(*map(asked.complete, questions)))

    return asyncio.run(all_of_them())


def texts(said: Iterable[Completion]) -> list[str | None]:
    return [one.text for one in said]


def flush(asked: ModelLine, hours: float = 0) -> bool:
    assert asked.batches is not None
    return asyncio.run(asked.batches.flush(at(hours)))


def whole_tick(store: Store, desk: FakeDesk, hours: float, *seats: ContestantId) -> list[str]:
    """Ask, hand in, and ask once more where something was refused, in a new process."""
    asked = line(store, desk, hours)
    said = dict(zip(seats, put(asked, *seats), strict=True))
    left = [who for who, one in said.items() if one.trouble is Trouble.PENDING]
    if left and flush(asked, hours):
        said |= dict(zip(left, put(asked, *left), strict=True))
    return [str(one.trouble or one.text) for one in said.values()]


def batches_of(store: Store) -> Mapping[str, str]:
    return store.tape.calls.batches_of(COHORT, 1, ADA)


# Handed in.


def test_questions_wait_and_are_handed_in_together() -> None:
    with arena() as (store, desk):
        asked = line(store, desk)
        assert put(asked, ADA, BEN) == [PENDING, PENDING]
        assert desk.made == []
        assert flush(asked) is False
        assert desk.questions == [["ada decide", "ben decide"]]
        assert batches_of(store) == {"decide": "b1"}


def test_where_nothing_was_collected_no_batch_is_made() -> None:
    with arena() as (store, desk):
        asked = line(store, desk)
        assert flush(asked) is False
        put(asked, ADA)
        flush(asked)
        flush(asked)
        assert len(desk.made) == 1


def test_more_than_a_provider_takes_at_once_goes_into_several_batches() -> None:
    with arena(FakeDesk(most=2)) as (store, desk):
        assert whole_tick(store, desk, 0, *SEATS) == ["not answered yet"] * 3
        assert desk.questions == [["ada decide", "ben decide"], ["cat decide"]]
        assert whole_tick(store, desk, 1, *SEATS) == [f"{who} decide" for who in SEATS]


def test_one_who_asks_twice_before_it_is_handed_in_is_handed_in_once() -> None:
    with arena() as (store, desk):
        asked = line(store, desk)
        assert put(asked, ADA) + put(asked, ADA) == [PENDING, PENDING]
        flush(asked)
        assert desk.questions == [["ada decide"]]


def test_where_a_cohort_does_not_wait_the_model_is_asked_directly() -> None:
    with arena(within=timedelta(0)) as (store, desk):
        assert texts(put(line(store, desk), ADA)) == ["directly"]
        assert desk.made == []


def test_a_cohort_that_is_not_there_does_not_wait() -> None:
    with open_store(None) as store:
        assert texts(put(line(store, FakeDesk()), ADA)) == ["directly"]


# Fetched.


def test_an_answer_is_fetched_by_another_process_and_kept() -> None:
    with arena() as (store, desk):
        whole_tick(store, desk, 0, ADA, BEN)
        assert whole_tick(store, desk, 1, ADA, BEN) == ["ada decide", "ben decide"]
        found = store.tape.calls.find(caller())
        assert found == replace(WELL, text="ada decide")
        assert whole_tick(store, desk, 2, ADA, BEN) == ["ada decide", "ben decide"]
        assert (desk.asked_after, desk.fetched, len(desk.made)) == (["b1"], ["b1"], 1)


def test_a_batch_is_asked_after_once_a_tick_however_many_wait_for_it() -> None:
    with arena(FakeDesk(polls=3)) as (store, desk):
        whole_tick(store, desk, 0, *SEATS)
        for hours in (1, 2):
            assert whole_tick(store, desk, hours, *SEATS) == ["not answered yet"] * 3
        assert desk.asked_after == ["b1", "b1"]
        assert whole_tick(store, desk, 3, *SEATS) == [f"{who} decide" for who in SEATS]
        assert (len(desk.asked_after), desk.fetched, len(desk.made)) == (3, ["b1"], 1)


def test_a_batch_is_asked_after_once_a_tick_though_contestants_are_asked_again() -> None:
    """What was refused in the same tick makes everybody who waits ask once more."""
    with arena(FakeDesk(polls=9)) as (store, desk):
        whole_tick(store, desk, 0, ADA)
        desk.submit_says = [NEVER]
        said = whole_tick(store, desk, 1, ADA, BEN)
        assert said == ["not answered yet", "request refused"]
        assert desk.asked_after == ["b1"]


def test_in_one_process_a_batch_is_asked_after_again_at_the_next_moment() -> None:
    with arena(FakeDesk(polls=2)) as (store, desk):
        asked = line(store, desk)
        put(asked, ADA)
        flush(asked)
        clock = asked.exchange.clock
        assert isinstance(clock, HandClock)
        for hours, text in ((0, None), (0, None), (1, "ada decide")):
            clock.at = at(hours)
            assert texts(put(asked, ADA)) == [text]


def test_while_a_batch_cannot_be_asked_after_its_calls_wait() -> None:
    with arena(FakeDesk(poll_says=[NOT_NOW])) as (store, desk):
        whole_tick(store, desk, 0, ADA, BEN)
        assert whole_tick(store, desk, 1, ADA, BEN) == ["not answered yet"] * 2
        assert whole_tick(store, desk, 2, ADA, BEN) == ["ada decide", "ben decide"]


@pytest.mark.parametrize(
    "desk", [FakeDesk(poll_says=[LOST]), FakeDesk(ends=BatchStatus.FAILED)]
)
def test_a_batch_that_came_to_nothing_is_told_to_all_who_wait_for_it(desk: FakeDesk) -> None:
    with arena() as (store, _):
        whole_tick(store, desk, 0, *SEATS)
        assert whole_tick(store, desk, 1, *SEATS) == ["request refused"] * 3
        assert (len(desk.asked_after), len(desk.made)) == (1, 1)
        assert whole_tick(store, desk, 2, *SEATS) == ["request refused"] * 3


@pytest.mark.parametrize("ends", [BatchStatus.EXPIRED, BatchStatus.CANCELLED])
def test_what_was_answered_before_a_batch_broke_off_counts(ends: BatchStatus) -> None:
    unanswered = frozenset({item_id(caller(contestant=BEN))})
    with arena(FakeDesk(ends=ends, silent=unanswered)) as (store, desk):
        whole_tick(store, desk, 0, ADA, BEN)
        assert whole_tick(store, desk, 1, ADA, BEN) == ["ada decide", "unreachable"]
        silent = present(store.tape.calls.find(caller(contestant=BEN)))
        assert silent.detail == "its batch says nothing of it"


def test_each_call_of_a_turn_goes_into_a_batch_of_its_own_time() -> None:
    with arena() as (store, desk):
        asked = line(store, desk)
        put(asked, ADA, call="forecast")
        flush(asked)
        later = line(store, desk, 1)
        assert texts(put(later, ADA, call="forecast")) == ["ada forecast"]
        assert put(later, ADA, call="stake") == [PENDING]
        flush(later, 1)
        assert batches_of(store) == {"forecast": "b1", "stake": "b2"}
        assert texts(put(line(store, desk, 2), ADA, call="stake")) == ["ada stake"]


# Refused.


def test_what_is_refused_for_good_is_told_in_the_same_tick() -> None:
    with arena(FakeDesk(submit_says=[NEVER])) as (store, desk):
        assert whole_tick(store, desk, 0, ADA, BEN) == ["request refused"] * 2
        found = present(store.tape.calls.find(caller()))
        assert (found.detail, found.trouble) == ("not for you", Trouble.REQUEST)
        assert whole_tick(store, desk, 1, ADA, BEN) == ["request refused"] * 2
        assert desk.made == []


def test_a_portion_that_is_refused_leaves_the_others() -> None:
    with arena(FakeDesk(most=1, polls=2, submit_says=[NEVER])) as (store, desk):
        said = whole_tick(store, desk, 0, ADA, BEN)
        assert said == ["request refused", "not answered yet"]
        assert whole_tick(store, desk, 1, BEN) == ["ben decide"]


def test_what_is_refused_for_now_is_handed_in_at_the_next_tick() -> None:
    with arena(FakeDesk(submit_says=[NOT_NOW, NOT_NOW])) as (store, desk):
        for hours in (0, 1, 2):
            assert whole_tick(store, desk, hours, ADA) == ["not answered yet"]
        assert desk.questions == [["ada decide"]]
        assert whole_tick(store, desk, 3, ADA) == ["ada decide"]
        found = present(store.tape.calls.find(caller()))
        assert len(found.attempts) == 1


def test_in_one_process_what_is_refused_for_now_is_handed_in_once_at_the_next() -> None:
    """Another portion was refused for good, so that all who wait ask again in between."""
    with arena(FakeDesk(most=1, submit_says=[NOT_NOW, NEVER])) as (store, desk):
        asked = line(store, desk)
        put(asked, ADA, BEN)
        assert flush(asked) is True
        assert [one.trouble for one in put(asked, ADA, BEN)] == [
            Trouble.PENDING,
            Trouble.REQUEST,
        ]
        put(asked, ADA)
        assert flush(asked, 1) is False
        assert desk.questions == [["ada decide"]]


def test_where_nobody_knows_whether_a_batch_was_made_none_is_made_again() -> None:
    with arena(FakeDesk(submit_says=[WHO_KNOWS])) as (store, desk):
        assert whole_tick(store, desk, 0, ADA) == ["unreachable"]
        found = present(store.tape.calls.find(caller()))
        assert found.detail == "the line went dead; it may have been made all the same"
        assert whole_tick(store, desk, 1, ADA) == ["unreachable"]
        assert desk.made == []


@pytest.mark.parametrize("error", [WHO_KNOWS, KeyboardInterrupt()])
def test_where_the_process_dies_before_it_is_told_none_is_made_again(
    error: BaseException,
) -> None:
    with arena(FakeDesk(submit_says=[error])) as (store, desk):
        asked = line(store, desk)
        put(asked, ADA)
        if isinstance(error, KeyboardInterrupt):
            with pytest.raises(KeyboardInterrupt):
                flush(asked)
        else:
            flush(asked)
        assert batches_of(store) == {"decide": HANDING_IN}
        assert whole_tick(store, desk, 1, ADA) == ["unreachable"]
        assert desk.made == []
        found = present(store.tape.calls.find(caller()))
        assert found.detail == "it was handed in, and its batch's name was lost"


def test_where_the_process_dies_before_anything_is_handed_in_it_is_handed_in_later() -> None:
    """Nothing was sent, so that nothing can be paid for twice."""
    with arena() as (store, desk):
        put(line(store, desk), ADA)
        assert store.tape.calls.was_asked(caller())
        assert whole_tick(store, desk, 1, ADA) == ["not answered yet"]
        assert desk.questions == [["ada decide"]]
        assert whole_tick(store, desk, 2, ADA) == ["ada decide"]


def test_where_the_process_dies_after_a_refusal_the_question_is_handed_in_again() -> None:
    with arena(FakeDesk(submit_says=[NEVER])) as (store, desk):
        asked = line(store, desk)
        put(asked, ADA)
        flush(asked)
        assert whole_tick(store, desk, 1, ADA) == ["not answered yet"]
        assert len(desk.made) == 1


def test_a_try_that_is_repeated_at_one_moment_is_the_newest_word() -> None:
    """A tick that is run again: refused for now, and then the process dies in it."""
    with arena(FakeDesk(submit_says=[NOT_NOW, KeyboardInterrupt()])) as (store, desk):
        whole_tick(store, desk, 0, ADA)
        with pytest.raises(KeyboardInterrupt):
            whole_tick(store, desk, 0, ADA)
        assert whole_tick(store, desk, 1, ADA) == ["unreachable"]
        assert desk.made == []


# Within budget, and a model that is gone.


def test_what_waits_was_paid_for_once_and_takes_nothing_more() -> None:
    budgets = Budgets(contestant=usd("0.15"))
    with arena(FakeDesk(polls=2)) as (store, desk):
        for hours in (0, 1, 2):
            asked = line(store, desk, hours, budgets)
            (said,) = put(asked, ADA)
            flush(asked, hours)
        assert said.text == "ada decide"


def test_what_no_budget_allows_is_not_handed_in() -> None:
    with arena() as (store, desk):
        asked = line(store, desk, budgets=Budgets(day=usd("0.15")))
        assert [one.trouble for one in put(asked, ADA, BEN)] == [
            Trouble.PENDING,
            Trouble.BUDGET,
        ]
        flush(asked)
        assert desk.questions == [["ada decide"]]


@pytest.mark.parametrize(
    ("desk", "billed"),
    [
        (FakeDesk(submit_says=[NEVER]), False),
        (FakeDesk(ends=BatchStatus.FAILED), False),
        (FakeDesk(submit_says=[WHO_KNOWS]), None),
        (FakeDesk(poll_says=[LOST]), None),
    ],
)
def test_what_came_to_nothing_was_billed_or_not_or_nobody_knows(
    desk: FakeDesk, *, billed: bool | None
) -> None:
    """Budgets count it as its worst case where it may have been."""
    with arena() as (store, _):
        for hours in (0, 1):
            whole_tick(store, desk, hours, ADA)
        found = present(store.tape.calls.find(caller()))
        assert [one.billed for one in found.attempts] == [billed]
        counted = SqliteCosts(store.db).on(T0.date()).counted
        assert (counted > 0) is (billed is None)


def test_what_was_handed_in_before_a_model_was_gone_is_fetched_after() -> None:
    with arena() as (store, desk):
        whole_tick(store, desk, 0, ADA)
        gone = replace(line(store, desk, 24), model=replace(MODEL, retires_on=at(24).date()))
        assert texts(put(gone, ADA)) == ["ada decide"]
        assert [one.trouble for one in put(gone, BEN)] == [Trouble.REQUEST]


# As laws, and against a server.


@law(max_examples=size(15, 60))
@given(
    happens=st.lists(
        st.sampled_from(
            ["tick", "not now", "never", "unknown", "dies asking", "dies submitting"]
        ),
        max_size=7,
    ),
    most=st.integers(1, 3),
    polls=st.integers(1, 3),
)
def test_whatever_happens_no_question_is_in_two_batches(
    happens: list[str], most: int, polls: int
) -> None:
    """And whoever is asked often enough has an answer or a failure at the end."""
    troubles: dict[str, list[BaseException]] = {
        "not now": [NOT_NOW],
        "never": [NEVER],
        "unknown": [WHO_KNOWS],
        "dies submitting": [KeyboardInterrupt()],
    }
    with arena(FakeDesk(most=most, polls=polls)) as (store, desk):
        for hours, what in enumerate(happens):
            desk.submit_says = list(troubles.get(what, []))
            if what == "dies asking":
                put(line(store, desk, hours), *SEATS)
                continue
            try:
                whole_tick(store, desk, hours, *SEATS)
            except KeyboardInterrupt:
                assert what == "dies submitting"
        desk.submit_says = []
        for hours in range(len(happens), len(happens) + polls + 1):
            said = whole_tick(store, desk, hours, *SEATS)
        assert "not answered yet" not in said
        handed = [item.id for batch in desk.made for item in batch]
        assert len(set(handed)) == len(handed)
        for who, one in zip(SEATS, said, strict=True):
            assert (item_id(caller(contestant=who)) in handed) == (one == f"{who} decide")


def test_a_desk_of_a_provider_takes_the_place_of_the_fake() -> None:
    with BatchServer(lambda *_: "heard", polls=0) as server, arena() as (store, _):
        model = replace(settings(server.base_url), batch=True)
        llm = client(model, Waits())

        async def play() -> list[Completion]:
            said = []
            for hours in (0, 1):
                guard = Guard(Budgets(), SqliteCosts(store.db))
                exchange = ModelExchange(store, HandClock(at(hours)), guard)
                asked = exchange.line(llm, model)
                question = Question("rules", "facts", caller=caller())
                said.append(await asked.complete(question))
                assert await exchange.flush() is False
            return said

        first, second = asyncio.run(play())
        assert (first.trouble, second.text) == (Trouble.PENDING, "heard")
        assert second.tier == "batch"


def test_who_waits_is_one_of_its_cohort_round_contestant_and_call() -> None:
    others = [
        caller(),
        caller("stake"),
        caller(contestant=BEN),
        caller(number=2),
        caller(cohort=CohortId("d")),
    ]
    assert len({item_id(one) for one in others}) == 5
