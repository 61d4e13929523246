"""Rows as Manifold's server sends them, made up."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from arena.records.market import VenueId
from arena.venues.reading import EPOCH, Origin

NOW = datetime(2026, 11, 2, 12, tzinfo=UTC)
HERE = VenueId("manifold")
ORIGIN = Origin(HERE, NOW)
DAY = timedelta(days=1)

Row = dict[str, object]


def millis(at: datetime) -> int:
    return (at - EPOCH) // timedelta(milliseconds=1)


def row(own: str = "rain", /, **fields: object) -> Row:
    """An open market whose pool stands at one half; a field given as ... is left out."""
    whole: Row = {
        "id": own,
        "createdTime": millis(NOW - DAY),
        "closeTime": millis(NOW + 10 * DAY),
        "question": f"Will it {own}?",
        "slug": f"will-it-{own}",
        "url": f"https://manifold.markets/Ada/will-it-{own}",
        "pool": {"YES": 100, "NO": 100},
        "probability": Decimal("0.5"),
        "p": Decimal("0.5"),
        "totalLiquidity": 100,
        "outcomeType": "BINARY",
        "mechanism": "cpmm-1",
        "volume": Decimal("841.0064065532574"),
        "volume24Hours": Decimal("65.5"),
        "isResolved": False,
        "uniqueBettorCount": 20,
        "token": "MANA",
    }
    whole |= fields
    return {name: value for name, value in whole.items() if value is not ...}


def resolved(word: object, own: str = "rain", /, **fields: object) -> Row:
    """A market that its creator has resolved."""
    return row(own, **{"isResolved": True, "resolution": word, **fields})


def bet(own: str, minutes: float, after: object, /, **fields: object) -> Row:
    """A bet that left the probability at `after`, so many minutes before now."""
    at = millis(NOW - timedelta(minutes=minutes))
    return {"id": own, "createdTime": at, "probAfter": after, "isFilled": True, **fields}
