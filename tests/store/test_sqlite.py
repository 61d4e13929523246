from collections.abc import Callable
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.ledger.journal import fund
from arena.records.money import usd
from arena.store import Store, locked, open_store
from tests.build import ADA, BEN, COHORT, HERE, T0, at

FUNDED = fund(COHORT, ADA, usd(10000), T0)


def write_and_fail(store: Store) -> None:
    with store.write():
        store.journal.append([FUNDED])
        raise ZeroDivisionError


def write_within_a_failing_write(store: Store) -> None:
    with store.write():
        with store.write():
            store.journal.append([FUNDED])
        raise ZeroDivisionError


@pytest.mark.parametrize("write", [write_and_fail, write_within_a_failing_write])
def test_what_is_written_together_is_undone_together_and_the_next_write_goes_on(
    store: Store, write: Callable[[Store], None]
) -> None:
    with pytest.raises(ZeroDivisionError):
        write(store)
    assert not store.journal.has(FUNDED.id)
    assert store.journal.append([FUNDED]) == 1


def test_a_file_is_found_again_as_it_was_left(tmp_path: Path) -> None:
    file = tmp_path / "new" / "arena.db"
    with open_store(file) as store:
        store.journal.append([FUNDED])
        head = store.journal.head()
    with open_store(file) as store:
        assert store.journal.head() == head
        assert store.books.purse(COHORT, ADA).cash == usd(10000)


def test_d17_a_contestant_without_a_seat_is_named(store: Store) -> None:
    store.journal.append([FUNDED])
    with pytest.raises(KeyError, match="ben has no seat in c"):
        store.books.purse(COHORT, BEN)


def test_a_file_of_another_kind_is_refused_in_words(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    file.write_text("dear diary, " * 200)
    with pytest.raises(ArenaError) as caught, open_store(file):
        pass
    assert (caught.value.code, str(file) in caught.value.message) == ("store.foreign", True)


def test_a_file_that_another_writes_to_is_waited_for_and_then_named(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    with open_store(file) as one, open_store(file, busy=0.01) as other, one.write():
        one.journal.append([FUNDED])
        with pytest.raises(ArenaError) as caught, other.write():
            pass
    assert caught.value.code == "store.locked"


def test_readers_see_nothing_of_a_write_that_is_under_way(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    with open_store(file) as one, open_store(file) as other, one.write():
        one.journal.append([FUNDED])
        assert not other.journal.has(FUNDED.id)


def test_only_one_process_ticks_an_arena_and_the_next_when_it_is_done(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    with locked(file), pytest.raises(ArenaError) as caught, locked(file, wait=0):
        pass
    assert caught.value.code == "tick.busy"
    with locked(file, wait=0):
        pass


def test_a_file_that_cannot_grow_is_named_by_a_single_statement_too(tmp_path: Path) -> None:
    with open_store(tmp_path / "arena.db") as store:
        pages = store.db.value("PRAGMA page_count")
        store.db.run(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(ArenaError) as caught:
            store.tape.record_poll(HERE, at(0), "much to say " * 2000)
    assert caught.value.code == "store.full"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_disk_without_room_for_a_lease_is_full(tmp_path: Path) -> None:
    (tmp_path / "arena.db-tick").symlink_to("/dev/full")
    with pytest.raises(ArenaError) as caught, locked(tmp_path / "arena.db"):
        pass
    assert caught.value.code == "store.full"


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ArenaError) as caught, open_store(tmp_path / "file" / "arena.db"):
        pass
    assert caught.value.code == "store.folder"


def test_a_failure_of_another_file_is_not_said_of_this_one(
    store: Store, tmp_path: Path
) -> None:
    with pytest.raises(FileNotFoundError), store.db.in_words():
        (tmp_path / "elsewhere").read_text(encoding="utf-8")


def test_a_query_is_read_column_by_column_with_a_row_or_without(store: Store) -> None:
    asked = "SELECT value, value * 2 FROM json_each(?)"
    assert store.db.columns(asked, "[1, 2]") == [(1, 2), (2, 4)]
    assert store.db.columns(asked, "[]") == [(), ()]


def test_nobody_else_can_read_a_file_that_was_made_or_what_stands_beside_it(
    tmp_path: Path,
) -> None:
    file = tmp_path / "arena.db"
    with locked(file), open_store(file) as store:
        store.journal.append([FUNDED])
        modes = {one.name: oct(one.stat().st_mode & 0o777) for one in tmp_path.iterdir()}
    assert {"arena.db", "arena.db-wal", "arena.db-shm", "arena.db-tick"} <= set(modes)
    assert set(modes.values()) == {"0o600"}


def test_the_rights_of_a_file_that_is_there_are_its_owners(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    file.touch(0o640)
    with open_store(file):
        assert file.stat().st_mode & 0o777 == 0o640
