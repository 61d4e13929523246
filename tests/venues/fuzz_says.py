"""What each field of a market's row, or of its event, may change in what is read."""

from collections.abc import Iterable, Mapping

from tests.standins.venues import KALSHI, MANIFOLD, POLYMARKET
from tests.venues.fuzz import Way

Says = Mapping[str, tuple[str, ...]]

_KALSHI: Says = {
    "event_ticker": (
        *("market.event", "market.refs", "market.url", "market.question"),
        "market.labels",
    ),
    "market_type": (),
    "title": ("market.question",),
    "yes_sub_title": ("market.question", "market.labels"),
    "created_time": ("market.opens_at",),
    "open_time": ("market.opens_at",),
    "close_time": ("market.closes_at",),
    "expected_expiration_time": ("market.closes_at",),
    "expected_settlement_time": ("market.closes_at",),
    "occurrence_datetime": ("market.starts_at",),
    "status": ("status", "quote", "market.tick", "market.closes_at"),
    "result": ("status",),
    "settlement_value_dollars": ("status",),
    "yes_bid_dollars": ("quote", "market.tick"),
    "yes_ask_dollars": ("quote", "market.tick"),
    "yes_bid_size_fp": ("quote.bids",),
    "yes_ask_size_fp": ("quote.asks",),
    "volume_fp": ("quote.volume",),
    "volume_24h_fp": ("quote.volume_24h",),
    "price_ranges": ("market.tick",),
    "price_level_structure": ("market.tick",),
    "rules_primary": ("market.rules", "market.starts_at"),
    "rules_secondary": ("market.rules",),
    "fee_waiver_expiration_time": ("market.fee",),
    "notional_value_dollars": (),
    "strike_type": (),
    "settlement_bounds_type": (),
    "mve_collection_ticker": (),
    "is_provisional": (),
    "functional_strike": (),
}
_KALSHI_EVENTS: Says = {
    "title": ("market.question",),
    "category": ("market.category", "market.starts_at"),
    "settlement_sources": ("market.rules",),
    "series_ticker": ("market.refs", "market.url", "market.fee"),
    "mutually_exclusive": ("market.exclusive",),
    "fee_type_override": ("market.fee",),
    "fee_multiplier_override": ("market.fee",),
}
_MANIFOLD: Says = {
    "question": ("market.question",),
    "closeTime": ("market.closes_at", "status.state", "quote"),
    "createdTime": ("market.opens_at",),
    "textDescription": ("market.rules",),
    "description": ("market.rules",),
    "groupSlugs": ("market.category",),
    "url": ("market.url",),
    "slug": ("market.refs",),
    "isResolved": ("status", "quote"),
    "resolution": ("status",),
    "resolutionProbability": ("status",),
    "probability": ("quote", "status"),
    "pool": ("quote",),
    "p": ("quote",),
    "volume": ("quote.volume",),
    "volume24Hours": ("quote.volume_24h",),
    "totalLiquidity": ("quote.liquidity",),
    "outcomeType": (),
    "mechanism": (),
    "token": (),
}
_POLYMARKET: Says = {
    "question": ("market.question",),
    "conditionId": ("market.refs", "condition"),
    "slug": ("market.url", "unfit"),
    "description": ("market.rules",),
    "outcomes": ("market.labels", "market.refs", "quote", "status", "word", "yes_token"),
    "outcomePrices": ("word.choices", "status"),
    "clobTokenIds": ("market.refs", "yes_token", "idle", "status.state", "word.choices"),
    "startDate": ("market.opens_at",),
    "acceptingOrdersTimestamp": ("market.opens_at",),
    "endDate": ("market.closes_at", "market.refs"),
    "gameStartTime": ("market.starts_at",),
    "eventStartTime": ("market.starts_at",),
    "active": ("idle", "status.state"),
    "archived": ("idle", "status.state"),
    "enableOrderBook": ("idle", "status.state"),
    "acceptingOrders": ("idle", "status.state"),
    "closed": (
        *("idle", "status", "quote", "word.closed"),
        *("market.closes_at", "market.refs"),
    ),
    "negRisk": ("market.exclusive",),
    "negRiskMarketID": ("market.exclusive", "market.refs", "market.event"),
    "negRiskOther": ("unfit",),
    "groupItemTitle": ("unfit",),
    "orderPriceMinTickSize": ("market.tick",),
    "orderMinSize": ("market.min_order",),
    "bestBid": ("quote",),
    "bestAsk": ("quote",),
    "volume": ("turnover.volume", "quote.volume"),
    "volumeNum": ("turnover.volume", "quote.volume"),
    "volume24hr": ("turnover.volume_24h", "quote.volume_24h"),
    "liquidity": ("turnover.liquidity", "quote.liquidity"),
    "liquidityNum": ("turnover.liquidity", "quote.liquidity"),
    "umaResolutionStatus": ("word", "status"),
    "umaResolutionStatuses": ("word", "status"),
    "feesEnabled": ("market.fee", "fee"),
    "feeSchedule": ("market.fee", "fee"),
    "version": ("market.refs",),
    "category": ("market.category",),
    "tags": ("market.category",),
    "series": ("unfit",),
    "events": (
        *("market.event", "market.url", "market.closes_at", "market.category"),
        *("market.exclusive", "market.refs", "unfit"),
    ),
}

SAYS: Mapping[str, Says] = {KALSHI: _KALSHI, MANIFOLD: _MANIFOLD, POLYMARKET: _POLYMARKET}
"""By venue and field of a market's row; no other field changes anything."""

EVENT_SAYS: Mapping[str, Says] = {KALSHI: _KALSHI_EVENTS}
"""By venue and field of an event, in the markets that it holds."""

ROWS: Mapping[tuple[str, str], tuple[Way, ...]] = {
    (POLYMARKET, "markets"): (("markets", 0),),
    (POLYMARKET, "markets-by-id"): (("markets", 0),),
    (POLYMARKET, "market"): ((),),
    (POLYMARKET, "books"): ((0,),),
    (POLYMARKET, "resolutions"): (("data", 0),),
    (POLYMARKET, "price-history"): (("history", 0), ("data", 0)),
    (KALSHI, "events"): (("events", 0, "markets", 0),),
    (KALSHI, "event"): (("event", "markets", 0), ("markets", 0)),
    (KALSHI, "markets"): (("markets", 0),),
    (KALSHI, "market"): (("market",),),
    (KALSHI, "quotes"): (("markets", 0),),
    (KALSHI, "statuses"): (("markets", 0),),
    (KALSHI, "orderbooks"): (("orderbooks", 0),),
    (MANIFOLD, "markets"): ((0,),),
    (MANIFOLD, "market"): ((),),
    (MANIFOLD, "bets"): ((0,),),
}
"""The ways to the rows of a kind; 0 stands for any number."""

EVENTS: Mapping[tuple[str, str], tuple[Way, ...]] = {
    (KALSHI, "events"): (("events", 0),),
    (KALSHI, "event"): (("event",),),
}
"""The ways to what holds rows and says something about all of them."""

NAMES = frozenset(
    {"id", "ticker", "event_ticker", "asset_id", "condition_id", "c"}
    | {"t", "timestamp"}  # a point of a history is known by its time
)
"""Fields by which a row is told from others."""


def field_of(way: Way, places: Iterable[Way]) -> str | int | None:
    """Give the field of a row that a way leads to or into; None where it leads to no row."""
    for place in places:
        pairs = zip(way, place, strict=False)
        if len(way) > len(place) and all(
            isinstance(step, int) if at == 0 else step == at for step, at in pairs
        ):
            return way[len(place)]
    return None
