"""Sites that many tests read: each is built once."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Error, sync_playwright

from arena.records.cohort import ContestantId
from arena.records.settings import Edition, Entrant
from arena.site.engine.build import publish
from arena.store import Store, open_store
from tests.site.attack import LABELS, under_attack
from tests.site.folders import LATER, TEMPLATES, play_days, write_site
from tests.stage import Game, eventful

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or ""
ALDER, BIRCH, MARKET = map(ContestantId, ("alder", "birch", "market"))
CAST = Edition(
    {
        ALDER: Entrant(ALDER, "Alder the First", provider="Greenwood"),
        BIRCH: Entrant(BIRCH, provider="Greenwood"),
        MARKET: Entrant(MARKET, agent="market", reference=True),
    }
)


@dataclass(frozen=True, slots=True)
class Site:
    """A store and the folder that shows it."""

    store: Store
    out: Path


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Seven simulated days."""
    out = tmp_path_factory.mktemp("simulated")
    with open_store(None) as store:
        play_days(store, 0, 7)
        publish(store, out, TEMPLATES, CAST, at=LATER)
        yield Site(store, out)


@pytest.fixture(scope="session")
def lively(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A small arena in which everything has happened that can."""
    out = tmp_path_factory.mktemp("lively")
    game: Game
    with eventful() as game:
        write_site(game.store, out)
        yield Site(game.store, out)


@pytest.fixture(scope="session")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """An arena of which every name is an attack, down to the ids."""
    out = tmp_path_factory.mktemp("attacked")
    with under_attack() as store:
        write_site(store, out, LABELS)
        yield Site(store, out)


@contextmanager
def launched(what: str) -> Iterator[Browser]:
    """A browser, where there is one; else the test is skipped, and says `what` was not seen."""
    if not CHROMIUM:
        pytest.skip(f"no Chromium is on the PATH: {what} were not looked at")
    with sync_playwright() as driver:
        try:
            found = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        except Error as error:
            pytest.skip(f"the browser at {CHROMIUM} does not start: {error.message[:200]}")
        yield found
        found.close()


@pytest.fixture(scope="module")
def browser(simulated: Site, lively: Site, attacked: Site) -> Iterator[Browser]:  # noqa: ARG001
    """A browser, once the sites are there: it leaves a loop running, games need their own."""
    with launched("the pages") as found:
        yield found
