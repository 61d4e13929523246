"""Boundaries of looks that were laid down before, and of looks without an end.

Evidence that may be looked at whenever one likes.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import multivariate_normal, norm

from arena.stats.comparisons.sequential import (
    anytime_p,
    betting_wealth,
    boundaries,
    henzi_ziegel,
    plugin_bets,
    sequential_anytime_p,
    sequential_p,
    spent,
)
from tests.present import some
from tests.vectors import near, source

HALF = np.array([0.5])


def test_e_values_of_two_forecasts() -> None:
    known = source("ext.hz_evalue.brier")
    p, q, y = (np.array(known["input"][name]) for name in ("p", "q", "y"))
    e = henzi_ziegel(p, q, y, weight=known["input"]["alt_prob"])
    wealth = np.cumprod(e)
    found = {"e": e, "e_process": wealth, "evidence_final": wealth[-1]}
    assert near(found, {key: known["expected"][key] for key in found}, known["tol"])


@pytest.mark.parametrize(
    "id", ["ext.betting_eprocess.clv8_fixed", "ext.betting_eprocess.series20_plugin"]
)
def test_the_wealth_of_bets_that_are_fixed_or_learnt(id: str) -> None:  # noqa: A002
    known = source(id)
    x = np.array(known["input"]["x"])
    bets = np.full(8, 0.5) if id.endswith("fixed") else plugin_bets(x)
    wealth = betting_wealth(x, bets)
    found = {
        "lam": bets,
        "wealth": wealth.e,
        "final": wealth.e[-1],
        "max": wealth.e.max(),
        "anytime_p": wealth.p[-1],
    }
    assert near(found, known["expected"], known["tol"])


def test_plugin_bets_look_only_back() -> None:
    x = np.array([0.3, -0.2, 0.1, -0.5, 0.05, 0.6])
    bets = plugin_bets(x, largest=1)
    changed = plugin_bets(np.append(x[:-1], -0.9), largest=1)
    assert np.array_equal(bets, changed)
    past = x[:3]
    assert bets[3] == pytest.approx(past.mean() / (past.var(ddof=1) + past.mean() ** 2))
    assert bets[4] == 0


def test_plugin_bets_on_nothing_are_nothing() -> None:
    assert plugin_bets(np.zeros(4)).tolist() == [0, 0, 0, 0]
    assert plugin_bets(np.empty(0)).size == 0
    assert plugin_bets(np.array([0.1])).tolist() == [0]


def test_losing_everything_ends_at_nothing() -> None:
    wealth = betting_wealth(np.array([1.0, -1.0, 3.0]), 1.0)
    assert wealth.e.tolist() == [2, 0, 0]
    assert wealth.p.tolist() == [0.5, 0.5, 0.5]


def test_agreement_is_no_evidence() -> None:
    same = np.array([0.0, 0.3, 1.0])
    assert henzi_ziegel(same, same, np.array([0, 1, 1])).tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: anytime_p(np.array([-0.1])),
        lambda: henzi_ziegel(np.array([1.2]), HALF, np.array([1])),
        lambda: henzi_ziegel(np.array([np.nan]), HALF, np.array([1])),
        lambda: henzi_ziegel(HALF, np.array([0.1, 0.2]), np.array([1])),
        lambda: henzi_ziegel(HALF, HALF, np.array([2])),
        lambda: henzi_ziegel(HALF, HALF, np.array([1]), weight=0.4),
        lambda: betting_wealth(np.array([-1.1]), 0.5),
        lambda: betting_wealth(np.array([0.1]), 1.1),
        lambda: plugin_bets(np.array([np.inf])),
        lambda: plugin_bets(np.array([0.1]), largest=2),
    ],
)
def test_nonsense_is_refused(wrong: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        wrong()


Floats = NDArray[np.float64]

EIGHT = tuple(n / 8 for n in range(1, 9))
few = settings(max_examples=40, deadline=None)
alphas = st.sampled_from([1e-6, 1e-4, 0.003, 0.01, 0.05, 0.1, 0.3])
seasons = st.sampled_from(
    [(1.0,), (0.02, 1.0), (0.7, 0.71, 0.72, 1.0), EIGHT, (0.2, 0.5, 0.6, 0.9)]
)


def bounds_of(fractions: tuple[float, ...], alpha: float) -> tuple[float, ...]:
    return tuple(boundaries(fractions, np.array([alpha]))[:, 0].tolist())


def paths(seasons_played: int, fractions: tuple[float, ...], seed: int) -> Floats:
    """(looks, seasons) standardised sums of a Brownian motion."""
    time = np.array(fractions)
    rng = np.random.default_rng(seed)
    steps = rng.normal(size=(seasons_played, time.size)) * np.sqrt(np.diff(time, prepend=0))
    return np.asarray((np.cumsum(steps, axis=1) / np.sqrt(time)).T)


@pytest.mark.parametrize(
    ("alpha", "expected"),
    [
        (0.05, (3.36, 3.02, 2.80, 2.64, 2.50, 2.37, 2.26, 2.16)),
        (0.05 / 15, (4.05, 3.77, 3.61, 3.48, 3.38, 3.29, 3.22, 3.15)),
    ],
)
def test_eight_even_looks_have_the_boundaries_of_the_prototype(
    alpha: float, expected: tuple[float, ...]
) -> None:
    assert bounds_of(EIGHT, alpha) == pytest.approx(expected, abs=0.0051)


@pytest.mark.parametrize("alpha", [1e-9, 0.0033, 0.05, 0.5])
def test_a_single_look_is_a_test_of_its_level(alpha: float) -> None:
    assert bounds_of((1.0,), alpha) == pytest.approx((norm.isf(alpha / 2),))


@pytest.mark.parametrize("fractions", [(0.5, 1.0), (0.1, 0.4, 1.0), (0.3, 0.35, 0.8)])
def test_each_look_spends_its_share_by_the_normal_integral_in_several_dimensions(
    fractions: tuple[float, ...],
) -> None:
    time = np.array(fractions)
    together = np.sqrt(np.minimum.outer(time, time) / np.maximum.outer(time, time))
    bounds = np.array(bounds_of(fractions, 0.05))
    for looks in range(1, len(fractions) + 1):
        law = multivariate_normal(cov=together[:looks, :looks])
        inside = law.cdf(bounds[:looks], lower_limit=-bounds[:looks], rng=1)
        assert 1 - float(inside) == pytest.approx(spent(fractions[looks - 1], 0.05), abs=2e-5)


def test_uneven_looks_of_a_brownian_motion_cross_with_the_level() -> None:
    fractions = (0.08, 0.16, 0.33, 0.41, 0.8, 1.0)
    z, runs = paths(60_000, fractions, 3), 60_000
    for alpha in (0.05, 0.05 / 15):
        bounds = np.array(bounds_of(fractions, alpha))
        crossed = (np.abs(z) >= bounds[:, None]).any(axis=0).mean()
        assert crossed == pytest.approx(alpha, abs=3 * np.sqrt(alpha / runs))


def test_more_looks_and_a_smaller_level_ask_for_more_at_the_end() -> None:
    ends = [bounds_of(tuple(n / k for n in range(1, k + 1)), 0.05)[-1] for k in range(1, 13)]
    assert all(one < other for one, other in some(pairwise(ends)))
    levels = [bounds_of(EIGHT, alpha) for alpha in (0.1, 0.05, 0.01, 1e-6)]
    for one, other in some(pairwise(levels)):
        assert np.all(np.array(one) < np.array(other))


@few
@given(seasons, alphas, st.floats(-3, 3))
def test_p_is_at_most_a_level_exactly_where_its_boundary_was_crossed(
    fractions: tuple[float, ...], alpha: float, beyond: float
) -> None:
    bounds = np.array(bounds_of(fractions, alpha))
    for look in range(len(fractions)):
        z = np.zeros(len(fractions))
        z[look] = bounds[look] * (1 + beyond / 20)
        p = sequential_p(z, fractions)
        assert np.all(p[:look] == 1)
        if beyond > 0.05:
            assert np.all(p[look:] < alpha)
        if beyond < -0.05:
            assert np.all(p[look:] > alpha)


@pytest.mark.parametrize("alpha", [0.001, 0.0033, 0.01, 0.02, 0.05, 0.1])
def test_p_on_a_boundary_is_its_level_to_three_parts_in_a_thousand(alpha: float) -> None:
    bounds = np.array(bounds_of(EIGHT, alpha))
    p = sequential_p(np.diag(bounds), EIGHT)[np.arange(8), np.arange(8)]
    assert p == pytest.approx(np.full(8, alpha), rel=0.003)


@few
@given(st.integers(0, 2**32 - 1), seasons)
def test_p_never_rises_and_only_hangs_on_what_was_seen(
    seed: int, fractions: tuple[float, ...]
) -> None:
    z = np.random.default_rng(seed).normal(0, 2.5, (len(fractions), 3))
    p = sequential_p(z, fractions)
    assert np.all(np.diff(p, axis=0) <= 0)
    assert np.all((p >= 0) & (p <= 1))
    assert np.array_equal(sequential_p(-z, fractions), p)
    for looks in range(len(fractions)):
        assert np.array_equal(sequential_p(z[:looks], fractions), p[:looks])


def test_of_one_look_p_is_that_of_a_single_test() -> None:
    z = np.linspace(0.02, 6, 40)
    p = sequential_p(z[None], (1.0,))[0]
    assert p == pytest.approx(2 * norm.sf(z))


def test_anytime_p_is_one_over_the_wealth_of_a_normal_mixture() -> None:
    z, v = np.array([2.0, 3.0]), np.array([40.0, 90.0])
    twice = 2 * np.log(20)
    rho = 80 / (twice + np.log1p(twice))
    wealth = np.sqrt(rho / (rho + v)) * np.exp((z * np.sqrt(v)) ** 2 / (2 * (v + rho)))
    assert sequential_anytime_p(z, v, best_at=80, alpha=0.05) == pytest.approx(1 / wealth)


def test_anytime_p_never_rises_and_begins_at_one() -> None:
    z = np.array([[0.0, 4.0], [4.0, 0.0], [1.0, 5.0]])
    p = sequential_anytime_p(z, np.array([[10.0], [20.0], [30.0]]), best_at=20, alpha=0.05)
    assert p[0, 0] == 1
    assert np.all(np.diff(p, axis=0) <= 0)
    assert p[1, 1] == p[0, 1] < 0.05


def test_weekly_looks_without_an_end_cross_with_less_than_the_level() -> None:
    weeks = np.arange(7, 1093, 7, dtype=np.float64)
    z = paths(20_000, tuple((weeks / weeks[-1]).tolist()), 5)
    p = sequential_anytime_p(z, weeks[:, None], best_at=80, alpha=0.05)
    assert 0.02 < (p[-1] <= 0.05).mean() <= 0.05


@pytest.mark.parametrize("fraction", [0.0, -0.1, 1.01])
def test_nothing_is_spent_outside_a_season(fraction: float) -> None:
    with pytest.raises(ValueError, match="of a season"):
        spent(fraction, 0.05)


@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.1, float("nan")])
def test_a_level_lies_between_0_and_1(alpha: float) -> None:
    with pytest.raises(ValueError, match="level"):
        spent(0.5, alpha)
    with pytest.raises(ValueError, match="level"):
        sequential_anytime_p(np.ones(1), np.ones(1), best_at=80, alpha=alpha)


@pytest.mark.parametrize("fractions", [(), (0.5, 0.5), (0.6, 0.4), (0.0, 1.0), (0.5, 1.1)])
def test_looks_come_at_rising_shares_of_a_season(fractions: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="rising shares"):
        sequential_p(np.zeros((0, 1)), fractions)


def test_a_season_has_no_more_looks_than_were_laid_down() -> None:
    with pytest.raises(ValueError, match="3 looks of a season that has 2"):
        sequential_p(np.zeros((3, 1)), (0.5, 1.0))


def test_time_does_not_run_backwards_and_a_boundary_is_low_somewhere() -> None:
    with pytest.raises(ValueError, match="not negative"):
        sequential_anytime_p(np.ones(1), np.array([-1.0]), best_at=80, alpha=0.05)
    with pytest.raises(ValueError, match="no mixture"):
        sequential_anytime_p(np.ones(1), np.ones(1), best_at=0, alpha=0.05)
