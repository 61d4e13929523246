import numpy as np
import pytest

from arena.stats.comparisons.difference import events_needed, panel


def _rows(seed: int, k: int = 5, m: int = 24) -> tuple[np.ndarray, ...]:
    """Losses, contestants, questions and events; three questions of ten are left out."""
    rng = np.random.default_rng(seed)
    who, question = np.repeat(np.arange(k), m), np.tile(rng.permutation(m), k)
    keep = rng.random(who.size) < 0.7
    loss = rng.random(who.size) + 0.2 * who
    return loss[keep], who[keep], question[keep], (question // 3)[keep]


def test_several_forecasts_of_a_question_are_one() -> None:
    found = panel([0.1, 0.3, 0.5], [0, 0, 1], [7, 7, 7], [0, 0, 0])
    assert found.losses.tolist() == [[0.2], [0.5]]


@pytest.mark.parametrize(("event", "why"), [([0, 1], "two events"), ([0], "one code")])
def test_rows_that_contradict_each_other_are_refused(event: list[int], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        panel([0.1, 0.2], [0, 1], [5, 5], event)


def test_a_difference_of_0_takes_forever_to_show() -> None:
    assert events_needed(0.0, 1.0) is None
    assert events_needed(0.5, 1.0) == pytest.approx(31.395, abs=1e-3)
    with pytest.raises(ValueError, match="not negative"):
        events_needed(0.5, -1.0)
