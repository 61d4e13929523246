import numpy as np
import pytest

from arena.records.estimate import State
from arena.stats import Edge, edge
from arena.stats.reflected import (
    block_length,
    index_rows,
    naive_sharpe,
    reflected_from_rows,
    reflected_sharpe,
    seed_from_sha,
)
from arena.stats.sharpe import sharpe
from tests.vectors import near, source


def test_block_lengths_are_exact_for_every_n() -> None:
    for n in range(3000):
        k = block_length(n, None)
        assert 64 * k**3 <= 343 * n < 64 * (k + 1) ** 3


def test_a_length_is_not_negative() -> None:
    with pytest.raises(ValueError, match="not negative"):
        block_length(-1)


def test_the_name_of_a_commit_is_ascii() -> None:
    with pytest.raises(ValueError, match="ascii"):
        seed_from_sha("é")


def test_places_run_on_from_the_end_to_the_start() -> None:
    rows = index_rows(10, 50, 30, np.random.default_rng(1))
    assert rows.shape == (50, 10)
    steps = np.diff(rows, axis=1) % 10
    assert np.mean(steps == 1) > 0.9


@pytest.mark.parametrize("id", ["s002.sharpe.constant_n10", "s002.sharpe.constant_n150"])
def test_a_constant_series_is_genuine_in_the_source_and_degenerate_here(id: str) -> None:  # noqa: A002
    known = source(id)
    expected = known["expected"]
    constant = [0.01] * (10 if id.endswith("n10") else 150)
    naive = reflected_sharpe(constant, draws=50)
    told = {"numpy_std_ddof1": float(np.std(constant, ddof=1)), "naive_sharpe": naive.sharpe}
    assert near(told, {key: expected[key] for key in told}, known["tol"])
    # whether rounding leaves a spread is the platform's; the label follows from it
    genuine = naive.sharpe > 0
    assert naive.label is (Edge.GENUINE_EDGE if genuine else Edge.NO_EDGE)
    assert expected["naive_label"] in {Edge.GENUINE_EDGE, Edge.NO_EDGE}
    ours = sharpe(constant)
    assert (ours.value, ours.state) == (None, State.DEGENERATE)
    assert expected["recommended"].endswith(edge(ours, ours))


def test_no_value_is_no_edge_in_the_source() -> None:
    found = reflected_sharpe([])
    assert (found.n, found.sharpe, found.block_length, found.seed) == (0, 0.0, 4, 0)
    assert (found.ci_95.low, found.ci_95.high, found.label) == (0.0, 0.0, Edge.NO_EDGE)


def test_one_value_has_ratio_0_in_the_source() -> None:
    found = reflected_sharpe([0.3], draws=3)
    assert (found.sharpe, found.label) == (0.0, Edge.NO_EDGE)
    assert naive_sharpe([[1.0], [2.0]]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("rows", [[[0]], [[0, 2]], [[-1, 0]], [0, 1], np.zeros((0, 2))])
def test_places_are_in_the_series(rows: object) -> None:
    with pytest.raises(ValueError, match="place"):
        reflected_from_rows([0.1, 0.2], np.asarray(rows))
