"""The journal: what we did, entry by entry, each chained to the one before."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from arena.errors import ArenaError
from arena.records.cohort import CohortId, ContestantId
from arena.records.market import MarketId, Side
from arena.records.money import micro, shares_from_micro, usd_from_micro
from arena.records.seal import Seal
from arena.records.trade import KIND_NAMES, KINDS, Account, Book, Entry, Posting
from arena.store.caches import Caches
from arena.store.codec import UNREADABLE, canonical, digest_of, from_plain, read_moment
from arena.store.journal.effects import apply
from arena.store.journal.pieces import GENESIS, fold, id_key, lines_of, link
from arena.store.migrations import NOTED
from arena.store.sqlite import Connection, Row


@dataclass(frozen=True, slots=True)
class SqliteJournal:
    """The journal in one SQLite file, and the caches that follow from it."""

    db: Connection

    def append(self, entries: Iterable[Entry]) -> int:
        """Write entries and what follows from them, in one transaction.

        An entry whose id is already there is left as it is, and nothing follows from it.

        Returns:
            How many were new.
        """
        from arena.store.journal.packed import pack  # noqa: PLC0415  brings numpy, not for reading

        new = 0
        with self.db.write():
            caches = Caches(self.db)
            sql = "SELECT seq, digest FROM journal_entries ORDER BY seq DESC LIMIT 1"
            seq, digest = self.db.row(sql) or (0, GENESIS)
            for entry in entries:
                if self.has(entry.id):
                    continue
                seq, new = seq + 1, new + 1
                head, event = _kept(entry)
                digest = link(digest, head, event)
                line = (seq, head, event, digest)
                self.db.run("INSERT INTO journal_lines VALUES (?, ?, ?, ?)", *line)
                apply(caches, seq, entry)
                pack(self.db, seq)
                fold(self.db.raw, seq)
            caches.flush()
        return new

    def has(self, entry_id: str) -> bool:
        """Say whether an entry was written."""
        return self._row(entry_id) is not None

    def entry(self, entry_id: str) -> Entry | None:
        """Read one entry by its id."""
        row = self._row(entry_id)
        return read_entry(row["head"], row["event"]) if row else None

    def number(self, entry_id: str) -> int | None:
        """The number of an entry; None where there is none of that id."""
        row = self._row(entry_id)
        return row["seq"] if row else None

    def entries(self) -> Iterator[tuple[int, str, Entry]]:
        """Read every entry with its number and digest, oldest first, one at a time."""
        for seq, line in lines_of(self.db.raw):
            yield seq, line.digest, read_entry(line.head, line.event)

    def after(
        self, entry_id: str, cohort: CohortId, contestant: ContestantId
    ) -> Sequence[Entry]:
        """Read what was written about one seat after an entry, newest first."""
        sql = """SELECT head, event FROM journal_entries
            WHERE seq > ? AND cohort = ? AND contestant = ? ORDER BY seq DESC"""
        rows = self.db.rows(sql, self.number(entry_id), cohort, contestant)
        return [read_entry(*row) for row in rows]

    def head(self) -> str:
        """The digest that stands for the whole journal."""
        digest = self.db.value("SELECT digest FROM journal_entries ORDER BY seq DESC LIMIT 1")
        return digest or GENESIS

    def _row(self, entry_id: str) -> Row | None:
        key = id_key(entry_id)
        if self.db.row("SELECT 1 FROM entry_index WHERE key = ?", key) is None:
            return None  # as it mostly is; the view says the rest
        rows = self.db.rows(_BY_KEY, key)
        return next((row for row in rows if json.loads(row["head"])[0] == entry_id), None)


_BY_KEY = "SELECT seq, head, event, digest FROM journal_entries WHERE key = ?"


def chain(before: str, entry: Entry) -> str:
    """SHA-256 of the digest of the entry before, this entry's head, and its event's JSON."""
    return link(before, *_kept(entry))


def _kept(entry: Entry) -> tuple[str, str]:
    """An entry as it is kept: canonical JSON (`store.codec`) of its head and of its event."""
    head = [
        entry.id,
        entry.at,
        KIND_NAMES[type(entry.event)],
        entry.cohort,
        entry.contestant,
        [_leg(p) for p in entry.postings],
    ]
    return canonical(head), canonical(entry.event)


def read_entry(head: str, event: str) -> Entry:
    """Read an entry as it is kept."""
    entry_id, at, kind, cohort, contestant, legs = json.loads(head)
    return Entry(
        id=entry_id,
        at=read_moment(at),
        event=from_plain(KINDS[kind], json.loads(event)),
        cohort=CohortId(cohort) if cohort else None,
        contestant=ContestantId(contestant) if contestant else None,
        postings=tuple(_posting(*leg) for leg in legs),
    )


def _leg(p: Posting) -> tuple[str, str | None, str | None, int, int]:
    account = p.account
    return (account.book, account.market, account.side, micro(p.amount), micro(p.shares))


def _posting(
    book: str, market: str | None, side: str | None, micro_usd: int, micro_shares: int
) -> Posting:
    account = Account(
        Book(book), MarketId(market) if market else None, Side(side) if side else None
    )
    return Posting(account, usd_from_micro(micro_usd), shares_from_micro(micro_shares))


_SEALS = f"""
SELECT seq, id, head, event, digest FROM journal_entries
WHERE {NOTED} AND kind = 'sealed' ORDER BY seq
"""  # noqa: S608  # our own words


@dataclass(frozen=True, slots=True)
class StoredSeal:
    """A version of a seal, its digest, and the number of its entry in the journal."""

    number: int
    seal: Seal
    digest: str


def seal_id(name: str, version: int) -> str:
    """Name the entry of a version of a seal."""
    return f"seal:{name}:{version}"


@dataclass(frozen=True, slots=True)
class SqliteSeals:
    """The seals of one SQLite file, read only."""

    db: Connection

    def any(self) -> bool:
        """Say whether anything was ever sealed."""
        return self.db.row(_SEALS) is not None

    def of(self, name: str) -> tuple[StoredSeal, ...]:
        """Every version of a cohort file's seal, the first one first.

        Raises:
            ArenaError: One of them is not what it was when it was written (`seal.damaged`).
        """
        start = f"seal:{name}:"
        rows = [row for row in self.db.rows(_SEALS) if (row["id"] or "").startswith(start)]
        versions = tuple(self._read(name, row) for row in rows)
        for version, kept in enumerate(versions, 1):
            before = versions[version - 2].digest if version > 1 else ""
            if (kept.seal.version, kept.seal.before) != (version, before):
                words = f"version {kept.seal.version} does not follow version {version - 1}"
                raise _damaged(name, words)
        return versions

    def first_round(self, cohort: CohortId) -> int | None:
        """The number of the entry that laid out a cohort's first round.

        It precedes every question to a contestant, and so every forecast.
        """
        first = self.db.value("SELECT min(round) FROM rounds WHERE cohort = ?", cohort)
        return SqliteJournal(self.db).number(f"round:{cohort}:{first}")

    def _read(self, name: str, row: Row) -> StoredSeal:
        sql = "SELECT digest FROM journal_entries WHERE seq = ?"
        before = self.db.value(sql, row["seq"] - 1)
        try:
            plain = json.loads(row["event"])
            seal: Seal = from_plain(Seal, plain["seal"])
            own = digest_of(plain["seal"]) == plain["digest"]
            linked = link(before or GENESIS, *_kept(read_entry(row["head"], row["event"])))
        except UNREADABLE as error:
            raise _damaged(name, "it cannot be read") from error
        if not own or linked != row["digest"] or seal.name != name:
            raise _damaged(name, f"version {seal.version} does not match its digest")
        return StoredSeal(row["seq"], seal, plain["digest"])


def _damaged(name: str, what: str) -> ArenaError:
    return ArenaError(
        "seal.damaged",
        f"the stored seal of {name} is not what was written: {what}",
        hint="`arena audit` tells what else does not hold; restore a backup",
    )
