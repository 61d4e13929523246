"""What calls have cost, and what may have been billed without a word coming back."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from arena.records.answer import AGAIN, TOKEN_COUNTS, Caller
from arena.records.cohort import CohortId, ContestantId
from arena.records.money import ZERO_USD, Usd, usd, usd_from_micro
from arena.store.codec import moment, read_moment, read_row
from arena.store.sqlite import Connection, Row

_SAME = """t.cohort = asked.cohort AND t.round = asked.round
    AND t.contestant = asked.contestant AND t.call = asked.call"""
# The attempts of a call: `billed` are those that were or may have been, `maybe` those that
# failed and may have been.
_TRIED = f"""(SELECT count(*) FROM tape_attempts AS t WHERE {_SAME}) AS tries,
    (SELECT count(*) FROM tape_attempts AS t WHERE {_SAME} AND billed IS NOT 0) AS billed,
    (SELECT count(*) FROM tape_attempts AS t WHERE {_SAME} AND billed IS NULL
        AND trouble IS NOT NULL) AS maybe"""  # noqa: S608  # our own words

# A call, whether anything came back for it, and its attempts.
_CALLS = f"""
SELECT asked.cohort, asked.contestant, asked.call, asked.at, asked.llm, asked.reserved_micro,
    came.llm IS NOT NULL AS came, came.trouble, came.provider, came.tokens_in,
    came.tokens_cached, came.tokens_written, came.tokens_out, came.tokens_reasoning,
    came.cost_micro, came.priced,
    {_TRIED}, (SELECT count(*) FROM tape_asked_again AS t WHERE {_SAME}) AS again
FROM tape_asks AS asked LEFT JOIN tape_calls AS came ON came.cohort = asked.cohort
    AND came.round = asked.round AND came.contestant = asked.contestant
    AND came.call = asked.call
WHERE {{where}}
"""  # noqa: S608  # our own words

# A turn of a contestant that asked by itself: one call without a name. What is free is none.
_TURNS = f"""
SELECT asked.cohort, asked.contestant, asked.call, asked.at, asked.llm, NULL, 1, NULL, '',
    asked.tokens_in, asked.tokens_cached, asked.tokens_written, asked.tokens_out,
    asked.tokens_reasoning, asked.cost_micro, asked.priced, {_TRIED}, 0
FROM (SELECT tape_answers.*, '' AS call, rounds.at, model AS llm FROM tape_answers
    JOIN rounds USING (cohort, round)) AS asked
WHERE (tokens_in > 0 OR cost_micro > 0) AND NOT EXISTS (SELECT 1 FROM tape_asks AS a
    WHERE a.cohort = asked.cohort AND a.round = asked.round
    AND a.contestant = asked.contestant) AND {{where}}
"""  # noqa: S608  # our own words

# What a budget counts: a cost that is known and the worst case of each failure that may have
# been billed; where no cost is known, the worst case of each attempt that may have been. What
# was sent and never heard of counts as often as it was sent.
_COUNTED = """CASE
    WHEN NOT came THEN reserved_micro * (1 + again)
    WHEN cost_micro IS NOT NULL THEN cost_micro + coalesce(maybe * reserved_micro, 0)
    WHEN tries = 0 THEN reserved_micro
    WHEN billed = 0 THEN 0
    ELSE billed * reserved_micro END"""

_SPENT = f"""
SELECT contestant, coalesce(sum({_COUNTED}), 0) AS counted_micro,
    sum({_COUNTED} IS NULL) AS unknown
