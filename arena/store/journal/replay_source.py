"""What a contestant said of markets that have come out, read within a bound."""

from dataclasses import dataclass
from datetime import datetime

from arena.records.cohort import ContestantId
from arena.records.money import MICRO
from arena.store.codec import moment
from arena.store.sqlite import Connection

TURNS = 400  # so that a day costs the same however long a contestant has played

_PAST = """
SELECT said.market, said.probability, ruled.yes_pays_micro, min(turn.seq) AS first
FROM (
    SELECT seq FROM journal_entries INDEXED BY journal_turns_by_contestant
    WHERE kind = 'turn' AND contestant = ? ORDER BY seq DESC LIMIT ?
) AS turn
CROSS JOIN journal_forecasts AS said ON said.entry = turn.seq
CROSS JOIN resolutions AS ruled ON ruled.market = said.market
WHERE ruled.at <= ? AND ruled.void = 0 GROUP BY said.market ORDER BY first, said.market
"""


@dataclass(frozen=True, slots=True)
class SqlitePast:
    """The past of one SQLite file, read only."""

    db: Connection

    def graded(
        self, contestant: ContestantId, before: datetime
    ) -> tuple[tuple[float, float], ...]:
        """Give P(YES) and what YES paid for each market that was resolved by a moment.

        One pair for a market: its first forecast among the contestant's last 400 turns.
        Voided markets are left out. Oldest first; empty where nothing has come out.
        """
        rows = self.db.rows(_PAST, contestant, TURNS, moment(before))
        return tuple((row["probability"], row["yes_pays_micro"] * float(MICRO)) for row in rows)
