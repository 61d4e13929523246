import re
from dataclasses import replace
from datetime import timedelta
from itertools import combinations_with_replacement

import pytest

from arena.records.answer import Answer, Attempt, Completion, Usage
from arena.records.cohort import CohortId, ContestantId
from arena.records.decision import Action
from arena.records.money import Usd, usd
from arena.records.trade import Entry, Turn
from arena.steps.play import opening
from arena.steps.rounds.budget import charged
from arena.store import Store, open_store
from arena.store.pages.costs import (
    By,
    CostLine,
    Spend,
    Spent,
    SqliteCosts,
    SqliteSpending,
    Tokens,
    grouped,
)
from tests.build import ADA, BEN, COHORT, DAY, T0, at, spec
from tests.plans import listening, plans
from tests.present import present
from tests.stage import started
from tests.store.spending import (
    ANSWERED,
    BROKEN,
    LOST,
    MODEL,
    REFUSED,
    Came,
    caller,
    nothing,
    put,
    put_all,
)

TODAY = T0.date()
OTHER = CohortId("other")
AGAIN = caller("decide/again")


def spent(dollars: str, unknown: int = 0) -> Spent:
    return Spent(usd(dollars), unknown)


def seat(store: Store) -> Spent:
    """What is counted of the one contestant that asked."""
    return SqliteCosts(store.db).of_cohort(COHORT)[ADA]


def only(store: Store, by: By = By.CONTESTANT) -> CostLine:
    (line,) = SqliteCosts(store.db).lines(by)
    return line


def test_before_anything_was_asked_nothing_is_spent(store: Store) -> None:
    costs = SqliteCosts(store.db)
    assert (costs.on(TODAY), costs.of_cohort(COHORT)) == (Spent(), {})


@pytest.mark.parametrize(
    ("came", "dollars"),
    [
        pytest.param(Came("0.25"), "0.25", id="a known cost"),
        pytest.param(Came(), "0.5", id="an unknown cost: what was reserved"),
        pytest.param(None, "0.5", id="never came back: what was reserved"),
        pytest.param(nothing(REFUSED, REFUSED), "0", id="certainly not billed"),
        pytest.param(nothing(LOST, REFUSED, BROKEN), "1", id="each try perhaps billed"),
        pytest.param(Came("0.25", (LOST, ANSWERED)), "0.75", id="a lost try beside the cost"),
    ],
)
def test_what_may_have_been_billed_counts(
    store: Store, came: Came | None, dollars: str
) -> None:
    put(store, caller(), came)
    assert seat(store) == spent(dollars)


def test_what_nobody_can_count_is_said(store: Store) -> None:
    put(store, caller(), Came("0.25"), reserved=None)
    put(store, AGAIN, Came(), reserved=None)
    put(store, caller("stake"), reserved=None)
    assert seat(store) == spent("0.25", unknown=2)


@pytest.mark.parametrize("cost", [None, "0.25"])
@pytest.mark.parametrize(
    "tries",
    [
        tries
        for n in range(3)
        for tries in combinations_with_replacement((ANSWERED, REFUSED, LOST, BROKEN), n)
    ],
)
def test_the_tape_counts_as_the_guard_does(
    cost: str | None, tries: tuple[Attempt, ...]
) -> None:
    came = Came(cost, tries)
    with open_store(None) as store:
        put(store, caller(), came)
        assert seat(store) == Spent(charged(came.completion, usd("0.5")))


def test_a_day_has_what_was_asked_on_it(store: Store) -> None:
    moment = timedelta(microseconds=1)
    for n, when in enumerate((at(0) - moment, at(0), at(24) - moment, at(24))):
        put(store, caller(f"decide/{n}"), Came("0.1"), when=when)
    costs = SqliteCosts(store.db)
    days = [TODAY + timedelta(days=n) for n in (-1, 0, 1, 2)]
    assert [costs.on(day).counted for day in days] == [usd(x) for x in ("0.1", "0.2", "0.1", 0)]


def test_a_cohort_has_its_own_calls_by_contestant(store: Store) -> None:
    put(store, caller(), Came("0.1"))
    put(store, caller(number=2), Came("0.2"))
    put(store, caller(contestant=BEN), Came("0.4"))
    put(store, caller(cohort=OTHER), Came("0.8"))
    assert SqliteCosts(store.db).of_cohort(COHORT) == {ADA: spent("0.3"), BEN: spent("0.4")}


def test_a_call_in_a_batch_is_known_with_what_it_has_reserved(store: Store) -> None:
    put(store, caller())
    costs = SqliteCosts(store.db)
    assert costs.batched(caller()) is None
    with store.write():
        store.tape.calls.record_batched(caller(), at(30), "small", "batch-1")
    sent = present(costs.batched(caller()))
    assert (sent.day, sent.reserved) == (TODAY, usd("0.5"))
    put(store, caller(), Came("0.1"))
    assert costs.batched(caller()) is None