FROM ({_CALLS}) GROUP BY contestant
"""  # noqa: S608  # our own words

_BATCHED = """
SELECT asked.at, asked.reserved_micro FROM tape_batched
JOIN tape_asks AS asked USING (cohort, round, contestant, call)
LEFT JOIN tape_calls AS came USING (cohort, round, contestant, call)
WHERE cohort = ? AND round = ? AND contestant = ? AND call = ? AND came.llm IS NULL
"""

_COUNTS = (
    "calls", "unheard", "failed", "attempts", "reasks", "unknown_cost", "maybe_billed",
)  # fmt: skip
# A call that was certainly billed for nothing has no tokens and no cost, which is known.
_OPEN = "(NOT came OR tries = 0 OR billed > 0)"


class By(StrEnum):
    """What calls can be added up by."""

    DAY = "day"
    COHORT = "cohort"
    CONTESTANT = "contestant"
    MODEL = "model"
    PROVIDER = "provider"


_KEYS = {
    By.DAY: "substr(at, 1, 10)",
    By.COHORT: "cohort",
    By.CONTESTANT: "contestant",
    By.MODEL: "llm",
    By.PROVIDER: "coalesce(provider, '')",
}


@dataclass(frozen=True, slots=True)
class Spent:
    """What a budget counts as spent, and how many calls it cannot count.

    Those have no known cost, and were asked when no price was known either.
    """

    counted: Usd = ZERO_USD
    unknown: int = 0


@dataclass(frozen=True, slots=True)
class Sent:
    """A call that waits in a provider's batch: the day it was asked, and what is reserved."""

    day: date
    reserved: Usd | None


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens that were counted; `untold` calls did not say how many, None is that none did."""

    known: int | None
    untold: int

    def __add__(self, other: "Tokens") -> "Tokens":
        """Both together; None stays unknown beside None alone."""
        known_counts = [count for count in (self.known, other.known) if count is not None]
        return Tokens(sum(known_counts) if known_counts else None, self.untold + other.untold)


@dataclass(frozen=True, slots=True)
class CostLine:
    """What some calls took, added up.

    `unheard` of the `calls` never came back, `failed` came back as failures. `cost` is what is
    known of it; `unknown_cost` calls are missing in it, and it is None where all are.
    `maybe_billed` attempts failed and
    may be on the bill all the same. `counted` is what budgets count. `priced` says where
    costs are from.
    """

    name: str
    calls: int = 0
    unheard: int = 0
    failed: int = 0
    attempts: int = 0
    reasks: int = 0
    tokens_in: Tokens = Tokens(0, 0)
    tokens_cached: Tokens = Tokens(0, 0)
    tokens_written: Tokens = Tokens(0, 0)
    tokens_out: Tokens = Tokens(0, 0)
    tokens_reasoning: Tokens = Tokens(0, 0)
    cost: Usd | None = ZERO_USD
    unknown_cost: int = 0
    maybe_billed: int = 0
    counted: Usd = ZERO_USD
    priced: tuple[str, ...] = ()

    def __add__(self, other: "CostLine") -> "CostLine":
        """Both under this name; an amount stays unknown if neither line knows it."""
        known_costs = [cost for cost in (self.cost, other.cost) if cost is not None]
        sums: dict[str, Any] = {
            name: getattr(self, name) + getattr(other, name)
            for name in (*_COUNTS, *TOKEN_COUNTS)
        }
        return replace(
            self,
            **sums,
            cost=usd(sum(known_costs)) if known_costs else None,
            counted=usd(self.counted + other.counted),
            priced=tuple(sorted({*self.priced, *other.priced})),
        )


@dataclass(frozen=True, slots=True)
class Crossed:
    """What the calls of one combination of `DIMENSIONS` took, by its names in their order."""

    names: tuple[str, ...]
    line: CostLine


@dataclass(frozen=True, slots=True)
class DocumentCosts:
    """What sources of documents took for some rounds.

    `cost` is what is known of it, None where nothing is; it is unknown for `unknown_cost`
    rounds.
    """

    rounds: int
    requests: int
    cost: Usd | None
    unknown_cost: int


@dataclass(frozen=True, slots=True)
class SqliteCosts:
    """Questions about money to one SQLite file, read only.

    What is asked of a day or of a cohort reads that day or that cohort, never all of history.
    """

    db: Connection

    def on(self, day: date) -> Spent:
        """Count everything asked on a day in UTC.

        What was asked again after an interruption counts on the day it was first asked.
        """
        where, end = "asked.at >= ? AND asked.at < ?", day + timedelta(days=1)
        sql = _SPENT.format(where=where)
        spent = self.db.records(Spent, sql, day.isoformat(), end.isoformat())
        return Spent(
            Usd(sum((each.counted for each in spent), ZERO_USD)),
            sum(each.unknown for each in spent),
        )

    def of_cohort(self, cohort: CohortId) -> Mapping[ContestantId, Spent]:
        """Count everything asked in a cohort, by contestant; who asked nothing is left out."""
        rows = self.db.rows(_SPENT.format(where=_OF_COHORT), cohort)
        return {ContestantId(row["contestant"]): read_row(Spent, row) for row in rows}

    def batched(self, caller: Caller) -> Sent | None:
        """Say what a call in a batch has reserved; None where it is in none, or is back."""
        row = self.db.row(_BATCHED, caller.cohort, caller.round, caller.contestant, caller.call)
        if row is None:
            return None
        micro = row["reserved_micro"]
        return Sent(
            read_moment(row["at"]).date(), None if micro is None else usd_from_micro(micro)
        )

    def lines(
        self, by: By, cohort: CohortId | None = None, since: datetime | None = None
    ) -> Sequence[CostLine]:
        """Add calls up, by name; nothing where none was asked.

        Args:
            by: What to add them up by.
            cohort: Only this cohort; all of them where None.
            since: Only what was asked from this moment on.
        """
        return self.lines_by(_KEYS[by], cohort, since)

    def total(self, cohort: CohortId | None = None, since: datetime | None = None) -> CostLine:
        """Add up all lines of `lines`."""
        lines = self.lines_by("'total'", cohort, since)
        return lines[0] if lines else CostLine("total")

    def lines_by(
        self, key: str, cohort: CohortId | None = None, since: datetime | None = None
    ) -> Sequence[CostLine]:
        """Add calls up by what an expression of SQL says of each, as `lines` does."""
        conditions: dict[str, str] = {} if cohort is None else {_OF_COHORT: cohort}
        if since is not None:
            conditions["asked.at >= ?"] = moment(since)
        where = " AND ".join(["TRUE", *conditions])
        both = f"{_CALLS} UNION ALL {_TURNS}".format(where=where)
        rows = self.db.rows(_LINES.format(key=key, calls=both), *2 * [*conditions.values()])
        return [_line(row) for row in rows]

    def documents(
        self, cohort: CohortId | None = None, since: datetime | None = None
    ) -> DocumentCosts:
        """Add up what the documents of rounds took, as `lines` does for calls."""
        (row,) = self.db.rows(
            "SELECT count(*) AS rounds, coalesce(sum(requests), 0) AS requests, "
            "sum(cost_micro) AS cost, coalesce(sum(cost_micro IS NULL), 0) AS unknown "
            "FROM tape_contexts WHERE (?1 IS NULL OR cohort = ?1) AND (?2 IS NULL OR at >= ?2)",
            cohort,
            None if since is None else moment(since),
        )
        is_known = row["cost"] is not None or not row["rounds"]
        cost = usd_from_micro(row["cost"] or 0) if is_known else None
        return DocumentCosts(row["rounds"], row["requests"], cost, row["unknown"])


_OF_COHORT = "asked.cohort = ?"
_SUMS = ", ".join(
    f"sum({name}) AS {name}, sum({name} IS NULL AND {_OPEN}) AS {name}_untold"
    for name in TOKEN_COUNTS
)
_LINES = f"""
SELECT {{key}} AS name, count(*) AS calls, sum(NOT came) AS unheard,
    count(trouble) AS failed, sum(tries) AS attempts,
    sum(substr(call, -{len(AGAIN)}) = '{AGAIN}') AS reasks, {_SUMS}, sum(cost_micro) AS cost,
    sum(cost_micro IS NULL AND {_OPEN}) AS unknown_cost, sum(maybe) AS maybe_billed,
    coalesce(sum({_COUNTED}), 0) AS counted,
    group_concat(DISTINCT CASE WHEN cost_micro IS NULL THEN NULL ELSE priced END) AS priced
