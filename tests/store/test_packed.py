"""What is packed is what the tables say."""

import pytest

from arena.store import open_store
from arena.store.journal.packed import PIECE, Columns, PackedKind, pack, packed
from tests.stage import eventful


def plain(found: Columns) -> list[list[object]]:
    words = [[column.names[code] for code in column.codes.tolist()] for column in found.words]
    return [*words, *([repr(n) for n in column.tolist()] for column in found.numbers)]


@pytest.mark.parametrize("size", [1, 3, 16, PIECE])
@pytest.mark.parametrize("told", list(PackedKind))
def test_pieces_of_any_size_say_what_the_tables_say(told: PackedKind, size: int) -> None:
    with eventful() as game:
        db = game.store.db
        newest = plain(packed(db, told))
        assert len(newest[0]) > 1
        entries = db.value("SELECT max(seq) FROM journal_entries")
        for seq in range(size, entries + 1, size):
            pack(db, seq, size)
        assert db.value("SELECT count(*) FROM packed") == 2 * (entries // size)
        assert plain(packed(db, told)) == newest


def test_one_cohort_is_read_by_itself() -> None:
    with eventful() as game:
        every = packed(game.store.db, PackedKind.TRADED)
        one = every.of("longer")
        assert 0 < len(one.numbers[0]) < len(every.numbers[0])
        assert set(plain(one)[0]) == {"longer"}
        assert len(every.of("nobody").numbers[0]) == 0


def test_an_empty_journal_says_nothing() -> None:
    with open_store(None) as store:
        for told in PackedKind:
            assert all(not column for column in plain(packed(store.db, told)))
