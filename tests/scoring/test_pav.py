import numpy as np
import pytest

from arena.scoring.calibration.bins import CHUNK
from arena.scoring.calibration.corp import Levels, levels, pool


def slow_levels(p: list[float], y: list[int]) -> list[tuple[float, int, int]]:
    values = sorted(set(p))
    rows = [[b for a, b in zip(p, y, strict=True) if a == v] for v in values]
    return [(v, len(r), sum(r)) for v, r in zip(values, rows, strict=True)]


def listed(found: Levels) -> list[tuple[float, int, int]]:
    columns = (found.value.tolist(), found.number.tolist(), found.yes.tolist())
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize("decimals", [1, 2, 3, 4, 5, 17])
def test_levels_count_equal_forecasts_on_any_grid_or_none(decimals: int) -> None:
    rng = np.random.default_rng(decimals)
    p = [round(x, decimals) for x in rng.random(400).tolist()]
    y = rng.integers(2, size=400).tolist()
    assert listed(levels(p, y)) == slow_levels(p, y)


def test_one_forecast_off_the_grid_is_its_own_level() -> None:
    p = np.full(2 * CHUNK, 0.3)
    p[-1] = 0.1 + 0.2
    found = listed(levels(p, np.zeros(len(p), dtype=int)))
    assert found == [(0.3, 2 * CHUNK - 1, 0), (0.1 + 0.2, 1, 0)]


def test_zero_has_no_sign() -> None:
    assert listed(levels([-0.0, 0.0, 0.1234567], [1, 0, 1])) == [(0, 2, 1), (0.1234567, 1, 1)]


def test_no_forecast_has_no_levels_and_no_blocks() -> None:
    found = levels([], [])
    assert listed(found) == []
    assert len(pool(found.number, found.yes).first) == 0


def test_equal_frequencies_are_pooled() -> None:
    found = pool(np.array([2, 4, 1]), np.array([1, 2, 1]))
    assert (found.first.tolist(), found.number.tolist()) == ([0, 2], [6, 1])


def test_a_stair_that_falls_one_step_at_a_time_is_pooled_from_left_to_right() -> None:
    number = np.append(np.arange(40, 1, -1), 4000)
    yes = np.append(np.ones(39, dtype=int), 0)
    found = pool(number, yes)
    assert (found.first.tolist(), found.yes.tolist()) == ([0], [39])
