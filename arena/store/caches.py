"""The caches during one batch of entries, and how their rows are read."""

import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache

from arena.records.cohort import CohortId, CohortSpec, ContestantId
from arena.records.market import MarketId, Side
from arena.records.money import shares_from_micro, usd_from_micro
from arena.records.trade import KIND_NAMES, Entry, Position, PositionState
from arena.store.codec import from_plain
from arena.store.journal.pieces import id_key
from arena.store.sqlite import Connection, Row

Seat = tuple[str, str]
Day = tuple[str, str]  # a contestant's


@dataclass(slots=True)
class Caches:
    """The caches during one batch of entries: sums are kept back and written once."""

    db: Connection
    sums: dict[Seat, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    touched: dict[tuple[str, str], int] = field(default_factory=dict)
    moved: dict[str, int] = field(default_factory=dict)
    days: dict[Day, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, entry: Entry, **amounts: int) -> None:
        """Add to the sums of an entry's seat."""
        self.add_to((entry.cohort or "", entry.contestant or ""), **amounts)

    def add_to(self, seat: Seat, **amounts: int) -> None:
        """Add to the sums of a seat."""
        sums = self.sums[seat]
        for name, amount in amounts.items():
            sums[name] += amount

    def add_to_day(self, contestant: str | None, at: datetime, **amounts: int) -> None:
        """Add to what changed of a contestant on a day."""
        changes = self.days[contestant or "", at.astimezone(UTC).date().isoformat()]
        for name, amount in amounts.items():
            changes[name] += amount

    def touch(self, seq: int, kind: str, name: str) -> None:
        """Note that what is shown of something has changed."""
        self.touched[kind, name] = seq

    def number(self, name: str) -> int:
        """The number that stands for a name in tables with many rows."""
        numbers = self.db.numbers
        if name not in numbers:
            self.db.run("INSERT INTO names (name) VALUES (?) ON CONFLICT DO NOTHING", name)
            sql = "SELECT number FROM names WHERE name = ?"
            numbers[name] = int(self.db.value(sql, name))
        return numbers[name]

    def index(self, seq: int, entry: Entry) -> None:
        """Write what an entry is found by."""
        self.db.run(
            "INSERT INTO entry_index VALUES (?, ?, ?, ?, ?, ?)",
            seq,
            id_key(entry.id),
            second_of(entry.at),
            KIND_NAMES[type(entry.event)],
            self.number(entry.cohort) if entry.cohort else None,
            self.number(entry.contestant) if entry.contestant else None,
        )

    def flush(self) -> None:
        """Write the sums that were kept back."""
        for (cohort, contestant), sums in self.sums.items():
            changed = {name: amount for name, amount in sums.items() if amount}
            if changed:
                setters = ", ".join(f"{name} = {name} + ?" for name in changed)
                self.db.run(
                    f"UPDATE seats SET {setters} WHERE cohort = ? AND contestant = ?",  # noqa: S608
                    *changed.values(),
                    cohort,
                    contestant,
                )
        self.sums.clear()
        for day, changes in self.days.items():
            more = ", ".join(f"{name} = {name} + excluded.{name}" for name in changes)
            self.db.run(
                f"INSERT INTO days (contestant, day, {', '.join(changes)}) "  # noqa: S608  # our own names
                f"VALUES (?, ?{', ?' * len(changes)}) ON CONFLICT DO UPDATE SET {more}",
                *day,
                *changes.values(),
            )
        self.days.clear()
        for cohort, seq in self.moved.items():
            self.db.run("UPDATE cohorts SET moved_entry = ? WHERE cohort = ?", seq, cohort)
        self.moved.clear()
        self.db.many(
            "INSERT INTO touched VALUES (?, ?, ?) "
            "ON CONFLICT DO UPDATE SET entry = excluded.entry",
            [(kind, name, seq) for (kind, name), seq in self.touched.items()],
        )
        self.touched.clear()


def second_of(at: datetime) -> float:
    """A moment as tables with many rows have it; views give it as text."""
    return at.timestamp() if at.microsecond else int(at.timestamp())


def read_position(row: Row) -> Position:
    """Read a row that begins with the columns of `positions`."""
    return _position(*row[:10])


@lru_cache(maxsize=20_000)  # a mark reads the same positions as the one before
def _position(  # noqa: PLR0913, PLR0917  the columns of a row
    cohort: str,
    contestant: str,
    market: str,
    side: str,
    number: int,
    shares: int,
    cost: int,
    state: str,
    proceeds: int,
    realised: int,
) -> Position:
    return Position(
        CohortId(cohort),
        ContestantId(contestant),
        MarketId(market),
        Side(side),
        shares_from_micro(shares),
        usd_from_micro(cost),
        number,
        PositionState(state),
        usd_from_micro(proceeds),
        usd_from_micro(realised),
    )


def spec_of(db: Connection, cohort: CohortId) -> CohortSpec:
    """Read the agreement that a cohort is played under."""
    return read_spec(db.value("SELECT spec FROM cohorts WHERE cohort = ?", cohort))


@lru_cache(maxsize=1_000)  # a tick reads the agreements of its cohorts again and again
def read_spec(text: str) -> CohortSpec:
    """Read an agreement from its canonical JSON."""
    spec: CohortSpec = from_plain(CohortSpec, json.loads(text))
    return spec
