import numpy as np
import pytest

from arena.scoring.published import BenchRow, bench_rows
from arena.scoring.table import Factor, Forecasts


def rows(*said: tuple[str, str, float, int]) -> tuple[Forecasts, Factor]:
    """Forecasts by contestant, source, probability and outcome; each of a market of its own."""
    who, source, p, outcome = zip(*said, strict=True)
    n, nothing = len(said), np.full(len(said), np.nan)
    own = Factor(tuple(map(str, range(n))), np.arange(n))
    made = Forecasts(
        contestant=factor(who),
        market=own,
        event=own,
        at=np.full(n, "NaT", "datetime64[us]"),
        p=np.array(p),
        outcome=np.array(outcome),
        market_p=nothing,
        close_p=nothing,
    )
    return made, factor(source)


def factor(names: tuple[str, ...]) -> Factor:
    levels = tuple(dict.fromkeys(names))
    return Factor(levels, np.array([levels.index(name) for name in names]))


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
