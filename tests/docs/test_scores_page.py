"""The page on scores says how each is bounded, and what every way of being sure is not for."""

import re

import pytest

from arena.metrics.groups import ENOUGH
from arena.metrics.registry import CHAPTERS, METRICS, Metric
from arena.scoring.table import STAGES
from arena.store.scores.evidence import BANDS, FURTHER, HORIZONS, UNKNOWN
from tests.docs.pages import ROOT, examples, page

PAGE, EXAMPLES = page("docs/scores.md"), examples("scores")
HERE = [m for m in METRICS.values() if m.name in PAGE.titles(3).values()]
HOW_SURE = re.findall(r"^### (.+)$", PAGE.section("How sure"), re.MULTILINE)
COVERAGE = "Coverage and size"
METHODS = [title for title in HOW_SURE if title != COVERAGE]

WORK = re.compile(r"[A-Z][\w-]+ \(\d{4}\)")
CITED = " ".join(
    word
    for path in sorted((ROOT / "arena").rglob("*.py"))
    for word in path.read_text("utf-8").split()
)
DEFINED = {"definition", "count", "events resampled"}  # what needs no source

each = pytest.mark.parametrize("metric", HERE, ids=lambda metric: metric.key)


def flat(section: str) -> str:
    return " ".join(section.split())


def told_intervals(section: str) -> list[str]:
    return re.findall(r"Interval: (.+?)\.(?: |$)", flat(section))


def of_chapter(metric: Metric) -> str:
    """What the metric's chapter says before its first section."""
    (title,) = (c.title for c in CHAPTERS if metric in c.metrics)
    return PAGE.section(title).split("\n### ", 1)[0]


@each
def test_a_score_has_the_interval_that_the_registry_says(metric: Metric) -> None:
    found = told_intervals(PAGE.section(metric.name))
    if metric.interval:
        found = found or told_intervals(of_chapter(metric))
    assert [text.startswith(metric.interval) for text in found] == [True] * bool(
        metric.interval
    )


@each
def test_a_score_names_the_source_that_the_registry_names(metric: Metric) -> None:
    years = re.findall(r"\(\d{4}\)", metric.source)
    told = flat(PAGE.section(metric.name)).partition("Source: ")[2]
    assert all(year in told for year in years)
    assert years or metric.source in DEFINED or metric.source.split()[0] in told


@pytest.mark.parametrize("work", sorted(set(WORK.findall(flat(PAGE.prose)))))
def test_a_work_is_cited_in_full_in_the_code(work: str) -> None:
    assert f"{work}," in CITED or f"{work} and" in CITED


def test_the_last_chapter_has_every_way_of_being_sure() -> None:
    assert HOW_SURE[-1] == COVERAGE
    assert len(METHODS) == len(set(METHODS)) > 0


@pytest.mark.parametrize("title", METHODS)
def test_a_way_of_being_sure_has_a_source_an_example_and_a_limit(title: str) -> None:
    section = PAGE.section(title)
    assert "\nNot for: " in section
    assert "\nSource: " in section
    assert "```pycon" in EXAMPLES.section(title)


def test_the_parts_of_the_arena_s_own_labels_are_those_it_is_broken_down_by() -> None:
    told = flat(PAGE.section("Breakdowns"))
    horizons = (*(name for _, name in HORIZONS), FURTHER)
    for names in (horizons, BANDS, STAGES):
        assert ", ".join(names) in told
    assert f'"{UNKNOWN}"' in told
    assert f"of {ENOUGH} events or more" in told
