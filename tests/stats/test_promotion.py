"""No false claim on any day."""

import numpy as np
import pytest

from arena.stats.promotion import (
    bounded_wealth,
    closed_evalues,
    daily_board,
    daily_gains,
    duel,
    largest_gain,
)

RNG = np.random.default_rng


def test_the_bound_is_the_larger_of_both_outcomes() -> None:
    p, q = RNG(0).random((2, 500))
    both = np.stack([(q - y) ** 2 - (p - y) ** 2 for y in (0, 1)])
    assert np.allclose(np.abs(both).max(axis=0), largest_gain(p, q), atol=1e-15)


def test_one_bet_is_the_plain_product() -> None:
    gains, bounds = np.array([0.1, -0.05, 0.2]), np.array([0.2, 0.1, 0.3])
    wealth = bounded_wealth(gains, bounds, (2.0,))
    assert wealth.e == pytest.approx(np.cumprod(1 + 2 * gains))


def test_a_bet_too_large_for_the_bound_is_cut() -> None:
    wealth = bounded_wealth(np.array([-0.5]), np.array([0.5]), (100.0,))
    assert wealth.e == pytest.approx([0.1])


def test_a_mixture_is_the_mean_of_its_bets() -> None:
    gains, bounds = RNG(1).uniform(-0.1, 0.1, 20), np.full(20, 0.1)
    single = [bounded_wealth(gains, bounds, (bet,)).e for bet in (1.0, 4.0)]
    assert bounded_wealth(gains, bounds, (1.0, 4.0)).e == pytest.approx(np.mean(single, axis=0))


def test_days_without_a_difference_change_nothing() -> None:
    gains, bounds = np.array([0.1, 0.0, 0.1]), np.array([0.2, 0.0, 0.2])
    wealth = bounded_wealth(gains, bounds)
    assert wealth.log_e[1] == wealth.log_e[0]
    assert wealth.log_e[2] == bounded_wealth(gains[[0, 2]], bounds[[0, 2]]).log_e[1]


def test_both_sides_share_the_level() -> None:
    gains = np.full(60, 0.05)
    found = duel(gains, np.full(60, 0.1))
    assert found.p()[-1] == pytest.approx(2 * found.first.p[-1])
    assert found.second.e[-1] < 1
    assert np.all(np.diff(found.p()) <= 0)


def test_questions_count_in_their_event_and_events_in_their_day() -> None:
    p = np.array([[0.9, 0.5], [0.8, 0.5], [0.2, 0.5], [0.6, 0.5]])
    outcome, event, day = np.array([1, 1, 0, 0]), np.array([4, 4, 2, 4]), np.array([9, 9, 9, 3])
    own = (0.5 - outcome) ** 2 - (p[:, 0] - outcome) ** 2
    found = daily_gains(p, outcome, event, day)
    assert found.days.tolist() == [3, 9]
    assert found.gains[:, 0].tolist() == pytest.approx(
        [own[3], ((own[0] + own[1]) / 2 + own[2]) / 2]
    )
    assert found.events[:, 0].tolist() == [1, 2]
    assert found.pairs.tolist() == [[0, 1]]
    assert np.all(np.abs(found.gains) <= found.bounds)


def test_gaps_are_left_out_of_their_pairs_only() -> None:
    rng = RNG(2)
    p, made = rng.random((40, 3)), rng.random((40, 3)) < 0.7
    outcome, event, day = rng.integers(0, 2, 40), rng.integers(0, 9, 40), rng.integers(0, 5, 40)
    found = daily_gains(np.where(made, p, np.nan), outcome, event, day, made=made)
    for column, (i, j) in enumerate(found.pairs):
        rows = made[:, i] & made[:, j]
        alone = daily_gains(p[rows][:, [i, j]], outcome[rows], event[rows], day[rows])
        at = np.searchsorted(found.days, alone.days)
        assert found.gains[at, column] == pytest.approx(alone.gains[:, 0])
        assert found.bounds[at, column] == pytest.approx(alone.bounds[:, 0])


