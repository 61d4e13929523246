import pytest

from arena.odds import alike, books, decimal_odds, finite, probabilities


def test_numbers_come_back_as_floats() -> None:
    assert probabilities([0, 1], "p").dtype == finite(1, "x").dtype == "float64"
    assert books([[2, 3]]).shape == (1, 2)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -0.1, 1.1])
def test_what_is_no_probability_is_refused_by_name(value: float) -> None:
    with pytest.raises(ValueError, match="belief"):
        probabilities([0.5, value], "belief")


def test_odds_and_lengths_are_checked() -> None:
    with pytest.raises(ValueError, match="above 1"):
        decimal_odds(1.0)
    with pytest.raises(ValueError, match="unequal"):
        alike(p=finite([1], "p"), q=finite([1, 2], "q"))
