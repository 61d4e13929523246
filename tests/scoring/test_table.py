import numpy as np
import pytest
from numpy.typing import ArrayLike

from arena.scoring.table import Factor, Forecasts, checked
from tests.metrics.season import factor, over_options, season
from tests.present import present


@pytest.fixture
def rows() -> Forecasts:
    return season(events=4)


def test_a_name_has_a_code_where_a_row_could_have_it() -> None:
    column = Factor(("b", "a"), np.array([0, 0]))
    assert (column.code("b"), column.code("a"), column.code("c")) == (0, 1, None)
    assert (column.used(), Factor((), np.zeros(0, np.intp)).used()) == (1, 0)


def test_some_rows_keep_their_names_and_codes(rows: Forecasts) -> None:
    part = rows.take(rows.outcome == 1)
    assert part.contestant.names == rows.contestant.names
    assert len(part) == int(rows.outcome.sum())
    assert set(part.outcome.tolist()) <= {1}
    assert all(len(label.codes) == len(part) for label in part.labels.values())


def test_rows_can_be_taken_in_any_order_and_again(rows: Forecasts) -> None:
    part = rows.take(np.array([2, 0, 2]))
    assert part.p.tolist() == rows.p[[2, 0, 2]].tolist()
    assert part.market.codes.tolist() == rows.market.codes[[2, 0, 2]].tolist()


def test_options_go_with_their_rows() -> None:
    whole = over_options()
    part = whole.take(whole.outcome == 2)
    assert np.array_equal(present(part.options), present(whole.options)[whole.outcome == 2])


def test_one_contestant_has_its_own_rows_and_nobody_has_none(rows: Forecasts) -> None:
    assert sum(len(rows.of(name)) for name in rows.contestant.names) == len(rows)
    assert set(rows.of("ada").contestant.codes.tolist()) == {rows.contestant.code("ada")}
    assert len(rows.of("zoe")) == 0


def test_in_order_only_names_that_are_there_stand_sorted() -> None:
    column = Factor(("c", "none", "a", "b"), np.array([0, 2, 2, 3]))
    found = column.in_order()
    assert (found.names, found.codes.tolist()) == (("a", "b", "c"), [2, 0, 0, 1])
    assert Factor((), np.zeros(0, np.intp)).in_order().names == ()


def test_sorting_names_changes_what_no_row_says() -> None:
    column = factor(["y", "x", "z", "x"])
    found = column.in_order()
    assert [found.names[c] for c in found.codes] == [column.names[c] for c in column.codes]


def test_integers_are_not_copied() -> None:
    p, outcome = np.array([0.2, 0.7]), np.array([0, 1])
    found = checked(p, outcome)
    assert found[0] is p
    assert found[1] is outcome


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.uint64, np.float32, np.float64])
def test_an_outcome_of_any_type_becomes_a_signed_integer(dtype: type) -> None:
    _, outcome = checked([0.2, 0.7], np.array([0, 1], dtype=dtype))
    assert outcome.dtype.kind == "i"
    assert outcome.tolist() == [0, 1]


def test_no_rows_are_in_order() -> None:
    assert [len(column) for column in checked([], [])] == [0, 0]


@pytest.mark.parametrize(
    ("p", "outcome", "why"),
    [
        pytest.param([0.2, np.nan], [0, 1], "lies in", id="nan"),
        pytest.param([0.2, np.inf], [0, 1], "lies in", id="infinite"),
        pytest.param([-1e-9, 0.2], [0, 1], "lies in", id="below-0"),
        pytest.param([0.2, 1 + 1e-9], [0, 1], "lies in", id="above-1"),
        pytest.param([0.2], [0, 1], "1 forecasts, but 2", id="lengths"),
        pytest.param([[0.2]], [0], "one column", id="table"),
        pytest.param([0.2], [[0]], "one column", id="outcomes-table"),
        pytest.param([0.2], [2], "0 or 1", id="two"),
        pytest.param([0.2], [-1], "0 or 1", id="negative"),
        pytest.param([0.2], [0.5], "0 or 1", id="half"),
        pytest.param([0.2], [np.nan], "0 or 1", id="outcome-nan"),
        pytest.param([0.2], ["1"], "0 or 1", id="text"),
        pytest.param([0.2], np.array([2], np.uint8), "0 or 1", id="unsigned"),
        pytest.param([0.2], np.array([3], np.uint64), "0 or 1", id="unsigned-long"),
        pytest.param([-0.1, *[0.5] * 99_999], [0] * 100_000, "lies in", id="far-above"),
        pytest.param([*[0.5] * 99_999, np.nan], [0] * 100_000, "lies in", id="far-down"),
    ],
)
def test_a_bad_row_refuses_the_column(p: ArrayLike, outcome: ArrayLike, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        checked(p, outcome)
