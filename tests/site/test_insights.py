"""The page of insights: a card each, with its picture and values, or why there is nothing."""

from dataclasses import replace
from pathlib import Path

import pytest

from arena.agents.outside import SUBMITTED
from arena.metrics.claims.questions import Claim, Contest
from arena.metrics.insights.arms import ArmPair, Arms
from arena.metrics.insights.report import ContestantInsights, Insights, PairInsight, insights
from arena.metrics.registry import METRICS
from arena.metrics.shadow import Sum
from arena.records.cohort import ContestantId
from arena.records.estimate import Estimate, Interval, State, Test
from arena.records.settings import Entrant, SiteSettings
from arena.site.overview.records import ContestantProfile, Overview, RankPlace
from arena.site.pages.insights.insight_cards import MOST_ROWS, InsightCard, InsightsPage
from arena.site.pages.insights.insights import insights_page
from arena.site.pages.parts import Cell
from arena.store.scores.evidence import SqliteEvidence, with_prices
from arena.store.tape.taped import with_ladders
from tests.present import present, some
from tests.site.conftest import Site
from tests.site.folders import drawn
from tests.site.fronts import ALDER, BIRCH, CAST, MARKET, reading_of

KEYS = (
    "information", "copying", "consistency", "updating", "independence", "crowd", "arms",
    "noise", "sizing",
)  # fmt: skip


def claimed(made: Insights) -> Overview:
    """An overview in which Birch lost 0.02 more than Alder, by the claims."""
    test = Test("t", 20, 10, 0.02, 0.01, 2.0, (9.0,), 0.08)
    contest = Contest("alpha", 0.95, (Claim(ALDER, BIRCH, test, None, None, None),), {})
    profiles = {name: ContestantProfile(name, RankPlace(None, 1, 2)) for name in (ALDER, BIRCH)}
    return Overview(order=(ALDER, BIRCH), insights=made, contest=contest, profiles=profiles)


def page_of(site: Site, made: Insights) -> InsightsPage:
    sizing = {row.contestant: SUMS for row in made.contestants}
    overview = Overview(order=(ALDER, BIRCH), insights=made, sizing=sizing)
    return insights_page(reading_of(site.store, overview))


def card(view: InsightsPage, key: str) -> InsightCard:
    return next(card for card in view.cards if card.key == key)


def rows(card: InsightCard) -> list[tuple[Cell, ...]]:
    """The rows of all that a card lists."""
    tables = [table for table in (card.values, card.table) if table is not None]
    return [row for table in tables for row in table.rows]


def invented(n: int = 2) -> Insights:
    """Contestants with every value, and an interval of each."""
    value = Estimate(0.4, 20, 10, interval=Interval(0.1, 0.7, 0.95, "cluster t, CR1"))
    names = [str(ALDER), str(BIRCH), *(f"other-{k}" for k in range(n - 2))]
    keys = [key for key in METRICS if key in EVERY]
    rows = tuple(
        ContestantInsights(name, 20, 10, dict.fromkeys(keys, value), copies=False)
        for name in names
    )
    pairs = tuple(PairInsight(a, b, 0.3) for a in names for b in names if a < b)
    together = {"error_correlation": value, "effective_number": value}
    arms = Arms(
        tuple(
            ArmPair("north one", setting, names[0], "", names[1], "never", value, value)
            for setting in ("show_price", "")
        ),
        {"copy_agreement": value, "copies_needed": value},
    )
    crowd = {"price": value, "close": value}
    return Insights(0.95, rows, len(names), together, pairs, arms, crowd)


SUMS = {"flat": Sum(8, -500.0, -0.5), "crra_1": Sum(0, 0.0, 0.0)}
EVERY = {
    "information_weight", "information_gain", "slope", "within_one_point",
    "within_two_points", "price_correlation", "value_of_updating", "arbitrage_exclusive",
    "arbitrage_thresholds", "arbitrage_deadlines", "broken_checks", "close_gain",
}  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
def test_a_card_without_data_says_why(simulated: Site, key: str) -> None:
    empty = card(page_of(simulated, Insights(0.95)), key)
    assert (empty.figure, empty.table) == (None, None)
    assert empty.missing.endswith(".")


def test_the_empty_page_has_no_table_and_no_picture(simulated: Site) -> None:
    html = drawn(page_of(simulated, Insights(0.95)), "insights")
    assert html.all("table") == []
    assert html.all("figure") == []


@pytest.mark.parametrize("key", KEYS)
def test_a_card_with_data_has_a_picture_and_a_table(simulated: Site, key: str) -> None:
    full = card(page_of(simulated, invented()), key)
    assert full.missing == ""
    assert present(full.figure).wide
    assert some(rows(full))


