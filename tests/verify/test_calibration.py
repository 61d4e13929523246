"""Bins, recalibration, discrimination and shares beside other people's implementations."""

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="the verify group is not installed")
pytest.importorskip("statsmodels", reason="the verify group is not installed")
pytest.importorskip("model_diagnostics", reason="the verify group is not installed")

from model_diagnostics.scoring import LogLoss, SquaredError, decompose
from scipy import stats
from scipy.optimize import isotonic_regression
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import roc_auc_score

from arena.scoring.bands import count_ends
from arena.scoring.bins import BinningRule, bin_table, put_in_bins
from arena.scoring.corp import Loss, corp, pool
from arena.scoring.summaries import discrimination, sharpness
from tests.present import present

SEEDS = range(4)


def sample(seed: int, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Floats for even seeds, prices with ties for odd ones; both miscalibrated."""
    rng = np.random.default_rng(seed)
    p = rng.beta(0.7, 1.1, n)
    p = np.round(p, 2) if seed % 2 else p
    return p, (rng.random(n) < 0.2 + 0.6 * p**1.5).astype(int)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("rule", [BinningRule.DECIMAL, BinningRule.FLOAT_EDGES])
def test_bins_are_those_of_scikit_learn(seed: int, rule: BinningRule) -> None:
    p, y = sample(seed)
    true, predicted = calibration_curve(y, p, n_bins=7)
    table = bin_table(p, y, put_in_bins(p, rule, 7))
    assert table.frequency == pytest.approx(true, abs=1e-14)
    assert table.mean_forecast == pytest.approx(predicted, abs=1e-14)


@pytest.mark.parametrize("seed", SEEDS)
def test_recalibrated_forecasts_are_those_of_scikit_learn(seed: int) -> None:
    p, y = sample(seed)
    expected = IsotonicRegression().fit(p, y).predict(p)
    assert corp(p, y).curve.recalibrated(p) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("loss", "theirs"), [(Loss.BRIER, SquaredError), (Loss.LOG, LogLoss)])
def test_corp_is_that_of_model_diagnostics(seed: int, loss: Loss, theirs: type) -> None:
    p, y = sample(seed)
    p = np.clip(p, 0.01, 0.99)
    expected = decompose(y_obs=y, y_pred=p, scoring_function=theirs())
    terms = present(corp(p, y, loss).terms)
    assert terms.score == pytest.approx(expected["score"][0], abs=1e-12)
    assert terms.miscalibration == pytest.approx(expected["miscalibration"][0], abs=1e-12)
    assert terms.discrimination == pytest.approx(expected["discrimination"][0], abs=1e-12)
    assert terms.uncertainty == pytest.approx(expected["uncertainty"][0], abs=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_pooled_blocks_are_those_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    number = rng.integers(1, 50, 3000)
    yes = rng.binomial(number, np.linspace(0.1, 0.9, 3000))
    expected = isotonic_regression(yes / number, weights=number)
    found = pool(number, yes)
    assert found.yes / found.number == pytest.approx(
        expected.x[expected.blocks[:-1]], abs=1e-12
    )
    assert found.first.tolist() == expected.blocks[:-1].tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_discrimination_is_that_of_scikit_learn_and_scipy(seed: int) -> None:
    p, y = sample(seed)
    found = discrimination(p, y)
    expected = stats.mannwhitneyu(p[y == 1], p[y == 0]).statistic
    assert found.auc == pytest.approx(roc_auc_score(y, p), abs=1e-14)
    assert found.mann_whitney == pytest.approx(expected)


def test_entropy_is_that_of_scipy() -> None:
    p, _ = sample(0)
    found = present(sharpness(p))
    assert found.entropy == pytest.approx(stats.entropy([p, 1 - p]).mean(), abs=1e-14)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_quantiles_of_a_count_are_those_of_scipy(level: float) -> None:
    n = np.repeat([1, 2, 5, 20, 300, 10_000], 6)
    p = np.tile([0.001, 0.05, 0.3, 0.5, 0.77, 0.999], 6)
    low, high = count_ends(n, p, level)
    assert low.tolist() == np.asarray(stats.binom.ppf((1 - level) / 2, n, p)).tolist()
    assert high.tolist() == np.asarray(stats.binom.ppf((1 + level) / 2, n, p)).tolist()
