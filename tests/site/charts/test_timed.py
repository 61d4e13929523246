"""Lines over time."""

from dataclasses import replace
from itertools import chain, pairwise

from hypothesis import given
from hypothesis import strategies as st

from arena.site.charts.subjects import Curve, Flag, LineWeight, Point, Scale
from arena.site.charts.timed import MOST_MOMENTS, curves
from tests.present import some
from tests.site.charts.reading import every_svg, parsed, paths, places, sure, texts
from tests.site.charts.samples import DAY, DOLLARS, START, lines, walk, words

PLAIN = Scale("v", lambda v: f"{v:g}")
HOSTILE = "</svg><script>alert(1)</script>\x00\ufffe\u202e\" onload='x' & " + "long " * 200


def line(
    *values: float | None, name: str = "ada", weight: LineWeight = LineWeight.MAIN
) -> Curve:
    points = tuple(Point(START + n * DAY, v) for n, v in enumerate(values))
    return Curve(name, points, weight)


def test_nothing_is_drawn_of_nothing() -> None:
    assert curves(words("x"), [], PLAIN) is None
    assert curves(words("x"), [line()], PLAIN) is None
    assert curves(words("x"), [line(None, float("nan"), float("inf"))], PLAIN) is None


def test_none_lifts_the_pen() -> None:
    figure = sure(curves(words("x"), [line(1, 2, None, 3, 4)], PLAIN))
    assert paths(figure.wide, "ch-l")[0].count("M") == 2


def test_a_moment_that_only_others_have_does_not() -> None:
    short = Curve("ben", (Point(START, 1.0), Point(START + 2 * DAY, 2.0)))
    figure = sure(curves(words("x"), [short, line(1, 2, 3)], PLAIN))
    assert paths(figure.wide, "ch-l")[0].count("M") == 1
    assert figure.grid.columns[1].texts[1] == "n/a"


def test_what_is_not_settled_is_dashed_from_where_it_was_settled_last() -> None:
    curve = replace(line(1, 2, 3, 4), solid_until=START + DAY)
    figure = sure(curves(words("x"), [curve], PLAIN))
    solid, marked = (list(places(d)) for d in paths(figure.wide, "ch-l"))
    assert len(solid) == 2
    assert len(marked) == 3
    assert marked[0] == solid[-1]
    assert len(paths(figure.wide, "ch-m")) == 1


def test_the_table_has_the_numbers_of_every_line() -> None:
    figure = sure(curves(words("x"), [line(1, None, 3), line(4, 5, 6, name="ben")], DOLLARS))
    assert figure.grid.head == ("Day, UTC", "ada", "ben")
    assert [column.values for column in figure.grid.columns] == [
        ("2026-01-05", "2026-01-06", "2026-01-07"),
        (1, None, 3),
        (4, 5, 6),
    ]
    assert [column.texts[1] for column in figure.grid.columns] == ["2026-01-06", "n/a", "$5"]


def test_moments_that_are_no_days_have_their_hour() -> None:
    noon = Curve("ada", tuple(Point(START + n * DAY / 2, float(n)) for n in range(2)))
    figure = sure(curves(words("x"), [noon], DOLLARS))
    assert figure.grid.head == ("Moment, UTC", "ada")
    assert figure.grid.columns[0].texts == ("2026-01-05 00:00", "2026-01-05 12:00")


def test_a_band_is_in_the_table_too() -> None:
    points = (Point(START, 2.0, 1.0, 3.0), Point(START + DAY, 3.0, 2.0, 4.0))
    figure = sure(curves(words("x"), [Curve("ada", points)], PLAIN))
    assert figure.grid.columns[1].notes == ("1 to 3", "2 to 4")
    assert len(paths(figure.wide, "ch-a")) == 1


def test_what_happened_is_drawn_and_told() -> None:
    flag = Flag(START + DAY, "A new model")
    figure = sure(curves(words("x"), [line(1, 2, 3)], PLAIN, [flag]))
    assert "A new model" in texts(figure.wide)
    assert figure.grid.head[-1] == "What happened"
    assert figure.grid.columns[-1].texts == ("", "A new model", "")


