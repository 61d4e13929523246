import re
from datetime import timedelta

from arena.records.answer import Answer, Completion, Usage
from arena.records.cohort import CohortId, ContestantId
from arena.records.decision import Action
from arena.records.money import usd
from arena.records.trade import Entry, Turn
from arena.steps.play import opening
from arena.store import Store
from arena.store.pages.costs import By, Spend, SqliteCosts, SqliteSpending, Tokens, grouped
from tests.build import ADA, BEN, COHORT, at, spec
from tests.plans import listening, plans
from tests.store.spending import BROKEN, Came, caller, nothing, put


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
    since = at() - timedelta(days=1)
    found, costs = SqliteSpending(store.db).calls(since), SqliteCosts(store.db)
    for by in (By.DAY, By.PROVIDER, By.MODEL, By.CONTESTANT):
        alone = {(line.name,): line for line in costs.lines(by, since=since)}
        assert grouped(found, by) == alone


def test_tokens_that_nobody_told_stay_unknown_beside_others(store: Store) -> None:
    put(store, caller("a"), Came("0.25"))
    put(store, caller("b"), Came(None, tokens=(None,) * 5), when=at(30))
    lines = grouped(SqliteSpending(store.db).calls(at()), By.CONTESTANT)
    assert lines[ADA,].tokens_in == Tokens(100, 1)
    assert lines[ADA,].cost == usd("0.25")
    assert lines[ADA,].unknown_cost == 1


def test_what_was_asked_before_is_not_read(store: Store) -> None:
    put(store, caller("a"), Came("0.25"), when=at(-1))
    assert SqliteSpending(store.db).calls(at()) == []


def test_no_question_reads_history_from_end_to_end(store: Store) -> None:
    spending = SqliteSpending(store.db)
    with listening(store) as said:
        spending.totals()
        spending.of_cohorts([COHORT])
        spending.calls(at())
    scanned = {m[1] for plan, _ in plans(store, said) if (m := re.match(r"SCAN (\w+)", plan))}
    assert scanned <= {"totals", "named"}
