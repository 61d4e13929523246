import numpy as np
import pytest

from arena.records.estimate import State
from arena.stats.regression.logit import Design, fit, own_parameters
from arena.stats.regression.wald import chi2_critical, chi2_level, clustered, hc0, wald


@pytest.mark.parametrize("df", [1, 2, 6])
def test_a_critical_value_has_its_level(df: int) -> None:
    assert chi2_level(chi2_critical(0.05, df), df) == pytest.approx(0.05)


@pytest.mark.parametrize(("level", "df"), [(0.0, 2), (1.0, 2), (0.05, 0)])
def test_no_critical_value_is_refused(level: float, df: int) -> None:
    with pytest.raises(ValueError, match="critical"):
        chi2_critical(level, df)


def test_a_covariance_that_is_none_gives_no_test() -> None:
    found = wald(np.ones(2), np.zeros((2, 2)), np.zeros(2), (9, 9))
    assert (found.state, found.p) == (State.NOT_ESTIMABLE, None)


def test_an_estimate_that_is_as_expected_has_a_p_of_one() -> None:
    found = wald(np.ones(2), np.eye(2), np.ones(2), (9, 9))
    assert (found.statistic, found.p) == (0, 1)


@pytest.fixture
def design() -> Design:
    rng = np.random.default_rng(1)
    x = np.column_stack([np.ones(90), rng.standard_normal(90)])
    came = (rng.random(90) < 0.4).astype(np.float64)[:, None]
    return Design(own_parameters([x]), np.zeros((90, 1)), came)


def test_clusters_of_one_row_are_rows(design: Design) -> None:
    found = fit(design)
    rows = hc0(found, design.x) * 90 / 89
    assert clustered(found, design.x, np.arange(90)) == pytest.approx(rows)


def test_the_names_of_clusters_do_not_matter(design: Design) -> None:
    found, groups = fit(design), np.arange(90) // 3
    one = clustered(found, design.x, groups)
    assert clustered(found, design.x, 100 - 7 * groups) == pytest.approx(one)


def test_one_cluster_has_no_spread_between_clusters(design: Design) -> None:
    with pytest.raises(ValueError, match="two"):
        clustered(fit(design), design.x, np.zeros(90, np.intp))
