"""What the pages ask about money spent: sums that are kept, and calls of the newest days."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from arena.records.cohort import CohortId, ContestantId
from arena.records.money import Usd, usd, usd_from_micro
from arena.store.pages.costs import By, CostLine, Crossed, SqliteCosts, Tokens
from arena.store.sqlite import Connection, Row

_SEATS = """
SELECT seats.cohort, contestant, turns_ok + turns_failed AS turns, forecasts_resolved,
    tokens_in, tokens_out, cost_micro, cost_unknown
FROM json_each(?) AS named CROSS JOIN seats ON seats.cohort = named.value
ORDER BY named.key, contestant
"""
_TOTALS = """
SELECT contestant, turns_ok + turns_failed AS turns, forecasts_resolved,
    tokens_in, tokens_out, cost_micro, cost_unknown
FROM totals ORDER BY contestant
"""

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
        return Spend(
            self.turns + other.turns,
            self.resolved + other.resolved,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            usd(self.known + other.known),
            self.unknown + other.unknown,
        )


@dataclass(frozen=True, slots=True)
class SqliteSpending:
    """Questions about what was spent to one SQLite file, read only.

    `totals` reads a row a contestant, `of_cohorts` the seats of the cohorts named, `calls`
    those from a moment on: none of them reads all of history.
    """

    db: Connection

    def totals(self) -> Mapping[ContestantId, Spend]:
        """What each contestant has taken over all cohorts, by name."""
        return {ContestantId(row["contestant"]): _spend(row) for row in self.db.rows(_TOTALS)}

    def of_cohorts(
        self, cohorts: Iterable[CohortId]
    ) -> Mapping[CohortId, Mapping[ContestantId, Spend]]:
        """What each contestant has taken in some cohorts, in the order they are named."""
        spend_by_cohort: dict[CohortId, dict[ContestantId, Spend]] = {}
        for row in self.db.rows(_SEATS, json.dumps(list(cohorts))):
            seats = spend_by_cohort.setdefault(CohortId(row["cohort"]), {})
            seats[ContestantId(row["contestant"])] = _spend(row)
        return spend_by_cohort

    def calls(self, since: datetime) -> Sequence[Crossed]:
        """Calls from a moment on, by day, provider, model and contestant."""
        return SqliteCosts(self.db).crossed(DIMENSIONS, since)


def grouped(crossed_lines: Iterable[Crossed], *by: By) -> Mapping[tuple[str, ...], CostLine]:
    """Add the lines of `SqliteSpending.calls` up by some of their names, sorted by them."""
    places = [DIMENSIONS.index(crossed) for crossed in by]
    sums: dict[tuple[str, ...], CostLine] = {}
    for crossed in crossed_lines:
        names = tuple(crossed.names[place] for place in places)
        line = replace(crossed.line, name=" ".join(names))
        sums[names] = _added(sums[names], line) if names in sums else line
    return dict(sorted(sums.items()))


def _added(line: CostLine, other: CostLine) -> CostLine:
    """Add up two lines; an amount stays unknown if neither line knows it."""
    known_costs = [amount for amount in (line.cost, other.cost) if amount is not None]
    return CostLine(
        name=line.name,
        calls=line.calls + other.calls,
        unheard=line.unheard + other.unheard,
        attempts=line.attempts + other.attempts,
        reasks=line.reasks + other.reasks,
        tokens_in=_tokens(line.tokens_in, other.tokens_in),
        tokens_cached=_tokens(line.tokens_cached, other.tokens_cached),
        tokens_written=_tokens(line.tokens_written, other.tokens_written),
        tokens_out=_tokens(line.tokens_out, other.tokens_out),
        tokens_reasoning=_tokens(line.tokens_reasoning, other.tokens_reasoning),
        cost=usd(sum(known_costs)) if known_costs else None,
        unknown_cost=line.unknown_cost + other.unknown_cost,
        maybe_billed=line.maybe_billed + other.maybe_billed,
        counted=usd(line.counted + other.counted),
        priced=tuple(sorted({*line.priced, *other.priced})),
    )


def _tokens(tokens: Tokens, other: Tokens) -> Tokens:
    known_counts = [count for count in (tokens.known, other.known) if count is not None]
    return Tokens(sum(known_counts) if known_counts else None, tokens.untold + other.untold)


def _spend(row: Row) -> Spend:
    return Spend(
        row["turns"],
        row["forecasts_resolved"],
        row["tokens_in"],
        row["tokens_out"],
        usd_from_micro(row["cost_micro"]),
        row["cost_unknown"],
    )
