"""What seats were worth at the end of each day, what was realised, and how long turns took."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from arena.records.cohort import MarkRule
from arena.records.trade import Book
from arena.store.codec import moment
from arena.store.sqlite import Connection

_STARTS = """
SELECT contestant, date(cohorts.started_at) AS day, capital_micro AS micro
FROM seats JOIN cohorts USING (cohort) ORDER BY contestant, cohort
"""
# With max(at) the other columns of a group are those of its last row.
_MARKS = """
SELECT cohort, contestant, date(at) AS day, max(at), cash_micro - owed_micro + {side}_micro
    AS micro, {side}_unpriced > 0 AS unpriced
FROM marks WHERE at <= ? GROUP BY cohort, contestant, day
ORDER BY contestant, cohort, day
"""
_REALISED = """
SELECT contestant, date(at) AS day, -sum(micro_usd) AS micro
FROM journal_postings JOIN journal_entries ON seq = entry
WHERE book IN (?, ?) AND at <= ? GROUP BY contestant, day ORDER BY contestant, day
"""
_LATENCIES = """
SELECT contestant, latency_ms FROM tape_answers ORDER BY contestant, latency_ms
"""


@dataclass(frozen=True, slots=True)
class Change:
    """By how many millionths of a dollar something of a contestant's changed on a day.

    `unpriced` is by how much the number of seats changed that hold a position without a
    price.
    """

    contestant: str
    day: date
    micro: int
    unpriced: int = 0


@dataclass(frozen=True, slots=True)
class SqliteWorth:
    """Worth in one SQLite file, read only. It reads all of history: for overviews."""

    db: Connection

    def starts(self) -> Sequence[Change]:
        """Opening capital, on the day its cohort started."""
        return [
            Change(row["contestant"], date.fromisoformat(row["day"]), row["micro"])
            for row in self.db.rows(_STARTS)
        ]

    def worths(self, mark: MarkRule, until: datetime) -> Sequence[Change]:
        """Worth of all seats: opening capital, then what each day's last mark changed.

        Args:
            mark: The price that open positions are valued at.
            until: The last moment that counts.
        """
        begun = {
            (row["contestant"], row["cohort"]): row["capital_micro"]
            for row in self.db.rows("SELECT contestant, cohort, capital_micro FROM seats")
        }
        last = {seat: (micro, 0) for seat, micro in begun.items()}
        found = list(self.starts())
        for row in self.db.rows(_MARKS.format(side=mark.value), moment(until)):
            seat = row["contestant"], row["cohort"]
            micro, unpriced = last[seat]
            last[seat] = row["micro"], row["unpriced"]
            change = row["micro"] - micro, row["unpriced"] - unpriced
            found.append(Change(seat[0], date.fromisoformat(row["day"]), *change))
        return found

    def realised(self, until: datetime) -> Sequence[Change]:
        """Realised P/L less fees, day by day as it was booked and taken back."""
        rows = self.db.rows(_REALISED, Book.PROFIT, Book.FEES, moment(until))
        return [
            Change(row["contestant"], date.fromisoformat(row["day"]), row["micro"])
            for row in rows
        ]

    def latencies(self) -> Mapping[str, Sequence[float]]:
        """Seconds of every turn that came back, shortest first, by contestant."""
        found: dict[str, list[float]] = defaultdict(list)
        for row in self.db.rows(_LATENCIES):
            found[row["contestant"]].append(row["latency_ms"] / 1000)
        return found
