import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlite_utils import Database, Migrations

from arena.errors import ArenaError
from arena.store.exports.public import copied
from arena.store.migrations import STEPS
from arena.store.sqlite import read_only, version_of


def test_a_copy_is_migrated_and_its_original_is_not(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    older = Migrations("arena")
    for step in STEPS[:-1]:
        older()(step)
    with closing(sqlite3.connect(file)) as raw:
        older.apply(Database(raw))
    with copied(file) as copy:
        assert version_of(copy.db.raw) == len(STEPS)
    with read_only(file) as raw:
        assert version_of(raw) == len(STEPS) - 1


def test_where_there_is_no_file_its_copy_is_empty(tmp_path: Path) -> None:
    with copied(tmp_path / "none.db") as copy:
        assert copy.journal.head()
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_arena_s_is_not_copied(tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    file.write_text("dear diary")
    with pytest.raises(ArenaError, match="is not an arena's database"), copied(file):
        pass
