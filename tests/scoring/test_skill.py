import numpy as np
import pytest

from arena.records.estimate import State
from arena.scoring.skill import brier_skill, log_skill, skill_of_terms
from tests.vectors import case, near, source

AGENT = source("s000.bss.vs_market")["input"]
F, TRUTH, M = AGENT["f"], AGENT["o"], AGENT["reference"]


@pytest.mark.parametrize("name", ["binary_cents_n1000", "binary_extreme_n50"])
def test_bss_vs_base_rate_as_others_have_it(name: str) -> None:
    v = case("01_scores", name)
    p, y = v["inputs"]["p"], v["inputs"]["y"]
    found = brier_skill(p, y, np.mean(y))
    # its author rounds p to 8 places
    assert near(found.value, v["expected"]["bss_vs_base_rate"], 2e-7)


def test_a_constant_half_has_no_skill_over_itself() -> None:
    assert brier_skill([0.5] * 4, [0, 1, 1, 0], 0.5).value == 0


def test_rows_without_a_reference_are_in_neither_mean() -> None:
    known = brier_skill(F[:5], TRUTH[:5], M[:5])
    found = brier_skill(F, TRUTH, [*M[:5], *[np.nan] * 5])
    assert (found.value, found.n, found.unknown) == (known.value, 5, 5)
    none = brier_skill(F, TRUTH, np.nan)
    assert (none.value, none.n, none.unknown, none.state) == (None, 0, 10, State.EMPTY)


def test_a_perfect_reference_is_a_state_and_not_0() -> None:
    found = brier_skill(F, TRUTH, TRUTH)
    assert (found.value, found.state) == (None, State.PERFECT_REFERENCE)
    assert log_skill(F, TRUTH, TRUTH).state is State.PERFECT_REFERENCE


def test_an_infinite_loss_has_no_ratio() -> None:
    found = skill_of_terms([0.7, np.inf], [0.7, 0.7])
    assert (found.value, found.state) == (None, State.NOT_ESTIMABLE)


def test_skill_is_pooled_and_not_averaged() -> None:
    halves = [brier_skill(F[s], TRUTH[s], M[s]).value for s in (slice(5), slice(5, 10))]
    pooled = brier_skill(F, TRUTH, M).value
    assert np.mean([h for h in halves if h is not None]) != pytest.approx(pooled, abs=1e-4)


@pytest.mark.parametrize(
    ("loss", "reference", "why"),
    [
        ([1.0], [1.0, 2.0], "columns of one length"),
        ([np.nan], [1.0], "not negative"),
        ([1.0], [-1.0], "not negative"),
    ],
)
def test_what_is_no_loss_has_no_skill(
    loss: list[float], reference: list[float], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        skill_of_terms(loss, reference)
