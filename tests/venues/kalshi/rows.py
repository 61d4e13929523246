"""Rows as Kalshi's server sends them, made up."""

from datetime import UTC, datetime, timedelta

from arena.records.market import VenueId
from arena.venues.reading import EPOCH, Origin

NOW = datetime(2026, 11, 2, 12, tzinfo=UTC)
HERE = VenueId("kalshi")
ORIGIN = Origin(HERE, NOW)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
SERIES, EVENT, RAIN, SNOW = "KXSKY", "KXSKY-26NOV", "KXSKY-26NOV-RAIN", "KXSKY-26NOV-SNOW"

Row = dict[str, object]


def iso(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def seconds(at: datetime) -> int:
    return (at - EPOCH) // timedelta(seconds=1)


def without_gaps(whole: Row, fields: Row) -> Row:
    """Change fields of a row; one given as ... is left out."""
    return {name: value for name, value in (whole | fields).items() if value is not ...}


def market(own: str = RAIN, /, **fields: object) -> Row:
    """An active market whose best bid is 0.41 and whose best ask is 0.43."""
    label = own.rpartition("-")[2].capitalize()
    whole: Row = {
        "ticker": own,
        "event_ticker": EVENT,
        "market_type": "binary",
        "status": "active",
        "title": "What will fall from the **sky** in November?",
        "yes_sub_title": label,
        "no_sub_title": label,
        "created_time": iso(NOW - 3 * DAY),
        "open_time": iso(NOW - 2 * DAY),
        "close_time": iso(NOW + 300 * DAY),
        "expected_expiration_time": iso(NOW + 20 * DAY),
        "yes_bid_dollars": "0.4100",
        "yes_ask_dollars": "0.4300",
        "no_bid_dollars": "0.5700",
        "no_ask_dollars": "0.5900",
        "yes_bid_size_fp": "120.00",
        "yes_ask_size_fp": "80.50",
        "volume_fp": "5000.25",
        "volume_24h_fp": "100.00",
        "notional_value_dollars": "1.0000",
        "price_level_structure": "linear_cent",
        "price_ranges": [{"start": "0.0000", "end": "1.0000", "step": "0.0100"}],
        "rules_primary": f"If {label.lower()} falls, it is Yes.",
        "rules_secondary": "A gauge decides.",
        "result": "",
        "settlement_bounds_type": "default",
        "strike_type": "custom",
    }
    return without_gaps(whole, fields)


def decided(result: object, value: object, own: str = RAIN, /, **fields: object) -> Row:
    """A market of which Kalshi has said its last word."""
    told = {"status": "finalized", "result": result, "settlement_value_dollars": value}
    return market(own, **(told | fields))


def event(*markets: Row, **fields: object) -> Row:
    """An event that says its markets exclude each other."""
    whole: Row = {
        "event_ticker": EVENT,
        "series_ticker": SERIES,
        "title": "What will fall from the sky?",
        "category": "Climate and Weather",
        "mutually_exclusive": True,
        "markets": list(markets),
    }
    return without_gaps(whole, fields)


def events(*rows: Row, cursor: str = "") -> Row:
    """A page of events."""
    return {"events": list(rows), "cursor": cursor}


def markets(*rows: Row) -> Row:
    """A page of markets."""
    return {"markets": list(rows), "cursor": ""}


def series(**fields: object) -> Row:
    """A series with the general fee."""
    whole: Row = {
        "ticker": SERIES,
        "title": "Things that fall",
        "category": "Weather",
        "fee_type": "quadratic",
        "fee_multiplier": 1,
    }
    return {"series": without_gaps(whole, fields)}


def book(yes: object, no: object) -> Row:
    """An order book; levels are pairs of a price and a number of contracts."""
    return {"orderbook_fp": {"yes_dollars": yes, "no_dollars": no}}


def candle(at: datetime, bid: object, ask: object, last: object = ..., /) -> Row:
    """A candle that ends with these prices; without `last` nothing was traded."""
    return {
        "end_period_ts": seconds(at),
        "yes_bid": {"close_dollars": bid},
        "yes_ask": {"close_dollars": ask},
        "price": {} if last is ... else {"close_dollars": last},
        "volume_fp": "0.00",
    }


def candles(*rows: Row, of: str = RAIN) -> Row:
    """The candles of one market."""
    return {"ticker": of, "candlesticks": list(rows)}


def trading(*, on: object = True, until: object = None) -> Row:
    """What the exchange says about itself."""
    return {
        "exchange_active": True,
        "trading_active": on,
        "exchange_estimated_resume_time": until,
    }
