"""What source C's gate would have said of each line, by what the tape knew at its moment."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from json import dumps
from math import isnan
from typing import Final

import numpy as np

from arena.metrics.bets.offered import Gate
from arena.odds.gate import Snapshot, abstentions, gate
from arena.records.market import Market, MarketId
from arena.store.codec import moment, read_moment
from arena.store.sqlite import Connection, Row
from arena.store.tape.prices import mids
from arena.store.tape.quotes import quoted_at

HALF_AN_HOUR: Final = timedelta(minutes=30)
DAY: Final = timedelta(days=1)
POLYMARKET: Final = "polymarket"  # whose daily volume the gate asks for

_POLLS = "SELECT venue, at FROM tape_polls WHERE error IS NULL ORDER BY at"
_VOLUMES = """
SELECT (SELECT volume_micro FROM tape_quotes
        WHERE market = asked.value ->> 0 AND seen_at <= asked.value ->> 1
        ORDER BY seen_at DESC LIMIT 1) AS micro
FROM json_each(?) AS asked ORDER BY asked.key
"""

Facts = Mapping[MarketId, Market]


def gate_of(db: Connection, rows: Sequence[Row], facts: Facts) -> Gate:
    """Ask the gate about rows of market, at, fair, volume_micro and when they were quoted.

    The price of half an hour ago is known where the venue was asked within the half hour
    before that; a day's volume is known of Polymarket alone, where it was asked then. There
    is no news, no second book and no margin on the tape: those rules abstain.
    """
    looked = _Looked(db, facts)
    ats = [read_moment(row["at"]) for row in rows]
    names = [row["market"] for row in rows]
    earlier = mids(db, _then(names, ats, HALF_AN_HOUR)).tolist()
    before = [None if isnan(mid) else mid for mid in earlier]
    day_ago = dumps(_then(names, ats, DAY))
    volumes = [row["micro"] for row in db.rows(_VOLUMES, day_ago)]
    verdicts = [
        gate(
            Snapshot(
                at,
                q=row["fair"],
                q_before=mid if looked.at(name, at - HALF_AN_HOUR) else None,
                volume=looked.traded(name, at, row["volume_micro"], volume),
                quoted_at=None if row["quoted_at"] is None else quoted_at(row),
            )
        )
        for row, name, at, mid, volume in zip(rows, names, ats, before, volumes, strict=True)
    ]
    fired = Counter(v.fired for v in verdicts if v.fired is not None)
    held = np.array([v.fired is not None for v in verdicts], np.bool_)
    return Gate(held, fired, {r: n for r, n in abstentions(verdicts).items() if n})


def _then(
    names: Sequence[str], ats: Sequence[datetime], ago: timedelta
) -> list[tuple[str, str]]:
    return [(name, moment(at - ago)) for name, at in zip(names, ats, strict=True)]


class _Looked:
    """When each venue was asked and answered."""

    def __init__(self, db: Connection, facts: Facts) -> None:
        self._facts = facts
        self._polls: dict[str, list[datetime]] = defaultdict(list)
        for row in db.rows(_POLLS):
            self._polls[row["venue"]].append(read_moment(row["at"]))

    def at(self, name: str, then: datetime) -> bool:
        """Whether somebody looked at a market within half an hour up to a moment."""
        market = self._facts.get(MarketId(name))
        polls = self._polls[market.venue] if market else []
        before = bisect_right(polls, then)
        return before > 0 and then - polls[before - 1] < HALF_AN_HOUR

    def traded(
        self, name: str, at: datetime, now: int | None, before: int | None
    ) -> float | None:
        """Dollars traded in the day before; None where that is not known."""
        market = self._facts.get(MarketId(name))
        if market is None or market.venue != POLYMARKET or now is None or before is None:
            return None
        return max(now - before, 0) / 1e6 if self.at(name, at - DAY) else None
