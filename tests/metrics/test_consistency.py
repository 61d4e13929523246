"""A planted contestant that contradicts itself is found; a coherent one never is.

The certain profit of an arbitrageur: none of coherent numbers, and the least there is.
"""

from dataclasses import replace
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.metrics.insights.consistency import (
    consistency_of,
    divergence,
    exclusive_arbitrage,
    ladder_arbitrage,
)
from arena.metrics.insights.report import insights
from arena.records.estimate import Estimate, State
from arena.scoring.table import Factor, Floats, Forecasts, LadderKind, Ladders
from tests.present import present

inside = st.floats(0.002, 0.998)


def exclusive(*p: float) -> float:
    return float(exclusive_arbitrage(np.array(p), np.zeros(len(p), np.intp))[0][0])


def ladder(*p: float) -> float:
    rungs = np.arange(len(p), dtype=np.float64)
    return float(ladder_arbitrage(np.array(p), np.zeros(len(p), np.intp), rungs)[0][0])


def test_the_paper_s_negation_of_a_half_and_six_tenths_is_a_hundredth() -> None:
    known = -2 * log(sqrt(0.5 * 0.4) + sqrt(0.5 * 0.6))
    assert exclusive(0.5, 0.6) == pytest.approx(known)
    assert known == pytest.approx(0.0101, abs=1e-4)


def test_the_paper_s_consequence_pools_log_odds() -> None:
    known = -2 * log(sqrt(0.8 * 0.3) + sqrt(0.2 * 0.7))
    assert ladder(0.8, 0.3) == pytest.approx(known)


@given(st.lists(inside, min_size=2, max_size=8))
def test_what_adds_up_to_one_at_most_earns_nothing(p: list[float]) -> None:
    whole = max(1.0, sum(p))
    assert exclusive(*(part / whole for part in p)) == 0.0


@given(st.lists(st.floats(0, 1), min_size=2, max_size=8))
def test_what_never_falls_earns_nothing(p: list[float]) -> None:
    assert ladder(*sorted(p)) == 0.0


@given(st.lists(inside, min_size=2, max_size=6), st.integers(0, 2**32 - 1))
def test_no_coherent_probabilities_are_nearer(p: list[float], seed: int) -> None:
    rng = np.random.default_rng(seed)
    said = np.array(p)
    for shares in rng.dirichlet(np.ones(len(p)), 20):
        assert divergence(shares, said).sum() >= exclusive(*p) - 1e-9
    for steps in np.sort(rng.uniform(size=(20, len(p))), axis=1):
        assert divergence(steps, said).sum() >= ladder(*p) - 1e-9


@given(st.lists(st.tuples(inside, st.integers(0, 3), inside), min_size=1, max_size=20))
def test_groups_are_checked_as_if_each_stood_alone(
    rows: list[tuple[float, int, float]],
) -> None:
    p, group = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    rung = np.arange(len(rows), dtype=np.float64)
    excluded, there = exclusive_arbitrage(p, group)
    implied, ladders = ladder_arbitrage(p, group, rung)
    assert there.tolist() == ladders.tolist()
    for code, by_sum, by_order in zip(there, excluded, implied, strict=True):
        assert by_sum == pytest.approx(exclusive(*p[group == code]))
        assert by_order == pytest.approx(ladder(*p[group == code]))


def test_certainty_is_held_to_a_thousandth() -> None:
    assert 0 < exclusive(1.0, 1.0) < 20
    assert 0 < ladder(1.0, 0.0) < 20
    assert exclusive(1.0, 0.0, 0.0) == 0.0


def test_many_impossible_outcomes_beside_a_certain_one_are_coherent() -> None:
    assert exclusive(1.0, *[0.0] * 2000) == 0.0


@pytest.mark.parametrize("p", [[0.9], []])
def test_one_outcome_alone_or_none_is_no_check(p: list[float]) -> None:
    said, group = np.array(p), np.zeros(len(p), np.intp)
    for arbitrage in (exclusive_arbitrage(said, group), ladder_arbitrage(said, group, said)):
        assert [found.tolist() for found in arbitrage] == [[], []]


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


def test_what_was_said_at_different_or_unknown_moments_is_not_compared() -> None:
    forecasts = board(1)
    apart = forecasts.at + forecasts.market.codes * np.timedelta64(1, "h")
    for at in (apart, np.full(len(forecasts), "NaT", "datetime64[us]")):
        found = values(replace(forecasts, at=at), 1)["broken_checks"]
        assert (found.n, found.state) == (0, State.EMPTY)


def test_without_word_on_events_the_values_are_missing() -> None:
    bare = replace(board(1), exclusive=None, ladders=None)
    for key in (*KINDS, "broken_checks"):
        assert (values(bare, 1)[key].value, values(bare, 1)[key].state) == (None, State.EMPTY)


def test_two_forecasts_of_one_market_at_one_moment_are_their_mean() -> None:
    forecasts = board(1)
    twice = forecasts.take(np.tile(np.arange(len(forecasts)), 2))
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
