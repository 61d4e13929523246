import numpy as np
import pytest

from arena.stats.regression.efficiency import efficiency_bootstrap, market_efficiency
from tests.stats.test_efficiency import games


def test_the_bootstrap_is_near_chi_squared_in_a_large_sample_and_repeats() -> None:
    data = games(400, seed=5)
    found = efficiency_bootstrap(*data, np.random.default_rng(1), replicates=99)
    again = efficiency_bootstrap(*data, np.random.default_rng(1), replicates=99)
    assert found == again
    assert found.p == pytest.approx(market_efficiency(*data).test.p, abs=0.15)


def test_the_bootstrap_counts_what_was_seen_as_a_draw() -> None:
    market, model, came = games(600, seed=6)
    found = efficiency_bootstrap(model, market, came, np.random.default_rng(1), replicates=19)
    assert found.p == pytest.approx(1 / 20)


def test_the_bootstrap_of_no_test_is_none() -> None:
    market, model, came = games(60)
    rng = np.random.default_rng(1)
    same = efficiency_bootstrap(market, market, came, rng)
    never = efficiency_bootstrap(model, market, 0 * came, rng)
    assert ((same.statistic, same.p), (never.statistic, never.p)) == ((0, 1), (None, None))


def test_a_bootstrap_of_no_replicate_is_refused() -> None:
    with pytest.raises(ValueError, match="replicate"):
        efficiency_bootstrap(*games(60), np.random.default_rng(1), replicates=0)