def test_values_of_nobody_have_no_column(simulated: Site) -> None:
    made = invented()
    none = Estimate(None, 0, 0, state=State.EMPTY)
    rows = tuple(
        replace(row, values={**row.values, "arbitrage_deadlines": none})
        for row in made.contestants
    )
    view = page_of(simulated, replace(made, contestants=rows))
    labels = [field.label for field in present(card(view, "consistency").table).fields]
    assert METRICS["arbitrage_deadlines"].name not in labels
    assert METRICS["arbitrage_thresholds"].name in labels


def test_rows_beyond_the_first_are_in_the_twin_alone(simulated: Site) -> None:
    shown = card(page_of(simulated, invented(MOST_ROWS + 3)), "information")
    assert len(present(shown.table).rows) == MOST_ROWS
    assert len(present(shown.more).rows) == 3
    assert str(MOST_ROWS) in shown.note


def test_the_values_are_those_of_the_command(simulated: Site) -> None:
    db = simulated.store.db
    forecasts = with_ladders(db, with_prices(db, SqliteEvidence(db).forecasts()))
    made = insights(forecasts, (str(MARKET),))
    table = present(card(page_of(simulated, made), "copying").table)
    own = {row.contestant: row.values["within_two_points"].value for row in made.contestants}
    by_name = {str(row[0].href).split("/")[1]: row[1].value for row in table.rows}
    assert by_name[ALDER] == pytest.approx(present(own[ALDER]))
    assert ContestantId("alder") in own


def test_prices_are_rows_beside_contestants(simulated: Site) -> None:
    names = [row[0].text for row in rows(card(page_of(simulated, invented()), "crowd"))]
    assert names == [
        "Price when the forecasts were made",
        "Closing price",
        "Alder the First",
        BIRCH,
    ]


def test_a_rule_without_a_bet_has_no_return(simulated: Site) -> None:
    table = present(card(page_of(simulated, invented()), "sizing").table)
    values = {
        field.label: cell.value for field, cell in zip(table.fields, table.rows[0], strict=True)
    }
    assert (values["Own bets"], values["Flat stake"], values["CRRA 1"]) == (None, -0.5, None)


def test_the_setting_that_differs_is_named(simulated: Site) -> None:
    (row,) = rows(card(page_of(simulated, invented()), "arms"))
    assert row[1].text == "show_price: not set, never"


def test_a_person_stands_first_and_is_paired_by_the_claims(simulated: Site) -> None:
    person = Entrant(BIRCH, "A person", agent=SUBMITTED)
    edition = replace(CAST, cast={**CAST.cast, BIRCH: person})
    reading = reading_of(simulated.store, claimed(invented()), edition)
    shown = card(insights_page(reading), "crowd")
    assert [row[1].text for row in present(shown.table).rows][2] == "person or outside system"
    (pair,) = present(shown.values).rows
    assert pair[0].text == "A person and Alder the First"
    assert pair[1].value == pytest.approx(-0.02)


def drifting(site: Site, file: Path) -> InsightCard:
    """The card of drift of a site that is configured with a file of answers."""
    edition = replace(CAST, site=SiteSettings(probes=str(file)))
    reading = reading_of(site.store, Overview(order=(ALDER, BIRCH)), edition)
    return card(insights_page(reading), "drift")


def answers(file: Path, moved: float) -> Path:
    """Answers of a model that says the same at first, and something else a week later."""
    rows = [f"north,q{n},2026-01-05,{0.3 + 0.001 * k}" for n in range(20) for k in range(10)]
    rows += [
        f"north,q{n},2026-01-{day},{0.304 + moved + 0.001 * k}"
        for n in range(20)
        for day in (12, 19, 26)
        for k in range(2)
    ]
    file.write_text("contestant,question,at,p\n" + "\n".join(rows) + "\n", "utf-8")
    return file


def test_a_drift_is_drawn_with_a_mark_where_its_alarm_began(
    simulated: Site, tmp_path: Path
) -> None:
    shown = drifting(simulated, answers(tmp_path / "answers.csv", 0.2))
    (row,) = present(shown.table).rows
    assert (row[0].text, row[-1].text) == ("north", "2026-01-12")
    assert "north: alarm" in present(shown.figure).wide


def test_the_same_answers_raise_no_alarm(simulated: Site, tmp_path: Path) -> None:
    shown = drifting(simulated, answers(tmp_path / "answers.csv", 0.0))
    (row,) = present(shown.table).rows
    assert row[-1].text == "none"


def test_a_file_that_is_no_file_of_answers_is_named_as_such(
    simulated: Site, tmp_path: Path
) -> None:
    file = tmp_path / "answers.csv"
    file.write_text("a,b\n1,2\n", "utf-8")
    assert "cannot be used" in drifting(simulated, file).missing


def test_before_the_first_answers_the_card_says_so(simulated: Site, tmp_path: Path) -> None:
    assert "none yet" in drifting(simulated, tmp_path / "answers.csv").missing
