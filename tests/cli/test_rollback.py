"""An older copy of the database under a newer site, and another arena's."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.project import TEMPLATES, Project, edit, project
from tests.cli.shell import Done
from tests.cli.test_site import bytes_of


def older(made: Project) -> Project:
    """Tick on, and put the database back as it was before that."""
    copy = made.database.with_name("copy.db")
    shutil.copy(made.database, copy)
    made.tick(hours=24)
    copy.replace(made.database)
    return made


@pytest.fixture
def behind(ticked: Project, tmp_path: Path) -> Project:
    return older(ticked.copy(tmp_path / "arena"))


def assert_refused(done: Done, code: str) -> None:
    assert (done.code, done.out) == (7, "")
    assert done.err.startswith(f"error[{code}]: ")


@pytest.mark.parametrize("asked", ["tick", "dry run", "build"])
def test_over_an_older_database_nothing_is_asked_or_written(
    behind: Project, asked: str
) -> None:
    before = bytes_of(behind.folder / "site"), behind.rows("SELECT count(*) FROM tape_polls")
    done = {
        "tick": lambda: behind.tick(hours=24),
        "dry run": lambda: behind.tick("--dry-run", hours=24),
        "build": lambda: behind.run("site", "build"),
    }[asked]()
    assert_refused(done, "site.ahead")
    assert "it is an older copy" in done.err
    after = bytes_of(behind.folder / "site"), behind.rows("SELECT count(*) FROM tape_polls")
    assert after == before


@pytest.mark.parametrize("gone", ["site", ".site.cache"])
def test_either_of_the_site_and_what_is_beside_it_tells(behind: Project, gone: str) -> None:
    shutil.rmtree(behind.folder / gone)
    assert_refused(behind.tick(hours=24), "site.ahead")


def test_accepted_it_is_said_in_the_journal_and_on_the_page_of_changes(behind: Project) -> None:
    done = behind.tick("--accept-rollback", hours=24)
    assert (done.code, done.err) == (0, "")
    ((name, at),) = behind.rows("SELECT id, at FROM journal_entries WHERE kind = 'restored'")
    lost = name.removeprefix("restore:")
    changes = (behind.folder / "site" / "changes.html").read_text(encoding="utf-8")
    assert "An older database was put back" in changes
    assert lost in changes
    assert at in (behind.folder / "site" / "changes.json").read_text().replace("Z", "+00:00")
    assert lost in (behind.folder / ".site.cache" / "heads.tsv").read_text(encoding="utf-8")
    assert behind.is_sound


def test_what_was_accepted_is_not_asked_for_again(behind: Project) -> None:
    behind.tick("--accept-rollback", hours=24)
    assert behind.tick(hours=25).code == 0
    assert behind.tick("--accept-rollback", hours=26).code == 0
    assert behind.rows("SELECT count(*) FROM journal_entries WHERE kind = 'restored'") == [(1,)]


def test_two_arenas_do_not_share_a_folder_of_pages(ticked: Project, tmp_path: Path) -> None:
    first = ticked.copy(tmp_path / "arena")
    other = project(tmp_path / "other", contestants=("market", "always-no", "favourite"))
    other.tick()
    before = bytes_of(first.folder / "site")
    paths = {"site": str(first.folder / "site"), "templates": str(TEMPLATES)}
    edit(other, "paths", f"paths: {json.dumps(paths)}")
    assert_refused(other.tick(hours=24), "site.another")
    assert bytes_of(first.folder / "site") == before


def test_an_arena_over_an_empty_folder_is_no_older_one(fresh: Project) -> None:
    assert fresh.tick("--accept-rollback").code == 0
    assert fresh.rows("SELECT count(*) FROM journal_entries WHERE kind = 'restored'") == [(0,)]
