import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from arena.metrics.claims.board_claims import board_claims
from benchmarks.separation import (
    CONTESTS,
    Contest,
    Season,
    predicted,
    seasons_of,
    size_of_power,
    told_apart,
    true_gap,
)
from tests.metrics.rounds import rounds
from tests.metrics.season import timeless
from tests.present import present
from tests.sizes import size

TWO = CONTESTS[0]


def test_the_power_that_is_predicted_is_the_share_of_seasons_that_separate() -> None:
    (plan,) = predicted(TWO).values()
    (claims,) = seasons_of(Season(TWO, (plan.events,), 0, 300))
    assert claims.mean() == pytest.approx(plan.power, abs=0.1)


def test_markets_of_one_event_are_planned_for_by_their_correlation() -> None:
    four = CONTESTS[2]
    (plan,) = predicted(four).values()
    (claims,) = seasons_of(Season(four, (plan.events,), 0, 300))
    assert 1 < plan.design_effect < 4
    assert claims.mean() == pytest.approx(plan.power, abs=0.1)


def test_equals_stay_together() -> None:
    equals = Contest("equals", (0.8,) * 6)
    (claims,) = seasons_of(Season(equals, (60,), 0, size(60, 200)))
    assert claims[:, 0].any(axis=1).mean() <= 0.09
    assert predicted(equals) == {}


def test_the_hardest_pair_has_the_fewest_comparisons_and_equals_count_as_open() -> None:
    plans = predicted(Contest("three", (0.2, 0.9, 0.9)))
    assert {plan.comparisons for plan in plans.values()} == {3}
    comparisons = [plan.comparisons for plan in predicted(CONTESTS[3]).values()]
    assert comparisons == sorted(comparisons)


def test_the_true_gap_is_that_of_very_many_forecasts() -> None:
    rng = np.random.default_rng(7)
    odds = rng.normal(0, 1.5, 400_000)
    came = rng.random(odds.size) < 1 / (1 + np.exp(-odds))
    one, other = (1 / (1 + np.exp(-odds - rng.normal(0, s, odds.size))) for s in (0.4, 1.2))
    d = (one - came) ** 2 - (other - came) ** 2
    effect, sigma, icc = true_gap(0.4, 1.2)
    assert effect == pytest.approx(d.mean(), abs=0.0015)
    assert sigma == pytest.approx(d.std(), rel=0.01)
    assert 0 < icc < 1
    assert true_gap(0.8, 0.8)[0] == pytest.approx(0)


def test_the_size_of_a_power_is_found_between_those_that_were_tried() -> None:
    sizes = np.array([20.0, 60.0, 90.0, 120.0, 400.0])
    power = ndtr(0.28 * np.sqrt(sizes) - ndtri(0.975))
    found = size_of_power(sizes, power, 0.8)
    assert found == pytest.approx(((ndtri(0.975) + ndtri(0.8)) / 0.28) ** 2)


def test_the_simulation_separates_whom_a_file_without_dates_separates() -> None:
    three = Contest("three", (0.2, 0.9, 2.0))
    rng = np.random.default_rng(2)
    said, came = rng.random((3, 80)), rng.random(80) < 0.5
    said[0] = np.where(came, 0.7, 0.3)
    whole = timeless(rounds(said.T, came.astype(np.intp)))
    shown = present(board_claims(whole, "brier").contest)
    found = told_apart((said - came) ** 2, three)
    assert [claim.better is not None for claim in shown.claims] == found.tolist()
    assert found.tolist() == [True, True, False]
