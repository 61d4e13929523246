"""The page of a study: one file, text where text is, and readable on any screen."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from arena.metrics.study.evaluate import run_study
from arena.site.study import study_page
from tests.metrics.study.studies import quick
from tests.metrics.study.test_evaluate import games, named
from tests.present import some
from tests.site.conftest import launched

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>\x1b[2J"


@pytest.fixture(scope="module")
def text() -> str:
    return study_page(run_study(games(40), quick()), "exploratory", "no seal")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with launched("the page of a study") as browser:
        yield browser


def test_the_page_needs_no_other_file_and_runs_nothing(text: str) -> None:
    assert "<script" not in text
    assert not re.findall(r"(?:src|href)=\"(?!#|data:)", text)
    assert "default-src 'none'" in text


def test_every_model_has_a_reliability_diagram_and_tiles_of_its_close(text: str) -> None:
    captions = re.findall(r'<figure class="figure" id="([^"]+)"', text)
    assert captions == [*(f"reliability-{n}" for n in range(4)), "clv"]


def test_no_id_is_there_twice(text: str) -> None:
    ids = some(re.findall(r'\bid="([^"]+)"', text))
    assert len(set(ids)) == len(ids)


def test_a_study_without_prices_has_no_tiles_and_says_why() -> None:
    page = study_page(run_study(games(10, quotes=False), quick()), "exploratory", "no seal")
    assert 'id="clv"' not in page
    assert "there are no opening quotes" in page


def test_a_hostile_name_is_text() -> None:
    page = study_page(named(HOSTILE), "exploratory", "<b>sealed</b>")
    assert "<script" not in page
    assert "<img" not in page
    assert "<b>" not in page
    assert "\x1b" not in page


def test_nothing_is_wider_than_the_screen(chromium: Browser, text: str, tmp_path: Path) -> None:
    file = tmp_path / "study.html"
    file.write_text(text, encoding="utf-8")
    page = chromium.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if width == 360 else "light")
        page.goto(file.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == width
    assert complaints == []
    page.close()
