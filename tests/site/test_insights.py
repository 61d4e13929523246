"""The page of insights: a card each, with its picture and values, or why there is nothing."""

from dataclasses import replace

import pytest

from arena.metrics.insights import ContestantInsights, Insights, PairInsight, insights
from arena.metrics.registry import METRICS
from arena.records.cohort import ContestantId
from arena.records.estimate import Estimate, Interval, State
from arena.render import environment, render
from arena.site.overview import Overview
from arena.site.pages.insights.insights import MOST_ROWS, insights_page
from arena.site.pages.insights.view import InsightCard, InsightsPage
from arena.store.scores.evidence import SqliteEvidence
from arena.store.tape.daily_prices import with_prices
from arena.store.tape.ladders import with_ladders
from tests.present import present, some
from tests.site.conftest import Site
from tests.site.folders import TEMPLATES, Element, parse
from tests.site.fronts import ALDER, BIRCH, MARKET, reading_of

KEYS = ("information", "copying", "independence", "consistency", "updating")


def page_of(site: Site, made: Insights) -> InsightsPage:
    return insights_page(reading_of(site.store, Overview(order=(ALDER, BIRCH), insights=made)))


def html_of(view: InsightsPage) -> Element:
    return parse(render(environment(TEMPLATES), "site/insights.html", page=view))


def card(view: InsightsPage, key: str) -> InsightCard:
    return next(card for card in view.cards if card.key == key)


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
    return Insights(0.95, rows, len(names), together, pairs)


EVERY = {
    "information_weight", "information_gain", "slope", "within_one_point",
    "within_two_points", "price_correlation", "value_of_updating", "arbitrage_exclusive",
    "arbitrage_thresholds", "arbitrage_deadlines", "broken_checks",
}  # fmt: skip


@pytest.mark.parametrize("key", KEYS)
def test_a_card_without_data_says_why(simulated: Site, key: str) -> None:
    empty = card(page_of(simulated, Insights(0.95)), key)
    assert (empty.figure, empty.table) == (None, None)
    assert empty.missing.endswith(".")


def test_the_empty_page_has_no_table_and_no_picture(simulated: Site) -> None:
    html = html_of(page_of(simulated, Insights(0.95)))
    assert html.all("table") == []
    assert html.all("figure") == []


@pytest.mark.parametrize("key", KEYS)
def test_a_card_with_data_has_a_picture_and_a_table(simulated: Site, key: str) -> None:
    full = card(page_of(simulated, invented()), key)
    assert full.missing == ""
    assert present(full.figure).wide
    assert some(present(full.table).rows)


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
