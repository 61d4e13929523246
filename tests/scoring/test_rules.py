from dataclasses import fields
from decimal import Decimal
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ledger.order_limits import judge
from arena.odds.implied import linear
from arena.records.grade import Score
from arena.records.market import NO_WINS, YES_WINS, Outcome, Side
from arena.scoring.leaderboard import brier_score, mean_of_picos, picos, skill_score
from tests.build import at_price, bets, deciding, desk

HUNDRED_FIVES = (500, 500, 500, 500, 500)


def linear_brier(c: str, side: Side, outcome: Outcome) -> float:
    assert outcome.truth is not None
    return brier_score(float(linear(side, Decimal(c))), outcome.truth)


@pytest.mark.parametrize(
    ("c", "side", "outcome", "forecast", "expected"),
    [
        pytest.param("0.8", Side.YES, YES_WINS, 0.8, 0.04, id="B1"),
        pytest.param("0.8", Side.YES, NO_WINS, 0.8, 0.64, id="B2"),
        pytest.param("0.8", Side.NO, YES_WINS, 0.2, 0.64, id="B3"),
        pytest.param("0.8", Side.NO, NO_WINS, 0.2, 0.04, id="B4"),
        pytest.param("0.7", Side.YES, YES_WINS, 0.7, 0.09, id="B5-the-claim-on-A-and-A-wins"),
        pytest.param("0.7", Side.YES, NO_WINS, 0.7, 0.49, id="B6-the-claim-on-A-and-B-wins"),
        pytest.param("0.04", Side.YES, YES_WINS, 0.04, 0.9216, id="B8"),
        pytest.param("0.04", Side.YES, NO_WINS, 0.04, 0.0016, id="B9"),
        pytest.param("0.02", Side.NO, NO_WINS, 0.98, 0.9604, id="B10"),
    ],
)
def test_b1_to_b10_a_stake_scores_the_square_of_what_it_says(
    c: str, side: Side, outcome: Outcome, forecast: float, expected: float
) -> None:
    assert float(linear(side, Decimal(c))) == pytest.approx(forecast)
    assert linear_brier(c, side, outcome) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("truth", "expected"),
    [
        pytest.param(1, 0.603096411, id="B11-all-win"),
        pytest.param(0, 0.050313473, id="B12-all-lose"),
    ],
)
def test_b11_b12_the_mean_over_five_equal_legs(truth: int, expected: float) -> None:
    found = judge(deciding(*bets(*HUNDRED_FIVES)), desk(at_price("0.5")))
    scores = [brier_score(fill.linear, truth) for fill in found.fills]
    assert fmean(scores) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("score", "reference", "expected"),
    [
        pytest.param(0.1, 0.25, 0.6, id="B16"),
        pytest.param(0.4, 0.2, -1, id="B17"),
        pytest.param(0.15, 0.25, 0.4, id="B18"),
    ],
)
def test_b16_to_b18_skill_is_the_share_of_the_reference_that_is_avoided(
    score: float, reference: float, expected: float
) -> None:
    assert skill_score(score, reference) == pytest.approx(expected)


def test_there_is_no_skill_over_a_perfect_reference() -> None:
    assert skill_score(0.1, 0) is None


def test_b19_ours_has_no_labels_beside_a_score() -> None:
    assert [f.name for f in fields(Score)] == ["value", "n"]


@pytest.mark.parametrize("probability", [-0.001, 1.001, float("nan")])
def test_what_is_no_probability_is_not_scored(probability: float) -> None:
    with pytest.raises(ValueError, match="a probability lies in"):
        brier_score(probability, 1)


def test_a_fraction_is_not_scored() -> None:
    with pytest.raises(ValueError, match="an outcome is 0 or 1"):
        brier_score(0.5, 2)


@given(scores=st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_a_mean_from_trillionths_is_the_mean(scores: list[float]) -> None:
    kept = mean_of_picos(sum(picos(s) for s in scores), len(scores))
    assert kept == pytest.approx(fmean(scores), abs=1e-12)


def test_there_is_no_mean_of_no_trillionths() -> None:
    assert mean_of_picos(0, 0) is None
