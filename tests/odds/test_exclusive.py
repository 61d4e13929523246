import numpy as np
import pytest

from arena.odds.exclusive import kelly_exclusive
from arena.odds.staking import growth, kelly
from tests.vectors import case, near


@pytest.mark.parametrize("name", ["exclusive_no_edge", "exclusive_one_edge"])
def test_the_closed_form_gives_the_known_answers(name: str) -> None:
    known = case("09_kelly", name)
    given, expected = known["inputs"], known["expected"]
    found = kelly_exclusive(given["p"], given["decimal_odds"])
    grown, tol = float(found.growth), known["tol"]
    assert near(found.fraction.tolist(), expected["f"], tol, relative=True)
    assert near(grown, expected["growth"], tol, relative=True)
    assert near(grown, expected["slsqp_growth"], tol, relative=True)
    assert near(grown, expected["penaltyblog_growth"], tol, relative=True)
    assert near(found.fraction.tolist(), expected["penaltyblog_stakes"], 1e-5)
    assert grown >= expected["slsqp_growth"] - 1e-15


def test_one_outcome_is_an_ordinary_bet() -> None:
    found = kelly_exclusive([0.6], [2.0])
    assert found.fraction.item() == pytest.approx(kelly(0.6, 1.0))
    assert found.growth == pytest.approx(growth(0.6, 1.0, 0.2))


def test_odds_that_give_money_away_take_the_whole_bankroll() -> None:
    found = kelly_exclusive([0.5, 0.3, 0.2], [2.2, 4.5, 6.0])
    assert found.fraction == pytest.approx([0.5, 0.3, 0.2])
    assert found.reserve == pytest.approx(0)


def test_what_cannot_be_bet_on_keeps_something_back() -> None:
    found = kelly_exclusive([0.5, 0.3], [2.2, 4.5])
    assert found.reserve == pytest.approx(1 - found.fraction.sum())
    assert found.reserve > 0
    assert np.isfinite(found.growth)


def test_a_fair_book_that_is_believed_needs_no_stake() -> None:
    found = kelly_exclusive([0.5, 0.25, 0.25], [2.0, 4.0, 4.0])
    assert found.fraction.tolist() == [0, 0, 0]
    assert found.growth == 0


def test_many_books_are_solved_as_one_by_one() -> None:
    p = np.array([[0.5, 0.3, 0.2], [0.2, 0.2, 0.6]])
    odds = np.array([[2.3, 3.0, 4.0], [4.0, 5.5, 1.8]])
    together = kelly_exclusive(p, odds)
    assert together.fraction[1].tolist() == kelly_exclusive(p[1], odds[1]).fraction.tolist()


def test_beliefs_above_one_together_are_refused() -> None:
    with pytest.raises(ValueError, match="1 at most"):
        kelly_exclusive([0.7, 0.4], [2.0, 2.0])
