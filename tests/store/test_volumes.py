"""Texts of months that are over lie in files beside the database, and are found there."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.store import Store, open_store
from arena.store.audit import audit
from arena.store.backups import BackupFolder
from arena.store.tape.payloads import blob
from arena.store.tape.volumes import move_texts, volume_files
from tests.build import T0
from tests.stage import eventful

LATER = T0 + timedelta(days=120)


@pytest.fixture(scope="module")
def happened() -> Iterator[Store]:
    """Everything has happened in it. Nobody changes it."""
    with eventful() as game:
        yield game.store


@pytest.fixture
def store(happened: Store, tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "arena.db") as opened:
        happened.db.raw.backup(opened.db.raw)
        yield opened


def texts(store: Store) -> dict[str, bytes | None]:
    digests = [row["digest"] for row in store.db.rows("SELECT digest FROM tape_blobs")]
    return {digest: blob(store.db, digest) for digest in digests}


def test_what_was_moved_is_read_as_before_and_is_moved_once(store: Store) -> None:
    before = texts(store)
    (dry,) = move_texts(store.db, LATER, dry=True)
    assert not volume_files(store.db)
    (volume,) = move_texts(store.db, LATER)
    assert (volume.month, volume.texts, volume.bytes) == (dry.month, dry.texts, dry.bytes)
    assert volume.texts == len(before) > 3
    assert store.db.value("SELECT max(length(body)) FROM tape_blobs") < 20
    assert texts(store) == before
    assert audit(store.db).findings == ()
    assert list(move_texts(store.db, LATER)) == []


def test_a_text_of_a_month_that_is_not_over_stays(store: Store) -> None:
    assert list(move_texts(store.db, T0)) == []


def test_a_move_that_is_killed_is_done_by_the_next_and_leaves_no_other_file(
    store: Store,
) -> None:
    before = texts(store)
    store.db.run(
        "CREATE TRIGGER killed BEFORE UPDATE ON tape_blobs BEGIN SELECT RAISE(ABORT, 'x'); END"
    )
    with pytest.raises(Exception, match="x"):
        list(move_texts(store.db, LATER))
    assert texts(store) == before
    assert not volume_files(store.db)
    store.db.run("DROP TRIGGER killed")
    store.db.run("DELETE FROM tape_blobs WHERE digest = (SELECT min(digest) FROM tape_blobs)")
    (volume,) = move_texts(store.db, LATER)
    (file,) = volume_files(store.db)
    assert str(file) == volume.file
    assert list(file.parent.iterdir()) == [file]


def test_texts_that_come_to_a_month_later_join_its_file(store: Store) -> None:
    before = texts(store)
    first = min(before)
    kept = store.db.value("SELECT body FROM tape_blobs WHERE digest = ?", first)
    store.db.run("DELETE FROM tape_blobs WHERE digest = ?", first)
    assert len(list(move_texts(store.db, LATER))) == 1
    store.db.run("INSERT INTO tape_blobs VALUES (?, ?)", first, kept)
    (volume,) = move_texts(store.db, LATER)
    assert volume.texts == 1
    assert texts(store) == before


@pytest.mark.parametrize("harm", ["gone", "changed"])
def test_a_file_that_is_gone_or_changed_is_named(store: Store, harm: str) -> None:
    list(move_texts(store.db, LATER))
    (file,) = volume_files(store.db)
    content = file.read_bytes()
    file.unlink() if harm == "gone" else file.write_bytes(content[:-9] + b"x" + content[-8:])
    digest = store.db.value("SELECT min(digest) FROM tape_blobs")
    with pytest.raises(ArenaError, match=file.name) as caught:
        blob(store.db, digest)
    assert caught.value.code == "tape.volume"
    with pytest.raises(ArenaError, match=file.name):
        store.db.rows("SELECT words_of(digest) FROM tape_blobs")
    assert any(file.name in finding.detail for finding in audit(store.db).findings)


def test_a_backup_takes_the_files_along_once(store: Store, tmp_path: Path) -> None:
    before = texts(store)
    list(move_texts(store.db, LATER))
    folder = BackupFolder(str(tmp_path / "backups"))
    database = tmp_path / "arena.db"
    made = [folder.add(database, LATER + timedelta(hours=n)) for n in range(2)]
    assert len(list((tmp_path / "backups" / "texts").iterdir())) == 1
    folder.unpack(made[0], tmp_path / "again.db")
    with open_store(tmp_path / "again.db") as again:
        assert texts(again) == before
