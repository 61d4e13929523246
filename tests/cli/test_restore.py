"""An arena that is put back from a backup, and backups that are tried."""

from errno import ENOSPC
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.store import open_store
from arena.store.backups import BackupFolder, put_in_place
from arena.store.texts import folder_of
from tests.build import HERE, T0
from tests.cli.project import Project, configure
from tests.cli.test_backup import digests


@pytest.fixture
def arena(ticked: Project, tmp_path: Path) -> Project:
    """An arena that was ticked once, with a backup of that, and ticked again after it."""
    copy = ticked.copy(tmp_path / "arena")
    assert copy.run("backup", "backups").code == 0
    assert copy.tick(hours=24).code == 0
    return copy


def test_the_newest_backup_takes_the_place_of_the_database(
    arena: Project, ticked: Project
) -> None:
    before = arena.database.read_bytes()
    done = arena.run("restore", "--from", "backups", "--json")
    assert digests(arena.database) == digests(ticked.database)
    assert Path(done.document["aside"]).read_bytes() == before
    assert arena.is_sound


def test_what_was_published_is_not_written_over_after_a_restore(arena: Project) -> None:
    arena.run("restore", "--from", "backups")
    assert arena.tick(hours=25).err.startswith("error[site.ahead]: ")
    assert arena.tick("--accept-rollback", hours=25).code == 0
    assert arena.rows("SELECT count(*) FROM journal_entries WHERE kind = 'restored'") == [(1,)]


def test_a_database_that_is_gone_comes_back(arena: Project, ticked: Project) -> None:
    arena.database.unlink()
    assert arena.run("restore", "--from", "backups").code == 0
    assert digests(arena.database) == digests(ticked.database)


def test_the_books_can_be_put_back_to_an_entry(arena: Project, tmp_path: Path) -> None:
    arena.run("backup", "later")
    into = tmp_path / "early.db"
    done = arena.run("restore", "--from", "later", "--at", "3", "--into", into)
    assert done.code == 0
    assert digests(into) == digests(arena.database)[:3]
    assert arena.run("audit", "--database", into).code == 0


def test_an_arena_put_back_plays_on_as_it_would_have(arena: Project, ticked: Project) -> None:
    """The answers of later rounds are gone with them: the simulated ones come out the same."""
    ahead = digests(arena.database)
    arena.run("backup", "later")
    done = arena.run("restore", "--from", "later", "--at", str(len(digests(ticked.database))))
    assert done.code == 0
    for folder in ("site", ".site.cache"):
        (arena.folder / folder).rename(arena.folder / f"old{folder}")
    assert arena.tick(hours=24).code == 0
    assert digests(arena.database) == ahead


def test_no_entry_and_a_changed_backup_are_refused_and_replace_nothing(arena: Project) -> None:
    before = digests(arena.database)
    assert arena.run("restore", "--from", "backups", "--at", "99999").fails_clearly(2)
    assert digests(arena.database) == before
    (packed,) = (arena.folder / "backups").glob("*.gz")
    content = bytearray(packed.read_bytes())
    content[-30] ^= 1
    packed.write_bytes(content)
    (arena.database.parent / ".arena.db.draft-killed").mkdir()
    done = arena.run("restore", "--from", "backups")
    assert done.err.startswith("error[backup.damaged]: ")
    assert digests(arena.database) == before
    assert list(arena.database.parent.glob(".*")) == []


def test_where_moved_texts_have_no_place_nothing_is_replaced(tmp_path: Path) -> None:
    restored, database = tmp_path / "restored.db", tmp_path / "arena.db"
    for file in (restored, database):
        file.write_text(file.name)
    folder_of(restored).mkdir()
    (folder_of(restored) / "volume").touch()
    folder_of(database).touch()
    with pytest.raises(FileExistsError):
        put_in_place(restored, database, T0)
    assert database.read_text() == database.name


