"""Lines of which a part, or a log axis, can be chosen."""

import re
from dataclasses import replace
from itertools import chain

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from arena.site.charts.subjects import Curve, Point, Scale
from arena.site.charts.timed import curves
from arena.site.engine.json_page import told
from arena.site.pages.parts import Figure
from tests.site.charts.reading import parsed, paths, places, sure, texts
from tests.site.charts.samples import DAY, SAMPLES, START, words
from tests.site.charts.test_figures import write_page

WORTH = Scale("P/L", lambda v: f"{v:+,.0f}", base=0, floor=-1000)
RANGES = (90, 30, 7)


def looks(values: list[float | None], scale: Scale = WORTH) -> dict[str, str]:
    """What can be chosen, and its wide drawing."""
    points = tuple(Point(START + n * DAY, v) for n, v in enumerate(values))
    figure = sure(curves(words("x"), [Curve("ada", points)], scale, ranges=RANGES))
    return {look.label: look.wide or figure.wide for look in figure.looks}


def test_nothing_can_be_chosen_where_all_looks_alike() -> None:
    assert looks([0.0, 100.0, 50.0]) == {}


def test_a_range_can_be_chosen_where_there_is_more_than_that() -> None:
    assert list(looks([0.0] * 11)) == []
    assert list(looks([0.0] * 12)) == ["All", "Last 7 days"]
    assert list(looks([0.0] * 200)) == ["All", "Last 90 days", "Last 30 days"]


def test_a_range_without_a_value_cannot_be_chosen() -> None:
    assert list(looks([1.0, *[None] * 20])) == []


def test_a_log_axis_can_be_chosen_where_it_is_unlike_a_plain_one() -> None:
    assert list(looks([0.0, 900.0])) == []
    assert list(looks([0.0, 1000.0])) == ["Linear", "Log scale"]
    assert list(looks([0.0, 1000.0], replace(WORTH, floor=None))) == []


def test_on_a_log_axis_twice_as_much_is_as_far_as_half_as_much() -> None:
    drawn = looks([-500.0, 0.0, 1000.0])["Log scale"]
    low, middle, high = (y for _, y in places(paths(drawn, "ch-l")[0]))
    assert low - middle == pytest.approx(middle - high, abs=1)
    assert {"+0", "+1,000"} <= set(texts(drawn))


def test_a_log_axis_lifts_the_pen_where_nothing_is_left() -> None:
    drawn = looks([0.0, -1000.0, 4000.0, 9000.0])["Log scale"]
    assert paths(drawn, "ch-l")[0].count("M") == 2
    assert "-1,000" in texts(drawn)


def test_a_range_has_its_own_dates_and_its_own_axis() -> None:
    values: list[float | None] = [5000.0, *[float(n % 3) for n in range(200)]]
    drawn = looks(values, replace(WORTH, floor=None))
    assert "+5,000" in texts(drawn["All"])
    assert "+5,000" not in texts(drawn["Last 30 days"])
    assert {"Mar", "May"} <= set(texts(drawn["All"]))
    assert "Mar" not in texts(drawn["Last 30 days"])


def test_no_two_drawings_share_an_id(figure: Figure) -> None:
    drawn = [figure.wide, figure.narrow, *chain(*((x.wide, x.narrow) for x in figure.looks))]
    ids = re.findall(r' id="([^"]*)"', "".join(drawn))
    assert len(ids) == len(set(ids)) == 4 + 2 * (len(figure.looks) - 1)
    for look in figure.looks[1:]:
        title = parsed(look.wide)[0].text
        assert title == f"{figure.title}, {look.label.lower()}"


def test_a_twin_and_a_file_of_its_own_have_one_figure(figure: Figure) -> None:
    assert "<svg" not in told(figure, "x.html").twin
    assert "looks" not in told(figure, "x.html").twin
    assert figure.alone.count("<svg") == 1


def test_a_page_is_made_again_when_a_drawing_to_choose_changes(figure: Figure) -> None:
    other = replace(figure, looks=figure.looks[:-1])
    assert told(figure, "x.html").unsaid != told(other, "x.html").unsaid


@pytest.fixture(scope="module")
def figure() -> Figure:
    return sure(SAMPLES["chosen"]())


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, figure: Figure) -> str:
    return write_page(tmp_path_factory.mktemp("looks"), figure, sure(SAMPLES["equity"]()))


@pytest.fixture
def page(context: BrowserContext, address: str) -> Page:
    tab = context.new_page()
    tab.goto(address)
    return tab


def seen(page: Page) -> list[str]:
    """The classes of the drawings that are seen."""
    drawn = page.locator("#chosen .ch-box > svg:visible")
    return [one.get_attribute("class") or "" for one in drawn.all()]


@pytest.mark.parametrize("context", [{"java_script_enabled": False}], indirect=True, ids=str)
def test_without_a_script_another_drawing_is_chosen(page: Page) -> None:
    assert seen(page) == ["ch ch-wide"]
    page.get_by_role("radio", name="Last 30 days").check()
    assert seen(page) == ["ch ch-d30 ch-wide"]
    page.get_by_role("radio", name="Log scale").check()
    assert seen(page) == ["ch ch-log ch-wide"]
    page.set_viewport_size({"width": 360, "height": 800})
    assert seen(page) == ["ch ch-log ch-narrow"]
    assert page.locator("#equity .ch-box > svg:visible").count() == 1


def test_a_drawing_is_chosen_from_the_keyboard(page: Page) -> None:
    page.get_by_role("group", name="Sample of chosen").get_by_label("All").focus()
    page.keyboard.press("ArrowRight")
    assert seen(page) == ["ch ch-d30 ch-wide"]


def test_keys_stay_within_the_range_that_is_shown(page: Page, figure: Figure) -> None:
    page.get_by_role("radio", name="Last 7 days").check()
    drawn = page.locator("#chosen .ch-d7.ch-wide")
    drawn.focus()
    for key, row in (("Home", -8), ("ArrowLeft", -8), ("ArrowRight", -7), ("End", -1)):
        drawn.press(key)
        shown = page.locator("#chosen output").inner_text()
        assert shown.startswith(figure.grid.columns[0].texts[row]), key
        assert drawn.locator(".ch-at").count() == 1


def test_paper_has_the_drawing_of_all(page: Page) -> None:
    page.get_by_role("radio", name="Last 30 days").check()
    page.emulate_media(media="print")
    assert seen(page) == ["ch ch-wide"]
    expect(page.locator("#chosen .ch-looks")).to_be_hidden()
