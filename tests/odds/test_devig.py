"""Fair probabilities and stakes as penaltyblog works them out."""

import numpy as np
import pytest
from numpy.typing import ArrayLike

from arena.odds.devig import DevigMethod, devig
from arena.odds.staking import kelly
from tests.present import some
from tests.vectors import case, near, penaltyblog

NAMED = {
    DevigMethod.MULTIPLICATIVE: "multiplicative",
    DevigMethod.POWER: "power",
    DevigMethod.SHIN: "shin",
}
PARAMETERS = {DevigMethod.POWER: "power_k", DevigMethod.SHIN: "shin_z"}
CASES = (
    "R_implied_vignette",
    "fair_no_vig",
    "five_way",
    "penaltyblog_docs",
    "race_12",
    "underround",
)


@pytest.mark.parametrize("name", CASES)
def test_every_method_gives_the_known_answers(name: str) -> None:
    known = case("08_devig", name)
    odds, expected = known["inputs"]["decimal_odds"], known["expected"]
    for method, key in NAMED.items():
        if key in expected:
            fair = devig(odds, method)
            assert near(fair.q.tolist(), expected[key], known["tol"], relative=True)
            if method in PARAMETERS:
                solved, found = PARAMETERS[method], float(fair.parameter)
                assert near(found, expected[solved], known["tol"], relative=True)


@pytest.mark.parametrize("method", DevigMethod)
def test_many_books_are_solved_as_one_by_one(method: DevigMethod) -> None:
    rng = np.random.default_rng(4)
    raw = rng.dirichlet(np.full(4, 9.0), (3, 5)) * rng.uniform(1.0, 1.1, (3, 5, 1))
    together = devig(1 / raw, method)
    assert together.parameter.shape == together.overround.shape == (3, 5)
    alone = devig(1 / raw[1, 2], method)
    assert np.abs(together.q[1, 2] - alone.q).max() < 1e-15


@pytest.mark.parametrize("method", DevigMethod)
def test_no_book_gives_no_book(method: DevigMethod) -> None:
    assert devig(np.empty((0, 3)), method).q.shape == (0, 3)


def test_more_books_than_a_chunk_keep_their_order() -> None:
    odds = np.tile([[1.9, 2.0], [1.5, 2.7]], (10_000, 1))
    assert (devig(odds).q == np.tile(devig(odds[:2]).q, (10_000, 1))).all()


def test_a_near_certain_favourite_has_an_exponent_beyond_the_source_s_limit() -> None:
    fair = devig([1.01, 1.05])
    assert fair.parameter > 20
    assert abs(fair.q.sum() - 1) < 1e-12


@pytest.mark.parametrize(
    ("odds", "message"),
    [
        ([2.0, 1.0], "above 1"),
        ([2.0, np.nan], "finite"),
        ([2.0, np.inf], "finite"),
        ([2.0], "two outcomes"),
        (2.0, "two outcomes"),
    ],
)
def test_a_book_that_is_none_is_refused(odds: ArrayLike, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        devig(odds)


def test_shin_has_no_answer_for_an_underround_book() -> None:
    with pytest.raises(ValueError, match="underround"):
        devig([2.2, 2.1], DevigMethod.SHIN)


@pytest.mark.parametrize("method", NAMED)
def test_the_same_margin_is_taken_out(method: DevigMethod) -> None:
    for book in some(penaltyblog("implied")):
        expected = np.array(book["implied"][NAMED[method]])
        assert devig(book["odds"], method).q == pytest.approx(expected, abs=1e-10)


def test_the_kelly_stake_is_the_same() -> None:
    for bet in some(penaltyblog("kelly")):
        ours = max(float(kelly(bet["p"], bet["odds"] - 1)), 0)
        assert ours == pytest.approx(bet["stake"], abs=1e-12)
