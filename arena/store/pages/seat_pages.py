"""What the pages ask about seats: their worth, their positions, their turns."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial

from arena.records.answer import Trouble
from arena.records.cohort import CohortId, ContestantId, MarkRule
from arena.records.market import MarketId, Side
from arena.records.money import Usd, usd_from_micro
from arena.records.trade import Position
from arena.scoring.table import Floats
from arena.store.caches import read_position
from arena.store.codec import moment, read_moment, read_row
from arena.store.pages.cards import by_contestant
from arena.store.sqlite import Connection, Row
from arena.store.tape.prices import factor, floats

# The newest mark is always kept, and so is the first.
_MARKS = """
SELECT * FROM (
    SELECT marks.*, row_number() OVER (PARTITION BY contestant ORDER BY at) AS n,
        count(*) OVER (PARTITION BY contestant) AS many
    FROM marks WHERE cohort = ?1
) WHERE n = 1 OR (many - n) % ((many + ?2 - 3) / (?2 - 1)) = 0
ORDER BY contestant, at
"""
_POSITIONS = """
SELECT * FROM positions WHERE cohort = ? ORDER BY contestant, market, side, number
"""
_TURN = """turns.cohort, turns.round, turns.contestant, turns.at,
    coalesce(turns.action, '') AS action, turns.accepted, turns.refused,
    coalesce(turns.failure, '') AS failure, a.cost_micro, a.latency_ms / 1000.0 AS seconds,
    a.tokens_in + a.tokens_out AS tokens"""
_TURNS = f"""
SELECT {_TURN} FROM turns
LEFT JOIN tape_answers AS a USING (cohort, round, contestant)
WHERE cohort = ? ORDER BY contestant, round
"""  # noqa: S608  # our own words
_NEWEST_TURNS = f"""
SELECT {_TURN} FROM (
    SELECT seq, cohort, contestant, json_extract(event, '$.round') AS round
    FROM journal_entries WHERE seq IN (
        SELECT seq FROM entry_index INDEXED BY journal_turns_by_contestant
        WHERE contestant = (SELECT number FROM names WHERE name = ?) AND kind = 'turn'
        ORDER BY seq DESC LIMIT ?)
) AS named
CROSS JOIN turns USING (cohort, round, contestant)
LEFT JOIN tape_answers AS a USING (cohort, round, contestant)
ORDER BY named.seq DESC
"""  # noqa: S608  # our own words
# A forecast is scored where its market came out YES or NO. A row's own probability is that of
# the entry which `max` found.
_SAID = """
SELECT contestant, market, probability AS last, max(entry),
    CASE WHEN void = 0 AND yes_pays_micro IN (0, 1000000) THEN
        avg((probability - yes_pays_micro / 1e6) * (probability - yes_pays_micro / 1e6)) END
        AS brier, count(*) AS n
FROM (
    SELECT turns.contestant, said.market, said.entry, said.probability,
        ruled.void, ruled.yes_pays_micro
    FROM turns CROSS JOIN journal_forecasts AS said ON said.entry = turns.entry
    LEFT JOIN resolutions AS ruled ON ruled.market = said.market
    WHERE turns.cohort = ?
) GROUP BY contestant, market ORDER BY contestant, market
"""
_DEALS = """
SELECT done.contestant, done.at, done.market, done.side, 0 AS gain_micro, done.fee_micro,
    done.entry
FROM fills AS done WHERE done.cohort = ?1
UNION ALL
SELECT done.contestant, done.at, done.market, done.side,
    done.proceeds_micro - done.basis_micro, done.fee_micro, done.entry
FROM sales AS done INDEXED BY sales_by_cohort WHERE done.cohort = ?1
ORDER BY 7
"""
_FORTUNES = """
SELECT held.* FROM json_each(?1) AS named
CROSS JOIN positions AS held ON held.cohort = named.value AND held.contestant = ?2
WHERE held.state <> 'OPEN' ORDER BY held.realised_micro {way}, held.cohort, held.market,
    held.side, held.number LIMIT ?3
"""
_PROGRESS = """
SELECT named.value AS cohort, sum(forecasts) AS said, sum(buys) AS bought,
    sum(forecasts_resolved + forecasts_excluded) AS scored,
    sum(fills_resolved + fills_excluded) AS settled, sum(open_positions) AS open
