"""The table of places, and adjusted scores, beside other people's implementations."""

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.metrics.claims.adjusted import adjusted_brier
from arena.metrics.rank_sets import DRAWS, league
from arena.scoring.table import Factor
from arena.stats.bootstrap import generator, resamples
from tests.metrics.rounds import equals, numbered, rounds

arch = pytest.importorskip("arch.bootstrap", reason="the verify group is not installed")
choix = pytest.importorskip("choix", reason="the verify group is not installed")
linear = pytest.importorskip(
    "statsmodels.regression.linear_model", reason="the verify group is not installed"
)

Whole = NDArray[np.intp]


class Given:
    """A bootstrap of arch's that draws what it is given."""

    def __init__(self, times: Whole) -> None:
        self.times = times

    def bootstrap(self, reps: int) -> Iterator[tuple[tuple[Whole]]]:
        for row in self.times[:reps]:
            yield ((np.repeat(np.arange(row.size), row),),)


@pytest.mark.parametrize("seed", range(3))
def test_who_may_be_the_best_is_archs_given_the_same_resamples(seed: int) -> None:
    p, outcome = equals(np.random.default_rng(seed), 60, 5)
    p[:, 4] = np.clip(p[:, 4] + 0.15, 0, 1)
    names = numbered("c", 5)
    times = resamples(60, DRAWS, generator("league", "means", *names)).astype(np.intp)
    theirs = arch.MCS((p - outcome[:, None]) ** 2, 0.05, reps=DRAWS, method="R")
    theirs.bootstrap = Given(times)
    theirs.compute()
    expected = theirs.pvalues.sort_index()["Pvalue"].to_numpy()
    added = np.where(expected == 1, 1.0, (DRAWS * expected + 1) / (DRAWS + 1))
    found = {place.name: place for place in league(rounds(p, outcome), "brier").places}
    assert [found[name].mcs_p for name in names] == pytest.approx(added.tolist(), abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_strengths_are_choixs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, outcome = rng.uniform(0.05, 0.95, (80, 5)), rng.integers(0, 2, 80)
    losses = (p - outcome[:, None]) ** 2
    games = [(i, j) for row in losses for i in range(5) for j in range(5) if row[i] < row[j]]
    found = {place.name: place for place in league(rounds(p, outcome), "brier").places}
    own = [found[name].strength for name in numbered("c", 5)]
    assert own == pytest.approx(choix.ilsr_pairwise(5, games, max_iter=500).tolist(), abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_adjusted_scores_are_those_of_a_regression_with_dummies(seed: int) -> None:
    rng = np.random.default_rng(seed)
    p, outcome = equals(rng, 30, 4)
    p[rng.random(p.shape) < 0.3] = np.nan
    whole = rounds(p, outcome)
    market = Factor(whole.market.names, whole.market.codes).in_order()
    who = np.eye(4)[whole.contestant.codes]
    question = np.eye(len(market.names))[market.codes]
    theirs = linear.OLS((whole.p - whole.outcome) ** 2, np.hstack([who, question[:, 1:]])).fit()
    hard = np.concatenate([[0.0], theirs.params[4:]])
    expected = theirs.params[:4] + hard.mean()
    found = adjusted_brier(whole, whole.contestant, 0.95)
    assert [one.value for one in found] == pytest.approx(expected.tolist(), abs=1e-10)
