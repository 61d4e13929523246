import pytest

from arena.scoring.tournament.points import points, weight_of_betting, weight_of_log


def test_thirty_forecasters_add_a_doubling() -> None:
    assert (weight_of_log(0), weight_of_log(30)) == (45, 60)
    assert (weight_of_betting(0), weight_of_betting(30)) == (0, 30)


def test_points_are_two_parts_added_up() -> None:
    assert points(1 - 0.25, 0, betting=0.5, forecasters=30) == pytest.approx(60 * -1 + 30 * 0.5)


def test_half_and_no_bet_are_worth_nothing() -> None:
    assert points(0.5, 1, betting=0.0, forecasters=300) == 0


def test_there_are_no_fewer_than_no_forecasters() -> None:
    with pytest.raises(ValueError, match="fewer than no"):
        points(0.5, 1, betting=0.0, forecasters=-1)
