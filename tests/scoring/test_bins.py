import numpy as np
import pytest

from arena.scoring.bins import CHUNK, BinningRule, bin_table, put_in_bins
from tests.present import present
from tests.vectors import source

TENTHS = [n / 10 for n in range(11)]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        pytest.param(BinningRule.DECIMAL, [*range(10), 9], id="a-decimal-opens-its-bin"),
        pytest.param(
            BinningRule.FLOAT_EDGES,
            [0, 1, 2, 2, 4, 5, 5, 6, 8, 9, 9],
            id="floats-put-3-and-7-low",
        ),
    ],
)
def test_tenths_fall_in_bins_as_the_rule_has_it(rule: BinningRule, expected: list[int]) -> None:
    assert put_in_bins(TENTHS, rule).codes.tolist() == expected


@pytest.mark.parametrize(
    ("id", "rule"),
    [
        ("s000.murphy.seed_code_semantics", BinningRule.FLOAT_EDGES),
        ("s000.murphy.exact_bins", BinningRule.DECIMAL),
        ("s000.murphy.market_exact_bins", BinningRule.DECIMAL),
    ],
)
def test_both_rules_sort_as_the_known_answers_do(id: str, rule: BinningRule) -> None:  # noqa: A002
    given = source(id)["input"]
    assert put_in_bins(given["f"], rule, given["n_bins"]).codes.tolist() == given["bin_index"]


def test_rounding_noise_does_not_move_a_forecast() -> None:
    assert put_in_bins([0.1 + 0.2, 0.7 - 1e-15, 0.7 - 1e-8]).codes.tolist() == [3, 7, 6]


@pytest.mark.parametrize("count", [1, 3, 20, 300])
def test_any_number_of_bins(count: int) -> None:
    p = np.random.default_rng(1).random(500)
    expected = np.minimum(np.floor(p * count), count - 1)
    for rule in (BinningRule.DECIMAL, BinningRule.FLOAT_EDGES):
        found = put_in_bins(p, rule, count)
        assert found.count == count
        assert found.codes.tolist() == expected.tolist()


def test_unique_values_are_bins_of_their_own_without_edges() -> None:
    found = put_in_bins([0.5, 0.2, 0.5], BinningRule.UNIQUE)
    assert (found.codes.tolist(), found.count, found.edges) == ([1, 0, 1], 2, None)


def test_a_table_skips_empty_bins_and_says_where_the_others_stand() -> None:
    table = bin_table([0.12, 0.18, 1.0], [0, 1, 1])
    assert table.index.tolist() == [1, 9]
    assert table.number.tolist() == [2, 1]
    assert table.mean_forecast.tolist() == pytest.approx([0.15, 1.0])
    assert table.frequency.tolist() == [0.5, 1.0]
    assert present(table.low).tolist() == [0.1, 0.9]
    assert present(table.high).tolist() == [0.2, 1.0]


@pytest.mark.parametrize("rule", list(BinningRule))
def test_no_forecast_gives_a_table_without_rows(rule: BinningRule) -> None:
    table = bin_table([], [], put_in_bins([], rule))
    assert (table.n, table.number.tolist()) == (0, [])


def test_chunks_change_nothing() -> None:
    rng = np.random.default_rng(3)
    p, y = rng.random(2 * CHUNK + 7), rng.integers(2, size=2 * CHUNK + 7)
    table = bin_table(p, y)
    inside = (p >= 0.3) & (p < 0.4)
    assert table.number[3] == inside.sum()
    assert table.mean_forecast[3] == pytest.approx(p[inside].mean(), abs=1e-14)
    assert table.frequency[3] == pytest.approx(y[inside].mean(), abs=1e-14)


def test_no_bins_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one bin"):
        put_in_bins([0.2], count=0)


def test_bins_of_other_forecasts_are_refused() -> None:
    with pytest.raises(ValueError, match="bins of 3"):
        bin_table([0.2], [0], put_in_bins([0.1, 0.2, 0.3]))
