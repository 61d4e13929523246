"""A choice that is given as its word is that choice, and another word is refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from arena.records.estimate import Sided
from arena.stats import columns
from arena.stats.comparisons import evalues, power, ranks
from arena.stats.regression import clusters
from arena.stats.resampling import bootstrap, replicates
from arena.stats.series import sharpe
from tests.present import some

X = np.random.default_rng(0).normal(0.3, 1.0, 24)
EVENTS = np.arange(24) // 2 * (np.arange(24) > 5)
SUMS, WEIGHTS = np.array([[1.0, 4.0, 2.0, 0.5]]), np.array([[1.0, 3.0, 2.0, 2.0]])
DESIGN = np.column_stack([np.ones(24), np.arange(24.0)])
P, Q, CAME = np.array([0.2, 0.7]), np.array([0.4, 0.6]), np.array([0, 1])
UNIT = np.clip(X / 10 + 0.5, 0, 1)
RESAMPLED = np.random.default_rng(1).normal(size=(200, 3))
GAMES = np.array([[0.0, 3.0], [1.0, 0.0]])
Y, ERRORS = np.array([1.0, 3.0, 8.0]), np.eye(3)


def rng() -> np.random.Generator:
    return np.random.default_rng(2)


CALLS: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "clusters.interval": (
        clusters.ClusterCorrection,
        lambda k: clusters.interval(X, EVENTS, kind=k),
    ),
    "clusters.ratio": (
        clusters.ClusterCorrection,
        lambda k: clusters.ratio(X, np.ones(24), EVENTS, kind=k),
    ),
    "clusters.mean_test": (
        clusters.ClusterCorrection,
        lambda k: clusters.mean_test(X, EVENTS, kind=k),
    ),
    "clusters.fit": (
        clusters.ClusterCorrection,
        lambda k: clusters.fit(SUMS, WEIGHTS, kind=k).se,
    ),
    "clusters.variance": (
        clusters.ClusterCorrection,
        lambda k: clusters.variance(SUMS, WEIGHTS, k),
    ),
    "quantiles": (
        replicates.Quantile,
        lambda k: replicates.quantiles(X, [0.1, 0.9], k),
    ),
    "median_bias": (
        replicates.Ties,
        lambda k: replicates.median_bias([0.0, 1.0, 1.0, 2.0], 1.0, k),
    ),
    "beyond": (Sided, lambda k: replicates.beyond(X, 0.4, k)),
    "p_value": (Sided, lambda k: columns.p_value(1.3, k)),
    "sign_flip": (Sided, lambda k: bootstrap.sign_flip(X, rng(), events=EVENTS, sided=k).p),
    "power.sided": (
        Sided,
        lambda k: power.power_at(power.Guess(0.1, 1.0), 50, power.PowerPlan(sided=k)),
    ),
    "power.form": (
        power.PowerMethod,
        lambda k: power.power_at(power.Guess(0.1, 1.0), 50, power.PowerPlan(form=k)),
    ),
    "bootstrap": (
        bootstrap.BootstrapMethod,
        lambda k: bootstrap.cluster_bootstrap(X, EVENTS, rng(), bootstrap.BootstrapOptions(k)),
    ),
    "kappa": (evalues.ScoringRule, lambda k: evalues.kappa(P, Q, k)),
    "henzi_ziegel": (evalues.ScoringRule, lambda k: evalues.henzi_ziegel(P, Q, CAME, rule=k)),
    "sharpe": (sharpe.SharpeInterval, lambda k: sharpe.sharpe(X, kind=k).interval),
    "ranks": (
        ranks.RankEnds,
        lambda k: ranks.rank_sets(Y, ERRORS, rng(), ranks.RankOptions(ends=k)).high,
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_word_is_the_choice_that_it_names(name: str) -> None:
    kinds, call = CALLS[name]
    for kind in some(kinds):
        assert repr(call(kind.value)) == repr(call(kind))


@pytest.mark.parametrize("name", CALLS)
def test_a_word_that_names_no_choice_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is not a valid"):
        CALLS[name][1]("none of them")


def test_every_correction_by_its_word_is_its_own() -> None:
    words = [
        clusters.interval(X, EVENTS, kind=kind).se  # type: ignore[arg-type]
        for kind in ("CR0", "CR1", "CR2", "CR3")
    ]
    assert len({*words, None}) == 5
