"""The leaderboard, read from sums that are kept: its cost does not grow with history."""

from dataclasses import dataclass
from datetime import datetime

from arena.records.cohort import CohortId, CohortSpec, ContestantId, RankBy
from arena.records.grade import Board, Tally
from arena.scoring.leaderboard import rank, standing
from arena.store.caches import spec_of
from arena.store.codec import read_moment
from arena.store.schema import SUMS
from arena.store.sqlite import Connection, Row


@dataclass(frozen=True, slots=True)
class SqliteBoards:
    """Leaderboards of one SQLite file, read only."""

    db: Connection

    def overall(self, by: RankBy | None = None) -> Board:
        """Every contestant over all its cohorts, pooled: sums are added, not means averaged.

        The mark and the first order are those of the newest cohort. Empty when nothing has
        started.
        """
        newest = self.newest_spec()
        if newest is None:
            return Board((), by or RankBy.RETURN, None)
        order = by or newest.rules.rank_by
        lines = [
            standing(
                ContestantId(row["contestant"]),
                tally(row),
                mark=newest.rules.mark,
                cohorts=row["cohorts"],
            )
            for row in self.db.rows("SELECT * FROM totals ORDER BY contestant")
        ]
        return Board(rank(lines, order), order, self.as_of())

    def of_cohort(self, cohort: CohortId, by: RankBy | None = None) -> Board:
        """The contestants of one cohort."""
        rules = spec_of(self.db, cohort).rules
        order = by or rules.rank_by
        rows = self.db.rows("SELECT * FROM seats WHERE cohort = ?", cohort)
        lines = [
            standing(ContestantId(row["contestant"]), tally(row), mark=rules.mark)
            for row in rows
        ]
        return Board(rank(lines, order), order, self.as_of(), cohort)

    def newest_spec(self) -> CohortSpec | None:
        """The agreement of the cohort that started last."""
        cohort = self.db.value(
            "SELECT cohort FROM journal_entries WHERE kind = 'opened' ORDER BY seq DESC LIMIT 1"
        )
        return spec_of(self.db, CohortId(cohort)) if cohort else None

    def as_of(self) -> datetime | None:
        """The newest moment that the tape knows of."""
        at = self.db.value("SELECT max(at) FROM tape_polls")
        return read_moment(at) if at else None


def tally(row: Row) -> Tally:
    """Read the sums of a row of `seats` or `totals`."""
    return Tally(**{name: row[name] for name in SUMS})
