"""Charts of a row a name: spans, sums, forecasts."""

import pytest

from arena.site.charts.prices import stated
from arena.site.charts.spans import spans, splits
from arena.site.charts.subjects import LineWeight, Scale, Span, Split, Stated
from tests.site.charts.reading import parsed, paths, places, sure, texts
from tests.site.charts.samples import PROFIT, SCORE, START, words

ADA = Span("ada", 0.2, 0.1, 0.4, 7)


def xs(data: str) -> list[int]:
    return [x for x, _ in places(data)]


def test_nothing_is_drawn_of_nothing() -> None:
    assert spans(words("x"), [], SCORE) is None
    assert spans(words("x"), [Span("ada", None, None, None, 0)], SCORE) is None
    assert splits(words("x"), [], PROFIT) is None
    assert splits(words("x"), [Split("ada", (), float("nan"))], PROFIT) is None
    assert stated(words("x"), []) is None
    assert stated(words("x"), [Stated("ada", START, float("nan"), 0.5)]) is None


def test_a_dot_lies_on_its_whisker() -> None:
    figure = sure(spans(words("x"), [ADA], SCORE))
    whisker = xs(paths(figure.wide, "ch-w")[0])
    dot = xs(paths(figure.wide, "ch-f")[0])[0]
    assert min(whisker) < dot < max(whisker)


def test_an_interval_that_is_much_longer_than_most_ends_in_an_arrow() -> None:
    rows = [Span(f"c{n}", 0.2 + n / 100, 0.1, 0.3, 7) for n in range(4)]
    plain = paths(sure(spans(words("x"), rows, SCORE)).wide, "ch-w")
    long = Span("long", 0.2, 0.19, 9.0, 7)
    drawn = sure(spans(words("x"), [*rows, long], SCORE))
    *others, last = paths(drawn.wide, "ch-w")
    assert last.endswith("l10 8l-10 8")
    assert not any(data.endswith("l-10 8") for data in (*plain, *others))
    wide = [max(xs(data)) - min(xs(data)) for data in others]
    assert min(wide) > 100
    assert drawn.grid.columns[3].values[-1] == 9.0


def test_a_row_says_its_name_and_how_many() -> None:
    figure = sure(spans(words("x"), [ADA], SCORE))
    for svg in (figure.wide, figure.narrow):
        assert {"ada", "n 7"} <= set(texts(svg))


def test_a_row_without_an_interval_has_no_whisker() -> None:
    figure = sure(spans(words("x"), [Span("ada", 0.2, None, None, 7)], SCORE))
    assert not paths(figure.wide, "ch-w")


def test_the_rows_of_a_drawing_are_those_of_its_table() -> None:
    rows = [Span("nobody", None, None, None, 0), ADA]
    figure = sure(spans(words("x"), rows, SCORE))
    groups = [e.attrib["data-s"] for e in parsed(figure.wide).iter() if "data-s" in e.attrib]
    assert groups == ["0", "1"]
    assert figure.grid.columns[0].texts == ("nobody", "ada")
    assert figure.grid.columns[1].texts == ("n/a", "+0.200")


def test_a_reference_has_a_shape_of_its_own() -> None:
    base = Span("market", 0.2, None, None, 7, "", LineWeight.REFERENCE)
    one, other = paths(sure(spans(words("x"), [ADA, base], SCORE)).wide, "ch-f")
    assert one.split(" ", 1)[1][3:] != other.split(" ", 1)[1][3:]


def test_parts_are_stacked_from_zero_gains_and_losses_apart() -> None:
    row = Split("ada", (("a", 30.0), ("b", 20.0), ("c", -10.0)), 40.0)
    figure = sure(splits(words("x"), [row], PROFIT))
    bars = [xs(data) for data in paths(figure.wide, "ch-t")]
    zero = xs(paths(figure.wide, "ch-b")[0])[0]
    assert min(bars[0]) == zero
    assert min(bars[1]) == max(bars[0])
    assert max(bars[2]) == zero
    assert min(bars[2]) < zero


def test_the_total_is_marked_and_written() -> None:
    row = Split("ada", (("a", 30.0), ("b", -10.0)), 20.0)
    figure = sure(splits(words("x"), [row], PROFIT))
    assert len(paths(figure.wide, "ch-x")) == 1
    assert "$20" in texts(figure.wide)
    assert [column.values[0] for column in figure.grid.columns] == ["ada", 30.0, -10.0, 20.0]


def test_parts_differ_in_texture() -> None:
    row = Split("ada", (("a", 30.0), ("b", 30.0), ("c", 30.0)), 90.0)
    figure = sure(splits(words("x"), [row], PROFIT))
    assert [len(paths(figure.wide, f"ch-p{n}")) for n in (1, 2, 3)] == [1, 1, 1]
    assert len({key.mark for key in figure.keys}) == 4


def test_a_total_of_nothing_is_no_minus_zero() -> None:
    scale = Scale("P/L", lambda v: f"{v:.1f}")
    figure = sure(splits(words("x"), [Split("ada", (("a", -0.0),), -0.0)], scale))
    assert "-0.0" not in texts(figure.wide)


def test_a_forecast_is_drawn_from_the_price_that_was_shown() -> None:
    figure = sure(stated(words("x"), [Stated("ada", START, 0.7, 0.4)]))
    way = xs(paths(figure.wide, "ch-w")[0])
    assert way[0] == xs(paths(figure.wide, "ch-x")[0])[0]
    assert way[-1] == xs(paths(figure.wide, "ch-f")[0])[0]


def test_a_forecast_without_a_price_is_only_a_dot() -> None:
    figure = sure(stated(words("x"), [Stated("ada", START, 0.7, None)]))
    assert not paths(figure.wide, "ch-w")
    assert figure.grid.columns[2].texts == ("n/a",)


@pytest.mark.parametrize(("truth", "side"), [(1, "YES"), (0, "NO")])
def test_the_truth_is_a_wall_beyond_its_end(truth: int, side: str) -> None:
    figure = sure(stated(words("x"), [Stated("ada", START, 0.7, 0.4)], truth))
    wall = xs(paths(figure.wide, "ch-h")[0])[0]
    ends = [min(xs(paths(figure.wide, "ch-g")[0])), max(xs(paths(figure.wide, "ch-g")[0]))]
    assert wall > ends[1] if truth else wall < ends[0]
    assert figure.grid.columns[4].texts == (side,)


def test_before_the_truth_there_is_no_wall() -> None:
    figure = sure(stated(words("x"), [Stated("ada", START, 0.7, 0.4)]))
    assert not paths(figure.wide, "ch-h")
    assert figure.grid.columns[4].texts == ("open",)
