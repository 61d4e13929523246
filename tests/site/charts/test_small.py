"""Drawings in a cell of a table."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.site.charts.small import HEIGHT, WIDTH, sparkline, whisker
from tests.site.charts.reading import parsed, paths, places

ANY = st.floats(allow_nan=True, allow_infinity=True)


def test_a_whisker_is_hidden_from_those_who_read_the_text() -> None:
    drawn = parsed(whisker(0.1, 0.0, 0.2, least=-1, most=1, base=0))
    assert drawn.attrib["aria-hidden"] == "true"


def test_an_interval_that_leaves_the_axis_ends_in_an_arrow() -> None:
    inside = paths(whisker(0.1, 0.0, 0.2, least=-1, most=1), "ch-w")[0]
    outside = paths(whisker(0.1, -5, 5, least=-1, most=1), "ch-w")[0]
    assert "v16" in inside
    assert "v16" not in outside
    assert "l-10 8" in outside


@pytest.mark.parametrize(("value", "low", "high"), [(-3, -4, -2), (3, 2, 4), (-3, -4, 0)])
def test_a_value_beyond_the_axis_has_an_arrow_and_no_dot(
    value: float, low: float, high: float
) -> None:
    drawn = whisker(value, low, high, least=-1, most=1)
    assert paths(drawn, "ch-t") == []
    assert "8l" in paths(drawn, "ch-w")[0]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_is_not_drawn(value: float) -> None:
    assert whisker(value, 0, 1, least=0, most=1) == ""
    assert sparkline([value, 1.0]) == ""


def test_an_axis_without_length_has_no_whisker() -> None:
    assert whisker(1, 1, 1, least=1, most=1) == ""


def test_one_value_has_no_shape() -> None:
    assert sparkline([1.0]) == ""
    assert sparkline([]) == ""


def test_a_gap_in_a_series_is_a_gap_in_its_line() -> None:
    assert paths(sparkline([1, 2, None, 3, 4]), "ch-w")[0].count("M") == 2


def test_a_year_fits_into_a_cell() -> None:
    assert len(sparkline([float(n % 17) for n in range(365)], 8)) < 800


@given(ANY, ANY, ANY, st.floats(-5, 0), st.floats(1, 5))
def test_a_whisker_stays_in_its_cell(
    value: float, low: float, high: float, least: float, most: float
) -> None:
    drawn = whisker(value, *sorted((low, high)), least=least, most=most, base=0.5)
    for x, y in chain.from_iterable(
        places(d) for d in paths(drawn, "ch-w") + paths(drawn, "ch-t")
    ):
        assert 0 <= x <= WIDTH
        assert 0 <= y <= HEIGHT


@given(st.lists(st.one_of(st.none(), ANY), max_size=80), st.one_of(st.none(), ANY))
def test_a_series_stays_in_its_cell(values: list[float | None], base: float | None) -> None:
    drawn = sparkline(values, base)
    for x, y in chain.from_iterable(places(d) for d in paths(drawn, "ch-w")):
        assert 0 <= x <= WIDTH
        assert 0 <= y <= HEIGHT