def test_a_line_adds_calls_up(store: Store) -> None:
    put(store, caller(), Came("0.25", (LOST, ANSWERED)))
    put(store, AGAIN, Came("0.5"))
    assert only(store) == CostLine(
        name=ADA,
        calls=2,
        attempts=3,
        reasks=1,
        tokens_in=Tokens(200, 0),
        tokens_cached=Tokens(120, 0),
        tokens_written=Tokens(40, 0),
        tokens_out=Tokens(20, 0),
        tokens_reasoning=Tokens(10, 0),
        cost=usd("0.75"),
        maybe_billed=1,
        counted=usd("1.25"),
        priced=("reported",),
    )


@pytest.mark.parametrize(
    ("came", "unheard", "cost", "tokens"),
    [
        pytest.param(
            nothing(ANSWERED), 0, None, Tokens(None, 1), id="nobody said: not nothing"
        ),
        pytest.param(None, 1, None, Tokens(None, 1), id="never came back"),
        pytest.param(nothing(REFUSED), 0, usd(0), Tokens(0, 0), id="certainly not billed"),
    ],
)
def test_what_a_call_without_a_cost_took(
    store: Store, came: Came | None, unheard: int, cost: Usd | None, tokens: Tokens
) -> None:
    put(store, caller(), came)
    line = only(store)
    assert (line.calls, line.unheard, line.cost) == (1, unheard, cost)
    assert (line.unknown_cost, line.tokens_in) == (tokens.untold, tokens)
    assert line.tokens_reasoning == tokens


def test_what_is_known_is_said_beside_what_is_not(store: Store) -> None:
    put(store, caller(), Came("0.25"))
    put(store, AGAIN, replace(Came(), tokens=(7, None, None, None, None)))
    line = only(store)
    assert (line.cost, line.unknown_cost) == (usd("0.25"), 1)
    assert (line.tokens_in, line.tokens_out) == (Tokens(107, 0), Tokens(10, 1))


@pytest.mark.parametrize(
    ("by", "names"),
    [
        (By.DAY, ["2026-01-05", "2026-01-06"]),
        (By.COHORT, ["c", "other"]),
        (By.CONTESTANT, ["ada", "ben"]),
        (By.MODEL, ["large", "small"]),
        (By.PROVIDER, ["anthropic", "openai"]),
    ],
)
def test_calls_are_added_up_by_anything(by: By, names: list[str], store: Store) -> None:
    large = replace(MODEL, name="large", provider="anthropic")
    put(store, caller(), Came("0.25"))
    put(store, caller("stake", BEN, OTHER), Came("0.5"), when=at(24), model=large)
    lines = SqliteCosts(store.db).lines(by)
    assert [line.name for line in lines] == names
    assert sum(present(line.cost) for line in lines) == usd("0.75")


def test_lines_keep_to_a_cohort_and_to_what_came_since(store: Store) -> None:
    put(store, caller(), Came("0.1"))
    put(store, caller(number=2), Came("0.2"), when=at(24))
    put(store, caller(cohort=OTHER), Came("0.4"), when=at(24))
    costs = SqliteCosts(store.db)
    assert costs.total(COHORT).cost == usd("0.3")
    assert costs.total(since=at(24)).cost == usd("0.6")
    assert costs.total(COHORT, at(24)).cost == usd("0.2")
    assert costs.lines(By.DAY, COHORT, at(48)) == []


def test_the_total_of_nothing_is_nothing(store: Store) -> None:
    assert SqliteCosts(store.db).total() == CostLine("total")


def test_where_costs_are_from_is_said_once_each(store: Store) -> None:
    put(store, caller(), Came("0.1"))
    put(store, AGAIN, Came("0.1"))
    put(store, caller("stake"), Came("0.1", priced="table 2026-11-21 (usual tier)"))
    assert only(store).priced == ("reported", "table 2026-11-21 (usual tier)")


def test_a_turn_that_asked_by_itself_is_a_call_without_a_name() -> None:
    with started({ADA: {}, BEN: {}}) as game:
        assert SqliteCosts(game.store.db).lines(By.CONTESTANT) == []
        used = Usage(100, 10, usd("0.25"), priced="reported")
        said = Answer(Completion("words", model="own-1", usage=used))
        with game.store.write():
            game.store.tape.record_answer(COHORT, 1, ContestantId("eve"), said)
        line = only(game.store, By.MODEL)
        assert (line.name, line.calls, line.cost) == ("own-1", 1, usd("0.25"))
        assert line.tokens_cached == Tokens(None, 1)


