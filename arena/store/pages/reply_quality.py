"""How contestants conducted their turns, added up."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.records.answer import Trouble
from arena.records.cohort import CohortId, ContestantId
from arena.store.pages.cards import FailedTurn, read_failed
from arena.store.sqlite import Connection, Row

EVERYWHERE = ""  # the row that adds up all cohorts

# CROSS: a row of conduct is looked up for each of the few contestants, never the other way.
_CONDUCT = """
SELECT conduct.*, turns_ok, turns_failed FROM {seats}
CROSS JOIN conduct USING (contestant) WHERE conduct.cohort = ? AND {same}
ORDER BY conduct.contestant
"""

FAILED = f"failure IS NOT NULL AND failure NOT LIKE '{Trouble.WITHDRAWN}:%'"
_FAILURES = f"""
SELECT * FROM turns WHERE {FAILED} {{among}}
ORDER BY at DESC, cohort DESC, round DESC, contestant
"""  # noqa: S608  # our own words


@dataclass(frozen=True, slots=True)
class ConductTotals:
    """Counts of one contestant, in one cohort or in all of them.

    Of `turns`, `failed` came to no decision, or to only a part of one. Of the `calls` to a
    model `reasks` were made because a reply could not be read, and `repaired` replies needed
    their syntax mended. `dropped` orders were left out before the rules were asked, `against`
    bets were on the side that their own probability calls too dear. In `halved` turns
    what was refused or too long was asked in two halves. Of `baited` turns with a honeypot,
    `bait_taken` did what its text said.
    """

    contestant: ContestantId
    turns: int
    failed: int
    calls: int
    reasks: int
    repaired: int
    dropped: int
    against: int
    halved: int
    baited: int
    bait_taken: int


@dataclass(frozen=True, slots=True)
class SqliteConduct:
    """Conduct in one SQLite file, read only."""

    db: Connection

    def totals(self, cohort: CohortId | None = None) -> Sequence[ConductTotals]:
        """Everybody's counts by name, in one cohort or, with None, in all of them."""
        if cohort is None:
            sql = _CONDUCT.format(seats="totals", same="1")
        else:
            sql = _CONDUCT.format(seats="seats", same="seats.cohort = conduct.cohort")
        return [_totals(row) for row in self.db.rows(sql, cohort or EVERYWHERE)]

    def failures(self, cohort: CohortId | None = None) -> Sequence[FailedTurn]:
        """Everybody's turns that failed, newest first, in one cohort or, with None, in all."""
        if cohort is None:
            return [read_failed(row) for row in self.db.rows(_FAILURES.format(among=""))]
        sql = _FAILURES.format(among="AND cohort = ?")
        return [read_failed(row) for row in self.db.rows(sql, cohort)]

    def of(self, contestant: ContestantId) -> ConductTotals | None:
        """One contestant's counts over all cohorts; None before its first turn."""
        row = self.db.row(
            _CONDUCT.format(seats="totals", same="conduct.contestant = ?"),
            EVERYWHERE,
            contestant,
        )
        return _totals(row) if row else None


def _totals(row: Row) -> ConductTotals:
    return ConductTotals(
        contestant=ContestantId(row["contestant"]),
        failed=row["turns_failed"],
        **{name: row[name] for name in _COUNTS},
    )


_COUNTS = (
    "turns",
    "calls",
    "reasks",
    "repaired",
    "dropped",
    "against",
    "halved",
    "baited",
    "bait_taken",
)
