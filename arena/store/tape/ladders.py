"""Which markets of one event differ in a threshold or a deadline alone."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from json import dumps
from typing import Final

from arena.scoring.ladders import ladders_of
from arena.scoring.table import Forecasts
from arena.store.codec import read_moment
from arena.store.sqlite import Connection

_QUESTIONS: Final = """
SELECT facts ->> '$.event', facts ->> '$.question', facts ->> '$.closes_at'
FROM json_each(?) AS asked LEFT JOIN tape_markets AS told ON told.market = asked.value
    AND seen_at = (SELECT max(seen_at) FROM tape_markets WHERE market = told.market)
ORDER BY asked.key
"""


def with_ladders(db: Connection, forecasts: Forecasts) -> Forecasts:
    """Add the ladders among the markets that were forecast, by their newest questions.

    Args:
        db: An open file.
        forecasts: Those of that file.
    """
    return replace(forecasts, ladders=ladders_of(_questions(db, forecasts.market.names)))


def _questions(
    db: Connection, markets: Sequence[str]
) -> Iterator[tuple[str, str, date | None]]:
    """Each market's event, question and end; blank for a market that was never listed."""
    columns = db.columns(_QUESTIONS, dumps(list(markets)))
    for event, question, ends in zip(*columns, strict=True):
        yield event or "", question or "", read_moment(ends).date() if ends else None
