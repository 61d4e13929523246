import numpy as np
import pytest
from scipy.special import ndtri

from arena.records.estimate import State
from arena.stats.sharpe import sharpe_ratio
from arena.stats.sharpe_difference import sharpe_difference, sharpe_difference_bootstrap
from tests.present import present


def _two(n: int = 200, gap: float = 0.0, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    common, one, other = rng.standard_normal((3, n))
    return 0.1 + gap + common + one, 0.1 + common + other


def test_it_is_the_difference_of_the_ratios_with_n() -> None:
    one, other = _two()
    found = sharpe_difference(one, other)
    apart = present(sharpe_ratio(one)) - present(sharpe_ratio(other))
    assert found.estimate == pytest.approx(apart * np.sqrt(200 / 199))


def test_for_normal_values_the_error_is_that_of_jobson_and_korkie() -> None:
    one, other = _two(40_000)
    found = sharpe_difference(one, other, dependent=False)
    a, b, r = one.mean() / one.std(), other.mean() / other.std(), np.corrcoef(one, other)[0, 1]
    expected = 2 - 2 * r + (a**2 + b**2 - 2 * a * b * r**2) / 2
    assert present(found.se) ** 2 * 40_000 == pytest.approx(expected, rel=0.03)


def test_scales_do_not_matter_and_order_turns_the_sign() -> None:
    one, other = _two()
    found, scaled = sharpe_difference(one, other), sharpe_difference(9 * one, 0.1 * other)
    turned = sharpe_difference(other, one)
    assert scaled.statistic == pytest.approx(found.statistic)
    assert turned.statistic == pytest.approx(-present(found.statistic))


def test_the_bootstrap_agrees_where_there_are_many() -> None:
    one, other = _two(600, 0.1)
    plain = sharpe_difference(one, other, dependent=False)
    found = sharpe_difference_bootstrap(
        one, other, np.random.default_rng(2), block=1, draws=1999
    )
    assert found.statistic == plain.statistic
    assert found.p == pytest.approx(plain.p, abs=0.02)
    assert found.name == "Sharpe difference, bootstrap of blocks of 1"


def test_blocks_are_chosen_by_the_series() -> None:
    one, other = _two(300)
    smooth = np.convolve(one, np.ones(8), "valid"), np.convolve(other, np.ones(8), "valid")
    found = sharpe_difference_bootstrap(*smooth, np.random.default_rng(3), draws=99)
    assert int(found.name.rsplit(" ", 1)[1]) > 3


def test_equal_ratios_are_told_apart_as_rarely_as_they_should() -> None:
    rng = np.random.default_rng(4)
    told = [
        abs(present(sharpe_difference(*_two(80, seed=int(s)), dependent=False).statistic))
        > ndtri(0.975)
        for s in rng.integers(0, 10**6, 400)
    ]
    assert 0.02 < np.mean(told) < 0.09


def test_little_or_nothing_between_them_is_no_test() -> None:
    rng = np.random.default_rng(5)
    one, _ = _two(50)
    assert sharpe_difference([], []).state is State.EMPTY
    assert sharpe_difference(one[:9], one[:9]).state is State.TOO_FEW
    assert sharpe_difference(one, one).state is State.DEGENERATE
    assert sharpe_difference(one, np.ones(50)).state is State.DEGENERATE
    assert sharpe_difference_bootstrap(one, one, rng).p is None


def test_series_and_blocks_have_to_fit() -> None:
    one, other = _two(50)
    rng = np.random.default_rng(6)
    with pytest.raises(ValueError, match="as many"):
        sharpe_difference(one, other[:-1])
    for block, draws in ((0, 10), (26, 10), (1, 0)):
        with pytest.raises(ValueError, match="two blocks"):
            sharpe_difference_bootstrap(one, other, rng, block=block, draws=draws)
