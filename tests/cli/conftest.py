from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.project import Project, project
from tests.cli.shell import Done, arena

THREE_DAYS = ("demo", "--days", "3", "--contestants", "4")


@dataclass(frozen=True, slots=True)
class Played:
    """A demo that was played: where, and what its command said. Nobody changes it."""

    folder: Path
    done: Done

    @property
    def database(self) -> Path:
        return self.folder / "arena.db"


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Three days of the demo."""
    home = tmp_path_factory.mktemp("demo")
    done = arena(*THREE_DAYS, "--out", "here", cwd=home, TZ="UTC", PYTHONHASHSEED="2")
    return Played(home / "here", done)


@pytest.fixture(scope="session")
def ranked(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A demo of as many weeks as claims need. Nobody changes it."""
    home = tmp_path_factory.mktemp("ranked")
    done = arena("demo", "--days", "43", "--contestants", "4", "--out", "here", cwd=home)
    return Played(home / "here", done)


@pytest.fixture(scope="session")
def ticked(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project after its first tick. Nobody changes it."""
    made = project(tmp_path_factory.mktemp("ticked") / "arena")
    return Project(made.folder, made.tick())


@pytest.fixture(scope="session")
def journal(ticked: Project) -> str:
    """The digest of the journal of a project that was ticked once."""
    return ticked.journal


@pytest.fixture
def fresh(tmp_path: Path) -> Project:
    """A project that nobody has ticked."""
    return project(tmp_path / "arena")
