from arena.records.market import NO_WINS, YES_WINS, Outcome, Side, State
from arena.records.money import usd
from tests.build import ADA, BEN, COHORT, RAIN, at_price, spec
from tests.stage import Game, Script, buys, playing, started

YES = Side.YES

BETS: Script = {1: buys((RAIN, YES, 500), rain=0.7)}

# A cohort of Ada's, and a longer one of Ben's that keeps the venue asked.
WITH_ANOTHER = (spec(COHORT), spec("longer", (BEN,), days=30))


def completed(game: Game, word: Outcome = YES_WINS) -> None:
    game.tick(0)
    assert game.hear(RAIN, word, 24).completed == (COHORT,)


def test_a_cohort_is_complete_when_its_window_is_over_and_nothing_is_open() -> None:
    with playing({ADA: BETS}) as game:
        completed(game)
        assert list(game.store.books.running()) == []


def test_a_cohort_with_something_open_is_not_complete() -> None:
    with started({ADA: BETS}) as game:
        assert game.tick(24 * 9).completed == ()


def test_a_cohort_in_its_window_is_not_complete() -> None:
    with started({ADA: {}}) as game:
        assert game.tick(23.9).completed == ()


def test_a_cohort_in_which_no_decision_succeeded_is_never_complete() -> None:
    with started({ADA: {1: ValueError("no")}}) as game:
        assert game.tick(24 * 9).completed == ()


def test_a_cohort_that_ended_without_an_answer_is_not_valued_any_more() -> None:
    with playing({ADA: {1: ValueError("no")}}) as game:
        valued = {hours: game.tick(hours).marked for hours in (0, 23, 24, 48)}
        assert valued == {0: 1, 23: 1, 24: 1, 48: 0}


def test_h5_ours_marks_a_cohort_for_the_last_time_when_it_is_settled() -> None:
    script = {1: buys((RAIN, YES, 2500))}
    with started({ADA: script}) as game:
        game.quote(at_price("0.6"))
        game.tick(12)
        assert game.standing(ADA).pnl == usd(500)
        game.hear(RAIN, NO_WINS, 24)
        line = game.standing(ADA)
        assert (line.pnl, line.returned, line.win_rate.n) == (usd(-2500), -0.25, 1)


def test_h5_the_last_mark_says_the_same() -> None:
    with playing({ADA: {1: buys((RAIN, YES, 2500))}}) as game:
        completed(game, NO_WINS)
        (last,) = game.store.db.rows("SELECT * FROM marks ORDER BY at DESC LIMIT 1")
        assert (last["cash_micro"], last["bid_micro"], last["open"]) == (7_500 * 10**6, 0, 0)


def test_a_change_of_mind_about_the_only_cohort_and_a_complete_one_is_heard() -> None:
    with playing({ADA: BETS}) as game:
        completed(game)
        report = game.hear(RAIN, NO_WINS, 26)
        line = game.standing(ADA)
        assert (report.completed, line.total, line.win_rate.value) == ((COHORT,), usd(9500), 0)


def test_a_complete_cohort_with_a_word_taken_back_runs_again() -> None:
    with playing({ADA: BETS, BEN: {}}, *WITH_ANOTHER) as game:
        completed(game)
        game.hear(RAIN, State.DISPUTED, 26)
        assert [c.id for c in game.store.books.running()] == [COHORT, "longer"]
        line = game.standing(ADA)
        assert (line.open, line.total) == (1, usd(10000))


def test_a_cohort_that_ran_again_is_complete_again() -> None:
    with playing({ADA: BETS, BEN: {}}, *WITH_ANOTHER) as game:
        completed(game)
        before = game.seat(ADA)
        game.hear(RAIN, State.DISPUTED, 26)
        assert game.hear(RAIN, YES_WINS, 28).completed == (COHORT,)
        assert game.seat(ADA) == before


def test_a_cohort_that_runs_again_decides_no_more() -> None:
    with playing({ADA: BETS, BEN: {}}, *WITH_ANOTHER) as game:
        completed(game)
        game.hear(RAIN, State.DISPUTED, 26)
        game.tick(50)
        assert len(game.agents[ADA].shown) == 1
