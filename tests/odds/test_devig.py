"""Fair probabilities and stakes as penaltyblog works them out."""

import numpy as np
import pytest
from numpy.typing import ArrayLike

from arena.odds.devig import (
    DevigMethod,
    OddsVenue,
    PowerError,
    PowerRefusal,
    devig,
    host,
    knockout_draw,
    out_of_band,
    power_source_c,
)
from arena.odds.staking import kelly
from tests.present import some
from tests.vectors import case, near, penaltyblog, source

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


def test_a_host_below_the_shift_is_left_with_nothing() -> None:
    found = host([[0.004, 0.496, 0.5], [0.4, 0.3, 0.3]], 0)
    assert found[0].tolist() == pytest.approx([0, 0.496 / 0.996, 0.5 / 0.996])
    assert found[1].tolist() == pytest.approx([0.394, 0.303, 0.303])


@pytest.mark.parametrize("shift", [knockout_draw, host])
def test_a_sure_outcome_leaves_nothing_to_shift(shift: object) -> None:
    with pytest.raises(ValueError, match="less than they would give"):
        shift([1.0, 0.0], 0)  # type: ignore[operator]


def test_what_does_not_add_up_is_refused() -> None:
    with pytest.raises(ValueError, match="add up"):
        knockout_draw([0.5, 0.4], 0)


@pytest.mark.parametrize(
    ("id_", "venue"),
    [
        ("s002.devig.typical", OddsVenue.BOOKMAKER),
        ("s002.devig.overround12", OddsVenue.BOOKMAKER),
        ("s002.devig.two_way", OddsVenue.BOOKMAKER),
        ("s002.devig.underround", OddsVenue.EXCHANGE),
        ("s002.devig.longshot", OddsVenue.BOOKMAKER),
    ],
)
def test_the_source_s_own_solver_gives_its_worked_books(id_: str, venue: OddsVenue) -> None:
    known = source(id_)
    book = power_source_c(known["input"]["odds"], venue)
    expected = known["expected"]
    assert near(book.q, expected["q"], known["tol"])
    assert near(book.z, expected["z"], 1e-6)
    assert near(book.overround, expected["overround"], known["tol"])
    assert not book.out_of_band


def test_a_fair_book_has_exponent_one() -> None:
    assert power_source_c([2.0, 4.0, 4.0]).z == 1


def test_an_underround_bookmaker_is_out_of_its_band() -> None:
    assert power_source_c([2.2, 4.5, 4.5]).out_of_band


def test_a_bookmaker_s_margin_is_out_of_an_exchange_s_band() -> None:
    assert power_source_c([2.5, 3.5, 2.8], OddsVenue.EXCHANGE).out_of_band


@pytest.mark.parametrize(
    ("z", "venue", "expected"),
    [
        (1.0, OddsVenue.BOOKMAKER, False),
        (1.2, OddsVenue.BOOKMAKER, False),
        (1.2000001, OddsVenue.BOOKMAKER, True),
        (0.9999999, OddsVenue.BOOKMAKER, True),
        (0.8, OddsVenue.EXCHANGE, False),
        (1.0, OddsVenue.EXCHANGE, False),
        (0.79, OddsVenue.EXCHANGE, True),
        (1.01, OddsVenue.EXCHANGE, True),
    ],
)
def test_the_bands_are_closed(z: float, venue: OddsVenue, *, expected: bool) -> None:
    assert out_of_band(z, venue) == expected


@pytest.mark.parametrize(
    ("odds", "reason"),
    [
        ([2.0], PowerRefusal.TOO_FEW_OUTCOMES),
        ([2.0, 1.0], PowerRefusal.ODDS_NOT_ABOVE_ONE),
        ([2.0, float("nan")], PowerRefusal.ODDS_NOT_ABOVE_ONE),
        ([1.01, 1.05], PowerRefusal.NO_BRACKET),
    ],
)
def test_refusals_have_names(odds: list[float], reason: PowerRefusal) -> None:
    with pytest.raises(PowerError) as caught:
        power_source_c(odds)
    assert caught.value.reason is reason


def test_the_source_s_solver_is_as_good_as_its_tolerance() -> None:
    odds = [3.1, 3.9, 4.6, 7.5, 13.0]
    assert near(power_source_c(odds).q, devig(odds).q.tolist(), 1e-7)
