"""The page on method defines the numbers that the site shows, and no others."""

import pytest

from arena.metrics.registry import CHAPTERS, METRICS, Chapter, Metric
from tests.docs.pages import page

PAGE = page("docs/method.md")
FORMULAS = [metric for metric in METRICS.values() if metric.formulas]
BESIDES = {"Over several cohorts", "The simulated world"}


def chapters() -> list[str]:
    return [title for title in PAGE.titles(2).values() if title not in BESIDES]


def test_the_chapters_are_those_of_the_site() -> None:
    assert chapters() == [chapter.title for chapter in CHAPTERS]


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.key)
def test_a_chapter_defines_what_the_site_shows_in_it(chapter: Chapter) -> None:
    lines = PAGE.section(chapter.title).splitlines()
    told = {line.removeprefix("### ") for line in lines if line.startswith("### ")}
    assert told == {metric.name for metric in chapter.metrics}


@pytest.mark.parametrize("metric", FORMULAS, ids=lambda metric: metric.key)
def test_a_number_with_a_formula_has_one_here_with_source_and_example(metric: Metric) -> None:
    section = PAGE.section(metric.name)
    assert "Source:" in section
    assert "```pycon" in section
    assert " = " in section or "(1 / n)" in section


def test_the_page_says_that_nothing_is_tested_for_significance() -> None:
    assert "No test of significance is made yet" in PAGE.section("What is not claimed")
