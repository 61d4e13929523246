import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import settings as law
from hypothesis import strategies as st

from arena.records.answer import Attempt, Caller, Completion, Trouble
from arena.records.cohort import CohortId
from arena.records.money import Usd, usd
from arena.records.settings import Budgets
from arena.steps.rounds.budget import NO_PRICE, Guard, charged, dollars
from arena.store import Store, open_store
from arena.store.pages.costs import SqliteCosts
from tests.build import BEN, COHORT, at
from tests.plans import listening
from tests.sizes import size
from tests.store.spending import ANSWERED, LOST, REFUSED, Came, caller, nothing, put

NOW = at(9)
PENDING = Completion(None, trouble=Trouble.PENDING)
DAY_CAP = Budgets(day=usd(1))
COHORT_CAP = Budgets(cohort=usd(1))
SEAT_CAP = Budgets(contestant=usd(1))
CAPS = (DAY_CAP, COHORT_CAP, SEAT_CAP)
OTHER = CohortId("other")


@contextmanager
def guarding(budgets: Budgets) -> Iterator[tuple[Guard, Store]]:
    with open_store(None) as store:
        yield Guard(budgets, SqliteCosts(store.db)), store


def take(guard: Guard, who: Caller, worst: str, hours: float = 9) -> str | None:
    return guard.reserve(who, at(hours), usd(worst))


def pay(guard: Guard, who: Caller, worst: str, came: Came | None) -> None:
    guard.settle(who, NOW, usd(worst), came.completion if came else None)


@pytest.mark.parametrize("budgets", CAPS)
def test_what_a_cap_has_left_may_be_spent_and_no_more(budgets: Budgets) -> None:
    with guarding(budgets) as (guard, _):
        assert take(guard, caller(), "0.6") is None
        assert take(guard, caller("stake"), "0.400001") is not None
        assert take(guard, caller("stake"), "0.4") is None


def test_without_a_cap_nothing_is_refused_and_nothing_read() -> None:
    with guarding(Budgets()) as (guard, store), listening(store) as said:
        assert guard.reserve(caller(), NOW, None) is None
        assert take(guard, caller("stake"), "1000000") is None
        pay(guard, caller(), "1000000", None)
        assert said == []


@pytest.mark.parametrize("budgets", CAPS)
def test_with_a_cap_a_call_of_unknown_price_is_refused(budgets: Budgets) -> None:
    with guarding(budgets) as (guard, _):
        refusal = guard.reserve(caller(), NOW, None)
        assert refusal == NO_PRICE
        assert "price_in" in NO_PRICE
        assert "price_out" in NO_PRICE


def test_a_model_that_costs_nothing_may_be_asked_under_a_cap_of_nothing() -> None:
    with guarding(Budgets(day=usd(0))) as (guard, _):
        assert take(guard, caller(), "0") is None
        assert take(guard, caller("stake"), "0.000001") is not None


def test_a_refusal_says_which_cap_it_is_and_what_is_left_of_it() -> None:
    with guarding(DAY_CAP) as (guard, store):
        put(store, caller(), Came("0.25"))
        take(guard, caller("stake"), "0.5")
        assert take(guard, caller("forecast"), "0.3") == (
            "the budget of $1.00 for a day (2026-01-05) has $0.25 left: $0.25 are spent, "
            "$0.50 reserved for calls under way, and this call may take $0.30"
        )


def test_a_refusal_names_whose_budget_it_is() -> None:
    with guarding(COHORT_CAP) as (guard, _):
        assert "for cohort c has" in str(take(guard, caller(), "2"))
    with guarding(SEAT_CAP) as (guard, _):
        assert "for ada in cohort c has" in str(take(guard, caller(), "2"))


def test_a_refusal_says_what_nobody_can_count() -> None:
    with guarding(COHORT_CAP) as (guard, store):
        put(store, caller(), Came(), reserved=None)
        assert "1 earlier calls of unknown cost are not counted" in str(
            take(guard, caller("stake"), "2")
        )


def test_every_cap_has_to_allow_a_call_and_a_refusal_reserves_nothing() -> None:
    budgets = Budgets(day=usd(10), cohort=usd(5), contestant=usd(1))
    with guarding(budgets) as (guard, _):
        for n in range(20):
            assert take(guard, caller(f"decide/{n}"), "1.5") is not None
        assert take(guard, caller(), "1") is None


