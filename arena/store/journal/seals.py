"""Seals as the journal keeps them: found through their ids, and never believed unchecked."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from arena.errors import ArenaError
from arena.records.cohort import CohortId
from arena.records.seal import Seal
from arena.store.codec import UNREADABLE, digest_of, from_plain
from arena.store.journal.entries import GENESIS, SqliteJournal, chain
from arena.store.sqlite import Connection, Row

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
