"""What claims need beside forecasts: when outcomes were known, and prices day by day."""

from dataclasses import replace
from datetime import datetime
from json import dumps
from typing import Final

import numpy as np

from arena.scoring.table import DailyPrices, Forecasts, Whole
from arena.store.scores.evidence import SqliteEvidence
from arena.store.sqlite import Connection
from arena.store.tape.prices import daily_prices

# A price that was read again and had not moved is a few bytes of another table.
_AGAIN: Final = """
SELECT asked.key AS market, seen_at / 86400 AS day
FROM json_each(?1) AS asked
JOIN tape_names ON tape_names.market = asked.value
JOIN tape_repeats ON tape_repeats.number = tape_names.number
WHERE ?2 IS NULL OR seen_at <= ?2
GROUP BY asked.key, seen_at / 86400
"""
_EXCLUSIVE: Final = """
SELECT asked.key AS market FROM json_each(?1) AS asked
WHERE (SELECT facts ->> '$.exclusive' FROM tape_markets WHERE market = asked.value
    ORDER BY seen_at DESC LIMIT 1) = 1
"""


def with_prices(db: Connection, forecasts: Forecasts) -> Forecasts:
    """Add when each outcome was known, which events are exclusive, and markets' daily prices.

    Args:
        db: An open file.
        forecasts: Those of that file.
    """
    resolved = with_outcomes(db, forecasts)
    return replace(resolved, prices=prices_of(db, forecasts.market.names))


def with_outcomes(db: Connection, forecasts: Forecasts) -> Forecasts:
    """Add when each outcome was known, and which events are exclusive.

    Args:
        db: An open file.
        forecasts: Those of that file.
    """
    names = forecasts.market.names
    resolved_at = SqliteEvidence(db).resolved_at()
    ended = np.array(
        [resolved_at[n].replace(tzinfo=None) if n in resolved_at else None for n in names],
        dtype="datetime64[us]",
    )
    exclusive = np.zeros(len(names), np.bool_)
    exclusive[[row["market"] for row in db.rows(_EXCLUSIVE, dumps(names))]] = True
    parts = [forecasts] if forecasts.waiting is None else [forecasts, forecasts.waiting]
    completed = [
        replace(p, ended=ended[p.market.codes], exclusive=exclusive[p.market.codes])
        for p in parts
    ]
    waiting = completed[1] if len(completed) > 1 else None
    return replace(completed[0], waiting=waiting)


def prices_of(
    db: Connection, names: tuple[str, ...], until: datetime | None = None
) -> DailyPrices:
    """What markets were worth day by day, by their places among the names, up to a moment."""
    market, day, price = daily_prices(db, names, until=until)
    again = db.columns(_AGAIN, dumps(names), None if until is None else until.timestamp())
    rows = [np.array(column, np.intp) for column in again] if again else [market[:0], day[:0]]
    every: tuple[Whole, ...] = tuple(
        np.concatenate(both) for both in ((market, rows[0]), (day, rows[1]))
    )
    prices = np.concatenate([price, np.full(len(rows[0]), np.nan)])
    order = np.lexsort((np.isnan(prices), every[1], every[0]))
    return DailyPrices(every[0][order], every[1][order], prices[order])