def test_what_was_spent_before_counts() -> None:
    for budgets in CAPS:
        with guarding(budgets) as (guard, store):
            put(store, caller(), Came("0.75"))
            assert take(guard, caller("stake"), "0.3") is not None
            assert take(guard, caller("stake"), "0.25") is None


def test_a_cap_is_of_one_day_one_cohort_or_one_seat() -> None:
    full = usd(1)
    with guarding(DAY_CAP) as (guard, _):
        assert guard.reserve(caller(), at(23.9), full) is None
        assert guard.reserve(caller("stake"), at(24), full) is None
    with guarding(COHORT_CAP) as (guard, _):
        assert guard.reserve(caller(), NOW, full) is None
        assert guard.reserve(caller(cohort=OTHER), NOW, full) is None
    with guarding(SEAT_CAP) as (guard, _):
        assert guard.reserve(caller(), NOW, full) is None
        assert guard.reserve(caller(contestant=BEN), NOW, full) is None
        assert guard.reserve(caller(cohort=OTHER), NOW, full) is None
        assert guard.reserve(caller("stake"), NOW, usd("0.01")) is not None


def test_a_day_is_a_day_in_utc() -> None:
    east = timezone(timedelta(hours=10))
    with guarding(DAY_CAP) as (guard, _):
        assert guard.reserve(caller(), at(20).astimezone(east), usd(1)) is None
        assert guard.reserve(caller("stake"), at(1).astimezone(UTC), usd(1)) is not None


@pytest.mark.parametrize(
    ("came", "left"), [(Came("0.1"), "0.9"), (nothing(REFUSED), "1")], ids=["cheap", "unbilled"]
)
def test_what_a_call_did_not_use_is_free_again(came: Came, left: str) -> None:
    with guarding(DAY_CAP) as (guard, _):
        assert take(guard, caller(), "1") is None
        pay(guard, caller(), "1", came)
        assert take(guard, caller("stake"), left) is None


@pytest.mark.parametrize("came", [None, Came(), nothing(LOST), nothing()])
def test_an_unknown_cost_takes_what_was_reserved(came: Came | None) -> None:
    with guarding(DAY_CAP) as (guard, _):
        assert take(guard, caller(), "0.6") is None
        pay(guard, caller(), "0.6", came)
        assert take(guard, caller("stake"), "0.4") is None
        assert take(guard, caller("forecast"), "0.1") is not None


@pytest.mark.parametrize(
    ("tries", "cost", "counts"),
    [
        ((ANSWERED,), "0.1", "0.1"),
        ((LOST, ANSWERED), "0.1", "0.6"),
        ((REFUSED, ANSWERED), "0.1", "0.1"),
        ((LOST, LOST), None, "1"),
        ((REFUSED,), None, "0"),
        ((ANSWERED,), None, "0.5"),
        ((), None, "0.5"),
    ],
)
def test_failures_that_may_have_been_billed_count_as_the_worst_case(
    tries: tuple[Attempt, ...], cost: str | None, counts: str
) -> None:
    assert charged(Came(cost, tries).completion, usd("0.5")) == usd(counts)


def test_those_who_ask_at_once_cannot_all_take_what_is_left() -> None:
    async def ask(guard: Guard, who: Caller) -> bool:
        refusal = guard.reserve(who, NOW, usd("0.3"))
        await asyncio.sleep(0)
        if refusal is None:
            guard.settle(who, NOW, usd("0.3"), Came("0.3").completion)
        return refusal is None

    async def all_at_once(guard: Guard) -> list[bool]:
        return await asyncio.gather(*(ask(guard, caller(f"decide/{n}")) for n in range(50)))

    with guarding(COHORT_CAP) as (guard, _):
        assert sum(asyncio.run(all_at_once(guard))) == 3


def test_what_was_spent_is_read_once() -> None:
    budgets = Budgets(day=usd(10), cohort=usd(10), contestant=usd(10))
    with guarding(budgets) as (guard, store):
        take(guard, caller(), "0.1")
        with listening(store) as said:
            for n in range(5):
                take(guard, caller(f"decide/{n}", BEN), "0.1")
        assert [s for s in said if "tape_batched" not in s] == []


