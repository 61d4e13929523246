from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.records.estimate import State
from arena.stats.regression.efficiency import (
    Efficiency,
    efficiency_bootstrap,
    market_efficiency,
    two_sided,
)
from tests.present import present
from tests.vectors import source

Floats = NDArray[np.float64]
Whole = NDArray[np.intp]


def binary_efficiency(model: Floats, market: Floats, came: Whole) -> Efficiency:
    """The test of P(YES), as rows of two options."""
    return market_efficiency(two_sided(model), two_sided(market), came, reference=0)


def games(n: int, seed: int = 0, k: int = 3) -> tuple[Floats, Floats, Whole]:
    """A model that only adds noise to the market, the market, and outcomes drawn from it."""
    rng = np.random.default_rng(seed)
    market = rng.dirichlet(np.full(k, 4.0), n)
    model = market * np.exp(0.3 * rng.standard_normal((n, k)))
    came = (market.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return model / model.sum(axis=1, keepdims=True), market, np.minimum(came, k - 1)


def known_games() -> tuple[Floats, Floats, Whole]:
    given = source("s002.nyberg.n60")["input"]
    return np.array(given["p_model"]), np.array(given["q_close"]), np.array(given["y"])


def test_a_model_that_is_the_market_adds_nothing_and_is_flagged() -> None:
    known = source("s002.nyberg.identical")["expected"]
    _, market, came = known_games()
    it = market_efficiency(market, market, came)
    assert (it.test.statistic, it.test.p) == (known["lr"], known["p"])
    assert it.collinear
    assert it.test.state is State.DEGENERATE


def test_home_draw_and_away_give_two_degrees_and_two_outcomes_one() -> None:
    model, market, came = games(200, k=4)
    assert market_efficiency(model, market, came).test.df == (3.0,)
    rng = np.random.default_rng(1)
    yes = rng.random(200)
    said = np.clip(yes + 0.1 * rng.standard_normal(200), 0.01, 0.99)
    it = binary_efficiency(said, yes, (rng.random(200) < yes).astype(np.intp))
    assert (it.test.df, it.parameters) == ((1.0,), 3)


def test_which_outcome_is_the_reference_changes_the_model_but_not_a_binary_one() -> None:
    rng = np.random.default_rng(1)
    yes = rng.uniform(0.1, 0.9, 100)
    said = rng.uniform(0.1, 0.9, 100)
    came = (rng.random(100) < yes).astype(np.intp)
    one = binary_efficiency(said, yes, came).test
    other = binary_efficiency(1 - said, 1 - yes, 1 - came).test
    assert one.statistic == pytest.approx(other.statistic, abs=1e-9)


def test_a_model_that_knows_more_is_found_out() -> None:
    market, model, came = games(500)
    assert present(market_efficiency(model, market, came).test.p) < 0.05


def test_an_outcome_that_never_came_is_not_estimable() -> None:
    model, market, came = known_games()
    it = market_efficiency(model, market, np.where(came == 2, 0, came))
    assert (it.test.state, it.test.p, it.wald) == (State.NOT_ESTIMABLE, None, {})


def test_a_model_that_separates_the_outcomes_is_not_estimable() -> None:
    said = np.linspace(0.05, 0.95, 40)
    market = np.random.default_rng(1).uniform(0.3, 0.7, 40)
    it = binary_efficiency(said, market, (said > 0.5).astype(np.intp))
    assert it.test.state is State.NOT_ESTIMABLE


def test_a_market_with_one_price_for_all_is_not_estimable() -> None:
    said = np.random.default_rng(1).uniform(0.1, 0.9, 40)
    it = binary_efficiency(said, np.full(40, 0.5), (said > 0.4).astype(np.intp))
    assert it.test.state is State.NOT_ESTIMABLE


def test_no_game_is_no_test() -> None:
    it = market_efficiency(np.empty((0, 3)), np.empty((0, 3)), np.empty(0, np.intp))
    assert (it.test.state, it.test.p) == (State.EMPTY, None)


def test_fewer_than_ten_rows_a_parameter_are_flagged() -> None:
    assert market_efficiency(*games(59)).few
    assert market_efficiency(*games(59)).small


def test_events_are_clustered_and_counted() -> None:
    model, market, came = games(120, seed=3)
    alone = market_efficiency(model, market, came, event=np.arange(120))
    pairs = market_efficiency(model, market, came, event=np.arange(120) // 2)
    assert (alone.test.events, pairs.test.events) == (120, 60)
    hc0, clustered = alone.wald["hc0"].statistic, alone.wald["clustered"].statistic
    assert clustered == pytest.approx(present(hc0) * 119 / 120)
    assert pairs.wald["clustered"].statistic != pytest.approx(clustered)


def test_rows_of_one_event_alone_have_fits_and_no_test() -> None:
    model, market, came = games(120, seed=3)
    apart, one = (
        market_efficiency(model, market, came, event=event)
        for event in (np.arange(120), np.zeros(120, np.intp))
    )
    assert (one.test.state, one.test.events) == (State.SINGLE, 1)
    assert (one.test.statistic, one.test.p, one.wald) == (None, None, {})
    assert one.beta == apart.beta
    same = market_efficiency(market, market, came, event=np.zeros(120, np.intp))
    assert (same.test.state, same.test.p, same.collinear) == (State.SINGLE, None, True)


def test_the_order_of_games_does_not_matter() -> None:
    model, market, came = games(80, seed=4)
    order = np.random.default_rng(1).permutation(80)
    one, other = (
        market_efficiency(model, market, came),
        market_efficiency(model[order], market[order], came[order]),
    )
    assert one.test.statistic == pytest.approx(other.test.statistic, abs=1e-9)


HALVES = np.full((2, 2), 0.5)
CAME = np.array([0, 1])


@pytest.mark.parametrize(
    "refused",
    [
        lambda: market_efficiency(HALVES * 1.1, HALVES, CAME),
        lambda: market_efficiency(HALVES - 1, HALVES, CAME),
        lambda: market_efficiency(HALVES * np.nan, HALVES, CAME),
        lambda: market_efficiency(HALVES, HALVES[:1], CAME),
        lambda: market_efficiency(HALVES, HALVES, CAME + 1),
        lambda: market_efficiency(HALVES, HALVES, CAME[:1]),
        lambda: market_efficiency(HALVES, HALVES, CAME, reference=2),
        lambda: market_efficiency(HALVES, HALVES, CAME, clip=0.5),
        lambda: market_efficiency(HALVES, HALVES, CAME, event=CAME[:1]),
        lambda: market_efficiency(HALVES[:, :1], HALVES[:, :1], CAME),
    ],
)
def test_what_is_no_forecast_of_outcomes_is_refused(refused: Callable[[], Efficiency]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        refused()


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
