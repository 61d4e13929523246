"""The leaderboard, read from sums that are kept: its cost does not grow with history."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from arena.ledger.mark import last_marks
from arena.records.cohort import CohortId, CohortSpec, ContestantId, MarkRule, RankBy, Rules
from arena.records.grade import Board, LastPrices, Standing, Tally
from arena.records.money import usd
from arena.records.trade import Mark, Position
from arena.scoring.leaderboard import at_last_prices, rank, standing
from arena.store.caches import read_position, spec_of
from arena.store.codec import read_moment, read_row
from arena.store.sqlite import Connection
from arena.store.tape.sqlite_tape import SqliteTape

_IN_DOUBT = """
SELECT positions.*, marked_at FROM positions CROSS JOIN seats USING (cohort, contestant)
WHERE state = 'OPEN' AND {mark}_unpriced > 0 {where}
"""


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
        return self._board("SELECT * FROM totals ORDER BY contestant", newest.rules, by)

    def of_cohort(self, cohort: CohortId, by: RankBy | None = None) -> Board:
        """The contestants of one cohort."""
        sql = "SELECT 1 AS cohorts, * FROM seats WHERE cohort = ?"
        return self._board(sql, spec_of(self.db, cohort).rules, by, cohort)

    def _board(
        self, sql: str, rules: Rules, by: RankBy | None, cohort: CohortId | None = None
    ) -> Board:
        lines: Sequence[Standing] = [
            standing(
                ContestantId(row["contestant"]),
                read_row(Tally, row),
                mark=rules.mark,
                cohorts=row["cohorts"],
            )
            for row in self.db.rows(sql, *([cohort] if cohort else []))
        ]
        lines = self._with_last_prices(lines, rules.mark, cohort)
        order = by or rules.rank_by
        return Board(rank(lines, order), order, self.as_of(), cohort)

    def last_prices(
        self, price: MarkRule, cohort: CohortId | None = None
    ) -> Mapping[tuple[CohortId, ContestantId], LastPrices]:
        """What the positions without a price are worth at the last price that each had.

        Only open positions are read. A seat without such a position is left out, and so is a
        position that never had a price.
        """
        where, only = ("AND cohort = ?", (cohort,)) if cohort else ("", ())
        held: dict[CohortId, list[Position]] = defaultdict(list)
        marked = {}
        for row in self.db.rows(_IN_DOUBT.format(mark=price.value, where=where), *only):
            marked[CohortId(row["cohort"])] = read_moment(row["marked_at"])
            held[CohortId(row["cohort"])].append(read_position(row))
        marks_by_seat: dict[tuple[CohortId, ContestantId], list[Mark]] = defaultdict(list)
        tape = SqliteTape(self.db)
        for name, positions in held.items():
            at, max_age = marked[name], spec_of(self.db, name).rules.max_mark_age
            quotes = tape.two_sided_quotes({p.market for p in positions}, at)
            for last in last_marks(positions, quotes, at=at, max_age=max_age):
                marks_by_seat[name, last.position.contestant].append(last)
        return {seat: _last_prices(marks, price) for seat, marks in marks_by_seat.items()}

    def _with_last_prices(
        self, lines: Sequence[Standing], price: MarkRule, cohort: CohortId | None = None
    ) -> Sequence[Standing]:
        if not any(line.unpriced for line in lines):
            return lines
        last_by_contestant: dict[ContestantId, list[LastPrices]] = defaultdict(list)
        for (_, contestant), last in self.last_prices(price, cohort).items():
            last_by_contestant[contestant].append(last)
        as_of = self.as_of()
        return [
            at_last_prices(line, last_by_contestant[line.contestant], as_of) for line in lines
        ]

    def newest_spec(self) -> CohortSpec | None:
        """The agreement of the cohort that started last."""
        sql = (
            "SELECT cohort FROM journal_entries WHERE kind = 'opened' ORDER BY seq DESC LIMIT 1"
        )
        cohort = self.db.value(sql)
        return spec_of(self.db, CohortId(cohort)) if cohort else None

    def as_of(self) -> datetime | None:
        """The newest moment that the tape knows of."""
        return SqliteTape(self.db).last_moment()


def _last_prices(marks: Sequence[Mark], price: MarkRule) -> LastPrices:
    worth = [mark.bid if price is MarkRule.BID else mark.mid for mark in marks]
    oldest = min(mark.quoted_at for mark in marks if mark.quoted_at is not None)
    return LastPrices(usd(sum(filter(None, worth), Decimal(0))), len(marks), oldest)