def test_main_and_reference_lines_are_named_at_their_ends_and_quiet_ones_are_not() -> None:
    drawn = [
        line(1, 2, name="main"),
        line(1, 3, name="market", weight=LineWeight.REFERENCE),
        line(1, 4, name="quiet", weight=LineWeight.QUIET),
    ]
    figure = sure(curves(words("x"), drawn, PLAIN))
    assert {"main", "market"} <= set(texts(figure.wide))
    assert "quiet" not in texts(figure.wide)
    assert not {"main", "market", "quiet"} & set(texts(figure.narrow))
    assert [key.text for key in figure.keys] == ["main", "market", "quiet"]
    assert [key.mark for key in figure.keys] == ["ch-s1 ch-n0", "ch-r", "ch-q"]


def test_names_at_the_ends_do_not_cover_one_another() -> None:
    figure = sure(curves(words("x"), [line(1, 5, name=f"n{n}") for n in range(9)], PLAIN))
    heights = sorted(
        int(t.attrib["y"]) for t in parsed(figure.wide).iter() if (t.text or "")[:1] == "n"
    )
    assert all(b - a >= 25 for a, b in some(pairwise(heights)))


def test_hostile_names_stay_text() -> None:
    drawn = [line(1, 2, name=HOSTILE), line(3, 4, name=HOSTILE)]
    flags = [Flag(START, HOSTILE)]
    figure = sure(curves(replace(words("x"), title=HOSTILE), drawn, PLAIN, flags))
    for svg in every_svg(figure):
        assert "<script" not in svg
        assert "\u202e" not in svg
        assert {e.tag.split("}")[-1] for e in parsed(svg).iter()} <= {
            "svg", "title", "desc", "g", "path", "text", "style",
        }  # fmt: skip
    assert max(len(key.text) for key in figure.keys) <= 60


def test_ten_thousand_points_are_drawn_in_bounded_space() -> None:
    many = Curve("ada", walk(1, 10_000))
    figure = sure(curves(words("x"), [many], DOLLARS))
    values = [p.value for p in many.points if p.value is not None]
    shown = figure.grid.columns[1].values
    assert len(shown) <= MOST_MOMENTS
    assert {min(values), max(values), values[0], values[-1]} <= set(shown)
    assert len(figure.wide) < 40_000
    assert len(figure.narrow) < 8_000


def test_the_order_of_lines_does_not_move_them() -> None:
    drawn = lines(6, 40)
    one = sure(curves(words("x"), drawn, DOLLARS))
    other = sure(curves(words("x"), drawn[::-1], DOLLARS))
    assert sorted(paths(one.wide, "ch-l")) == sorted(paths(other.wide, "ch-l"))


def test_points_out_of_order_are_put_in_order() -> None:
    curve = line(1, 2, 3)
    turned = replace(curve, points=curve.points[::-1])
    assert curves(words("x"), [turned], PLAIN) == curves(words("x"), [curve], PLAIN)


def test_no_number_has_a_minus_without_a_value() -> None:
    scale = Scale("v", lambda v: f"{v:.1f}")
    figure = sure(curves(words("x"), [line(-1.0, 0.0, 1.0)], scale))
    assert "-0.0" not in texts(figure.wide)


@given(
    st.lists(
        st.lists(st.one_of(st.none(), st.floats(-1e300, 1e300)), min_size=1, max_size=12),
        min_size=1,
        max_size=5,
    )
)
def test_every_point_lies_inside_the_box(rows: list[list[float | None]]) -> None:
    figure = curves(words("x"), [line(*row) for row in rows], PLAIN)
    if figure is None:
        assert all(v is None for row in rows for v in row)
        return
    for svg in (figure.wide, figure.narrow):
        left, top, right, bottom = map(int, parsed(svg).attrib["data-b"].split())
        for x, y in chain.from_iterable(places(d) for d in paths(svg, "ch-l")):
            assert left <= x <= right
            assert top <= y <= bottom
