from math import isfinite

import numpy as np

from arena.records.estimate import State
from arena.stats.regression.encompassing import information
from tests.present import present


def test_a_forecast_far_beyond_all_others_that_is_wrong_has_a_finite_gain() -> None:
    """Fitted without it the weight is 50 and more: its probability is 1 to the last digit."""
    n = 40
    known = np.resize([-0.4, -0.4, 0.4, 0.4], n)
    apart = np.resize([-0.05, 0.05], n)
    outcome = (apart > 0).astype(np.intp)
    outcome[::5] = 1 - outcome[::5]
    known, apart = np.append(known, 0.0), np.append(apart, 6.9)
    rows = np.arange(n + 1)
    found = information(
        1 / (1 + np.exp(-known - apart)),
        1 / (1 + np.exp(-known)),
        np.append(outcome, 0),
        rows,
        fold=np.where(rows == n, 2, rows // 4 % 2),
    )
    assert found.gain.state is State.OK
    assert isfinite(present(found.gain.value))
    assert present(found.gain.value) < 0
