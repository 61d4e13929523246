import numpy as np
import pytest
from numpy.typing import NDArray

from arena.records.estimate import State
from arena.stats.regression.logit import Design, fit, likelihood, log_odds, own_parameters

Floats = NDArray[np.float64]


def of(x: Floats, y: Floats) -> Design:
    columns = np.column_stack([np.ones(len(x)), x])
    return Design(own_parameters([columns]), np.zeros((len(x), 1)), y[:, None])


@pytest.fixture
def design() -> Design:
    rng = np.random.default_rng(2)
    x = rng.standard_normal(200)
    return of(x, (rng.random(200) < 1 / (1 + np.exp(-x))).astype(np.float64))


def test_the_fit_is_where_the_likelihood_is_flat_and_highest(design: Design) -> None:
    found = fit(design)
    assert found.state is State.OK
    assert np.einsum("nkp,nk->p", design.x, found.residual) == pytest.approx(
        np.zeros(2), abs=1e-8
    )
    for move in ([0.01, 0.0], [0.0, 0.01], [-0.01, 0.01]):
        assert likelihood(design, found.beta + move)[0] < found.loglik


def test_the_information_is_the_curvature_of_the_likelihood(design: Design) -> None:
    found, e = fit(design), 1e-4 * np.eye(2)
    curve = [
        [
            sum(
                sign * likelihood(design, found.beta + a + b)[0]
                for sign, a, b in ((1, i, j), (-1, i, -j), (-1, -i, j), (1, -i, -j))
            )
            / 4e-8
            for i in e
        ]
        for j in e
    ]
    assert -np.array(curve) == pytest.approx(found.information, rel=1e-4)


def test_a_threshold_that_separates_has_no_finite_fit() -> None:
    x = np.linspace(-1, 1, 20)
    found = fit(of(x, (x > 0).astype(np.float64)))
    assert found.state is State.NOT_ESTIMABLE
    assert found.loglik == pytest.approx(0, abs=1e-6)


def test_a_separation_of_some_rows_only_has_no_finite_fit() -> None:
    x = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0])
    found = fit(of(x, np.array([0.0, 1.0, 0.0, 1.0, 1.0, 1.0])))
    assert found.state is State.NOT_ESTIMABLE


def test_an_outcome_that_never_came_has_no_finite_fit(design: Design) -> None:
    never = Design(design.x, design.offset, 0 * design.came)
    assert fit(never).state is State.NOT_ESTIMABLE


def test_a_regressor_that_is_there_twice_is_degenerate_and_fits_as_well(design: Design) -> None:
    twice = Design(design.x[:, :, [0, 1, 1]], design.offset, design.came)
    found = fit(twice)
    assert (found.state, found.rank) == (State.DEGENERATE, 2)
    assert found.loglik == pytest.approx(fit(design).loglik, abs=1e-9)


def test_an_offset_of_the_fit_leaves_nothing_to_fit(design: Design) -> None:
    found = fit(design)
    moved = Design(design.x, design.x @ found.beta, design.came)
    assert fit(moved).beta == pytest.approx(np.zeros(2), abs=1e-7)


def test_regressors_on_any_scale_give_the_same_likelihood(design: Design) -> None:
    scaled = Design(design.x * np.array([1.0, 1e6]), design.offset, design.came)
    assert fit(scaled).loglik == pytest.approx(fit(design).loglik, abs=1e-9)


def test_log_odds_are_clipped_on_both_sides() -> None:
    low, high = log_odds(np.array([0.0, 1.0]), 1e-6)
    assert low == pytest.approx(-high)
