from collections.abc import Callable
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.odds.edge import edges
from arena.scoring.leaderboard import mean_of_picos, skill_score
from arena.scoring.logarithmic import Clip, log_terms
from arena.scoring.proper import expected_log_curvature
from arena.scoring.published import (
    PublishedBand,
    band_as_coded,
    band_as_documented,
    expected_log_curvature_as_printed,
    mean_score_or_zero,
    skill_score_or_zero,
    two_legs_underpriced,
)

UNIT = st.floats(0, 1)


def test_a_perfect_reference_leaves_a_skill_of_zero_in_the_guide_and_none_here() -> None:
    assert [skill_score_or_zero(score, 0.0) for score in (0.0, 0.3, 1.0)] == [0.0] * 3
    assert skill_score(0.3, 0.0) is None


@given(score=UNIT, reference=st.floats(0.001, 1))
def test_against_any_other_reference_both_skills_are_one(
    score: float, reference: float
) -> None:
    assert skill_score_or_zero(score, reference) == skill_score(score, reference)


@given(f=st.floats(0.02, 0.98), p=UNIT)
def test_the_printed_curvature_is_the_right_one_turned_over(f: float, p: float) -> None:
    printed, right = expected_log_curvature_as_printed(f, p), expected_log_curvature(f, p)
    step = 1e-3 * min(f, 1 - f)
    around = [f - step, f, f + step]
    chance = [p] * 3 + [1 - p] * 3
    losses = log_terms(around * 2, [1] * 3 + [0] * 3, clip=Clip.NONE) * chance
    bend = (losses[:3] + losses[3:]) @ [1, -2, 1]
    assert printed == -right
    assert printed < 0 < right
    assert bend / step**2 == pytest.approx(right, rel=1e-2)


def test_the_mean_of_nothing_is_perfect_there_and_no_number_here() -> None:
    assert (mean_score_or_zero([]), mean_of_picos(0, 0)) == (0.0, None)


@given(scores=st.lists(UNIT, min_size=1, max_size=20))
def test_both_means_of_something_are_one(scores: list[float]) -> None:
    assert mean_score_or_zero(scores) == pytest.approx(fmean(scores), abs=1e-12)


def test_a_mean_of_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        mean_score_or_zero([0.1, float("nan")])


@pytest.mark.parametrize(
    ("score", "documented", "coded"),
    [
        (0.0, PublishedBand.PERFECT, PublishedBand.EXCELLENT),
        (0.0999, PublishedBand.EXCELLENT, PublishedBand.EXCELLENT),
        (0.10, PublishedBand.GOOD, PublishedBand.GOOD),
        (0.20, PublishedBand.FAIR, PublishedBand.FAIR),
        (0.2499, PublishedBand.FAIR, PublishedBand.FAIR),
        (0.25, PublishedBand.POOR, PublishedBand.FAIR),
        (0.2999, PublishedBand.POOR, PublishedBand.FAIR),
        (0.30, PublishedBand.POOR, PublishedBand.POOR),
        (0.40, PublishedBand.VERY_POOR, PublishedBand.VERY_POOR),
        (1.0, PublishedBand.VERY_POOR, PublishedBand.VERY_POOR),
    ],
)
def test_documents_and_code_part_over_what_is_fair(
    score: float, documented: PublishedBand, coded: PublishedBand
) -> None:
    assert (band_as_documented(score), band_as_coded(score)) == (documented, coded)


@pytest.mark.parametrize("band", [band_as_documented, band_as_coded])
@pytest.mark.parametrize("score", [-0.01, 1.01, float("nan")])
def test_what_is_no_brier_score_has_no_name(
    band: Callable[[float], PublishedBand], score: float
) -> None:
    with pytest.raises(ValueError, match="Brier score lies in"):
        band(score)


def test_the_page_and_the_code_warn_of_different_books() -> None:
    p = np.array([[0.40, 0.40, 0.20], [0.50, 0.30, 0.20], [0.40, 0.30, 0.30]])
    q = np.array([[0.35, 0.35, 0.30], [0.40, 0.30, 0.30], [0.40, 0.30, 0.30]])
    assert two_legs_underpriced(p - q).tolist() == [True, False, False]
    assert edges(p, q, np.zeros(p.shape)).two_sided.tolist() == [True, True, False]


@given(p=UNIT, q=UNIT)
def test_two_legs_of_one_market_are_never_both_too_cheap(p: float, q: float) -> None:
    assert not two_legs_underpriced([p - q, q - p], 0.0)


def test_legs_on_the_threshold_are_not_too_cheap() -> None:
    assert not two_legs_underpriced([0.33 - 0.30, 0.33 - 0.30, -0.06])
    assert two_legs_underpriced([0.031, 0.031, -0.062])
    assert not two_legs_underpriced([0.031, 0.031, -0.062], 0.05)


def test_edges_that_are_no_book_are_refused() -> None:
    with pytest.raises(ValueError, match="along an axis"):
        two_legs_underpriced(0.1)
    with pytest.raises(ValueError, match="finite"):
        two_legs_underpriced([0.1, float("inf")])
