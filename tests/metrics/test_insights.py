"""Planted contestants: what they know, copy and share is found."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from arena.metrics.insights.report import ContestantInsights, insights
from arena.metrics.registry import METRICS
from arena.records.estimate import State
from arena.scoring.table import Factor, Forecasts
from arena.stats.regression.logit import log_odds
from tests.metrics.rounds import rounds
from tests.present import present, some
from tests.sizes import size

EVENTS, EACH = 150, 2  # markets an event
SEEDS = size(30, 100)


def board(seed: int, *, weight: float = 1.0) -> Forecasts:
    """One informed beyond the price, a copier with a little noise, and one who says a half."""
    rng = np.random.default_rng(seed)
    n = EVENTS * EACH
    price, signal = rng.uniform(0.1, 0.9, n), rng.normal(0, 1, n)
    odds = log_odds(price, 1e-6)
    outcome = (rng.uniform(size=n) < expit(odds + 0.6 * signal)).astype(np.intp)
    informed, half = expit(odds + 0.6 * signal / weight), np.full(n, 0.5)
    copier = np.clip(price + rng.normal(0, 0.008, n), 0.01, 0.99)
    said = np.column_stack([informed, copier, half])
    names = ("informed", "copier", "half")
    return rounds(said, outcome, names=names, event=np.arange(n) // EACH, market_p=price)


def own(forecasts: Forecasts) -> dict[str, ContestantInsights]:
    return {row.contestant: row for row in insights(forecasts).contestants}


def test_a_copier_is_flagged_and_an_informed_one_is_not() -> None:
    flags = [own(board(seed)) for seed in range(SEEDS)]
    assert sum(found["copier"].copies is True for found in flags) >= 0.95 * SEEDS
    assert sum(found["informed"].copies is False for found in flags) >= 0.95 * SEEDS


@pytest.mark.parametrize("weight", [0.5, 1.0])
def test_the_weight_is_within_two_standard_errors_of_the_planted_one(weight: float) -> None:
    near = 0
    for seed in range(SEEDS):
        found = own(board(seed, weight=weight))["informed"].values["information_weight"]
        near += abs(present(found.value) - weight) <= 2 * present(found.se)
    assert near >= 0.95 * SEEDS - 2 * (0.95 * 0.05 * SEEDS) ** 0.5


def test_a_copy_of_the_price_and_a_constant_have_no_weight() -> None:
    forecasts = board(1)
    exact = replace(forecasts, p=forecasts.market_p.copy())
    state = own(exact)["copier"].values["information_weight"].state
    assert (state, own(exact)["copier"].copies) == (State.DEGENERATE, True)
    half = own(forecasts)["half"].values["information_weight"]
    assert (half.value, half.state) == (None, State.DEGENERATE)


def test_what_adds_nothing_gains_nothing_out_of_sample() -> None:
    gains = [own(board(seed))["copier"].values["information_gain"].value for seed in range(10)]
    assert np.mean([present(gain) for gain in gains]) < 0
    informed = present(own(board(3))["informed"].values["information_gain"].interval)
    assert informed.low > 0


def updated(seed: int, share: float) -> Forecasts:
    """Two forecasts of each market: the second goes `share` of the way to the truth."""
    rng = np.random.default_rng(seed)
    n = EVENTS * EACH
    truth = rng.uniform(0.1, 0.9, n)
    first = np.clip(truth + rng.normal(0, 0.2, n), 0.02, 0.98)
    outcome = (rng.uniform(size=n) < truth).astype(np.intp)
    once = rounds(first[:, None], outcome, names=("ada",), event=np.arange(n) // EACH)
    moved = np.clip(first + share * (truth - first), 0.0, 1.0)
    return replace(
        once.take(np.tile(np.arange(n), 2)),
        at=np.concatenate([once.at, once.at + np.timedelta64(7, "D")]),
        p=np.concatenate([first, moved]),
    )


@pytest.mark.parametrize("share", [1.0, -0.5])
def test_the_value_of_updating_has_the_planted_sign(share: float) -> None:
    values = [own(updated(seed, share))["ada"].values for seed in range(SEEDS)]
    gains = [present(found["value_of_updating"].value) for found in values]
    assert sum(gain * share > 0 for gain in gains) >= 0.95 * SEEDS


def test_updating_is_told_by_the_part_of_a_market_s_life() -> None:
    forecasts = updated(1, 1.0)
    names = ("first third", "last third")
    late = (forecasts.at > forecasts.at.min()) & (forecasts.market.codes % 3 == 0)
    staged = replace(forecasts, labels={"stage": Factor(names, late.astype(np.intp))})
    parts = own(staged)["ada"].updating
    assert [(part.stage, part.gain.n) for part in parts] == [
        ("first third", EVENTS * EACH * 2 // 3),
        ("last third", EVENTS * EACH // 3),
    ]
    for part in parts:
        frozen, now = present(part.frozen), present(part.updated)
        assert frozen.brier - now.brier == pytest.approx(present(part.gain.value))


def test_without_word_on_lives_updating_has_no_parts() -> None:
    assert own(updated(1, 1.0))["ada"].updating == ()


def test_who_never_updates_gains_exactly_nothing() -> None:
    value = own(updated(1, 0.0))["ada"].values["value_of_updating"]
    assert (value.value, value.n) == (0.0, EVENTS * EACH)


def test_one_forecast_a_market_says_nothing_of_updating() -> None:
    assert own(board(1))["informed"].values["value_of_updating"].state is State.EMPTY


def together(share: float, k: int = 6, seed: int = 5) -> Forecasts:
    """Errors of k contestants of which pairs correlate by `share`; outcomes are even."""
    rng = np.random.default_rng(seed)
    n = 4_000
    common, alone = rng.normal(0, 0.05, (n, 1)), rng.normal(0, 0.05, (n, k))
    errors = np.sqrt(share) * common + np.sqrt(1 - share) * alone
    return rounds(0.5 + errors, np.zeros(n, np.intp))


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.9])
def test_the_effective_number_is_within_a_tenth_of_the_planted_one(share: float) -> None:
    found = insights(together(share)).values["effective_number"].value
    assert found == pytest.approx(6 / (1 + 5 * share), rel=0.1)


def test_baselines_are_in_no_joint_number() -> None:
    whole = insights(together(0.5), ("c000", "c001"))
    assert (whole.together, len(whole.pairs)) == (4, 6)
    assert len(whole.contestants) == 6


def test_without_prices_nothing_is_said_beside_the_price() -> None:
    for row in some(insights(together(0.5)).contestants):
        assert row.values["information_weight"].state is State.EMPTY
        assert row.copies is None


def test_two_who_share_too_little_have_no_correlation() -> None:
    forecasts = together(0.5, k=2)
    who, question = forecasts.contestant.codes, forecasts.market.codes
    whole = insights(forecasts.take(question // 10 == 10 * who))
    assert whole.values["error_correlation"].state is State.EMPTY
    assert [pair.correlation for pair in whole.pairs] == [None]


def test_no_forecast_is_no_insight() -> None:
    whole = insights(board(1).take(np.zeros(0, np.intp)))
    assert (whole.contestants, whole.pairs, whole.together) == ((), (), 0)


def test_every_value_is_in_the_registry() -> None:
    whole = insights(board(1))
    keys = {*whole.values, *(key for row in whole.contestants for key in row.values)}
    assert keys <= METRICS.keys()
