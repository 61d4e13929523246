from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import pytest

from arena.llms.tariff import taken
from arena.records.cohort import ContestantId
from arena.records.estimate import Estimate, Interval
from arena.records.settings import Edition, Entrant
from arena.site.overview.records import ContestantProfile, Overview, RankPlace
from arena.site.pages.providers.costs import MOST_ROWS, CostsPage, CostTable, costs_page
from arena.store import Store, open_store
from tests.site.conftest import Site
from tests.site.folders import drawn, play_days
from tests.site.fronts import ALDER, BIRCH, CEDAR, reading_of

CAST = Edition(
    {
        ALDER: Entrant(ALDER, model="small-1", price_in=Decimal("1.25"), price_out=Decimal(10)),
        BIRCH: Entrant(BIRCH, provider="anthropic", model="claude-3-5-haiku-latest"),
        CEDAR: Entrant(CEDAR, provider="nobody", model="unheard-of"),
    }
)
PAID = "UPDATE seats SET cost_micro = turns_ok * ? WHERE contestant = ?"
UNKNOWN = (
    "UPDATE seats SET cost_unknown = 1 WHERE contestant = ? "
    "AND cohort = (SELECT max(cohort) FROM cohorts)"
)


@pytest.fixture(scope="module")
def store() -> Iterator[Store]:
    """Three days in which alder and birch had to be paid, and one of birch's turns is odd."""
    with open_store(None) as store:
        play_days(store, 0, 3)
        with store.write():
            store.db.run(PAID, 20_000, ALDER)
            store.db.run(PAID, 5_000, BIRCH)
            store.db.run(PAID, 0, CEDAR)
            store.db.run(UNKNOWN, BIRCH)
        yield store


def overview_of(headline: str = "alpha") -> Overview:
    score = Estimate(0.02, 40, 20, interval=Interval(-0.01, 0.05, 0.95, "t"))
    names = (ALDER, BIRCH, CEDAR)
    return Overview(
        headline=headline,
        order=names,
        profiles={
            name: ContestantProfile(
                name, RankPlace(1, 1, 3), {"alpha": score, "brier_index": score}
            )
            for name in names
        },
    )


def page_of(store: Store, overview: Overview | None = None) -> CostsPage:
    return costs_page(reading_of(store, overview or Overview(), CAST))


def one(view: CostsPage, key: str) -> CostTable:
    return next(found for found in view.tables if found.key == key)


def cells(view: CostsPage, key: str, about: str) -> dict[str, tuple[str, str]]:
    found = one(view, key)
    row = next(row for row in found.rows if row.about.text == about)
    keys = [column.key for column in found.columns]
    return {k: (c.text, c.note) for k, c in zip(keys, row.cells, strict=True)}


def test_a_known_cost_is_shown_with_what_a_turn_cost(store: Store) -> None:
    row = cells(page_of(store), "contestants", "alder")
    assert row["cost"][0].startswith("$")
    assert row["cost_turn"][0] == "$0.0200"
    assert row["unknown_cost"] == ("0", "")


def test_an_unknown_cost_is_said_and_counted_and_never_nothing(store: Store) -> None:
    view = page_of(store)
    row = cells(view, "contestants", "birch")
    assert row["cost"][0].startswith("at least $")
    assert row["unknown_cost"][0] == "1"
    [whole] = [c for c in one(view, "contestants").rows if c.about.text == "birch"]
    assert whole.cells[0].value is None
    assert view.facts[0].text.startswith("at least $")


def test_a_cohort_with_an_unknown_turn_is_unknown_as_a_whole(store: Store) -> None:
    table = one(page_of(store), "cohorts")
    rows, heads = table.rows, [column.label for column in table.columns]
    assert heads == ["Cost", "Turns", "Tokens", "Unknown"]
    assert [row.cells[0].value is None for row in rows] == [True, False, False]


def test_a_cohort_of_unknown_cost_is_not_in_the_mean_of_a_turn(store: Store) -> None:
    assert cells(page_of(store), "contestants", "birch")["cost_turn"][0] == "$0.0050"


def test_those_who_took_nothing_are_not_listed(store: Store) -> None:
    names = {row.about.text for row in one(page_of(store), "contestants").rows}
    assert "alder" in names
    assert "always-no" not in names


def test_score_and_cost_are_drawn_for_those_that_have_both(store: Store) -> None:
    view = page_of(store, overview_of())
    assert view.plane is not None
    assert set(view.plane.grid.columns[0].texts) == {"alder", "birch"}
    assert "2 contestants without a score or a known cost above 0" in view.plane_note


def test_a_headline_that_is_better_when_lower_is_drawn_as_one_that_is_not(store: Store) -> None:
    view = page_of(store, overview_of("forecast"))
    assert view.plane is not None
    assert "Brier index" in view.plane.title


def test_without_a_headline_there_is_no_plane(store: Store) -> None:
    assert page_of(store).plane is None


@pytest.mark.parametrize(
    ("name", "asked", "source"),
    [
        (ALDER, "$1.250", "configured"),
        (BIRCH, "$0.800", f"table {taken()}"),
        (CEDAR, "unknown", "unknown"),
    ],
)
def test_a_price_says_where_it_is_from(
    store: Store, name: ContestantId, asked: str, source: str
) -> None:
    [row] = [row for row in page_of(store).prices if row.contestant.text == name]
    assert (row.asked.text, row.source) == (asked, source)


def test_a_price_that_is_half_configured_names_both_sources(store: Store) -> None:
    half = replace(CAST.cast[BIRCH], price_in=Decimal(3))
    view = costs_page(reading_of(store, Overview(), Edition({BIRCH: half})))
    assert view.prices[0].source == f"configured and table {taken()}"
    assert (view.prices[0].asked.text, view.prices[0].answered.text) == ("$3.000", "$4.000")


def test_an_empty_arena_has_spent_nothing() -> None:
    with open_store(None) as empty:
        view = costs_page(reading_of(empty, Overview(), Edition()))
    assert (view.days, view.plane, view.since) == (None, None, None)
    text = drawn(view, "costs").text
    assert "No call of a model has been asked yet" in text
    assert "$0.00" in text


def test_the_page_says_which_table_of_prices_came_with_it(simulated: Site) -> None:
    view = costs_page(reading_of(simulated.store, Overview(), CAST))
    assert f"as of {taken()}" in drawn(view, "costs").text
    assert all(len(found.rows) <= MOST_ROWS for found in view.tables)
