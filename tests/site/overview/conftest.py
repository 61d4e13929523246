"""A season of simulated days, and its overview."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.records.cohort import ContestantId
from arena.records.settings import Edition, Entrant
from arena.site.overview.kept import cached_overview
from arena.site.overview.records import Overview
from arena.store import Store, open_store
from tests.once import made_once
from tests.site.folders import play_days

PROVIDERS = {"alder": "north", "birch": "north", "cedar": "south", "damson": "south"}
REFERENCES = ("market", "always-no")
CAST: Mapping[ContestantId, Entrant] = {
    **{
        ContestantId(name): Entrant(ContestantId(name), provider=provider)
        for name, provider in PROVIDERS.items()
    },
    **{ContestantId(name): Entrant(ContestantId(name), reference=True) for name in REFERENCES},
}


@dataclass(frozen=True, slots=True)
class Season:
    """A store, its file, and what is estimated from it."""

    store: Store
    file: Path
    overview: Overview


@pytest.fixture(scope="session")
def season(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Season]:
    """Forty-five simulated days of six contestants: enough weeks to rank them."""

    def make(folder: Path) -> None:
        with open_store(folder / "arena.db") as store:
            play_days(store, 0, 45)
            cached_overview(store, Edition(CAST), folder)

    folder = made_once(tmp_path_factory, "season", make)
    file = Path(shutil.copy(folder / "arena.db", tmp_path_factory.mktemp("season")))
    with open_store(file) as store:
        yield Season(store, file, cached_overview(store, Edition(CAST), folder))
