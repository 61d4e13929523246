from dataclasses import replace
from datetime import timedelta

import pytest

from arena.cli.scores import explain as command
from arena.cli.scores.evidence import SAYINGS
from arena.metrics.bands import BANDS, MetricBands
from arena.metrics.calibration import reliability
from arena.metrics.explain import explain
from arena.metrics.metric_values import computable
from arena.metrics.registry import METRICS
from arena.records.cohort import FillRule, MarkRule, Rules
from arena.site.overview.records import ContestantProfile, Overview, RankPlace
from arena.site.pages.leaderboard.standings import KEYS
from arena.site.pages.project.methodology import (
    BETS,
    BOOKED,
    DAYS,
    EXPLAINED,
    SAID,
    SCORED,
    Method,
    MethodologyPage,
    limit_of,
    methodology_page,
)
from arena.store.scores.evidence import SqliteEvidence
from tests.present import present
from tests.site.conftest import Site
from tests.site.folders import drawn, files
from tests.site.fronts import ALDER, BIRCH, reading_of


@pytest.fixture(scope="module")
def overview(simulated: Site) -> Overview:
    found = reliability(SqliteEvidence(simulated.store.db).forecasts(), ALDER, draws=200)
    return Overview(
        level=0.9,
        headline="alpha",
        order=(BIRCH, ALDER),
        profiles={ALDER: ContestantProfile(ALDER, RankPlace(1, 1, 2), reliability=found)},
        market=found,
    )


def page_of(site: Site, overview: Overview) -> MethodologyPage:
    return methodology_page(reading_of(site.store, overview))


@pytest.fixture(scope="module")
def view(simulated: Site, overview: Overview) -> MethodologyPage:
    return page_of(simulated, overview)


def method(view: MethodologyPage, key: str) -> Method:
    return next(m for chapter in view.chapters for m in chapter.methods if m.key == key)


def test_an_example_is_of_the_first_that_has_numbers_and_no_reference(
    view: MethodologyPage,
) -> None:
    assert view.example == "Alder the First"
    shown = present(method(view, "ece").example)
    assert shown.contestant.href == "contestants/alder/index.html"


def test_an_example_is_what_its_command_explains(
    simulated: Site, view: MethodologyPage
) -> None:
    forecasts = SqliteEvidence(simulated.store.db).forecasts()
    for key in ("brier", "ece", "mcb", "unc"):
        shown, again = method(view, key).example, explain(forecasts, ALDER, key)
        assert shown is not None
        assert shown.command == f"arena explain alder {key}"
        assert shown.value.value == pytest.approx(again.estimate.value, abs=1e-12)
        assert f"n\N{NO-BREAK SPACE}{again.estimate.n}" in shown.over


def test_a_number_of_the_books_is_an_example_too(
    simulated: Site, view: MethodologyPage
) -> None:
    board = simulated.store.boards.overall()
    [line] = [line for line in board.standings if line.contestant == ALDER]
    shown = present(method(view, "realised").example)
    assert shown.value.text == METRICS["realised"].shown(line.realised)


def test_commands_stand_at_what_the_command_line_can_explain(simulated: Site) -> None:
    assert (BOOKED, BETS, DAYS) == (command.BOOKED, command.BETS, command.DAYS)
    assert SAID == SAYINGS
    forecasts = SqliteEvidence(simulated.store.db).forecasts()
    assert set(SCORED) == set(computable(forecasts, ordered=True))
    assert set(METRICS) >= EXPLAINED


def test_rules_are_those_of_the_newest_cohort(view: MethodologyPage) -> None:
    assert view.newest is not None
    assert view.newest.text == "daily-2026-01-11"
    rules = {fact.name: fact.text for fact in view.rules}
    assert rules["rules.capital"] == "$10,000.00"
    assert rules["rules.max_mark_age"] == "7 d"


def test_numbers_in_the_text_are_those_in_force(simulated: Site, overview: Overview) -> None:
    text = drawn(page_of(simulated, overview), "methodology").text
    assert "All claims of pairs together hold with a probability of 90%" in text
    assert "hold the truth 90% of the time" in text
    other = drawn(page_of(simulated, replace(overview, level=0.8)), "methodology").text
    assert "All claims of pairs together hold with a probability of 80%" in other


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        (Rules(fill=FillRule.ASK), "at the best offer"),
        (Rules(fill=FillRule.MID), "which nobody gets in earnest"),
        (Rules(fill=FillRule.BOOK), "against the book as it was shown"),
        (Rules(mark=MarkRule.BID), "are worth the bid"),
        (Rules(mark=MarkRule.MID), "more than they would bring"),
        (Rules(max_quote_age=timedelta(minutes=7)), "at most 7 min old"),
    ],
)
def test_the_limit_of_prices_follows_the_rules(rules: Rules, words: str) -> None:
    assert words in limit_of(rules)


def test_what_stands_on_the_leaderboard_says_so(view: MethodologyPage) -> None:
    said = {m.key for c in view.chapters for m in c.methods if "On the leaderboard" in m.facts}
    assert said == set(KEYS) & set(METRICS)


def test_an_empty_overview_has_no_examples_of_scores(simulated: Site) -> None:
    view = page_of(simulated, Overview())
    assert view.example == ""
    assert "No forecast has resolved yet" in drawn(view, "methodology").text


def test_the_questions_of_the_arena_stand_beside_the_bands(
    overview: Overview, view: MethodologyPage
) -> None:
    assert overview.market is not None
    unc = METRICS["forecast"].shown(overview.market.scores["unc"].value)
    [beside] = [found.here for found in view.bands if found.here]
    assert f"always saying the base rate scores {unc}" in beside


def test_bands_are_written_as_their_source_draws_them(view: MethodologyPage) -> None:
    spans = [[row.span for row in found.rows] for found in view.bands]
    assert spans[0] == ["0", "0 to 0.1", "0.1 to 0.2", "0.2 to 0.25", "0.25 to 0.4", "0.4 to 1"]
    assert ["0% to 100%", "0%", "below 0%"] in spans
    assert ["100 and above", "20 to 100", "0 to 20"] in spans


@pytest.mark.parametrize("found", BANDS, ids=lambda one: one.source)
def test_bands_leave_no_gap_and_carry_a_caveat(found: MetricBands) -> None:
    assert found.metric in METRICS
    assert found.caveat.endswith(".")
    spans = sorted(
        (band.low if band.low is not None else float("-inf"), band.high)
        for band in found.bands
        if not band.when and band.low != band.high
    )
    ends = [high for _, high in spans]
    assert [low for low, _ in spans[1:]] == ends[:-1]


def test_no_other_page_grades_by_the_bands_of_others(simulated: Site) -> None:
    words = {b"excellent", b"very poor", b"outstanding"}
    graded = [
        path
        for path, content in files(simulated.out).items()
        if path.endswith(".html")
        and path != "methodology.html"
        and any(word in content for word in words)
    ]
    assert graded == []
