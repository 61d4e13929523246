"""Sites that many tests read: each is built once."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from sqlite3 import connect

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, sync_playwright

from arena.records.cohort import ContestantId
from arena.records.settings import Edition, Entrant
from arena.site.engine.build import publish
from arena.store import Store, open_store
from tests.once import made_once
from tests.site.attack import LABELS, under_attack
from tests.site.folders import LATER, TEMPLATES, play_days, write_site
from tests.stage import eventful

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or ""
# Chromium is spared what no page of a folder needs.
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-extensions"]
ARGUMENTS += ["--disable-features=site-per-process", "--disable-background-networking"]
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


def site_of(
    factory: pytest.TempPathFactory,
    name: str,
    filled: Callable[[Path], AbstractContextManager[Store]],
) -> Iterator[Site]:
    """A site that the session builds once, and a copy of its store for each process.

    `filled` gives an arena, and writes its site into the folder that it gets.
    """

    def make(folder: Path) -> None:
        with filled(folder / "out") as store, closing(connect(folder / "arena.db")) as file:
            store.db.raw.backup(file)

    folder = made_once(factory, name, make)
    copy = shutil.copy(folder / "arena.db", factory.mktemp(name))
    with open_store(Path(copy)) as store:
        yield Site(store, folder / "out")


@contextmanager
def seven_days(out: Path) -> Iterator[Store]:
    with open_store(None) as store:
        play_days(store, 0, 7)
        publish(store, out, TEMPLATES, CAST, at=LATER)
        yield store


@contextmanager
def everything_happened(out: Path) -> Iterator[Store]:
    with eventful() as game:
        write_site(game.store, out)
        yield game.store


@contextmanager
def every_name_an_attack(out: Path) -> Iterator[Store]:
    with under_attack() as store:
        write_site(store, out, LABELS)
        yield store


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Seven simulated days."""
    yield from site_of(tmp_path_factory, "simulated", seven_days)


@pytest.fixture(scope="session")
def lively(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A small arena in which everything has happened that can."""
    yield from site_of(tmp_path_factory, "lively", everything_happened)


@pytest.fixture(scope="session")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """An arena of which every name is an attack, down to the ids."""
    yield from site_of(tmp_path_factory, "attacked", every_name_an_attack)


@contextmanager
def nothing_happened(out: Path) -> Iterator[Store]:
    with open_store(None) as store:
        write_site(store, out)
        yield store


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """An arena before its first tick."""
    yield from site_of(tmp_path_factory, "empty", nothing_happened)


@contextmanager
def launched(what: str) -> Iterator[Browser]:
    """A browser, where there is one; else the test is skipped, and says `what` was not seen."""
    if not CHROMIUM:
        pytest.skip(f"no Chromium is on the PATH: {what} were not looked at")
    with sync_playwright() as driver:
        try:
            found = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        except Error as error:
            pytest.skip(f"the browser at {CHROMIUM} does not start: {error.message[:200]}")
        yield found
        found.close()


@pytest.fixture(scope="module")
def browser(simulated: Site, lively: Site, attacked: Site) -> Iterator[Browser]:  # noqa: ARG001
    """A browser, once the sites are there: it leaves a loop running, games need their own."""
    with launched("the pages") as found:
        yield found


@pytest.fixture
def context(browser: Browser, request: pytest.FixtureRequest) -> Iterator[BrowserContext]:
    """A window of its own, with the options that a test is parametrised with."""
    made = browser.new_context(**getattr(request, "param", {}))
    yield made
    made.close()
