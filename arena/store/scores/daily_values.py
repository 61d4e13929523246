"""What seats were worth at the end of each day, what was realised, and how long turns took."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from arena.records.cohort import MarkRule
from arena.scoring.table import Floats
from arena.store.codec import moment
from arena.store.sqlite import Connection
from arena.store.tape.prices import factor, floats

# Marks since a moment are taken off again: of cohorts that were valued after it.
_DAILY = """
WITH marked AS (
    SELECT cohort, contestant, at, capital_micro, marks.{side}_unpriced > 0 AS unpriced,
        marks.cash_micro - marks.owed_micro + marks.{side}_micro AS micro
    FROM cohorts JOIN seats USING (cohort) JOIN marks USING (cohort, contestant)
    WHERE cohorts.marked_at > ?1
), late AS (
    SELECT contestant, at, micro - lag(micro, 1, capital_micro) OVER seat AS micro,
        unpriced - lag(unpriced, 1, 0) OVER seat AS unpriced
    FROM marked WINDOW seat AS (PARTITION BY cohort, contestant ORDER BY at)
)
SELECT contestant, day, sum(capital) AS capital, sum(realised) AS realised,
    sum(worth) AS worth, sum(unpriced) AS unpriced
FROM (
    SELECT contestant, day, capital_micro AS capital, realised_micro AS realised,
        {side}_micro AS worth, {side}_unpriced AS unpriced FROM days
    UNION ALL
    SELECT contestant, date(at), 0, 0, -micro, -unpriced FROM late WHERE at > ?1
) WHERE day <= date(?1) GROUP BY contestant, day ORDER BY contestant, day
"""


@dataclass(frozen=True, slots=True)
class Change:
    """By how many millionths of a dollar a contestant's books changed on a day.

    `worth` is capital that came in and what the day's last mark of each seat changed.
    `unpriced` is by how much the number of seats changed that hold a position without a
    price.
    """

    contestant: str
    day: date
    capital: int
    realised: int
    worth: int
    unpriced: int


@dataclass(frozen=True, slots=True)
class SqliteWorth:
    """Worth in one SQLite file, read only."""

    db: Connection

    def changes(self, mark: MarkRule, until: datetime) -> Sequence[Change]:
        """What changed on each day, by contestant and day.

        Args:
            mark: The price that open positions are valued at.
            until: The last moment that counts.
        """
        return [
            Change(
                row["contestant"],
                date.fromisoformat(row["day"]),
                row["capital"],
                row["realised"],
                row["capital"] + row["worth"],
                row["unpriced"],
            )
            for row in self.db.rows(_DAILY.format(side=mark.value), moment(until))
        ]

    def latencies(self) -> Mapping[str, Floats]:
        """Seconds of every turn that came back, by contestant."""
        who, waited = self.db.columns("SELECT contestant, latency_ms FROM tape_answers")
        column, seconds = factor(who), floats(waited) / 1000
        return {name: seconds[column.codes == code] for code, name in enumerate(column.names)}
