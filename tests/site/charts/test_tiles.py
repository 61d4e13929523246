"""Drawings in a cell of a table."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.site.charts.tiles import (
    BAR,
    BAR_HEIGHT,
    HEIGHT,
    WIDTH,
    TileMark,
    axis_head,
    bar_axis,
    base_bar,
    interval_bar,
    sparkline,
)
from tests.site.charts.reading import parsed, paths, places, texts

ANY = st.floats(allow_nan=True, allow_infinity=True)


AXIS = bar_axis(-1, 1, [(-1, "low"), (0, "market"), (0.02, "near"), (0.5, "far")])


def test_a_bar_is_hidden_from_those_who_read_the_text() -> None:
    drawn = parsed(interval_bar((0.1, 0.0, 0.2), AXIS, base=0))
    assert drawn.attrib["aria-hidden"] == "true"


def test_an_interval_that_leaves_the_axis_ends_in_an_arrow() -> None:
    inside = paths(interval_bar((0.1, 0.0, 0.2), AXIS), "ch-w")[0]
    outside = paths(interval_bar((0.1, -5, 5), AXIS), "ch-w")[0]
    assert "l10 8" not in inside
    assert "l10 8" in outside
    assert "l-10 8" in outside


@pytest.mark.parametrize(("value", "low", "high"), [(-3, -4, -2), (3, 2, 4), (-3, -4, 0)])
def test_a_value_beyond_the_axis_has_an_arrow_and_no_mark(
    value: float, low: float, high: float
) -> None:
    drawn = interval_bar((value, low, high), AXIS)
    assert paths(drawn, "ch-t") + paths(drawn, "ch-o") == []
    assert "10 8" in paths(drawn, "ch-w")[0]


def test_what_is_shown_is_told_by_shape_and_by_colour() -> None:
    drawn = {mark: interval_bar((0.1, 0.0, 0.2), AXIS, mark=mark) for mark in TileMark}
    assert [len(paths(drawn[mark], "ch-t")) for mark in TileMark] == [1, 1, 0]
    assert len(paths(drawn[TileMark.OPEN], "ch-o")) == 1
    up, down = (paths(drawn[mark], "ch-t")[0] for mark in (TileMark.BETTER, TileMark.WORSE))
    assert up.split("m")[1] != down.split("m")[1]
    assert all(f"ch-{mark}" in drawn[mark] for mark in TileMark)


def test_words_of_an_axis_never_touch_and_zero_has_its_own() -> None:
    assert texts(axis_head(AXIS)) == ["market", "far"]


def test_what_all_are_compared_with_is_a_line_alone() -> None:
    drawn = base_bar(AXIS, 0)
    assert len(paths(drawn, "ch-v")) == 1
    assert paths(drawn, "ch-w") == []


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_no_number_is_not_drawn(value: float) -> None:
    assert interval_bar((value, 0, 1), AXIS) == ""
    assert sparkline([value, 1.0]) == ""


def test_an_axis_without_length_has_no_bar() -> None:
    assert interval_bar((1, 1, 1), bar_axis(1, 1)) == ""


def test_series_of_one_scale_can_be_compared() -> None:
    """The same line stands lower where the scale reaches further up."""
    low, high = (
        min(y for _, y in places(paths(sparkline([1, 2], 1, (1, top)), "ch-w")[0]))
        for top in (2.0, 9.0)
    )
    assert low < high


def test_one_value_has_no_shape() -> None:
    assert sparkline([1.0]) == ""
    assert sparkline([]) == ""


def test_a_gap_in_a_series_is_a_gap_in_its_line() -> None:
    assert paths(sparkline([1, 2, None, 3, 4]), "ch-w")[0].count("M") == 2


def test_a_year_fits_into_a_cell() -> None:
    assert len(sparkline([float(n % 17) for n in range(365)], 8)) < 800


@given(ANY, ANY, ANY, st.floats(-5, 0), st.floats(1, 5))
def test_a_bar_stays_in_its_cell(
    value: float, low: float, high: float, least: float, most: float
) -> None:
    axis = bar_axis(least, most)
    drawn = interval_bar((value, *sorted((low, high))), axis, base=0.5)  # type: ignore[arg-type]
    for x, y in chain.from_iterable(
        places(d) for d in paths(drawn, "ch-w") + paths(drawn, "ch-o")
    ):
        assert 0 <= x <= BAR
        assert 0 <= y <= BAR_HEIGHT


@given(st.lists(st.one_of(st.none(), ANY), max_size=80), st.one_of(st.none(), ANY))
def test_a_series_stays_in_its_cell(values: list[float | None], base: float | None) -> None:
    drawn = sparkline(values, base)
    for x, y in chain.from_iterable(places(d) for d in paths(drawn, "ch-w")):
        assert 0 <= x <= WIDTH
        assert 0 <= y <= HEIGHT
