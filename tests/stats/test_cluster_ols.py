from typing import Any

import numpy as np
import pytest

from arena.stats.cluster_ols import (
    Correction,
    cluster_covariance,
    cluster_ols,
    two_way_covariance,
)
from arena.stats.clusters import Kind, mean_test
from tests.vectors import case, near


def _known() -> tuple[Any, np.ndarray, np.ndarray]:
    known = case("07_hc_wald_cluster", "n80_16clusters")
    x = np.column_stack([np.ones(80), known["inputs"]["X"]])
    return known, x, np.array(known["inputs"]["y"])


def test_every_clustered_covariance_of_r_sandwich_and_club_sandwich() -> None:
    known, x, y = _known()
    events, days = known["inputs"]["cluster"], known["inputs"]["cluster2"]
    made = cluster_ols(x, y, events)
    left = y - x @ made.values
    one = {
        "CL_HC0_nocadj": Correction(Kind.CR0),
        "CL_HC1": Correction(Kind.CR1, count_coefficients=True),
        "CL_HC3": Correction(Kind.CR3),
        "CR2": Correction(Kind.CR2),
        "CR3": Correction(Kind.CR3),
    }
    two = {
        "CL2_HC0": Correction(Kind.CR0),
        "CL2_HC1": Correction(Kind.CR1, count_coefficients=True, plain_joint=True),
    }
    told = {key: cluster_covariance(x, left, events, c).tolist() for key, c in one.items()}
    told |= {
        key: two_way_covariance(x, left, events, days, c).tolist() for key, c in two.items()
    }
    told |= {"coef": made.values.tolist(), "CR2_t": made.t.tolist()}
    told |= {"CR2_df": made.df.tolist(), "CR2_p": made.p.tolist()}
    expected = {key: known["expected"][key] for key in told}
    assert near(told, expected, known["tol"], relative=True)


@pytest.mark.parametrize("kind", list(Kind))
def test_a_column_of_ones_is_the_mean(kind: Kind) -> None:
    rng = np.random.default_rng(1)
    events = np.repeat(np.arange(7), [1, 2, 3, 4, 5, 6, 7])
    y = rng.standard_normal(28)
    made, mean = cluster_ols(np.ones((28, 1)), y, events, kind), mean_test(y, events, kind=kind)
    found = [made.values[0], made.t[0], made.df[0], made.p[0]]
    assert near(found, [mean.estimate, mean.statistic, mean.df[0], mean.p], 1e-10)


def test_each_term_of_two_ways_has_its_own_factor_by_default() -> None:
    known, x, y = _known()
    events, days = known["inputs"]["cluster"], known["inputs"]["cluster2"]
    left = y - x @ cluster_ols(x, y, events).values
    joint = cluster_covariance(x, left, range(80))
    expected = cluster_covariance(x, left, events) + cluster_covariance(x, left, days) - joint
    assert np.allclose(two_way_covariance(x, left, events, days), expected)


@pytest.mark.parametrize(
    ("x", "y", "events", "why"),
    [
        (np.ones((3, 1)), np.ones(2), [0, 1, 2], "differ in number"),
        (np.ones((3, 1)), np.ones(3), [0, 0, 0], "two events"),
        (np.ones((3, 2)), np.ones(3), [0, 1, 2], "collinear"),
        (np.ones(3), np.ones(3), [0, 1, 2], "rows and columns"),
        (np.ones((3, 1)), np.zeros(3), [0, 1, 2], "nothing over"),
        (np.arange(3.0)[:, None], 0.1 * np.arange(3.0), [0, 1, 2], "nothing over"),
    ],
)
def test_what_cannot_be_fitted_is_refused(
    x: np.ndarray, y: np.ndarray, events: list[int], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        cluster_ols(x, y, events)


def test_residuals_are_as_many_as_rows() -> None:
    with pytest.raises(ValueError, match="differ in number"):
        cluster_covariance(np.ones((3, 1)), [1.0], [0, 1, 2])
