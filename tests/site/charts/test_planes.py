"""Charts in two directions: reliability, cost and skill, tiles."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.metrics.calibration import Bin
from arena.site.charts.plane import plane, unbeaten
from arena.site.charts.reliability import reliability
from arena.site.charts.subjects import LineWeight, Scale, Spot, Tile
from arena.site.charts.tiles import tiles, tint
from tests.site.charts.reading import parsed, paths, places, sure, texts
from tests.site.charts.samples import COST, SCORE, bins, words

PLAIN = Scale("v", lambda v: f"{v:g}", base=0.0)
ADA = Spot("ada", 1.0, 0.1)
LEVELS = tuple(map(float, range(9)))


def test_nothing_is_drawn_of_nothing() -> None:
    assert reliability(words("x"), []) is None
    assert reliability(words("x"), [Bin(0.0, 1.0, 0, 0.5, 0.5, 0.4, 0.6)]) is None
    assert plane(words("x"), [], COST, SCORE) is None
    assert plane(words("x"), [replace(ADA, x=float("nan"))], COST, SCORE) is None
    assert tiles(words("x"), [], PLAIN) is None
    assert tiles(words("x"), [Tile("a", "b", None, "n/a")], PLAIN) is None


def test_the_area_of_a_dot_is_its_count() -> None:
    found = [Bin(0.0, 1.0, 100, 0.2, 0.2, 0.1, 0.3), Bin(0.0, 1.0, 25, 0.6, 0.7, 0.5, 0.8)]
    dots = paths(sure(reliability(words("x"), found)).wide, "ch-f")
    wide = [int(data.split("a")[1].split()[0]) for data in dots]
    assert wide == [20, 10]


def test_counts_are_bars_from_zero() -> None:
    found = [Bin(0.0, 1.0, 100, 0.2, 0.2, 0.1, 0.3), Bin(0.0, 1.0, 50, 0.6, 0.7, 0.5, 0.8)]
    bars = paths(sure(reliability(words("x"), found)).wide, "ch-p3")
    feet = {max(y for _, y in places(data)) for data in bars}
    tall = [max(y for _, y in places(d)) - min(y for _, y in places(d)) for d in bars]
    assert len(feet) == 1
    assert tall[0] == 2 * tall[1]


def test_the_diagonal_is_one() -> None:
    data = paths(sure(reliability(words("x"), bins())).wide, "ch-b")[0]
    (left, bottom), (right, top) = places(data)
    assert right - left == bottom - top


def test_small_diagrams_are_drawn_once() -> None:
    figure = sure(reliability(words("x"), bins(), small=True))
    assert figure.narrow == ""
    assert figure.keys == ()
    assert figure.grid == sure(reliability(words("x"), bins())).grid


def test_bins_are_in_the_table_from_the_left() -> None:
    figure = sure(reliability(words("x"), bins()[::-1]))
    first = [column.texts[0] for column in figure.grid.columns]
    assert first == ["0.050", "0.050", "12", "0.000", "0.155"]


def test_nobody_on_the_front_is_beaten() -> None:
    spots = [Spot("a", 1, 1), Spot("b", 2, 3), Spot("c", 3, 2), Spot("d", 4, 4)]
    assert unbeaten(spots) == (0, 1, 3)


@given(
    st.lists(
        st.builds(Spot, st.just("s"), st.sampled_from(LEVELS), st.sampled_from(LEVELS)),
        min_size=1,
        max_size=12,
    )
)
def test_whoever_is_not_on_the_front_is_beaten_or_equalled(spots: list[Spot]) -> None:
    front = [spots[i] for i in unbeaten(spots)]
    for spot in spots:
        assert any(f.x <= spot.x and f.y >= spot.y for f in front)
    for one in front:
        assert not any(s.x < one.x and s.y >= one.y for s in spots)


def test_both_intervals_cross_at_the_dot() -> None:
    spot = Spot("ada", 1.0, 0.1, x_low=0.5, x_high=2.0, y_low=0.0, y_high=0.2)
    figure = sure(plane(words("x"), [spot], COST, SCORE))
    a, b, c, d = places(paths(figure.wide, "ch-k")[0])
    x, y = next(places(paths(figure.wide, "ch-f")[0]))
    assert a[0] < x < b[0]
    assert d[1] < y < c[1]
    assert figure.grid.columns[2].values[0] == 0.5


def test_what_costs_nothing_stands_at_the_start_of_a_log_axis() -> None:
    figure = sure(plane(words("x"), [ADA, Spot("free", 0.0, 0.0)], COST, SCORE))
    dots = [next(places(data))[0] for data in paths(figure.wide, "ch-f")]
    assert dots[1] < dots[0]
    assert "$0" in texts(figure.wide)


def test_names_on_a_plane_cover_neither_dots_nor_names() -> None:
    spots = [Spot(f"name {n}", 1.0 + n / 1000, 0.1 + n / 1000) for n in range(12)]
    figure = sure(plane(words("x"), spots, COST, SCORE))
    told = [t for t in parsed(figure.wide).iter() if (t.text or "").startswith("name ")]
    spread = [(int(t.attrib["x"]), int(t.attrib["y"])) for t in told]
    assert 0 < len(spread) <= 12
    for n, (x, y) in enumerate(spread):
        assert all(abs(x - a) > 60 or abs(y - b) >= 25 for a, b in spread[:n])
    assert len(figure.keys) == 13


def test_quiet_spots_have_no_name() -> None:
    figure = sure(plane(words("x"), [replace(ADA, weight=LineWeight.QUIET)], COST, SCORE))
    assert "ada" not in texts(figure.wide)


@pytest.mark.parametrize(
    ("value", "expected"),
    [(-2, "ch-t-3"), (-0.5, "ch-t-2"), (0, "ch-t0"), (0.1, "ch-t1"), (None, "ch-t0")],
)
def test_a_tint_has_three_steps_on_either_side(value: float | None, expected: str) -> None:
    assert tint(value, 0.0, 1.0) == expected


def test_every_tile_has_its_text() -> None:
    squares = [Tile("a", "x", 0.5, "+50%"), Tile("b", "y", -0.5, "-50%", "n 3")]
    figure = sure(tiles(words("x"), squares, PLAIN))
    assert {"+50%", "-50%", "n/a", "a", "b", "x", "y"} <= set(texts(figure.wide))
    assert figure.grid.head == ("v", "x", "y")
    assert [column.texts for column in figure.grid.columns] == [
        ("a", "b"),
        ("+50%", "n/a"),
        ("n/a", "-50%"),
    ]
    assert figure.grid.columns[2].notes == ("", "n 3")


def test_a_square_without_room_has_the_short_words() -> None:
    squares = [Tile("ada", f"c{n}", 0.5, "+123,456.7%", short="+123%") for n in range(6)]
    figure = sure(tiles(words("x"), squares, PLAIN))
    assert "+123,456.7%" not in figure.narrow
    assert "+123%" in figure.narrow
    assert [column.texts for column in figure.grid.columns[1:]] == [("+123,456.7%",)] * 6
