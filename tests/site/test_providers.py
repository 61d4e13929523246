"""The pages about who makes the models."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from arena.metrics.figures import steady
from arena.metrics.groups import GroupBoard, GroupLine
from arena.records.cohort import ContestantId
from arena.records.estimate import Estimate, Interval, State
from arena.records.settings import Edition, Entrant
from arena.site import Page, places
from arena.site.overview.records import ContestantProfile, Overview, RankPlace
from arena.site.pages.leaderboard.leaderboard import lines_of
from arena.site.pages.providers.provider import (
    ProviderListPage,
    ProviderPage,
    by_provider,
    line_of,
    pages,
    sums_of,
)
from arena.site.reading import Reading
from tests.present import present, some
from tests.site.conftest import Site
from tests.site.folders import Element, drawn, page, rows, table
from tests.site.fronts import reading_of

EVIL = '../"><svg onload=alert(1)>{{ 7 * 7 }}'
CAST = {
    "alder": ("Acme", "pine", "2025-11-01"),
    "birch": ("Acme", "pine", "2026-01-01"),
    "cedar": ("Bolt", "rock", "2025-12-01"),
    "damson": ("Bolt", "rock", ""),
}


def cast() -> Mapping[ContestantId, Entrant]:
    named = [
        Entrant(
            ContestantId(name), name.title(), "prompted", "", provider, family, f"{provider}-1",
            release,
        )
        for name, (provider, family, release) in CAST.items()
    ]  # fmt: skip
    market = Entrant(ContestantId("market"), "Market price", "market", reference=True)
    return {one.id: one for one in (*named, market)}


def guess(value: float, n: int = 50) -> Estimate:
    return Estimate(value, n, 20, interval=Interval(value - 0.01, value + 0.01, 0.95, "t"))


def estimated() -> Overview:
    """Scores of everybody, and two providers that were compared."""
    values = dict(zip(CAST, (0.04, 0.02, 0.01, -0.01), strict=True))
    lines = (
        GroupLine("Acme", 2, 0.03, guess(0.025), 0.04, 0.01),
        GroupLine("Bolt", 2, 0.0, guess(0.002), 0.01, 0.01),
    )
    return Overview(
        headline="alpha",
        profiles={
            ContestantId(name): ContestantProfile(
                ContestantId(name), RankPlace(n, 1, 4), {"alpha": guess(v)}
            )
            for n, (name, v) in enumerate(values.items(), 1)
        },
        order=tuple(ContestantId(name) for name in CAST),
        providers=GroupBoard(
            "provider",
            "alpha",
            common=True,
            questions=100,
            events=20,
            lines=lines,
            state=State.OK,
        ),
    )


@pytest.fixture(scope="module")
def reading(simulated: Site) -> Reading:
    return reading_of(simulated.store, estimated(), Edition(cast()))


@pytest.fixture(scope="module")
def made(reading: Reading) -> dict[str, Page]:
    return {one.path: one for one in pages(reading) if isinstance(one, Page)}


def drawn_of(one: Page) -> Element:
    return drawn(one.view, one.template.removesuffix(".html"))


def view(made: dict[str, Page], name: str) -> ProviderPage:
    found = made[places.provider(name)].view
    assert isinstance(found, ProviderPage)
    return found


def front(made: dict[str, Page]) -> ProviderListPage:
    found = made[places.PROVIDERS].view
    assert isinstance(found, ProviderListPage)
    return found


def test_every_provider_that_is_named_has_a_page(made: dict[str, Page]) -> None:
    assert set(made) == {places.PROVIDERS, places.provider("Acme"), places.provider("Bolt")}


def test_the_list_compares_providers_by_what_was_estimated(
    made: dict[str, Page], reading: Reading
) -> None:
    shown = present(front(made).table)
    for row in shown.rows:
        line = present(line_of(reading.overview.providers, row[0].text))
        assert row[1].value == steady(line.ability.value)
        assert row[1].between is not None


def test_who_names_no_provider_is_listed_apart(made: dict[str, Page]) -> None:
    assert {"Market price", "always-no"} <= {to.text for to in front(made).unnamed}


def test_sums_are_of_all_contestants_of_a_provider(reading: Reading) -> None:
    models = by_provider(lines_of(reading.store.boards.overall(), reading))["Acme"]
    lines = [one.standing for one in models]
    assert {one.id for one in models} == {"alder", "birch"}
    sums = sums_of(models)
    assert sums.ok == sum(line.turns_ok for line in lines)
    capital = sum(line.capital for line in lines)
    pnl = sum(line.pnl for line in lines if line.pnl is not None)
    assert sums.returned == pytest.approx(float(pnl / capital))


def test_a_sum_with_an_unknown_part_is_unknown(reading: Reading) -> None:
    first, second = by_provider(lines_of(reading.store.boards.overall(), reading))["Acme"]
    unknown = replace(first, standing=replace(first.standing, cost=None, pnl=None))
    sums = sums_of((unknown, second))
    assert (sums.cost, sums.returned) == (None, None)


def test_releases_are_drawn_in_their_order(made: dict[str, Page]) -> None:
    figure = present(view(made, "Acme").releases)
    assert figure.grid.columns[0].texts == ("pine 2025-11-01: Alder", "pine 2026-01-01: Birch")


def test_one_release_is_no_series(made: dict[str, Page]) -> None:
    assert view(made, "Bolt").releases is None


def test_each_contestant_has_its_score_and_how_it_answered(made: dict[str, Page]) -> None:
    root = drawn_of(made[places.provider("Acme")])
    scores, answers = (
        rows(table(root, label)) for label in ("Its contestants", "How they answer")
    )
    assert {row[0] for row in scores} == {row[0] for row in answers} == {"Alder", "Birch"}
    assert {row[1] for row in scores} == {"Acme-1"}


def test_the_list_can_be_read_and_leads_to_each_provider(made: dict[str, Page]) -> None:
    root = drawn_of(made[places.PROVIDERS])
    links = {a.attributes["href"] for a in root.all("a")}
    assert {"../" + places.provider(name) for name in ("Acme", "Bolt")} <= links
    assert len(root.all("h1")) == 1


def test_an_arena_without_providers_says_how_to_name_one(lively: Site) -> None:
    root = page(lively.out, places.PROVIDERS)
    assert "config.yaml" in root.text
    assert "provider: openai" in root.all("pre")[0].text


def test_without_estimates_providers_are_listed_all_the_same(reading: Reading) -> None:
    blank = replace(reading, overview=Overview())
    found = {one.path: one for one in pages(blank) if isinstance(one, Page)}
    shown = rows(table(drawn_of(found[places.PROVIDERS]), "Providers"))
    assert [row[0] for row in shown] == ["Acme", "Bolt"]
    drawn_of(found[places.provider("Acme")])


def test_a_providers_name_cannot_break_out(reading: Reading, tmp_path: Path) -> None:
    evil = {name: replace(one, provider=EVIL) for name, one in cast().items()}
    attacked = replace(reading, edition=Edition(evil), overview=Overview())
    for one in some(pages(attacked)):
        assert isinstance(one, Page)
        assert (tmp_path / one.path).resolve().is_relative_to(tmp_path)
        assert EVIL in drawn_of(one).text
        assert [e for e in drawn_of(one).everything() if "onload" in e.attributes] == []
