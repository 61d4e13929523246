"""The journal: what we did, entry by entry, each chained to the one before."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from arena.errors import ArenaError
from arena.records.cohort import CohortId, ContestantId
from arena.records.decision import Forecast
from arena.records.market import MarketId, Side
from arena.records.money import micro, shares_from_micro, usd_from_micro
from arena.records.seal import Seal
from arena.records.trade import (
    Account,
    AdapterSet,
    Book,
    Completed,
    Entry,
    Event,
    Fill,
    Funded,
    Marked,
    Opened,
    Posting,
    Reopened,
    Resolved,
    Restored,
    Reversed,
    RoundClosed,
    RoundOpened,
    Sealed,
    Settled,
    SoldFill,
    Turn,
)
from arena.store.caches import Caches
from arena.store.codec import UNREADABLE, canonical, digest_of, from_plain, moment, read_moment
from arena.store.journal.effects import apply
from arena.store.sqlite import Connection, Row

KINDS: dict[str, type] = {
    "opened": Opened,
    "funded": Funded,
    "round": RoundOpened,
    "turn": Turn,
    "fill": Fill,
    "sale": SoldFill,
    "resolved": Resolved,
    "settled": Settled,
    "reversed": Reversed,
    "marked": Marked,
    "round closed": RoundClosed,
    "completed": Completed,
    "reopened": Reopened,
    "sealed": Sealed,
    "restored": Restored,
    "adapter set": AdapterSet,
}
_NAMES = {kind: name for name, kind in KINDS.items()}
GENESIS = "0" * 64


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
            last = self.db.row(
                "SELECT seq, digest FROM journal_entries ORDER BY seq DESC LIMIT 1"
            )
            seq, digest = (last["seq"], last["digest"]) if last else (0, GENESIS)
            for entry in entries:
                if self.db.row("SELECT 1 FROM journal_entries WHERE id = ?", entry.id):
                    continue
                seq, new = seq + 1, new + 1
                digest = self._write(seq, entry, digest)
                apply(caches, seq, entry)
                pack(self.db, seq)
            caches.flush()
        return new

    def _write(self, seq: int, entry: Entry, before: str) -> str:
        event, forecasts = _split(entry.event)
        text = canonical(event)
        digest = chain(before, entry, None if forecasts else text)
        self.db.run(
            "INSERT INTO journal_entries VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            seq,
            entry.id,
            moment(entry.at),
            _NAMES[type(event)],
            entry.cohort,
            entry.contestant,
            text,
            digest,
        )
        self.db.many(
            "INSERT INTO journal_postings VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(seq, n, *_leg(posting)) for n, posting in enumerate(entry.postings)],
        )
        self.db.many(
            "INSERT INTO journal_forecasts VALUES (?, ?, ?, ?)",
            [(seq, f.market, n, f.probability) for n, f in enumerate(forecasts)],
        )
        return digest

    def has(self, entry_id: str) -> bool:
        """Say whether an entry was written."""
        return self.db.row("SELECT 1 FROM journal_entries WHERE id = ?", entry_id) is not None

    def entry(self, entry_id: str) -> Entry | None:
        """Read one entry by its id."""
        row = self.db.row("SELECT * FROM journal_entries WHERE id = ?", entry_id)
        return self._read(row) if row else None

    def entries(self) -> Iterator[tuple[int, str, Entry]]:
        """Read every entry with its number and digest, oldest first, one at a time."""
        for row in self.db.raw.execute("SELECT * FROM journal_entries ORDER BY seq"):
            yield row["seq"], row["digest"], self._read(row)

    def after(
        self, entry_id: str, cohort: CohortId, contestant: ContestantId
    ) -> Sequence[Entry]:
        """Read what was written about one seat after an entry, newest first."""
        rows = self.db.rows(
            "SELECT * FROM journal_entries WHERE seq > "
            "(SELECT seq FROM journal_entries WHERE id = ?) AND cohort = ? AND contestant = ? "
            "ORDER BY seq DESC",
            entry_id,
            cohort,
            contestant,
        )
        return [self._read(row) for row in rows]

    def head(self) -> str:
        """The digest that stands for the whole journal."""
        digest = self.db.value("SELECT digest FROM journal_entries ORDER BY seq DESC LIMIT 1")
        return digest or GENESIS

    def _read(self, row: Row) -> Entry:
        event: Event = from_plain(KINDS[row["kind"]], json.loads(row["event"]))
        if isinstance(event, Turn):
            forecast_rows = self.db.raw.execute(
                "SELECT * FROM journal_forecasts WHERE entry = ? ORDER BY number", (row["seq"],)
            )
            event = replace(
                event,
                forecasts=tuple(
                    Forecast(MarketId(f["market"]), f["probability"]) for f in forecast_rows
                ),
            )
        legs = self.db.raw.execute(
            "SELECT * FROM journal_postings WHERE entry = ? ORDER BY leg", (row["seq"],)
        )
        return Entry(
            id=row["id"],
            at=read_moment(row["at"]),
            event=event,
            cohort=CohortId(row["cohort"]) if row["cohort"] else None,
            contestant=ContestantId(row["contestant"]) if row["contestant"] else None,
            postings=tuple(_posting(leg) for leg in legs),
        )


def chain(before: str, entry: Entry, event: str | None = None) -> str:
    """SHA-256 of the digest of the entry before, this entry's head, and its event's JSON.

    The JSON is canonical (`store.codec`); `event` is that of the event if it is known already.
    """
    head = canonical(
        [
            entry.id,
            entry.at,
            _NAMES[type(entry.event)],
            entry.cohort,
            entry.contestant,
            [_leg(p) for p in entry.postings],
        ]
    )
    text = canonical(entry.event) if event is None else event
    return sha256(f"{before}{head}{text}".encode()).hexdigest()


def _leg(p: Posting) -> tuple[str, str | None, str | None, int, int]:
    account = p.account
    return (account.book, account.market, account.side, micro(p.amount), micro(p.shares))


def _split(event: Event) -> tuple[Event, tuple[Forecast, ...]]:
    """Forecasts have a table of their own; the rest of an event is its JSON."""
    if isinstance(event, Turn):
        return replace(event, forecasts=()), event.forecasts
    return event, ()


def _posting(row: Row) -> Posting:
    account = Account(
        Book(row["book"]),
        MarketId(row["market"]) if row["market"] else None,
        Side(row["side"]) if row["side"] else None,
    )
    return Posting(
        account, usd_from_micro(row["micro_usd"]), shares_from_micro(row["micro_shares"])
    )


# Ids are unique and hence indexed: a range of them is found without a scan.
_WITHIN = "SELECT {what} FROM journal_entries WHERE id > ? AND id < ?"
_SEALS = _WITHIN.format(what="*")
_FIRST = _WITHIN.format(what="min(seq)")


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
        first_seal = self.db.row(_WITHIN.format(what="1") + " LIMIT 1", *_range("seal"))
        return first_seal is not None

    def of(self, name: str) -> tuple[StoredSeal, ...]:
        """Every version of a cohort file's seal, the first one first.

        Raises:
            ArenaError: One of them is not what it was when it was written (`seal.damaged`).
        """
        rows = sorted(
            self.db.rows(_SEALS, *_range(f"seal:{name}")), key=lambda r: int(r["seq"])
        )
        versions = tuple(self._read(name, row) for row in rows)
        _check_order(name, versions)
        return versions

    def first_round(self, cohort: CohortId) -> int | None:
        """The number of the entry that laid out a cohort's first round.

        It precedes every question to a contestant, and so every forecast.
        """
        entry_number: int | None = self.db.value(_FIRST, *_range(f"round:{cohort}"))
        return entry_number

    def _read(self, name: str, row: Row) -> StoredSeal:
        try:
            plain = json.loads(row["event"])
            seal: Seal = from_plain(Seal, plain["seal"])
            own = digest_of(plain["seal"]) == plain["digest"]
            entry = SqliteJournal(self.db).entry(row["id"])
        except UNREADABLE as error:
            raise _damaged(name, "it cannot be read") from error
        before = self.db.value(
            "SELECT digest FROM journal_entries WHERE seq = ?", row["seq"] - 1
        )
        chained = entry and chain(before or GENESIS, entry, row["event"]) == row["digest"]
        if not own or not chained or seal.name != name:
            raise _damaged(name, f"version {seal.version} does not match its digest")
        return StoredSeal(row["seq"], seal, plain["digest"])


def _check_order(name: str, versions: Iterable[StoredSeal]) -> None:
    version, digest = 0, ""
    for kept in versions:
        if (kept.seal.version, kept.seal.before) != (version + 1, digest):
            raise _damaged(
                name, f"version {kept.seal.version} does not follow version {version}"
            )
        version, digest = kept.seal.version, kept.digest


def _damaged(name: str, what: str) -> ArenaError:
    return ArenaError(
        "seal.damaged",
        f"the stored seal of {name} is not what was written: {what}",
        hint="`arena audit` tells what else does not hold; restore a backup",
    )


def _range(start: str) -> tuple[str, str]:
    """Every id that begins so and goes on after a colon."""
    return f"{start}:", f"{start};"
