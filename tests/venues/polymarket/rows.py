"""Made-up payloads in Polymarket's words."""

import hashlib
import json
from datetime import UTC, datetime, timedelta

from arena.records.market import MarketId, VenueId
from arena.venues.polymarket.gamma import GammaMarket, market
from arena.venues.reading import Origin

Row = dict[str, object]

HERE = VenueId("polymarket")
NOW = datetime(2026, 9, 1, 12, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ORIGIN = Origin(HERE, NOW)


def ours(own: str) -> MarketId:
    return MarketId(f"polymarket:{own}")


def condition_of(own: str) -> str:
    return f"0x{hashlib.sha256(own.encode()).hexdigest()}"


def yes_of(own: str) -> str:
    return f"7{own.zfill(75)}1"


def no_of(own: str) -> str:
    return f"7{own.zfill(75)}2"


def gamma(own: str = "1001", /, **changes: object) -> Row:
    """Make up an open market as Gamma tells it; a change to None is a field that is null."""
    return {
        "id": own,
        "question": f"Will it rain on day {own}?",
        "conditionId": condition_of(own),
        "slug": f"rain-{own}",
        "description": "It resolves by what the gauge shows.",
        "startDate": "2026-08-01T10:00:00.123456Z",
        "endDate": "2026-09-20T00:00:00Z",
        "outcomes": '["Yes", "No"]',
        "outcomePrices": '["0.41", "0.59"]',
        "clobTokenIds": json.dumps([yes_of(own), no_of(own)]),
        "active": True,
        "closed": False,
        "archived": False,
        "enableOrderBook": True,
        "acceptingOrders": True,
        "bestBid": 0.40,
        "bestAsk": 0.42,
        "volume": "1200.5",
        "volumeNum": 1200.5,
        "volume24hr": 80.25,
        "liquidityNum": 300,
        "orderPriceMinTickSize": 0.01,
        "orderMinSize": 5,
        "negRisk": False,
        "feesEnabled": True,
        "feeSchedule": {"exponent": 1, "rate": 0.05, "takerOnly": True},
        "umaResolutionStatuses": "[]",
        "events": [{"id": "77", "slug": "rain", "title": "Rain", "negRisk": False}],
        **changes,
    }


def without(row: Row, *names: str) -> Row:
    return {name: value for name, value in row.items() if name not in names}


def closed(own: str = "1001", paid: tuple[str, str] = ("1", "0"), **changes: object) -> Row:
    """Make up a closed market; `paid` is Gamma's payout vector."""
    row = gamma(own, closed=True, acceptingOrders=False, outcomePrices=json.dumps(paid))
    return {**row, **changes}


def seen(row: Row) -> GammaMarket:
    """Read one market that can be read."""
    read = market(row, ORIGIN)
    assert not read.left_out
    return read.rows[0]


def book(own: str = "1001", /, **changes: object) -> Row:
    """Make up the book of a market's YES token, its best levels last."""
    return {
        "market": condition_of(own),
        "asset_id": yes_of(own),
        "timestamp": "1788263900000",
        "bids": [{"price": "0.38", "size": "100"}, {"price": "0.4", "size": "25.5"}],
        "asks": [{"price": "0.99", "size": "7"}, {"price": "0.42", "size": "10"}],
        "min_order_size": "5",
        "tick_size": "0.01",
        "neg_risk": False,
        "last_trade_price": "0.41",
        **changes,
    }


GHOST: Row = {  # the levels of a book that is so wide that it may not be real
    "bids": [{"price": "0.01", "size": "9"}],
    "asks": [{"price": "0.99", "size": "9"}],
}


def resolution(own: str = "1001", /, **changes: object) -> Row:
    """Make up a row of the Data API: resolved, the first outcome wins."""
    return {
        "condition_id": condition_of(own),
        "question_id": condition_of(f"question {own}"),
        "status": "resolved",
        "was_disputed": False,
        "proposed_price": "1",
        "price": "1",
        "payouts": [1_000_000, 0],
        **changes,
    }


def clob_market(own: str = "1001", winner: str | None = "Yes", **changes: object) -> Row:
    """Make up a market as the CLOB tells it in full."""
    tokens = [
        {"token_id": token, "outcome": name, "price": 0.5, "winner": name == winner}
        for token, name in ((yes_of(own), "Yes"), (no_of(own), "No"))
    ]
    return {
        "condition_id": condition_of(own),
        "closed": True,
        "accepting_orders": False,
        "tokens": tokens,
        "is_50_50_outcome": False,
        **changes,
    }


def terms(own: str = "1001", /, **changes: object) -> Row:
    """Make up a market as the CLOB abbreviates it."""
    return {
        "c": condition_of(own),
        "t": [{"t": yes_of(own), "o": "Yes"}, {"t": no_of(own), "o": "No"}],
        "mos": 5,
        "mts": 0.01,
        "mbf": 1000,
        "tbf": 1000,
        "ao": True,
        **changes,
    }
