from dataclasses import replace

import pytest

from arena.ledger.journal import book_fill
from arena.records.cohort import CohortId, MarkRule, RankBy
from arena.records.decision import BetId
from arena.records.market import YES_WINS, Side
from arena.records.money import price, usd
from arena.records.trade import Entry, Resolved
from arena.steps.play import opening
from arena.store import Store
from arena.store.codec import moment
from arena.store.scores.explain import account
from tests.build import ADA, BEN, COHORT, PEERS, RAIN, T0, at, at_price, spec
from tests.ledger.test_positions import fill as a_fill
from tests.plans import listening, plans
from tests.stage import buys, started

YES, NO = Side.YES, Side.NO


def fill(cohort: str, number: int, brier: float) -> Entry:
    """A bet of a dollar on what comes to pass, with the linear score it will have."""
    bet, linear = BetId(f"{cohort}/{number}/ada/1"), 1 - brier**0.5
    bought = replace(a_fill(2, 1), bet=bet, round=number, linear=linear)
    return book_fill(bought, CohortId(cohort), ADA, T0)


def two_cohorts(store: Store) -> None:
    for name, scores in (("one", (0.1, 0.1, 0.1)), ("two", (0.5,))):
        store.journal.append(opening(spec(name), T0))
        store.journal.append(fill(name, n, score) for n, score in enumerate(scores, 1))
    store.journal.append([Entry("resolve:rain:1", T0, Resolved(RAIN, 1, YES_WINS))])


def test_b22_ours_pools_the_rows_of_all_cohorts(store: Store) -> None:
    two_cohorts(store)
    (line,) = store.boards.overall().standings
    assert (line.cohorts, line.linear.n) == (2, 4)
    assert line.linear.value == pytest.approx(0.2)


def test_b22_a_cohort_has_its_own_mean(store: Store) -> None:
    two_cohorts(store)
    means = [store.boards.of_cohort(CohortId(n)).standings[0].linear for n in ("one", "two")]
    assert [m.value for m in means] == pytest.approx([0.1, 0.5])


def test_before_anything_has_started_the_board_is_empty(store: Store) -> None:
    board = store.boards.overall()
    assert (board.standings, board.rank_by, board.as_of) == ((), RankBy.RETURN, None)


def test_a_board_is_ordered_as_its_cohort_says_or_as_is_asked_for(store: Store) -> None:
    ours = replace(PEERS, rank_by=RankBy.WIN_RATE)
    store.journal.append(opening(spec(COHORT, rules=ours), T0))
    boards = store.boards
    assert boards.of_cohort(COHORT).rank_by == "win_rate"
    assert boards.of_cohort(COHORT, RankBy.PNL).rank_by == "pnl"


def test_the_board_of_all_is_ordered_as_the_newest_cohort_says(store: Store) -> None:
    for name, by in (("one", RankBy.PNL), ("two", RankBy.BRIER_KELLY)):
        rules = replace(PEERS, rank_by=by)
        store.journal.append(opening(spec(name, rules=rules), T0))
    assert store.boards.overall().rank_by == "brier_kelly"


def test_a_cohort_that_marks_at_mid_shows_what_is_worth_at_mid() -> None:
    totals = {}
    for rule in MarkRule:
        agreed = spec(COHORT, rules=replace(PEERS, mark=rule))
        wide = replace(at_price("0.5"), bid=price("0.48"), ask=price("0.52"))
        with started({ADA: {1: buys((RAIN, YES, 100))}}, agreed, quotes=[wide]) as game:
            totals[rule] = game.standing(ADA).total
    assert totals == {MarkRule.MID: usd(10000), MarkRule.BID: usd(9996)}


def test_a_board_is_as_of_the_last_moment_of_the_tape() -> None:
    with started({ADA: {}}, spec(COHORT, days=3)) as game:
        game.tick(5)
        assert game.store.boards.overall().as_of == at(5)


def test_last_prices_are_looked_up_for_what_is_open_alone() -> None:
    both = (spec("one", (ADA, BEN)), spec("two", (ADA,)))
    with started({ADA: {1: buys((RAIN, YES, 100))}, BEN: {}}, *both) as game:
        del game.venue.quoted[RAIN]
        game.tick(73)
        boards = game.store.boards
        with listening(game.store) as said:
            lines = [*boards.overall().standings, *boards.of_cohort(CohortId("two")).standings]
        assert [line.returned_last for line in lines] == [0, 0, 0]
        assert [line.unpriced for line in lines].count(0) == 1
        read = {plan for plan, words in plans(game.store, said) if "CROSS JOIN" in words}
        assert read
        keys = ("positions_open_by_seat", "PRIMARY KEY", "names")
        assert all(any(key in plan for key in keys) for plan in read)


@pytest.mark.parametrize("cohort", [None, COHORT])
def test_a_return_at_last_prices_is_explained_by_what_the_prices_make(
    cohort: CohortId | None,
) -> None:
    with started({ADA: {1: buys((RAIN, YES, 100))}}) as game:
        del game.venue.quoted[RAIN]
        game.tick(73)
        found = account(game.store.db, ADA, "returned_last", cohort)
        assert found.value == game.standing(ADA).returned_last == 0
        row = dict(zip(found.columns, found.rows[0], strict=True))
        assert row["worth at last prices"] == "100.000000"
        assert row["oldest price at"] == moment(at(0))


def test_the_totals_of_a_contestant_are_over_all_its_cohorts() -> None:
    script = {1: buys((RAIN, YES, 100))}
    both = (spec("one", (ADA, BEN)), spec("two", (ADA,)))
    with started({ADA: script, BEN: {}}, *both) as game:
        lines = {s.contestant: s for s in game.store.boards.overall().standings}
        sums = {who: (one.cohorts, one.capital, one.buys) for who, one in lines.items()}
        assert sums == {ADA: (2, usd(20000), 2), BEN: (1, usd(10000), 0)}
