"""Pairs of arms: what is one family, and what is none."""

from dataclasses import replace

import numpy as np
import pytest

from arena.metrics.claims.board_claims import ArmClaim, arm_claims, board_claims
from arena.scoring.table import Factor, Floats, Forecasts
from tests.metrics.board import apart, board, weekly
from tests.present import present

WEEKS, EACH = 12, 4


def in_arms(
    p: Floats, outcome: Floats, contestants: tuple[str, ...]
) -> tuple[Forecasts, Factor]:
    """Each column of forecasts is an arm; every contestant says them all."""
    asked = weekly(WEEKS, EACH)
    rows = board(p, outcome, asked=asked, due=[day + 3 for day in asked])
    n, k = len(rows), len(contestants)
    every = rows.take(np.tile(np.arange(n), k))
    who = Factor(contestants, np.repeat(np.arange(k), n))
    return replace(every, contestant=who), every.contestant


def claims_of(*contestants: str) -> tuple[ArmClaim, ...]:
    p, outcome = apart(3, WEEKS, EACH)
    return arm_claims(*in_arms(p, outcome, contestants))


def test_an_arm_that_knows_more_is_named() -> None:
    (found,) = claims_of("ada")
    assert (found.contestant, found.claim.better) == ("ada", "c000")
    assert present(found.claim.test.estimate) < 0


def test_one_contestant_in_two_arms_is_judged_as_two_of_a_file() -> None:
    p, outcome = apart(3, WEEKS, EACH)
    forecasts, arms = in_arms(p, outcome, ("ada",))
    alone = board_claims(replace(forecasts, contestant=arms), "brier", by_moment=True)
    (found,) = arm_claims(forecasts, arms)
    assert found.claim == present(alone.contest).claims[0]


def test_p_is_multiplied_by_the_contestants_that_are_compared() -> None:
    (alone,), (first, second) = claims_of("ada"), claims_of("ada", "bea")
    assert present(first.claim.p_anytime) == pytest.approx(2 * present(alone.claim.p_anytime))
    assert first.claim == second.claim


def test_who_says_the_same_in_every_arm_is_no_part_of_the_family() -> None:
    p, outcome = apart(3, WEEKS, EACH)
    forecasts, arms = in_arms(p, outcome, ("ada", "bea"))
    same = np.where(forecasts.contestant.codes == 1, 0.5, forecasts.p)
    (found,) = arm_claims(replace(forecasts, p=same), arms)
    (alone,) = claims_of("ada")
    assert found == alone


def test_replicates_of_an_arm_are_averaged() -> None:
    p, outcome = apart(3, WEEKS, EACH)
    forecasts, arms = in_arms(p, outcome, ("ada",))
    twice = np.tile(np.arange(len(forecasts)), 2)
    (once,) = arm_claims(forecasts, arms)
    (found,) = arm_claims(forecasts.take(twice), arms.take(twice))
    assert found.claim.test == once.claim.test


def test_nothing_is_compared_of_a_single_arm() -> None:
    p, outcome = apart(3, WEEKS, EACH)
    assert arm_claims(*in_arms(p[:, :1], outcome, ("ada",))) == ()
