"""What the journal says, packed by columns: forecasts and trades of all of history at once.

Every so many entries become a piece, which never changes again; the newest entries are read
from their own tables.

The caches, made anew from the journal and the tape.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from itertools import chain, pairwise
from typing import Any, Final

import numpy as np

from arena.errors import ArenaError
from arena.records.report import Rebuilt
from arena.scoring.table import Factor, Flags, Floats, Whole
from arena.store.caches import Caches
from arena.store.codec import UNREADABLE, canonical
from arena.store.journal.effects import apply
from arena.store.journal.entries import SqliteJournal
from arena.store.migrations import CACHES
from arena.store.sqlite import Connection
from arena.store.tape.prices import factor, floats, mid_sql

PIECE: Final = 2048  # entries

_FAIR = mid_sql("said.market", "<= rounds.at")
_SAID = f"""
SELECT done.cohort, done.contestant, rounds.at, said.market, said.probability, {_FAIR}
FROM journal_entries AS done
JOIN rounds ON rounds.cohort = done.cohort
    AND rounds.round = json_extract(done.event, '$.round')
JOIN journal_forecasts AS said ON said.entry = done.seq
WHERE done.kind = 'turn' AND done.seq > ?1 AND done.seq <= ?2 ORDER BY done.seq, said.number
"""  # noqa: S608  # our own words
# Sales stand between the fills of their seat in the order of the journal.
_TRADED = f"""
SELECT said.cohort, said.contestant, rounds.at, said.market, said.at, said.side, {_FAIR},
    said.kelly, said.linear, said.stated, shares_micro, cost_micro, fee_micro, proceeds_micro
FROM (
    SELECT entry, cohort, contestant, round, at, market, side, kelly, linear, stated,
        shares_micro, cost_micro, fee_micro, NULL AS proceeds_micro FROM fills
    WHERE entry > ?1 AND entry <= ?2
    UNION ALL
    SELECT entry, cohort, contestant, round, at, market, side, NULL, NULL, NULL,
        shares_micro, 0, fee_micro, proceeds_micro FROM sales
    WHERE entry > ?1 AND entry <= ?2
) AS said JOIN rounds ON rounds.cohort = said.cohort AND rounds.round = said.round
ORDER BY entry
"""  # noqa: S608  # our own words


class PackedKind(StrEnum):
    """What is packed."""

    SAID = "said"
    TRADED = "traded"


# Of each the words and the numbers of a row.
_SQL: Final[Mapping[PackedKind, tuple[str, int, int]]] = {
    PackedKind.SAID: (_SAID, 4, 2),
    PackedKind.TRADED: (_TRADED, 6, 8),
}


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Columns of words, then columns of numbers, NaN where there is none; in journal order.

    SAID has cohort, contestant, moment of the round and market; probability, and the middle
    price at that moment. TRADED has the same, the trade's own moment, and its side; that
    price, the probabilities by Kelly, of the stake and stated; millionths of shares, cost,
    fee and, of a sale alone, proceeds.
    """

    words: tuple[Factor, ...]
    numbers: tuple[Floats, ...]

    def take(self, rows: Whole | Flags) -> "Columns":
        """Only some rows."""
        words = tuple(column.take(rows) for column in self.words)
        return Columns(words, tuple(column[rows] for column in self.numbers))

    def of(self, cohort: str | None) -> "Columns":
        """The rows of one cohort; all of them for None."""
        if cohort is None:
            return self
        code = self.words[0].code(cohort)
        return self.take(self.words[0].codes == (-1 if code is None else code))


def pack(db: Connection, seq: int, size: int = PIECE) -> None:
    """Pack the last `size` entries, if `seq` ends a piece of that size."""
    if seq % size:
        return
    for kind, (sql, words, _) in _SQL.items():
        columns = _columns(db.columns(sql, seq - size, seq), words)
        db.run("INSERT INTO packed VALUES (?, ?, ?)", kind, seq, _packed(columns))