FROM json_each(?) AS named CROSS JOIN seats ON seats.cohort = named.value
GROUP BY named.value
"""


@dataclass(frozen=True, slots=True)
class SeatMark:
    """What a seat was worth at a moment, at both marks; None where a position had no price."""

    at: datetime
    bid: Usd | None
    mid: Usd | None
    open: int


@dataclass(frozen=True, slots=True)
class SeatTurn:
    """One turn: what was done, or why it could not be read, and what it took.

    The cost is None where nobody stated it; `seconds` is None where nothing was asked.
    """

    cohort: CohortId
    round: int
    contestant: ContestantId
    at: datetime
    action: str
    accepted: int
    refused: int
    failure: str
    cost: Usd | None
    seconds: float | None
    tokens: int | None

    @property
    def is_withdrawn(self) -> bool:
        """Whether it was not played, because its contestant was withdrawn."""
        return Trouble.of(self.failure) is Trouble.WITHDRAWN


@dataclass(frozen=True, slots=True)
class SeatSaid:
    """What a contestant said of a market in a cohort: how often, what last, how it scored.

    `brier` is the mean over its forecasts; None while the market has not come out YES or NO.
    """

    market: MarketId
    n: int
    last: float
    brier: float | None


@dataclass(frozen=True, slots=True)
class Dealt:
    """A fill or a sale: its fee, and what a sale brought beyond the cost of its shares."""

    at: datetime
    market: MarketId
    side: Side
    gain: Usd
    fee: Usd


@dataclass(frozen=True, slots=True)
class CohortProgress:
    """Of all that was said and bought in a cohort, how much has been scored and settled."""

    said: int
    scored: int
    bought: int
    settled: int
    open: int


@dataclass(frozen=True, slots=True)
class SqliteSeating:
    """Questions about seats to one SQLite file, read only.

    Each reads one cohort, or so many of the newest things, and never all of history.
    """

    db: Connection

    def marks(
        self, cohort: CohortId, most: int = 200
    ) -> Mapping[ContestantId, tuple[SeatMark, ...]]:
        """Everybody's worth over time, oldest first, thinned to at most so many moments."""
        return by_contestant(self.db.rows(_MARKS, cohort, most), _mark)

    def positions(self, cohort: CohortId) -> Mapping[ContestantId, tuple[Position, ...]]:
        """Every contestant's positions, open or closed, by market and side."""
        return by_contestant(self.db.rows(_POSITIONS, cohort), read_position)

    def turns(self, cohort: CohortId) -> Mapping[ContestantId, tuple[SeatTurn, ...]]:
        """Everybody's turns, the first round first."""
        return by_contestant(self.db.rows(_TURNS, cohort), partial(read_row, SeatTurn))

    def newest_turns(self, contestant: ContestantId, most: int) -> Sequence[SeatTurn]:
        """A contestant's newest turns of all cohorts, newest first."""
        return self.db.records(SeatTurn, _NEWEST_TURNS, contestant, most)

    def said(self, cohort: CohortId) -> Mapping[ContestantId, tuple[SeatSaid, ...]]:
        """Everybody's forecasts, added up by market."""
        return by_contestant(self.db.rows(_SAID, cohort), partial(read_row, SeatSaid))

    def dealt(self, cohort: CohortId) -> Mapping[ContestantId, tuple[Dealt, ...]]:
        """Everybody's fills and sales, oldest first."""
        return by_contestant(self.db.rows(_DEALS, cohort), partial(read_row, Dealt))

    def fortunes(
        self, contestant: ContestantId, cohorts: Iterable[CohortId], most: int
    ) -> tuple[Sequence[Position], Sequence[Position]]:
        """A contestant's best and worst closed positions of some cohorts, the extreme first."""
        named = json.dumps(list(cohorts))
        best, worst = (
            [
                read_position(row)
                for row in self.db.rows(_FORTUNES.format(way=way), named, contestant, most)
            ]
            for way in ("DESC", "ASC")
        )
        return (
            [position for position in best if position.realised > 0],
            [position for position in worst if position.realised < 0],
        )

    def progress(self, cohorts: Iterable[CohortId]) -> Mapping[CohortId, CohortProgress]:
        """How far some cohorts have come."""
        return {
            CohortId(row["cohort"]): read_row(CohortProgress, row)
            for row in self.db.rows(_PROGRESS, json.dumps(list(cohorts)))
        }


def _mark(row: Row) -> SeatMark:
    free = row["cash_micro"] - row["owed_micro"]
    bid, mid = (
        None if row[f"{kind}_unpriced"] else usd_from_micro(free + row[f"{kind}_micro"])
        for kind in ("bid", "mid")
    )
    return SeatMark(read_moment(row["at"]), bid, mid, row["open"])


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
    sum(capital + worth) AS worth, sum(unpriced) AS unpriced
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
        return self.db.records(Change, _DAILY.format(side=mark.value), moment(until))

    def latencies(self) -> Mapping[str, Floats]:
        """Seconds of every turn that came back, by contestant."""
        who, waited = self.db.columns("SELECT contestant, latency_ms FROM tape_answers")
        column, seconds = factor(who), floats(waited) / 1000
        return {name: seconds[column.codes == code] for code, name in enumerate(column.names)}
