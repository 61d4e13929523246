import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlite_utils import Database, Migrations

from arena.errors import ArenaError
from arena.store import Store, open_store
from arena.store.audit import NAMED_TEXTS, audit
from arena.store.exports.datasets import DATASETS, Dataset
from arena.store.exports.public import KEPT, LEFT_OUT, copied, copy_public, rescue, write_tables
from arena.store.migrations import CACHES, STEPS, TRUTHS
from arena.store.sqlite import Connection, read_only, version_of
from tests.sizes import size
from tests.stage import eventful

WORDS = b"what a model was asked, and a server said"

FILLED = (
    *("tape_blobs", "tape_quotes", "tape_answers", "journal_lines"),
    *(name for name in CACHES if name != "packed"),
)[:: size(4, 1)]


@pytest.fixture(scope="module")
def happened(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file in which everything has happened. Nobody changes it."""
    file = tmp_path_factory.mktemp("happened") / "arena.db"
    with eventful() as game, closing(sqlite3.connect(file)) as held:
        game.store.db.raw.backup(held)
    return file


@pytest.fixture
def store(happened: Path, tmp_path: Path) -> Iterator[Store]:
    """A file in which everything has happened, a prompt and a server's answer among it."""
    with open_store(Path(shutil.copy(happened, tmp_path))) as opened:
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
        for name in (*KEPT, *LEFT_OUT):
            assert rows(copy, name) == ([] if name in LEFT_OUT else rows(store, name))
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


def test_public_tables_have_every_row_and_every_cell_as_it_is(
    store: Store, tmp_path: Path
) -> None:
    public = [one for one in DATASETS if not one.long]
    count = write_tables(store.db, tmp_path / "tables.db", public)
    told = {one.name: set(one.rows(store.db)) for one in public}
    with closing(sqlite3.connect(tmp_path / "tables.db")) as db:
        held = {one.name: set(exact(one, db)) for one in public}
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
    assert count == sum(map(len, told.values()))
    assert held == told


def test_an_amount_that_sqlite_would_read_one_place_off_is_exact(
    store: Store, tmp_path: Path
) -> None:
    fills = next(one for one in DATASETS if one.name == "fills")
    odd = Decimal("492.098039")  # as a text SQLite reads 492.09803899999997

    def told(db: Connection, _: str | None) -> Iterator[tuple[Any, ...]]:
        for row in fills.rows(db):
            yield tuple(odd if isinstance(cell, Decimal) else cell for cell in row)

    write_tables(store.db, tmp_path / "t.db", [replace(fills, read=told)])
    with closing(sqlite3.connect(tmp_path / "t.db")) as db:
        assert db.execute("SELECT DISTINCT shares FROM fills").fetchall() == [(492.098039,)]


def exact(dataset: Dataset, db: sqlite3.Connection) -> Iterator[tuple[object, ...]]:
    """The rows of a table; amounts as decimals of what SQLite says."""
    for row in db.execute(f"SELECT * FROM {dataset.name}"):  # noqa: S608  our own names
        yield tuple(
            Decimal(repr(cell)) if column.kind.exact and cell is not None else cell
            for cell, column in zip(row, dataset.columns, strict=True)
        )


def test_an_arena_in_which_nothing_happened_has_empty_public_tables(tmp_path: Path) -> None:
    with open_store(None) as store:
        assert write_tables(store.db, tmp_path / "tables.db", DATASETS) == 0


def test_an_audit_of_a_copy_holds_and_says_what_it_left_out(
    store: Store, tmp_path: Path
) -> None:
    copy_public(store.db, tmp_path / "copy.db")
    with open_store(tmp_path / "copy.db") as copy:
        found = audit(copy.db)
    assert (found.findings, found.left_out) == ((), (NAMED_TEXTS,))
    laws = {law for law, _ in audit(store.db).checked}
    assert laws - {law for law, _ in found.checked} == {NAMED_TEXTS}


@pytest.mark.parametrize("table", FILLED)
def test_a_damaged_table_is_named_refused_and_comes_back_where_others_hold_it(
    store: Store, tmp_path: Path, table: str
) -> None:
    file, mended = tmp_path / "damaged.db", tmp_path / "mended.db"
    with closing(sqlite3.connect(file)) as held:
        store.db.raw.backup(held)
        held.execute("PRAGMA journal_mode = DELETE")
        root, size = held.execute(
            "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema "
            "WHERE name = ?",
            (table,),
        ).fetchone()
    with file.open("r+b") as raw:
        raw.seek((root - 1) * size)
        raw.write(b"\xff" * size)
    with open_store(file) as damaged:
        with pytest.raises(ArenaError, match="is damaged"):
            damaged.db.refuse_damaged()
        said = {one.where: one.detail for one in audit(damaged.db).findings}
        assert table in said
        if table in CACHES:
            rescue(damaged.db, mended)
            with open_store(mended) as again:
                assert rows(again, table) == rows(store, table)
                assert audit(again.db).findings == audit(store.db).findings
        else:
            assert "backup" in said[table]


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
