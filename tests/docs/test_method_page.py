"""The pages on method and on scores have the formula of every number that is shown."""

import pytest

from arena.metrics.registry import CHAPTERS, METRICS, Chapter, Metric
from tests.docs.pages import Page, examples, page

METHOD, SCORES = page("docs/method.md"), page("docs/scores.md")
BESIDES = {
    METHOD.name: {"Over several cohorts", "The simulated world"},
    SCORES.name: {"How sure"},
}
DEFINED = {"definition", "this arena"}
FORMULAS = [metric for metric in METRICS.values() if metric.formulas]


def chapters(of: Page) -> list[str]:
    return [title for title in of.titles(2).values() if title not in BESIDES[of.name]]


def home(metric: Metric) -> str:
    """What the one page that defines a metric says of it."""
    (found,) = (p for p in (METHOD, SCORES) if metric.name in p.titles(3).values())
    return found.section(metric.name)


def test_the_chapters_of_both_pages_are_those_of_the_site_in_its_order() -> None:
    told = chapters(METHOD), chapters(SCORES)
    titles = [chapter.title for chapter in CHAPTERS]
    assert len(told[0] + told[1]) == len({*told[0], *told[1]})
    for found in told:
        assert found == [title for title in titles if title in found]


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda chapter: chapter.key)
def test_a_chapter_defines_every_formula_that_the_site_shows_in_it(chapter: Chapter) -> None:
    lines = [
        line
        for of in (METHOD, SCORES)
        if chapter.title in chapters(of)
        for line in of.section(chapter.title).splitlines()
    ]
    told = {line.removeprefix("### ") for line in lines if line.startswith("### ")}
    assert {metric.name for metric in chapter.metrics if metric.formulas} <= told
    assert told <= {metric.name for metric in chapter.metrics}


@pytest.mark.parametrize("metric", FORMULAS, ids=lambda metric: metric.key)
def test_a_number_with_a_formula_has_one_here_with_source_and_example(metric: Metric) -> None:
    section = home(metric)
    assert "Source:" in section or metric.source in DEFINED
    name = "method" if metric.name in METHOD.titles(3).values() else "scores"
    assert "```pycon" in examples(name).section(metric.name)
    assert " = " in section or "(1 / n)" in section
