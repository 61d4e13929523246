from dataclasses import replace

import numpy as np
import pytest

from arena.scoring.published import BenchRow, bench_rows
from arena.scoring.table import Factor, Forecasts
from tests.metrics.rounds import rounds
from tests.metrics.season import factor


def rows(*said: tuple[str, str, float, int]) -> tuple[Forecasts, Factor]:
    """Forecasts by contestant, source, probability and outcome; each of a market of its own."""
    who, source, p, outcome = zip(*said, strict=True)
    made = rounds(np.array(p)[:, None], outcome)
    return replace(made, contestant=factor(who)), factor(source)


def test_both_halves_have_half_of_the_weight_whatever_their_numbers() -> None:
    (row,) = bench_rows(
        *rows(
            ("ada", "fred", 0.5, 1),
            ("ada", "acled", 0.5, 0),
            ("ada", "yfinance", 0.5, 0),
            ("ada", "manifold", 0.9, 1),
        )
    )
    assert (row.dataset, row.n_dataset, row.n_market, row.n) == (0.25, 3, 1, 4)
    assert row.market == pytest.approx(0.01)
    assert row.overall == pytest.approx(0.13)
    assert row.index == pytest.approx(100 * (1 - 0.13**0.5))


def test_without_a_half_nothing_is_overall_and_the_row_stands_last() -> None:
    found = bench_rows(
        *rows(("ada", "fred", 1.0, 1), ("ben", "fred", 0.5, 1), ("ben", "infer", 0.5, 1))
    )
    assert [row.contestant for row in found] == ["ben", "ada"]
    assert found[1] == BenchRow("ada", 0.0, 1, None, 0, None, 1, None)
