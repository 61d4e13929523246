"""Old entries are packed, and nobody who asks for them can tell."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.store import Store, open_store
from arena.store.audit import audit
from arena.store.journal.pieces import cut, fold_all, lines_of, register
from tests.stage import eventful

VIEWS = ("journal_entries", "journal_postings", "journal_forecasts")


def views(store: Store) -> list[list[tuple[object, ...]]]:
    return [
        [tuple(row) for row in store.db.rows(f"SELECT * FROM {view} ORDER BY 1, 2")]  # noqa: S608
        for view in VIEWS
    ]


@pytest.mark.parametrize("size", [1, 3, 16])
def test_a_packed_journal_says_what_it_said_before(size: int) -> None:
    with eventful() as game:
        before = (views(game.store), list(game.store.journal.entries()))
        with game.store.write():
            fold_all(game.store.db.raw, size)
        assert game.store.db.value("SELECT count(*) FROM journal_lines") < size
        assert (views(game.store), list(game.store.journal.entries())) == before
        for _, _, entry in before[1]:
            assert game.store.journal.entry(entry.id) == entry
        assert audit(game.store.db).findings == ()


@given(size=st.integers(1, 9), last=st.integers(1, 60))
def test_what_is_cut_leaves_every_entry_before_it(size: int, last: int) -> None:
    with open_store(None) as store:
        for seq in range(1, 41):
            row = (seq, f"[{seq}]", "{}", f"{seq}")
            store.db.run("INSERT INTO journal_lines VALUES (?, ?, ?, ?)", *row)
        fold_all(store.db.raw, size)
        before = [(seq, line.head) for seq, line in lines_of(store.db.raw)]
        cut(store.db.raw, last)
        after = [(seq, line.head) for seq, line in lines_of(store.db.raw)]
        assert after == before[:last]


def test_a_changed_entry_of_a_piece_is_found() -> None:
    with eventful() as game:
        db = game.store.db
        fold_all(db.raw, 16)
        body = db.value("SELECT body FROM journal_pieces WHERE last = 16")
        changed = zlib.compress(zlib.decompress(body).replace(b"10000", b"10001", 1))
        db.run("UPDATE journal_pieces SET body = ? WHERE last = 16", changed)
        assert "the journal's chain of digests is unbroken" in {
            finding.law for finding in audit(db).findings
        }


def test_a_piece_that_cannot_be_unpacked_is_damage() -> None:
    with eventful() as game:
        fold_all(game.store.db.raw, 16)
        game.store.db.run("UPDATE journal_pieces SET body = x'00' WHERE last = 16")
        register(game.store.db.raw)  # as who opens it anew
        with pytest.raises(ArenaError) as caught:
            game.store.db.rows("SELECT event FROM journal_entries")
        assert caught.value.code == "store.damaged"


def test_an_audit_reads_postings_in_the_order_of_their_pieces() -> None:
    with eventful() as game:
        raw, queries = game.store.db.raw, list[str]()
        raw.set_trace_callback(queries.append)
        audit(game.store.db)
        raw.set_trace_callback(None)
        reading = [query for query in queries if "FROM journal_postings" in query]
        assert len(reading) >= 6
        plans = [raw.execute(f"EXPLAIN QUERY PLAN {query}").fetchall() for query in reading]
        steps = [row["detail"] for plan in plans for row in plan]
        assert not [step for step in steps if step.startswith("SCAN entry ")]