def packed(db: Connection, kind: PackedKind) -> Columns:
    """Read all rows of a kind: the packed pieces, and the entries since the last one."""
    rows = db.rows("SELECT last, body FROM packed WHERE told = ? ORDER BY last", kind)
    sql, words, numbers = _SQL[kind]
    last = rows[-1]["last"] if rows else 0
    newest = _columns(db.columns(sql, last, 2**62), words)
    pieces = [*(_unpacked(row["body"], words, numbers) for row in rows), newest]
    return Columns(
        tuple(map(_joined, zip(*(piece.words for piece in pieces), strict=True))),
        tuple(map(np.concatenate, zip(*(piece.numbers for piece in pieces), strict=True))),
    )


def _joined(columns: Sequence[Factor]) -> Factor:
    names = tuple(dict.fromkeys(chain.from_iterable(column.names for column in columns)))
    code = {name: n for n, name in enumerate(names)}
    parts = [
        np.array([code[name] for name in column.names], np.intp)[column.codes]
        for column in columns
    ]
    return Factor(names, np.concatenate(parts))


def _columns(cells: Sequence[tuple[Any, ...]], words: int) -> Columns:
    return Columns(tuple(map(factor, cells[:words])), tuple(map(floats, cells[words:])))


def _packed(columns: Columns) -> bytes:
    """Lists of names as a line of JSON, then codes and numbers, little-endian; all by zlib."""
    codes = (column.codes.astype(_width(column.names)).tobytes() for column in columns.words)
    numbers = (column.astype("<f8").tobytes() for column in columns.numbers)
    head = [len(columns.numbers[0]), [column.names for column in columns.words]]
    return zlib.compress(b"".join((json.dumps(head).encode(), b"\n", *codes, *numbers)))


def _unpacked(body: bytes, words: int, numbers: int) -> Columns:
    head, _, rest = zlib.decompress(body).partition(b"\n")
    n, named = json.loads(head)
    kinds = [*map(_width, named), *["<f8"] * numbers]
    ends = np.cumsum([0, *(n * np.dtype(kind).itemsize for kind in kinds)]).tolist()
    arrays = [
        np.frombuffer(rest[at:end], kind)
        for kind, (at, end) in zip(kinds, pairwise(ends), strict=True)
    ]
    codes = zip(named, arrays[:words], strict=True)
    return Columns(
        tuple(Factor(tuple(names), column.astype(np.intp)) for names, column in codes),
        tuple(arrays[words:]),
    )


def _width(names: Sequence[str]) -> str:
    return f"<u{np.min_scalar_type(len(names)).itemsize}"


def rebuild(db: Connection) -> Rebuilt:
    """Drop every cache and make it again, entry by entry, in one transaction.

    Each entry has the effects it had when it was written, by the same code: what comes out
    differs from what was there only if a cache had been damaged.

    Raises:
        ArenaError: An entry cannot be read (`store.damaged`); nothing is changed then.
    """
    try:
        with db.write():
            return _make_anew(db)
    except UNREADABLE as error:
        raise ArenaError(
            "store.damaged",
            f"{db.path}: the journal cannot be read: {type(error).__name__}: {error}",
            hint="nothing was changed; restore a backup: caches need a sound journal",
        ) from error


def _make_anew(db: Connection) -> Rebuilt:
    before = {table: table_digest(db, table) for table in CACHES}
    for table in CACHES:
        db.run(f"DELETE FROM {table}")  # noqa: S608  # our own names
    db.numbers.clear()
    caches, entries = Caches(db), 0
    for seq, _, entry in SqliteJournal(db).entries():
        apply(caches, seq, entry)
        pack(db, seq)
        entries += 1
    caches.flush()
    after = {table: table_digest(db, table) for table in CACHES}
    changed = tuple(table for table in CACHES if before[table] != after[table])
    return Rebuilt(entries, changed, sha256(canonical(after).encode()).hexdigest())


def table_digest(db: Connection, table: str) -> str:
    """SHA-256 of every row of a table, in the order of its columns."""
    columns = len(db.raw.execute(f"SELECT * FROM {table} LIMIT 0").description)  # noqa: S608
    order = ", ".join(str(n) for n in range(1, columns + 1))
    digest = sha256()
    for row in db.raw.execute(f"SELECT * FROM {table} ORDER BY {order}"):  # noqa: S608
        digest.update(repr(tuple(row)).encode())
    return digest.hexdigest()