def test_a_call_that_waits_keeps_what_it_reserved_until_it_is_back() -> None:
    with guarding(COHORT_CAP) as (guard, _):
        assert take(guard, caller(), "0.8") is None
        guard.settle(caller(), NOW, usd("0.8"), PENDING)
        assert take(guard, caller("stake"), "0.3") is not None
        assert take(guard, caller(), "0.8", hours=30) is None
        guard.settle(caller(), at(30), usd("0.8"), PENDING)
        assert take(guard, caller("stake"), "0.3") is not None
        assert take(guard, caller(), "0.8", hours=31) is None
        guard.settle(caller(), at(31), usd("0.8"), Came("0.1").completion)
        assert take(guard, caller("stake"), "0.9") is None
        assert take(guard, caller("forecast"), "0.1") is not None


def test_a_call_in_a_batch_is_not_counted_twice_by_another_process() -> None:
    with guarding(COHORT_CAP) as (guard, store):
        put(store, caller(), reserved="0.8")
        store.tape.calls.record_batched(caller(), NOW, "small", "batch-1")
        assert take(guard, caller("stake"), "0.3") is not None
        assert take(guard, caller(), "0.8", hours=30) is None
        guard.settle(caller(), at(30), usd("0.8"), Came("0.1").completion)
        assert take(guard, caller("stake"), "0.9") is None


def test_a_call_in_a_batch_belongs_to_the_day_it_was_asked() -> None:
    with guarding(DAY_CAP) as (guard, store):
        put(store, caller(), reserved="0.8", when=at(9))
        store.tape.calls.record_batched(caller(), NOW, "small", "batch-1")
        assert take(guard, caller("stake"), "1", hours=30) is None
        assert take(guard, caller(), "0.8", hours=30) is None
        guard.settle(caller(), at(30), usd("0.8"), Came("0.1").completion)
        assert take(guard, caller("forecast"), "0.1", hours=10) is None


def test_what_is_left_is_shown_of_the_day_each_cohort_and_who_spent_most() -> None:
    budgets = Budgets(day=usd(10), cohort=usd(5), contestant=usd(1))
    with guarding(budgets) as (guard, store):
        put(store, caller(), Came("0.25"))
        put(store, caller(contestant=BEN), Came("0.5"))
        shown = [(p.what, p.left) for p in guard.purses(NOW, [COHORT, OTHER])]
        assert shown == [
            ("a day (2026-01-05)", usd("9.25")),
            ("cohort c", usd("4.25")),
            ("ben in cohort c", usd("0.5")),
            ("cohort other", usd(5)),
        ]


def test_no_less_than_nothing_is_left() -> None:
    with guarding(DAY_CAP) as (guard, store):
        put(store, caller(), Came("7"))
        assert [p.left for p in guard.purses(NOW, [])] == [0]


@pytest.mark.parametrize(
    ("amount", "words"),
    [("0", "$0.00"), ("1234.5", "$1234.50"), ("0.000001", "$0.000001"), ("10", "$10.00")],
)
def test_dollars_are_written_to_the_last_digit(amount: str, words: str) -> None:
    assert dollars(usd(amount)) == words


PRICES = st.integers(0, 400_000).map(lambda micro: usd(f"{micro}e-6"))
ANSWERS = st.sampled_from(["cost", "unknown", "unbilled", "gone"])


@law(max_examples=size(15, 60))
@given(st.lists(st.tuples(PRICES, ANSWERS, st.booleans()), max_size=30), st.data())
def test_no_answers_in_any_order_pass_a_cap(
    calls: list[tuple[Usd, str, bool]], data: st.DataObject
) -> None:
    """What is paid never passes the cap, as long as nothing failed that may be billed."""
    with guarding(Budgets(day=usd(1), cohort=usd(1), contestant=usd("0.7"))) as (guard, _):
        open_calls: list[tuple[Caller, Usd, str]] = []
        paid = usd(0)
        for n, (worst, how, waits) in enumerate(calls):
            who = caller(f"decide/{n}", BEN if n % 2 else caller().contestant)
            if guard.reserve(who, NOW, worst) is None:
                open_calls.append((who, worst, how))
            while open_calls and not waits:
                index = data.draw(st.integers(0, len(open_calls) - 1))
                paid = usd(paid + _answer(guard, *open_calls.pop(index)))
        assert paid + sum((worst for _, worst, _ in open_calls), usd(0)) <= 1


def _answer(guard: Guard, who: Caller, worst: Usd, how: str) -> Usd:
    came = {
        "cost": Came(str(worst / 2)),
        "unknown": Came(),
        "unbilled": nothing(REFUSED),
        "gone": None,
    }[how]
    said = came.completion if came else None
    guard.settle(who, NOW, worst, said)
    return charged(said, worst)
