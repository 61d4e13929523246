import pytest

from arena.odds.devig import (
    OddsVenue,
    PowerError,
    PowerRefusal,
    devig,
    out_of_band,
    power_source_c,
)
from tests.vectors import near, source


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
