import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.store import Store, open_store
from arena.store.public import KEPT, LEFT_OUT, copy_public
from arena.store.schema import CACHES, TRUTHS
from tests.stage import eventful

WORDS = b"what a model was asked, and a server said"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A file in which everything has happened, a prompt and a server's answer among it."""
    file = tmp_path / "arena.db"
    with eventful() as game, closing(sqlite3.connect(file)) as held:
        game.store.db.raw.backup(held)
    with open_store(file) as opened:
        opened.db.run("INSERT INTO tape_blobs VALUES ('aa', ?)", WORDS)
        opened.db.run("INSERT INTO tape_bodies VALUES ('bb', ?)", WORDS)
        yield opened


def rows(store: Store, table: str) -> list[tuple[object, ...]]:
    found = store.db.rows(f"SELECT * FROM {table}")  # noqa: S608  our own names
    return sorted((tuple(row) for row in found), key=repr)


def test_every_table_is_either_copied_or_left_out() -> None:
    assert {*KEPT, *LEFT_OUT} == {*TRUTHS, *CACHES}


def test_a_copy_has_every_row_but_those_with_long_texts(store: Store, tmp_path: Path) -> None:
    count = copy_public(store.db, tmp_path / "copy.db")
    with open_store(tmp_path / "copy.db") as copy:
        assert {name: rows(copy, name) for name in KEPT} == {
            name: rows(store, name) for name in KEPT
        }
        assert [rows(copy, name) for name in LEFT_OUT] == [[], [], []]
        assert count == sum(len(rows(copy, name)) for name in KEPT)


def test_no_byte_of_a_text_is_in_a_copy(store: Store, tmp_path: Path) -> None:
    copy_public(store.db, tmp_path / "copy.db")
    assert WORDS not in (tmp_path / "copy.db").read_bytes()


def test_a_copy_takes_the_place_of_an_older_one_and_leaves_nothing_beside_it(
    store: Store, tmp_path: Path
) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "copy.db").write_text("older", encoding="utf-8")
    copy_public(store.db, tmp_path / "out" / "copy.db")
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["copy.db"]


def test_the_arena_s_own_file_is_not_written_over(store: Store, tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="the arena's own file") as refused:
        copy_public(store.db, tmp_path / "x" / ".." / "arena.db")
    assert refused.value.code == "export.itself"


def test_an_arena_in_memory_has_no_file_to_copy(tmp_path: Path) -> None:
    with open_store(None) as store, pytest.raises(ArenaError, match="in memory"):
        copy_public(store.db, tmp_path / "copy.db")