def test_a_file_stands_in_its_place_until_the_end_and_keeps_its_log(tmp_path: Path) -> None:
    database = tmp_path / "arena.db"
    with open_store(database) as store, open_store(database) as other:
        other.db.raw.execute("BEGIN")
        other.db.row("SELECT 1 FROM tape_polls")
        store.tape.record_poll(HERE, T0)  # the reader keeps this in the log
        with pytest.raises(FileNotFoundError):
            put_in_place(tmp_path / "none", database, T0)
        assert database.exists()
        (aside,) = tmp_path.glob("*.before-*Z")
        with open_store(aside) as kept:
            assert kept.db.value("SELECT count(*) FROM tape_polls") == 1


def test_a_backup_that_is_named_needs_no_other_one(arena: Project, tmp_path: Path) -> None:
    (packed,) = (arena.folder / "backups").glob("*.gz")
    (packed.parent / "arena-0.db.gz").write_bytes(b"")
    (packed.parent / "arena-0.json").write_text("{")
    into = tmp_path / "there.db"
    words = ("restore", packed.name, "--from", "backups", "--into", into)
    assert arena.run(*words).code == 0
    assert into.exists()


class FullFolder(BackupFolder):
    """A folder that becomes full while a backup is brought into it."""

    def _pack(self, copy: Path, name: str) -> tuple[str, int]:
        (Path(self.address) / name).write_bytes(copy.read_bytes()[:100])
        raise OSError(ENOSPC, "No space left on device")


def test_what_is_cut_off_on_a_full_disk_is_no_backup(ticked: Project, tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="No space left"):
        FullFolder(str(tmp_path)).add(ticked.database, T0)
    assert list(tmp_path.iterdir()) == []


def test_a_drill_names_the_ticks_that_would_be_lost(arena: Project, ticked: Project) -> None:
    done = arena.run("restore", "--from", "backups", "--drill", "--json")
    drill = done.document["drill"]
    lost = len(digests(arena.database)) - len(digests(ticked.database))
    assert (done.code, drill["findings"]) == (0, [])
    assert drill["turns"] > 0
    assert (drill["lost_entries"], len(drill["lost_moments"])) == (lost, 1)


def test_a_drill_finds_books_that_were_changed_before_the_backup(
    ticked: Project, tmp_path: Path
) -> None:
    arena = ticked.copy(tmp_path / "arena")
    arena.damage("UPDATE fill_rows SET shares_micro = shares_micro + 1")
    arena.run("backup", "backups")
    done = arena.run("restore", "--from", "backups", "--drill")
    assert done.code == 3
    assert "WRONG  " in done.out
    assert "it restores" not in done.out


def test_a_tick_makes_the_backups_and_drills_that_are_due(
    ticked: Project, tmp_path: Path
) -> None:
    arena = ticked.copy(tmp_path / "arena")
    configure(arena, backup={"to": "backups", "every": "1d", "drill_every": "2d"})
    done = [arena.tick(hours=hours) for hours in (1, 2, 25, 50)]
    made = ["note: backup " in said.err for said in done]
    tried = ["note: drill of " in said.err for said in done]
    assert (made, tried) == ([True, False, True, True], [True, False, False, True])


def test_a_backup_that_cannot_be_made_fails_a_part_of_the_tick(
    ticked: Project, tmp_path: Path
) -> None:
    arena = ticked.copy(tmp_path / "arena")
    (arena.folder / "file").write_text("no folder", "utf-8")
    configure(arena, backup={"to": "file/backups"})
    before = len(digests(arena.database))
    done = arena.tick(hours=24)
    assert done.code == 6
    assert done.err.startswith("failed: the backup: ")
    assert len(digests(arena.database)) > before


def test_without_a_folder_the_command_says_how_to_name_one(ticked: Project) -> None:
    done = ticked.run("backup")
    assert done.fails_clearly(2)
    assert "error[backup.unset]" in done.err
