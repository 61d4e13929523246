"""What a visitor sees of the front page before anything is scrolled, counted in a browser."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, ViewportSize

from arena.records.claim import Caveat, ClaimBasis, Minimum
from arena.records.cohort import ContestantId
from arena.records.grade import Board
from arena.records.settings import Edition, Entrant
from arena.site.overview.records import Overview, Part, RankPlace, Window
from arena.site.pages.leaderboard.leaderboard import front_of, lines_of
from arena.store import Store
from tests.site.conftest import Site
from tests.site.fronts import (
    ALDER,
    MARKET,
    SEASON,
    board_of,
    claimed,
    reading_of,
    scores,
    write_front,
)
from tests.site.test_inner_pages import MOST_SMALL, SMALL, SMALL_SHARE

WIDE, NARROW = ViewportSize(width=1280, height=900), ViewportSize(width=360, height=780)
NAMES = (
    "Northwind Large 2", "Halcyon Pro", "Council of three", "Northwind Small 2", "Meridian 4",
    "Halcyon Pro blind", "Tessera Open 70b", "Meridian 3", "Northwind Large 1", "Halcyon Lite",
    "Tessera Open 8b", "Meridian Nano", "Meridian Pico",
)  # fmt: skip
FEW = replace(
    SEASON, minimum=Minimum(6, 3, ready_on=date(2026, 2, 16)), caveats=(Caveat.TOO_FEW_EVENTS,)
)
WEEK = replace(SEASON, minimum=Minimum(76, 1), caveats=(Caveat.ONE_WEEK,))
CLUSTERS = replace(SEASON, caveats=(Caveat.FEW_CLUSTERS,), clusters=5)

# Every word of the page's own part that stands above the table and can be seen.
WORDS = """() => {
  const top = document.querySelector("main table").getBoundingClientRect().top;
  const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  const found = [];
  while (walk.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(walk.currentNode);
    const boxes = [...range.getClientRects()].filter((box) => box.width > 1 && box.height > 1);
    const seen = walk.currentNode.parentElement.checkVisibility({visibilityProperty: true});
    if (seen && boxes.length && boxes[0].top < top) found.push(walk.currentNode.textContent);
  }
  for (const one of document.querySelectorAll("main select")) {
    if (one.checkVisibility()) found.push(one.selectedOptions[0].textContent);
  }
  return found.join(" ").split(/\\s+/).filter((word) => /\\w/.test(word));
}"""
ROWS = """() => [...document.querySelectorAll("main tbody:not(.refs) tr")]
  .filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length"""


def thirteen(store: Store) -> tuple[Board, Overview, Edition]:
    """Thirteen contestants with names and providers of the usual length, and the market."""
    known = claimed()
    names = [ContestantId(name.lower().replace(" ", "-")) for name in NAMES]
    many = len(names)
    profile = known.profiles[ALDER]
    profiles = {
        name: replace(
            profile,
            contestant=name,
            place=RankPlace(n + 1, max(1, n - 2), min(many, n + 4)),
            coverage=0.84 if n == 10 else 1.0,
        )
        for n, name in enumerate(names)
    }
    profiles[MARKET] = replace(known.profiles[MARKET], scores=scores(MARKET))
    cast = {
        name: Entrant(name, label, provider=label.split()[0], price_blind="blind" in label)
        for name, label in zip(names, NAMES, strict=True)
    }
    cast[MARKET] = Entrant(MARKET, "Market price", agent="market", reference=True)
    part = {name: Part(name, 80, 18, profile.scores) for name in names}
    windows = tuple(
        Window(key, label, since, 80, 24, 18, tuple(names), part)
        for key, label, since in (
            ("90-days", "90 days", date(2025, 11, 5)),
            ("30-days", "30 days", date(2026, 1, 4)),
            ("category-sport", "sport", None),
        )
    )
    overview = replace(
        known,
        profiles=profiles,
        order=(*names, MARKET),
        tied=tuple(names[:3]),
        market_place=RankPlace(7, 4, 10),
        windows=windows,
    )
    return board_of(store, overview.order), overview, Edition(cast)


def front(store: Store, out: Path, change: Overview | None = None) -> Path:
    board, overview, cast = thirteen(store)
    if change is not None:
        overview = replace(
            overview, claims=change.claims, against=change.against, tied=change.tied
        )
    return write_front(out, front_of(board, reading_of(store, overview, cast))).out


@pytest.fixture
def tab(context: BrowserContext) -> Page:
    """A tab in which data are never old."""
    context.clock.set_fixed_time("2026-01-12T00:00:00Z")
    return context.new_page()


@pytest.fixture(scope="module")
def file(simulated: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return front(simulated.store, tmp_path_factory.mktemp("first")) / "index.html"


def look(tab: Page, file: Path, size: ViewportSize) -> Page:
    tab.set_viewport_size(size)
    tab.goto(file.as_uri())
    return tab


def has_a_first_screen(tab: Page, file: Path) -> None:
    """Rows are in view, at most sixty words stand above them, and little text is small."""
    for size, rows in ((WIDE, 10), (NARROW, 4)):
        words = look(tab, file, size).evaluate(WORDS)
        assert 20 < len(words) <= 60, " ".join(words)
        assert tab.evaluate(ROWS) >= rows
        assert tab.evaluate(SMALL_SHARE, SMALL) <= MOST_SMALL


def test_the_first_screen_has_rows_and_few_words(tab: Page, file: Path) -> None:
    has_a_first_screen(tab, file)


@pytest.mark.parametrize("claims", [FEW, WEEK, CLUSTERS])
def test_so_it_is_where_something_is_missing(
    tab: Page, simulated: Site, tmp_path: Path, claims: ClaimBasis
) -> None:
    change = replace(claimed(), claims=claims, tied=())
    has_a_first_screen(tab, front(simulated.store, tmp_path, change) / "index.html")


def test_a_drawn_interval_is_wide_enough_to_be_read(tab: Page, file: Path) -> None:
    """Alike, all intervals reach over a third of the room that they have."""
    bars = look(tab, file, WIDE).locator("tbody .ch-bar .ch-w")
    widths = [box["width"] for one in bars.all() if (box := one.bounding_box())]
    assert len(widths) == len(NAMES)
    assert min(widths) > 70


def test_order_and_market_are_those_of_the_ranking(simulated: Site) -> None:
    board, overview, cast = thirteen(simulated.store)
    reading = reading_of(simulated.store, overview, cast)
    rows = front_of(board, reading).ranking.rows
    assert [row.kind for row in rows].index("market") == 6
    assert [line.id for line in lines_of(board, reading)][-1] == MARKET