FROM ({{calls}}) GROUP BY name ORDER BY name
"""  # noqa: S608  # our own words


def _line(row: Row) -> CostLine:
    sums: dict[str, Any] = {name: row[name] for name in ("name", *_COUNTS)}
    sums |= {name: _tokens(row, name) for name in TOKEN_COUNTS}
    nothing_known = row["cost"] is None and row["unknown_cost"]
    return CostLine(
        **sums,
        cost=None if nothing_known else usd_from_micro(row["cost"] or 0),
        counted=usd_from_micro(row["counted"]),
        priced=_sources(row["priced"] or ""),
    )


def _sources(listed: str) -> tuple[str, ...]:
    """Split the sources of a cost: a turn of several calls names several at once."""
    return tuple(sorted({source.strip() for source in listed.split(",")} - {""}))


def _tokens(row: Row, name: str) -> Tokens:
    count, untold = row[name], row[f"{name}_untold"]
    return Tokens(0 if count is None and not untold else count, untold)


_SPEND = """turns_ok + turns_failed AS turns, forecasts_resolved AS resolved, tokens_in,
    tokens_out, cost_micro AS known_micro, cost_unknown AS unknown"""
_SEATS = f"""
SELECT seats.cohort, contestant, {_SPEND}
FROM json_each(?) AS named CROSS JOIN seats ON seats.cohort = named.value
ORDER BY named.key, contestant
"""  # noqa: S608  # our own words
_TOTALS = f"SELECT contestant, {_SPEND} FROM totals ORDER BY contestant"  # noqa: S608  # ours

DIMENSIONS: Final = (By.DAY, By.PROVIDER, By.MODEL, By.CONTESTANT)


@dataclass(frozen=True, slots=True)
class Spend:
    """What turns took, added up.

    `known` is what is known of their cost, `unknown` how many turns are missing in it.
    """

    turns: int = 0
    resolved: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    known: Usd = usd(0)
    unknown: int = 0

    @property
    def cost(self) -> Usd | None:
        """The whole cost; None as soon as the cost of one turn is unknown."""
        return None if self.unknown else self.known

    def __add__(self, other: "Spend") -> "Spend":
        """Both together."""
        return Spend(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


@dataclass(frozen=True, slots=True)
class SqliteSpending:
    """Questions about what was spent to one SQLite file, read only.

    `totals` reads a row a contestant, `of_cohorts` the seats of the cohorts named, `calls`
    those from a moment on: none of them reads all of history.
    """

    db: Connection

    def totals(self) -> Mapping[ContestantId, Spend]:
        """What each contestant has taken over all cohorts, by name."""
        rows = self.db.rows(_TOTALS)
        return {ContestantId(row["contestant"]): read_row(Spend, row) for row in rows}

    def of_cohorts(
        self, cohorts: Iterable[CohortId]
    ) -> Mapping[CohortId, Mapping[ContestantId, Spend]]:
        """What each contestant has taken in some cohorts, in the order they are named."""
        spend_by_cohort: dict[CohortId, dict[ContestantId, Spend]] = {}
        for row in self.db.rows(_SEATS, json.dumps(list(cohorts))):
            seats = spend_by_cohort.setdefault(CohortId(row["cohort"]), {})
            seats[ContestantId(row["contestant"])] = read_row(Spend, row)
        return spend_by_cohort

    def calls(self, since: datetime) -> Sequence[Crossed]:
        """Calls from a moment on, by day, provider, model and contestant."""
        key = f"json_array({', '.join(_KEYS[dimension] for dimension in DIMENSIONS)})"
        return [
            Crossed(tuple(json.loads(line.name)), line)
            for line in SqliteCosts(self.db).lines_by(key, since=since)
        ]


def grouped(crossed_lines: Iterable[Crossed], *by: By) -> Mapping[tuple[str, ...], CostLine]:
    """Add the lines of `SqliteSpending.calls` up by some of their names, sorted by them."""
    places = [DIMENSIONS.index(crossed) for crossed in by]
    sums: dict[tuple[str, ...], CostLine] = {}
    for crossed in crossed_lines:
        names = tuple(crossed.names[place] for place in places)
        line = replace(crossed.line, name=" ".join(names))
        sums[names] = sums[names] + line if names in sums else line
    return dict(sorted(sums.items()))
