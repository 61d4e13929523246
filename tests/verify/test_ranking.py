"""Rankings beside other people's implementations."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, stats

from arena.stats.comparisons.ranks import RankOptions, model_confidence_set, rank_sets
from arena.stats.games import bradley_terry
from arena.stats.shrinkage import expected_maximum
from tests.present import present

arch = pytest.importorskip("arch.bootstrap", reason="the verify group is not installed")
choix = pytest.importorskip("choix", reason="the verify group is not installed")

Floats = NDArray[np.float64]


@pytest.mark.parametrize("seed", range(6))
def test_the_model_confidence_set_is_archs_given_the_same_resamples(seed: int) -> None:
    rng = np.random.default_rng(seed)
    losses = rng.random((80, 6)) + rng.normal(0, 0.06, 6)
    theirs = arch.MCS(losses, 0.1, reps=400, block_size=5, method="R", seed=seed)
    theirs.compute()
    drawn = np.array([losses[i].mean(axis=0) for i in theirs._bootstrap_indices])  # noqa: SLF001  the same resamples
    found = model_confidence_set(losses.mean(axis=0), drawn)
    assert found.p.tolist() == theirs.pvalues.sort_index()["Pvalue"].tolist()
    assert np.flatnonzero(found.p > 0.1).tolist() == theirs.included


@pytest.mark.parametrize("seed", range(4))
def test_strengths_are_choixs(seed: int) -> None:
    games = _games(seed)
    wins = np.zeros((5, 5))
    np.add.at(wins, tuple(np.array(games).T), 1)
    own = present(bradley_terry(wins).log_strength)
    assert np.allclose(own, choix.ilsr_pairwise(5, games, max_iter=500), atol=1e-6)
    assert np.allclose(own, choix.opt_pairwise(5, games, tol=1e-10), atol=1e-5)


def test_the_largest_difference_of_equals_is_tukeys() -> None:
    rng = np.random.default_rng(4)
    critical = stats.studentized_range.ppf(0.95, 4, np.inf) / np.sqrt(2)
    how = RankOptions(draws=400_000)
    gaps = critical * np.sqrt(2) * np.array([0.99, 1.01])
    told = [
        rank_sets(np.array([0, 0, 0, gap]), np.eye(4), rng, how).better.any() for gap in gaps
    ]
    assert told == [False, True]


@pytest.mark.parametrize("k", [2, 7, 40])
def test_the_expected_largest_draw_is_the_integral_of_its_density(k: int) -> None:
    def at(x: float) -> float:
        return float(x * k * stats.norm.pdf(x) * stats.norm.cdf(x) ** (k - 1))

    assert expected_maximum(k) == pytest.approx(integrate.quad(at, -12, 12)[0], abs=1e-8)


def _games(seed: int) -> list[tuple[int, int]]:
    rng = np.random.default_rng(seed)
    truth = rng.normal(0, 0.7, 5)
    games = []
    for _ in range(300):
        i, j = rng.choice(5, 2, replace=False).tolist()
        won = rng.random() < 1 / (1 + np.exp(truth[j] - truth[i]))
        games.append((i, j) if won else (j, i))
    return games
