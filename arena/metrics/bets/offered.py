"""The markets offered in an arena's rounds, with the forecasts and bets on them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from arena.odds.columns import Flags, Floats
from arena.odds.gate import GateReason
from arena.scoring.bets.book import COLUMNS, MarketLines, Times
from arena.scoring.bets.shadow import OwnBets
from arena.scoring.table import Whole


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """Middle prices of m markets at t moments, from one round to the next and to the end.

    `mids` (m, t) stays at the close from the first moment at which a market has closed, whose
    place is `ended`; t for a market that has not.
    """

    moments: Times
    mids: Floats
    ended: Whole


@dataclass(frozen=True, slots=True, eq=False)
class Gate:
    """Where a gate holds a line back, how often each rule fired and how often it knew nothing.

    `held` has one row a line.
    """

    held: Flags
    fired: Mapping[GateReason, int] = field(default_factory=dict)
    abstained: Mapping[GateReason, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class PlacedBets:
    """What one contestant bet itself, priced as its ledger did.

    `fills` has a line a fill: its own price and fee, and what came of the market. `lots` has
    a line a part of a fill that was sold or held together: a part that was sold was paid the
    price of its sale, then, and its fee holds that of the sale. `of_fill` and `of_lot` are
    the sides and dollars. `rows` says on which offered line each fill is, `capital` adds up
    the cohorts' opening cash, `sold` flags the lots that were sold.
    """

    fills: MarketLines
    of_fill: OwnBets
    lots: MarketLines
    of_lot: OwnBets
    rows: Whole
    sold: Flags
    capital: float


@dataclass(frozen=True, slots=True, eq=False)
class OfferedMarket:
    """The market of an arena: one line a market at one moment, whatever cohorts were shown it.

    `markets` and `events` are what the numbers in the lines stand for; `exclusive` says of
    each event that at most one of its markets can be YES. `close_bid` and `close_ask` are
    the sides of the close. `forecasts` has P(YES) for each line, NaN where a contestant said
    nothing; where it spoke in several cohorts at once, what it said in the one that started
    first, and `repeated` counts the others. `placed` has who has bet, `capital` who took
    part.
    """

    lines: MarketLines
    markets: tuple[str, ...]
    events: tuple[str, ...]
    exclusive: Flags
    close_bid: Floats
    close_ask: Floats
    gate: Gate
    paths: Paths
    forecasts: Mapping[str, Floats]
    repeated: Mapping[str, int]
    placed: Mapping[str, PlacedBets]
    capital: Mapping[str, float]


def some(lines: MarketLines, rows: Whole | Flags, *, gated: Flags | None = None) -> MarketLines:
    """Only some of the lines, in their order; with another gate if one is given."""
    columns = {name: getattr(lines, name)[rows] for name in COLUMNS}
    if gated is not None:
        columns["gated"] = gated[rows]
    return MarketLines(**columns)


def unsaid(lines: MarketLines) -> Floats:
    """NaN for each line: the forecasts of a contestant that made none."""
    return np.full(len(lines), np.nan)
