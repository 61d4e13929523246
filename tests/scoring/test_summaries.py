import numpy as np
import pytest

from arena.records.estimate import State
from arena.scoring.summaries import discrimination, sharpness
from tests.present import present


def test_one_half_is_as_blunt_as_can_be() -> None:
    found = present(sharpness([0.5, 0.5]))
    assert (found.variance, found.distance) == (0, 0)
    assert found.entropy == pytest.approx(np.log(2))


def test_certainty_has_no_entropy() -> None:
    found = present(sharpness([0.0, 1.0]))
    assert (found.n, found.variance, found.distance, found.entropy) == (2, 0.25, 0.5, 0)


def test_no_forecast_has_no_sharpness() -> None:
    assert sharpness([]) is None


def test_pairs_are_counted_with_ties_as_half() -> None:
    p, y = [0.2, 0.6, 0.6, 0.9, 0.1], [0, 0, 1, 1, 1]
    found = discrimination(p, y)
    # 0.6 beats 0.2 and ties with 0.6; 0.9 beats both; 0.1 loses to both
    assert found.mann_whitney == 3.5
    assert found.auc == pytest.approx(3.5 / 6)


def test_outcomes_that_are_all_alike_cannot_be_told_apart() -> None:
    found = discrimination([0.2, 0.4], [1, 1])
    assert (found.auc, found.mann_whitney, found.state) == (None, None, State.NOT_ESTIMABLE)


def test_no_forecast_discriminates_nothing() -> None:
    assert discrimination([], []).state is State.EMPTY
