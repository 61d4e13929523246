"""Figures on a page: what stands there without a script, and what the script adds."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from arena.render import environment
from arena.site.charts.drawing import MARKS, WIDE
from arena.site.pages.parts import Figure
from tests.present import present
from tests.site.charts.reading import sure
from tests.site.charts.samples import SAMPLES

TEMPLATES = Path(__file__).parents[3] / "templates"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'"
PAGE = """{% import "site/figures.html" as figures %}<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Figures</title>
<meta http-equiv="Content-Security-Policy" content="{{ policy }}">
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="site.css"><script src="site.js" defer></script></head>
<body><main><h1>Figures</h1><h2>All</h2>
{% for view in views %}{{ figures.figure(view) }}{% endfor %}</main></body></html>"""


def page_of(*views: Figure | None) -> str:
    return environment(TEMPLATES).from_string(PAGE).render(views=views, policy=POLICY)


def write_page(folder: Path, *views: Figure | None) -> str:
    """Write a page of figures with its sheet and its script, and say where it is."""
    site = TEMPLATES / "site"
    css = "".join(f.read_text("utf-8") for f in sorted((site / "css").glob("*.css")))
    (folder / "site.css").write_text(css, encoding="utf-8")
    script = (site / "js" / "3-charts.js").read_text(encoding="utf-8")
    (folder / "site.js").write_text(script, encoding="utf-8")
    (folder / "index.html").write_text(page_of(*views), encoding="utf-8")
    return (folder / "index.html").as_uri()


def test_nothing_to_draw_is_nothing_on_the_page() -> None:
    assert "<figure" not in page_of(None)


def test_a_figure_has_its_numbers_as_a_table_that_says_what_it_is() -> None:
    figure = sure(SAMPLES["spans"]())
    page = page_of(figure)
    assert f"<caption><span>{figure.title}</span></caption>" in page
    assert page.count('<th scope="row"') == len(figure.grid.columns[0].texts)
    assert page.count('<th scope="col"') == len(figure.grid.head)


def test_a_figure_links_its_files_where_there_are_some() -> None:
    figure = sure(SAMPLES["spans"]())
    assert "ch-files" not in page_of(figure)
    assert '<a href="x.svg">SVG</a>' in page_of(replace(figure, svg="x.svg"))
    assert '<a href="x.csv">CSV</a>' in page_of(replace(figure, csv="x.csv"))


def test_without_a_script_there_is_no_button() -> None:
    assert "<button" not in page_of(*(draw() for draw in SAMPLES.values()))


def test_every_mark_of_a_legend_is_one_that_the_page_can_draw() -> None:
    source = (TEMPLATES / "site" / "figures.html").read_text(encoding="utf-8")
    shapes = set(re.findall(r'"(ch-[\w-]+)": ', source))
    for draw in SAMPLES.values():
        for key in sure(draw()).keys:
            colour, *shape = key.mark.removesuffix(" ch-d").split()
            assert re.fullmatch(r"ch-(s\d+|[rqn]|yes|no|tint-?3)", colour), key
            assert set(shape) <= shapes, key


def test_the_marks_of_a_legend_are_those_of_the_lines() -> None:
    source = (TEMPLATES / "site" / "figures.html").read_text(encoding="utf-8")
    assert tuple(re.findall(r'"ch-n\d": "([^"]*)"', source)) == MARKS


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Page:
    """A page with every figure, opened from a file under a strict policy."""
    drawn = (draw() for draw in SAMPLES.values())
    address = write_page(tmp_path_factory.mktemp("figures"), *drawn)
    opened = browser.new_page(viewport={"width": 1280, "height": 900})
    opened.on("console", lambda message: pytest.fail(f"console: {message.text}"))
    opened.on("pageerror", lambda error: pytest.fail(f"error: {error.message}"))
    opened.goto(address)
    return opened


def said(page: Page, figure: str) -> str:
    return page.locator(f"#{figure} output").inner_text()


def test_keys_move_through_moments(page: Page) -> None:
    chart = page.locator("#equity .ch-wide")
    moments, first, *_ = sure(SAMPLES["equity"]()).grid.columns
    chart.focus()
    for key, row in (("Home", 0), ("ArrowRight", 1), ("End", -1), ("ArrowLeft", -2)):
        chart.press(key)
        assert said(page, "equity").startswith(moments.texts[row]), key
        assert first.texts[row] in said(page, "equity")
    chart.press("PageUp")
    assert said(page, "equity").startswith(moments.texts[-22])
    assert page.locator("#equity .ch-wide .ch-at").count() == 1
    chart.press("Escape")
    assert said(page, "equity") == ""
    assert page.locator("#equity .ch-at").count() == 0


def test_a_pointer_reads_out_the_nearest_moment(page: Page) -> None:
    chart = page.locator("#drawdown .ch-wide")
    chart.scroll_into_view_if_needed()
    box = present(chart.bounding_box())
    left, top, right, _ = map(int, (chart.get_attribute("data-b") or "").split())
    days = sure(SAMPLES["drawdown"]()).grid.columns[0].texts
    for share, day in ((0.0, days[0]), (0.501, days[45]), (1.0, days[-1])):
        x = box["x"] + (left + share * (right - left)) * box["width"] / WIDE.width
        page.mouse.move(x, box["y"] + top)
        assert said(page, "drawdown").startswith(day)
    page.mouse.move(box["x"] + 5, box["y"] - 20)
    assert said(page, "drawdown") == ""


def test_a_row_is_read_out_and_lit(page: Page) -> None:
    page.locator("#spans .ch-wide").scroll_into_view_if_needed()
    page.locator('#spans .ch-wide [data-s="1"] .ch-u').hover(position={"x": 5, "y": 5})
    assert said(page, "spans").startswith("Birch · ")
    lit = page.locator("#spans .ch-wide .ch-on").get_attribute("data-s")
    assert lit == "1"


def test_a_legend_pins_a_line_and_lets_it_go(page: Page) -> None:
    button = page.locator("#equity .ch-keys button").nth(1)
    assert button.get_attribute("aria-pressed") == "false"
    button.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    pinned = page.locator("#equity .ch-wide.ch-pin .ch-on")
    assert {p.get_attribute("data-s") for p in pinned.all()} == {"1"}
    page.locator("#equity .ch-wide").press("Home")
    (told,) = said(page, "equity").split(" · ")[1:]
    assert told.startswith(button.inner_text())
    button.press("Enter")
    assert page.locator("#equity .ch-pin").count() == 0
    page.locator("#equity .ch-wide").press("Escape")


def test_legends_that_name_no_lines_have_no_buttons(page: Page) -> None:
    assert page.locator("#calibration .ch-keys li").count() == 3
    assert page.locator("#calibration .ch-keys button").count() == 0


def test_a_phone_sees_the_narrow_drawing_with_letters_that_can_be_read(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.locator("#equity .ch-wide").is_hidden()
    narrow = page.locator("#equity .ch-narrow")
    assert narrow.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    box = present(narrow.bounding_box())
    assert 26 * box["width"] / 680 >= 11
    page.set_viewport_size({"width": 1280, "height": 900})
    assert narrow.is_hidden()


def test_wide_drawings_have_letters_that_can_be_read_at_their_narrowest(page: Page) -> None:
    page.set_viewport_size({"width": 620, "height": 800})
    box = page.locator("#equity .ch-wide").bounding_box()
    assert box is None or 25 * box["width"] / WIDE.width >= 9.9
    page.set_viewport_size({"width": 1280, "height": 900})