def test_closure_is_the_least_mean_over_all_families() -> None:
    e = RNG(3).exponential(5, 6)
    sets = [[i for i in range(6) if mask >> i & 1] for mask in range(1, 64)]
    least = [min(np.mean(e[s]) for s in sets if k in s) for k in range(6)]
    assert closed_evalues(e) == pytest.approx(least)
    assert np.all(closed_evalues(e) >= e / 6)


def test_the_board_finds_the_best_and_claims_stand() -> None:
    rng = RNG(4)
    days, questions = 120, 6
    truth = rng.random(days * questions)
    outcome = (rng.random(truth.size) < truth).astype(int)
    noise = np.array([0.02, 0.3, 0.3])
    p = np.clip(truth[:, None] + noise * rng.normal(size=(truth.size, 3)), 0, 1)
    day = np.repeat(np.arange(days), questions)
    board = daily_board(daily_gains(p, outcome, np.arange(truth.size), day), 3)
    assert board.claims().tolist() == [[False, True, True], [False] * 3, [False] * 3]
    assert np.all(np.diff(board.p, axis=0) <= 0)
    assert np.all(board.p >= np.minimum(1, 1 / np.maximum.accumulate(board.e, axis=0)) - 1e-12)


def test_equals_are_rarely_told_apart_by_anybody_ever() -> None:
    rng = RNG(5)
    false = 0
    for _ in range(60):
        truth = rng.random(200)
        outcome = (rng.random(200) < truth).astype(int)
        p = np.clip(truth[:, None] + 0.2 * rng.normal(size=(200, 4)), 0, 1)
        daily = daily_gains(p, outcome, np.arange(200), np.repeat(np.arange(50), 4))
        false += bool(daily_board(daily, 4).claims().any())
    assert false <= 3


def test_batches_of_what_resolved_that_day_would_claim_what_is_not_so() -> None:
    outcome = RNG(6).permutation(np.repeat([0, 1], 150))
    p = np.tile([0.7, 0.3], (300, 1))
    forecast_on = np.arange(300) // 5
    resolved_on = forecast_on + 100 * (outcome == 0)  # YES comes early, NO at the end
    by_forecast = daily_board(daily_gains(p, outcome, np.arange(300), forecast_on), 2)
    by_outcome = daily_board(daily_gains(p, outcome, np.arange(300), resolved_on), 2)
    assert not by_forecast.claims().any()
    assert by_outcome.claims().any()


def test_nobody_and_no_day_make_no_claim() -> None:
    none = np.empty(0, int)
    board = daily_board(daily_gains(np.empty((0, 2)), none, none, none), 2)
    assert not board.claims().any()
    one = daily_gains(np.array([[0.4]]), np.array([1]), np.array([0]), np.array([0]))
    assert daily_board(one, 1).claims().tolist() == [[False]]


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="larger than"):
        bounded_wealth(np.array([0.3]), np.array([0.2]))
    with pytest.raises(ValueError, match="bound"):
        bounded_wealth(np.array([0.3]), np.array([np.inf]))
    with pytest.raises(ValueError, match="larger"):
        bounded_wealth(np.array([np.nan]), np.array([0.2]))
    with pytest.raises(ValueError, match="bets"):
        bounded_wealth(np.array([0.1]), np.array([0.2]), (0.0,))
    with pytest.raises(ValueError, match="negative"):
        closed_evalues(np.array([-1.0]))
    code = np.array([0])
    for p, outcome in ((np.array([[1.2, 0.1]]), 1), (np.array([[0.2, 0.1]]), 2)):
        with pytest.raises(ValueError, match=r"0"):
            daily_gains(p, np.array([outcome]), code, code)
    with pytest.raises(ValueError, match="event"):
        daily_gains(np.array([[0.2, 0.1]]), code, code, np.array([0, 1]))
    with pytest.raises(ValueError, match="column"):
        daily_gains(np.array([0.2]), code, code, code)
