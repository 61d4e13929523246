"""A planted contestant that contradicts itself is found; a coherent one never is."""

from dataclasses import replace

import numpy as np
import pytest

from arena.metrics.insights.consistency import consistency_of
from arena.metrics.insights.report import insights
from arena.records.estimate import Estimate, State
from arena.scoring.table import Factor, Floats, Forecasts, LadderKind, Ladders
from tests.present import present

EVENTS, EACH, ROUNDS = 120, 4, 2  # the first third exclusive, then thresholds, then deadlines
KINDS = ("arbitrage_exclusive", "arbitrage_thresholds", "arbitrage_deadlines")


def coherent(rng: np.random.Generator) -> Floats:
    """(rounds, events, markets) probabilities that do not contradict each other."""
    p = rng.dirichlet(np.ones(EACH + 1), (ROUNDS, EVENTS))[..., :EACH]
    p[:, EVENTS // 3 :] = np.cumsum(p[:, EVENTS // 3 :], axis=-1)
    return np.minimum(p, 1.0)


def board(seed: int) -> Forecasts:
    """A coherent contestant, and one who says the same with noise in its log odds."""
    rng = np.random.default_rng(seed)
    p = coherent(rng)
    odds = np.log(np.clip(p, 0.01, 0.99) / (1 - np.clip(p, 0.01, 0.99)))
    noisy = 1 / (1 + np.exp(-odds - rng.normal(0, 1.5, p.shape)))
    n = p.size
    markets = EVENTS * EACH
    market = np.tile(np.arange(markets), 2 * ROUNDS)
    day = np.datetime64("2026-01-01", "us") + np.arange(ROUNDS) * np.timedelta64(1, "D")
    rungs = np.arange(markets // 3, markets)
    return Forecasts(
        contestant=Factor(("coherent", "noisy"), np.repeat([0, 1], n)),
        market=Factor(tuple(f"m{i}" for i in range(markets)), market),
        event=Factor(tuple(f"e{i}" for i in range(EVENTS)), market // EACH),
        at=np.tile(np.repeat(day, markets), 2),
        p=np.concatenate([p.ravel(), noisy.ravel()]),
        outcome=np.zeros(2 * n, np.intp),
        market_p=np.full(2 * n, np.nan),
        close_p=np.full(2 * n, np.nan),
        exclusive=market < markets // 3,
        ladders=Ladders(
            tuple(
                LadderKind.THRESHOLD if n < 2 * EVENTS // 3 else LadderKind.DEADLINE
                for n in range(EVENTS)
            ),
            rungs,
            rungs // EACH,
            rungs.astype(np.float64),
        ),
    )


def values(forecasts: Forecasts, who: int) -> dict[str, Estimate]:
    return dict(consistency_of(forecasts).of(who, 0.95))


def test_a_coherent_contestant_never_contradicts_itself() -> None:
    for seed in range(20):
        own = values(board(seed), 0)
        assert [own[key].value for key in (*KINDS, "broken_checks")] == [0.0] * 4


@pytest.mark.parametrize("key", KINDS)
def test_one_that_contradicts_itself_is_found_on_every_kind(key: str) -> None:
    estimates = [values(board(seed), 1)[key] for seed in range(20)]
    assert {(e.n, e.events) for e in estimates} == {(ROUNDS * EVENTS // 3, EVENTS // 3)}
    assert sum(present(e.interval).low > 0 for e in estimates) >= 19


def test_contradictions_are_counted_over_all_kinds() -> None:
    estimate = values(board(1), 1)["broken_checks"]
    assert (estimate.n, estimate.events) == (ROUNDS * EVENTS, EVENTS)
    assert present(estimate.value) > 0.3


def test_what_was_said_at_different_moments_is_not_compared() -> None:
    forecasts = board(1)
    later = forecasts.at + forecasts.market.codes * np.timedelta64(1, "h")
    assert values(replace(forecasts, at=later), 1)["broken_checks"].state is State.EMPTY


def test_forecasts_of_no_known_moment_are_in_no_check() -> None:
    forecasts = board(1)
    unknown = np.full(len(forecasts), "NaT", "datetime64[us]")
    assert values(replace(forecasts, at=unknown), 1)["broken_checks"].n == 0


def test_without_word_on_events_the_values_are_missing() -> None:
    bare = replace(board(1), exclusive=None, ladders=None)
    for key in (*KINDS, "broken_checks"):
        assert (values(bare, 1)[key].value, values(bare, 1)[key].state) == (None, State.EMPTY)


def test_two_forecasts_of_one_market_at_one_moment_are_their_mean() -> None:
    forecasts = board(1)
    rows = np.arange(len(forecasts))
    twice = forecasts.take(np.concatenate([rows, rows]))
    assert values(twice, 1) == values(forecasts, 1)


def test_forecasts_that_wait_for_their_outcome_are_checked_too() -> None:
    forecasts = board(1)
    early = forecasts.at == forecasts.at.min()
    split = replace(forecasts.take(early), waiting=forecasts.take(~early))
    assert values(split, 1)["broken_checks"] == values(forecasts, 1)["broken_checks"]


def test_the_insights_of_a_contestant_have_its_contradictions() -> None:
    own = {row.contestant: row.values for row in insights(board(2)).contestants}
    assert own["coherent"]["broken_checks"].value == 0.0
    assert present(own["noisy"]["broken_checks"].value) > 0.3
