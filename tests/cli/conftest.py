import json
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from tests.cli.handing_in import waiting
from tests.cli.project import Project, project
from tests.cli.shell import Done, arena
from tests.once import made_once

WEEKS = ("--days", "45", "--contestants", "4")  # as the tutorial plays them
THREE_DAYS = ("demo", "--days", "3", "--contestants", "4")


@dataclass(frozen=True, slots=True)
class Played:
    """A demo that was played: where, and what its command said. Nobody changes it."""

    folder: Path
    done: Done

    @property
    def database(self) -> Path:
        return self.folder / "arena.db"


def kept(folder: Path, done: Done) -> None:
    """Keep beside a folder what the command said that made it."""
    folder.with_suffix(".said").write_text(json.dumps(asdict(done)), encoding="utf-8")


def said(folder: Path) -> Done:
    return Done(**json.loads(folder.with_suffix(".said").read_text(encoding="utf-8")))


def played(factory: pytest.TempPathFactory, *words: str, **variables: str) -> Played:
    """A demo that the session plays once with these words."""

    def make(home: Path) -> None:
        kept(home, arena("demo", *words, "--out", "here", cwd=home, **variables))

    home = made_once(factory, "".join(("demo", *words)), make)
    return Played(home / "here", said(home))


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Three days of the demo."""
    around = {"TZ": "UTC", "PYTHONHASHSEED": "2"}
    return played(tmp_path_factory, *THREE_DAYS[1:], **around)


@pytest.fixture(scope="session")
def ranked(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A demo of as many weeks as claims need. Nobody changes it."""
    return played(tmp_path_factory, *WEEKS)


@pytest.fixture(scope="session")
def ticked(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project after its first tick. Nobody changes it."""

    def make(home: Path) -> None:
        kept(home, project(home / "arena").tick())

    home = made_once(tmp_path_factory, "ticked", make)
    return Project(home / "arena", said(home))


@pytest.fixture(scope="session")
def journal(ticked: Project) -> str:
    """The digest of the journal of a project that was ticked once."""
    return ticked.journal


@pytest.fixture(scope="session")
def unanswered(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose round waits for an answer. Nobody changes it."""

    def make(home: Path) -> None:
        waiting(home / "arena")

    return Project(made_once(tmp_path_factory, "unanswered", make) / "arena")


@pytest.fixture
def fresh(tmp_path: Path) -> Project:
    """A project that nobody has ticked."""
    return project(tmp_path / "arena")
