"""The page on venues: its options, its states, and the venue that it walks through."""

import asyncio
import json
from collections.abc import Iterable, Iterator
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from arena.clock import HandClock
from arena.config import load_settings
from arena.errors import ArenaError
from arena.ports import Clock, Venue
from arena.records.cohort import FillRule
from arena.records.market import YES_WINS, MarketId, State, VenueId
from arena.records.settings import VenueSettings
from arena.testing import VenueSuite
from arena.venues.kalshi.venue import KalshiOptions
from arena.venues.manifold.venue import ManifoldOptions
from arena.venues.polymarket.asking import PolymarketOptions
from arena.wiring import KeptNowhere
from tests.docs.pages import ROOT, bare, page, tables
from tests.http.asking import Says, well
from tests.standins.venues import Fault

VENUES = page("docs/venues.md")
NOW = datetime(2026, 11, 5, 10, tzinfo=UTC)
NAME = VenueId("exchange")
EXCHANGE = "docs/examples/exchange.py"
ROWS = [
    {"id": "a", "question": "Will it rain?", "state": "open", "bid": "0.4", "ask": 0.42},
    {"id": "b", "question": "Will it snow?", "state": "resolved", "outcome": "yes"},
    {"id": "c", "question": "Will it hail?", "state": "closed"},
]


def table(heading: str, *head: str) -> dict[str, str]:
    """The first two columns of the table of a section that has this head."""
    (rows,) = (rows for rows in tables(VENUES.section(heading)) if rows[0] == head)
    return {bare(row[0]): bare(row[1]) for row in rows[1:]}


@pytest.mark.parametrize(
    ("heading", "options"),
    [
        ("Polymarket", PolymarketOptions),
        ("Kalshi", KalshiOptions),
        ("Manifold", ManifoldOptions),
    ],
)
def test_every_option_of_a_venue_is_there_with_its_default(
    heading: str, options: type[Any]
) -> None:
    def told(value: object) -> str:
        if value is None:
            return "none"
        return str(int(value)) if isinstance(value, float) else str(value)

    expected = {option.name: told(option.default) for option in fields(options)}
    assert table(heading, "option", "default", "") == expected


def test_the_page_names_the_file_of_its_venue() -> None:
    assert EXCHANGE in VENUES.codes


def test_every_state_is_explained() -> None:
    assert set(table("Outcomes", "state", "meaning")) == {state.value for state in State}


def test_the_page_counts_the_ways_in_which_stand_ins_misbehave() -> None:
    assert f"[{len(Fault)} ways]" in VENUES.text


def test_the_cohort_to_start_from_can_be_played_with_the_venue_above_it(tmp_path: Path) -> None:
    venue, cohort = (fence.text for fence in VENUES.fenced("yaml")[:2])
    players = "{market: {agent: market}, favourite: {agent: favourite}, coin-flip: "
    config = f"{venue}\ncontestants: {players}{{agent: coin_flip}}}}\n"
    (tmp_path / "config.yaml").write_text(config, encoding="utf-8")
    (tmp_path / "cohorts").mkdir()
    (tmp_path / "cohorts" / "politics.yaml").write_text(cohort, encoding="utf-8")
    (spec,) = load_settings(tmp_path / "config.yaml").cohorts
    assert (spec.name, spec.universe.top, spec.rules.fill) == ("politics", 30, FillRule.BOOK)


def exchange(url: str, clock: Clock) -> Venue:
    """The venue of the walk-through, on a server that need not be spared."""
    options = (("url", url), ("per_second", 100_000))
    venue: Venue = run_path(str(ROOT / EXCHANGE))["Exchange"](
        VenueSettings(NAME, "exchange", options), clock, KeptNowhere()
    )
    return venue


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with Says(well(json.dumps(ROWS).encode())) as server:
        yield f"{server.home}/markets"


class TestTheWalkThrough(VenueSuite):
    """The page's venue passes the suite that the page names."""

    moments = (NOW,)
    some_ids = tuple(MarketId(f"{NAME}:{own}") for own in "abc")
    url: str

    @pytest.fixture(autouse=True)
    def _ask(self, url: str) -> None:
        self.url = url

    def make(self, clock: Clock) -> Venue:
        return exchange(self.url, clock)

    def make_broken(self, clock: Clock) -> Iterable[Venue]:
        for answer in (b"{}", b"[1, 2, 3]", b"<html>", b'[{"id": 7}]'):
            with Says(well(answer)) as server:
                yield exchange(server.home, clock)


def test_the_venue_of_the_walk_through_settles_what_its_server_resolved(url: str) -> None:
    asked = [MarketId("exchange:b"), MarketId("exchange:c")]
    said = asyncio.run(exchange(url, HandClock(NOW)).statuses(asked))
    assert [said[m].state for m in asked] == [State.RESOLVED, State.CLOSED_PENDING]
    assert said[asked[0]].outcome == YES_WINS
    assert said[asked[0]].unconfirmed


def test_a_format_that_has_changed_stops_the_venue_of_the_walk_through() -> None:
    with Says(well(b'[{"id": "a", "title": "Will it rain?"}]')) as server:
        venue = exchange(server.home, HandClock(NOW))
        with pytest.raises(ArenaError) as caught:
            asyncio.run(venue.catalogue())
    assert caught.value.code == "venue.format"
