import numpy as np
import pytest
from numpy.typing import NDArray

from arena.records.estimate import State
from arena.stats.all_pairs import dm_all_pairs
from arena.stats.dm import dm_newey_west

Floats = NDArray[np.float64]


@pytest.fixture
def losses() -> Floats:
    return np.random.default_rng(6).random((80, 5))


@pytest.mark.parametrize("horizon", [None, 3])
def test_each_pair_is_what_its_own_test_says(losses: Floats, horizon: int | None) -> None:
    found = dm_all_pairs(losses, 4, horizon=horizon)
    assert len(found) == 10
    for r in range(10):
        d = losses[:, found.first[r]] - losses[:, found.second[r]]
        alone = dm_newey_west(d, 4, horizon=horizon)
        test = found.test(r)
        assert found.variance[r] == pytest.approx(alone.variance, rel=1e-11)
        assert test.estimate == pytest.approx(alone.test.estimate, rel=1e-11)
        assert test.statistic == pytest.approx(alone.test.statistic, rel=1e-11)
        assert test.se == pytest.approx(alone.test.se, rel=1e-11)
        assert test.p == pytest.approx(alone.test.p, rel=1e-9)
        assert test.df == alone.test.df


def test_equal_contestants_and_a_constant_gap_are_degenerate(losses: Floats) -> None:
    same = np.column_stack([losses[:, 0], losses[:, 0], losses[:, 0] + 0.1])
    found = dm_all_pairs(same)
    assert found.flat.tolist() == [True, True, True]
    tests = [found.test(r) for r in range(3)]
    assert [t.p for t in tests] == [1.0, None, None]
    assert {t.state for t in tests} == {State.DEGENERATE}
    assert [t.statistic for t in tests] == [None] * 3


@pytest.mark.parametrize("n", [10, 150])
def test_a_gap_between_two_constant_losses_is_degenerate(n: int) -> None:
    found = dm_all_pairs(np.tile([0.01, 0.0, 0.0], (n, 1)))
    assert found.flat.tolist() == [True, True, True]
    assert [found.test(r).state for r in range(3)] == [State.DEGENERATE] * 3
    assert [found.test(r).p for r in range(3)] == [None, None, 1.0]


def test_contestants_who_differ_by_little_keep_their_digits(losses: Floats) -> None:
    little = 1e-7 * np.random.default_rng(7).random(80)
    both = np.column_stack([losses[:, 0], losses[:, 0] + little])
    alone = dm_newey_west(both[:, 0] - both[:, 1], 4)
    assert dm_all_pairs(both, 4).variance[0] == pytest.approx(alone.variance, rel=1e-6)


def test_the_order_of_contestants_only_turns_signs(losses: Floats) -> None:
    found, turned = dm_all_pairs(losses), dm_all_pairs(losses[:, ::-1])
    assert sorted(found.p) == pytest.approx(sorted(turned.p))
    assert sorted(np.abs(found.statistic)) == pytest.approx(sorted(np.abs(turned.statistic)))


def test_one_contestant_has_nobody_to_be_compared_with(losses: Floats) -> None:
    assert len(dm_all_pairs(losses[:, :1])) == 0


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_a_gap_in_the_panel_is_refused(losses: Floats, wrong: float) -> None:
    losses[3, 2] = wrong
    with pytest.raises(ValueError, match="missing"):
        dm_all_pairs(losses)


@pytest.mark.parametrize("shape", [(5,), (1, 3)])
def test_what_is_no_panel_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="two or more"):
        dm_all_pairs(np.zeros(shape))


def test_a_lag_longer_than_the_panel_is_refused(losses: Floats) -> None:
    with pytest.raises(ValueError, match="no lag"):
        dm_all_pairs(losses, 80)
