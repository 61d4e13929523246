"""Planted contestants: what they know, copy and share is found."""

from dataclasses import replace
from math import nan

import numpy as np
import pytest

from arena.metrics.insights.report import ContestantInsights, insights
from arena.metrics.registry import METRICS
from arena.records.estimate import State
from arena.scoring.table import Factor, Floats, Forecasts
from arena.stats.regression.logit import log_odds
from tests.present import present, some

EVENTS, EACH = 150, 2  # markets an event


def world(rng: np.random.Generator, known: float = 0.6) -> tuple[Floats, Floats, Floats]:
    """Prices, true probabilities and log odds that are `known` beyond the price."""
    n = EVENTS * EACH
    price = rng.uniform(0.1, 0.9, n)
    signal = rng.normal(0, 1, n)
    return price, expit(log_odds(price, 1e-6) + known * signal), signal


def expit(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-x)))


def board(seed: int, *, weight: float = 1.0) -> Forecasts:
    """An informed one, a copier with a little noise, and one who says one half."""
    rng = np.random.default_rng(seed)
    price, truth, signal = world(rng)
    n = len(price)
    outcome = (rng.uniform(size=n) < truth).astype(np.intp)
    told = {
        "informed": expit(log_odds(price, 1e-6) + 0.6 * signal / weight),
        "copier": np.clip(price + rng.normal(0, 0.008, n), 0.01, 0.99),
        "half": np.full(n, 0.5),
    }
    k = len(told)
    market = np.tile(np.arange(n), k)
    return Forecasts(
        contestant=Factor(tuple(told), np.repeat(np.arange(k), n)),
        market=Factor(tuple(f"m{i}" for i in range(n)), market),
        event=Factor(tuple(f"e{i}" for i in range(EVENTS)), market // EACH),
        at=np.full(n * k, "2026-01-01", dtype="datetime64[us]"),
        p=np.concatenate(list(told.values())),
        outcome=np.tile(outcome, k),
        market_p=np.tile(price, k),
        close_p=np.tile(price, k),
    )


def own(forecasts: Forecasts) -> dict[str, ContestantInsights]:
    return {row.contestant: row for row in insights(forecasts).contestants}


def test_a_copier_is_flagged_and_an_informed_one_is_not() -> None:
    flags = [own(board(seed)) for seed in range(100)]
    assert sum(found["copier"].copies is True for found in flags) >= 95
    assert sum(found["informed"].copies is False for found in flags) >= 95


@pytest.mark.parametrize("weight", [0.5, 1.0])
def test_the_weight_is_within_two_standard_errors_of_the_planted_one(weight: float) -> None:
    near = 0
    for seed in range(100):
        found = own(board(seed, weight=weight))["informed"].values["information_weight"]
        near += abs(present(found.value) - weight) <= 2 * present(found.se)
    assert near >= 91  # 95 % less two errors of 100 seeds


def test_a_copy_of_the_price_and_a_constant_have_no_weight() -> None:
    forecasts = board(1)
    exact = replace(forecasts, p=forecasts.market_p.copy())
    state = own(exact)["copier"].values["information_weight"].state
    assert (state, own(exact)["copier"].copies) == (State.DEGENERATE, True)
    half = own(forecasts)["half"].values["information_weight"]
    assert (half.value, half.state) == (None, State.DEGENERATE)


def test_what_adds_nothing_gains_nothing_out_of_sample() -> None:
    gains = [own(board(seed))["copier"].values["information_gain"].value for seed in range(20)]
    assert np.mean([gain for gain in gains if gain is not None]) < 0
    informed = present(own(board(3))["informed"].values["information_gain"].interval)
    assert informed.low > 0


def updated(seed: int, share: float) -> Forecasts:
    """Two forecasts of each market: the second goes `share` of the way to the truth."""
    rng = np.random.default_rng(seed)
    n = EVENTS * EACH
    truth = rng.uniform(0.1, 0.9, n)
    first = np.clip(truth + rng.normal(0, 0.2, n), 0.02, 0.98)
    market = np.tile(np.arange(n), 2)
    outcome = (rng.uniform(size=n) < truth).astype(np.intp)
    days = np.repeat(np.array(["2026-01-01", "2026-01-08"], dtype="datetime64[us]"), n)
    return Forecasts(
        contestant=Factor(("ada",), np.zeros(2 * n, np.intp)),
        market=Factor(tuple(f"m{i}" for i in range(n)), market),
        event=Factor(tuple(f"e{i}" for i in range(EVENTS)), market // EACH),
        at=days,
        p=np.concatenate([first, np.clip(first + share * (truth - first), 0.0, 1.0)]),
        outcome=np.tile(outcome, 2),
        market_p=np.full(2 * n, nan),
        close_p=np.full(2 * n, nan),
    )


@pytest.mark.parametrize("share", [1.0, -0.5])
def test_the_value_of_updating_has_the_planted_sign(share: float) -> None:
    found = [
        own(updated(seed, share))["ada"].values["value_of_updating"].value
        for seed in range(100)
    ]
    assert sum(value is not None and value * share > 0 for value in found) >= 95


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
    common = rng.normal(0, 0.05, n)
    errors = [
        np.sqrt(share) * common + np.sqrt(1 - share) * rng.normal(0, 0.05, n) for _ in range(k)
    ]
    market = np.tile(np.arange(n), k)
    return Forecasts(
        contestant=Factor(tuple(f"c{i}" for i in range(k)), np.repeat(np.arange(k), n)),
        market=Factor(tuple(f"m{i}" for i in range(n)), market),
        event=Factor(tuple(f"m{i}" for i in range(n)), market),
        at=np.full(n * k, "2026-01-01", dtype="datetime64[us]"),
        p=0.5 + np.concatenate(errors),
        outcome=np.zeros(n * k, np.intp),
        market_p=np.full(n * k, nan),
        close_p=np.full(n * k, nan),
    )


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.9])
def test_the_effective_number_is_within_a_tenth_of_the_planted_one(share: float) -> None:
    found = insights(together(share)).values["effective_number"].value
    assert found == pytest.approx(6 / (1 + 5 * share), rel=0.1)


def test_baselines_are_in_no_joint_number() -> None:
    whole = insights(together(0.5), ("c0", "c1"))
    assert (whole.together, len(whole.pairs)) == (4, 6)
    assert len(whole.contestants) == 6


def test_without_prices_nothing_is_said_beside_the_price() -> None:
    for row in some(insights(together(0.5)).contestants):
        assert row.values["information_weight"].state is State.EMPTY
        assert row.copies is None


def test_two_who_share_too_little_have_no_correlation() -> None:
    forecasts = together(0.5, k=2)
    first, second = forecasts.take(np.arange(10)), forecasts.take(np.arange(4_100, 4_110))
    rows = np.concatenate([np.arange(10), np.arange(4_100, 4_110)])
    assert len(first) == len(second) == 10
    whole = insights(forecasts.take(rows))
    assert whole.values["error_correlation"].state is State.EMPTY
    assert [pair.correlation for pair in whole.pairs] == [None]


def test_no_forecast_is_no_insight() -> None:
    whole = insights(board(1).take(np.zeros(0, np.intp)))
    assert (whole.contestants, whole.pairs, whole.together) == ((), (), 0)


def test_every_value_is_in_the_registry() -> None:
    whole = insights(board(1))
    keys = {*whole.values, *(key for row in whole.contestants for key in row.values)}
    assert keys <= METRICS.keys()