def test_a_turn_whose_calls_are_known_is_not_counted_twice() -> None:
    with started({BEN: {}}) as game:
        put(game.store, caller(), Came("0.25"))
        with game.store.write():
            game.store.tape.record_answer(COHORT, 1, ADA, Answer(Came("0.25").completion))
        assert only(game.store).calls == 1


def test_a_budgets_question_costs_the_same_whatever_was_asked_on_other_days() -> None:
    def steps(days: int) -> int:
        with open_store(None) as store:
            for day in range(days):
                put_all(store, [caller(cohort=CohortId(f"c{day}"))], Came("0.1"))
                store.db.raw.execute(
                    "UPDATE tape_asks SET at = ? WHERE cohort = ?",
                    ((T0 + day * DAY).isoformat(), f"c{day}"),
                )
            counted = [0]
            store.db.raw.set_progress_handler(lambda: counted.append(0), 1)
            assert SqliteCosts(store.db).on(TODAY) == spent("0.1")
            assert SqliteCosts(store.db).of_cohort(CohortId("c0"))[ADA] == spent("0.1")
            assert SqliteCosts(store.db).batched(caller(cohort=CohortId("c0"))) is None
            store.db.raw.set_progress_handler(None, 1)
            return len(counted)

    assert steps(100) == steps(2)


def test_a_cost_is_unknown_as_soon_as_one_turn_is() -> None:
    known, unknown = Spend(turns=2, known=usd(3)), Spend(turns=1, known=usd(1), unknown=1)
    assert known.cost == usd(3)
    assert (known + unknown).cost is None
    assert (known + unknown).known == usd(4)


def test_sums_are_kept_by_contestant_and_by_cohort(store: Store) -> None:
    with store.write():
        store.db.run(
            "INSERT INTO seats (cohort, contestant, turns_ok, forecasts_resolved) "
            "VALUES ('c', 'ada', 0, 0), ('d', 'ada', 0, 0), ('c', 'ben', 0, 0)"
        )
        store.db.run("UPDATE seats SET turns_ok = 2, cost_micro = 500000, tokens_in = 7")
        store.db.run("UPDATE seats SET cost_unknown = 1 WHERE cohort = 'd'")
    spending = SqliteSpending(store.db)
    seat = Spend(turns=2, tokens_in=7, known=usd("0.5"))
    assert spending.totals()[ADA] == seat + seat + Spend(unknown=1)
    found = spending.of_cohorts([CohortId("d"), COHORT])
    assert list(found) == [CohortId("d"), COHORT]
    assert found[COHORT] == {ADA: seat, BEN: seat}


def test_a_turn_that_told_nothing_adds_nothing_to_the_sums(store: Store) -> None:
    """Nor does one without an answer: both leave the whole cost unknown."""
    said = (Completion("x", usage=Usage(100, 10, usd("0.5"))), Completion("x"), None)
    with store.write():
        store.journal.append(opening(spec("c", (ADA,)), at()))
        for number, one in enumerate(said, 1):
            if one is not None:
                store.tape.record_answer(COHORT, number, ADA, Answer(one))
            turn = Turn(number, Action.HOLD, (), (), 0)
            store.journal.append([Entry(f"turn:{number}", at(), turn, COHORT, ADA)])
    found = SqliteSpending(store.db).totals()[ADA]
    assert found == Spend(3, 0, 100, 10, usd("0.5"), unknown=2)
    assert found.cost is None


def test_calls_add_up_in_any_grouping_to_what_each_says_by_itself(store: Store) -> None:
    put(store, caller("a"), Came("0.25", (BROKEN, *Came().tries)))
    put(store, caller("b", contestant=BEN), Came(None), when=at(30))
    put(store, caller("c"), nothing(BROKEN), when=at(30))
    put(store, caller("d", contestant=ContestantId("cy")), when=at(50))
    put(store, caller("e"), Came("0.5"), when=at(-25))
    since = at(-24)
    found, costs = SqliteSpending(store.db).calls(since), SqliteCosts(store.db)
    for by in (By.DAY, By.PROVIDER, By.MODEL, By.CONTESTANT):
        alone = {(line.name,): line for line in costs.lines(by, since=since)}
        assert grouped(found, by) == alone


def test_no_question_reads_history_from_end_to_end(store: Store) -> None:
    spending = SqliteSpending(store.db)
    with listening(store) as said:
        spending.totals()
        spending.of_cohorts([COHORT])
        spending.calls(at())
    scanned = {m[1] for plan, _ in plans(store, said) if (m := re.match(r"SCAN (\w+)", plan))}
    assert scanned <= {"totals", "named"}
