"""Make `arena/venues/keys.json`: the names of the fields that venues' answers have.

The names come from recorded answers, in a folder with one folder for each venue, and from
the venues' documentation, as it is said below. Only names are kept. Run it like this:

    python docs/venue_keys.py FOLDER

`arena venue check` compares what servers send today with it. A recording that is not there
is passed over, and so are names that the table has already: it only ever grows.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from arena.cli.models.venue_check import objects_at

TABLE = Path(__file__).parents[1] / "arena" / "venues" / "keys.json"

Where = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Source:
    """A kind of object: where it is in live answers, and where in recorded ones.

    `recorded` names files, each with the names that lead to the objects in it. `documented`
    are fields that the venue's documentation names.
    """

    path: str
    rows: str
    needed: str
    recorded: Where = field(default_factory=dict)
    documented: str = ""


def at(names: str, *recordings: str) -> Where:
    """Say that the objects of some recordings are all at one place."""
    return {one: names.split() for one in recordings}


GAMMA = """
    id question conditionId slug endDate startDate category description outcomes outcomePrices
    volume liquidity active closed archived acceptingOrders enableOrderBook clobTokenIds events
    bestBid bestAsk lastTradePrice spread volumeNum liquidityNum volume24hr volume1wk volume1mo
    volume1yr volume24hrClob volume1wkClob volume1moClob volume1yrClob volumeClob
    liquidityClob volumeAmm liquidityAmm volume24hrAmm volume1wkAmm volume1moAmm volume1yrAmm
    umaResolutionStatus umaResolutionStatuses umaEndDate umaBond umaReward resolvedBy
    closedTime automaticallyResolved negRisk negRiskMarketID negRiskRequestID negRiskOther
    groupItemTitle groupItemThreshold orderPriceMinTickSize orderMinSize feesEnabled feeType
    feeSchedule makerBaseFee takerBaseFee version positionIds resolutionStatus requestId
    onchainEventId tags series gameId gameStartTime sportsMarketType oneDayPriceChange
    oneHourPriceChange oneWeekPriceChange oneMonthPriceChange oneYearPriceChange competitive
    acceptingOrdersTimestamp rewardsMinSize rewardsMaxSpread clobRewards approved
"""
GAMMA_EVENTS = at(
    "markets",
    "gamma_event_negrisk_fed_june",
    "gamma_event_mixed_live_and_resolved",
    "gamma_event_up_down",
)
GAMMA_MARKET = at("", "gamma_market_resolved_yes_negrisk")
GAMMA_NEEDED = "id question conditionId closed outcomes outcomePrices clobTokenIds"

POLYMARKET = {
    "markets": Source(
        "/markets/keyset$",
        "markets",
        f"{GAMMA_NEEDED} acceptingOrders enableOrderBook bestBid bestAsk volumeNum events",
        {**GAMMA_EVENTS, **GAMMA_MARKET},
        GAMMA,
    ),
    "market": Source(
        r"/markets/\d+$", "", GAMMA_NEEDED, {**GAMMA_EVENTS, **GAMMA_MARKET}, GAMMA
    ),
    "events": Source(
        "/markets/keyset$",
        "markets events",
        "id slug",
        {**at("", *GAMMA_EVENTS), **at("events", *GAMMA_MARKET)},
        "id slug title negRisk negRiskAugmented enableNegRisk series seriesSlug tags endDate",
    ),
    "books": Source(
        "/books?$",
        "",
        "asset_id bids asks timestamp",
        at("", "clob_books_batch_negrisk_fed_june"),
        "market asset_id timestamp hash bids asks min_order_size tick_size neg_risk "
        "last_trade_price",
    ),
    "levels": Source("/books?$", "bids", "price size", {}, "price size"),
    "midpoint": Source("/midpoint$", "", "mid", {}, "mid"),
    "prices-history": Source(
        "(?<!/v2)/prices-history$", "history", "t p", at("history", "clob_prices_history_daily")
    ),
    "prices-history-v2": Source(
        "/v2/prices-history$", "data", "timestamp price", at("", "data_v2_prices_history")
    ),
    "resolutions": Source(
        "/v2/resolutions$",
        "data",
        "condition_id status was_disputed",
        at("", "data_v2_resolutions"),
        "question_id condition_id event_id status was_disputed was_arbitrated extended_review "
        "proposed_price reproposed_price price payouts resolution_source reporter resolved_at "
        "market_type expected_settlement_time settlement_time_basis",
    ),
    "clob-market": Source(
        "/markets/0x[0-9a-fA-F]+$",
        "",
        "condition_id closed tokens",
        {},
        "condition_id question_id question market_slug description icon image tokens rewards "
        "tags active closed archived accepting_orders accepting_order_timestamp "
        "enable_order_book minimum_order_size minimum_tick_size end_date_iso game_start_time "
        "seconds_delay fpmm maker_base_fee taker_base_fee notifications_enabled neg_risk "
        "neg_risk_market_id neg_risk_request_id is_50_50_outcome",
    ),
    "clob-tokens": Source(
        "/markets/0x[0-9a-fA-F]+$",
        "tokens",
        "token_id outcome winner",
        {},
        "token_id outcome price winner",
    ),
    "clob-markets": Source(
        "/clob-markets/[^/]+$",
        "",
        "c t",
        at("", "clob_markets_abbrev_negrisk_fed_june"),
        "gst r t c mos mts mbf tbf rfqe itode ibce fd cbos ao nr aot",
    ),
}

TICKER = """
    ticker event_ticker market_type title subtitle yes_sub_title no_sub_title created_time
    updated_time open_time close_time expected_expiration_time expiration_time
    latest_expiration_time settlement_timer_seconds status notional_value_dollars
    yes_bid_dollars yes_ask_dollars no_bid_dollars no_ask_dollars yes_bid_size_fp
    yes_ask_size_fp last_price_dollars previous_yes_bid_dollars previous_yes_ask_dollars
    previous_price_dollars volume_fp volume_24h_fp open_interest_fp result can_close_early
    early_close_condition fractional_trading_enabled expiration_value rules_primary
    rules_secondary settlement_value_dollars settlement_ts price_level_structure price_ranges
    strike_type floor_strike cap_strike functional_strike custom_strike primary_participant_key
    fee_waiver_expiration_time is_provisional mve_collection_ticker mve_selected_legs
    exchange_index settlement_bounds_type settlement_floor_dollars liquidity_dollars
    occurrence_datetime expected_settlement_time
"""
KALSHI_MARKETS: Where = {
    **at("markets", "markets_page_one_event_2026-08"),
    **at("response markets", "jan2026_markets_list", "jan2026_event_single"),
    **at("response market", "jan2026_market_single_empty_book"),
    **at("", "market_finalized_no"),
}
KALSHI_NEEDED = (
    "ticker event_ticker market_type status result close_time yes_bid_dollars yes_ask_dollars"
)
KALSHI_EVENT = (
    "event_ticker series_ticker title sub_title category mutually_exclusive "
    "collateral_return_type strike_date strike_period markets available_on_brokers "
    "product_metadata settlement_sources fee_type_override fee_multiplier_override "
    "exchange_index last_updated_ts"
)
KALSHI_EVENTS: Where = {
    **at("response events", "jan2026_events_list"),
    **at("response event", "jan2026_event_single"),
}
CANDLES: Where = {
    **at("candlesticks", "candles_finalized"),
    **at("response candlesticks", "jan2026_series_candlesticks"),
    **at("response markets candlesticks", "jan2026_candlesticks_batch"),
}

KALSHI = {
    "events": Source(
        "/events$",
        "events",
        "event_ticker series_ticker title category mutually_exclusive markets",
        KALSHI_EVENTS,
        KALSHI_EVENT,
    ),
    "event-markets": Source(
        "/events$",
        "events markets",
        f"{KALSHI_NEEDED} volume_fp volume_24h_fp",
        KALSHI_MARKETS,
        TICKER,
    ),
    "event": Source(
        "/events/[^/]+$",
        "event",
        "event_ticker series_ticker title mutually_exclusive",
        KALSHI_EVENTS,
        KALSHI_EVENT,
    ),
    "markets": Source("/markets$", "markets", KALSHI_NEEDED, KALSHI_MARKETS, TICKER),
    "market": Source(
        "/markets/(?!orderbooks$|candlesticks$|trades$)[^/]+$",
        "market",
        "ticker status result",
        KALSHI_MARKETS,
        TICKER,
    ),
    "orderbooks": Source(
        "/markets/orderbooks$",
        "orderbooks",
        "ticker orderbook_fp",
        {},
        "ticker orderbook_fp",
    ),
    "books": Source(
        "/markets/orderbooks$",
        "orderbooks orderbook_fp",
        "yes_dollars no_dollars",
        {},
        "yes_dollars no_dollars",
    ),
    "series": Source(
        "/series/[^/]+$",
        "series",
        "ticker fee_type fee_multiplier",
        {},
        "ticker frequency title category tags settlement_sources contract_url "
        "contract_terms_url product_metadata fee_type fee_multiplier "
        "additional_prohibitions volume_fp last_updated_ts exchange_index",
    ),
    "candlesticks": Source(
        "/candlesticks$", "candlesticks", "end_period_ts yes_bid yes_ask price", CANDLES
    ),
    "exchange-status": Source(
        "/exchange/status$",
        "",
        "exchange_active trading_active",
        at("response", "jan2026_exchange_status"),
        "exchange_active trading_active exchange_estimated_resume_time "
        "exchange_index_statuses intra_exchange_transfers_active",
    ),
}

LITE = """
    id creatorId creatorUsername creatorName creatorAvatarUrl createdTime closeTime question
    slug url outcomeType mechanism probability pool p totalLiquidity value min max isLogScale
    volume volume24Hours isResolved resolution resolutionTime resolutionProbability resolverId
    uniqueBettorCount lastUpdatedTime lastBetTime lastCommentTime token siblingContractId
    marketTier
"""
FULL = f"""
    {LITE} answers shouldAnswersSumToOne addAnswersMode options totalBounty bountyLeft
    description textDescription coverImageUrl groupSlugs
"""
LISTS = at(
    "",
    "search_markets_open_2026-08",
    "markets_page_2022-06",
    "markets_page_2022-10",
    "markets_resolved_yes",
    "markets_resolved_no",
    "markets_resolved_cancel",
    "markets_resolved_mkt",
)
LITE_NEEDED = "id question outcomeType mechanism isResolved probability pool p createdTime"

MANIFOLD = {
    "markets": Source(
        "/search-markets$",
        "",
        f"{LITE_NEEDED} closeTime token uniqueBettorCount volume volume24Hours",
        LISTS,
        LITE,
    ),
    "pools": Source("/search-markets$", "pool", "YES NO", {}, "YES NO"),
    "market": Source(
        "/market/[^/]+$",
        "",
        f"{LITE_NEEDED} textDescription",
        {**LISTS, **at("", "market_single_2022-10", "market_single_with_bets_2022")},
        FULL,
    ),
    "bets": Source(
        "/bets$",
        "",
        "id createdTime probAfter",
        {**at("", "bets_price_history"), **at("bets", "market_single_2022-10")},
        "id contractId userId amount orderAmount shares outcome probBefore probAfter "
        "createdTime updatedTime isFilled isCancelled isRedemption isApi limitProb fills fees "
        "loanAmount expiresAt answerId betGroupId replyToCommentId visibility isAnte "
        "isChallenge silent dpmShares dpmWeight",
    ),
}

VENUES = {"polymarket": POLYMARKET, "kalshi": KALSHI, "manifold": MANIFOLD}


def main() -> None:
    """Write the table, with what a folder of recordings adds to it."""
    folder = Path(sys.argv[1])
    before = json.loads(TABLE.read_text(encoding="utf-8")) if TABLE.is_file() else {}
    lines = []
    for venue, kinds in VENUES.items():
        known = before.get(venue, {})
        entries = [
            f"  {json.dumps(name)}: {entry(folder / venue, one, known.get(name, {}))}"
            for name, one in kinds.items()
        ]
        lines.append(f" {json.dumps(venue)}: {{\n" + ",\n".join(entries) + "\n }")
    TABLE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def entry(folder: Path, one: Source, before: Mapping[str, list[str]]) -> str:
    """Put together what is known of one kind, as a few lines of JSON."""
    seen = {*one.documented.split(), *one.needed.split(), *before.get("seen", [])}
    for name, rows in one.recorded.items():
        file = folder / f"{name}.json"
        if file.is_file():
            payload = json.loads(file.read_text(encoding="utf-8"))
            names = {key for found in objects_at(payload, rows) for key in found}
            seen |= {name for name in names if name[:1].isalpha()}  # the others are no fields
    said = {
        "path": one.path,
        "rows": one.rows.split(),
        "needed": sorted(one.needed.split()),
        "seen": sorted(seen),
    }
    fields = [f"   {json.dumps(key)}: {json.dumps(value)}" for key, value in said.items()]
    return "{\n" + ",\n".join(fields) + "\n  }"


if __name__ == "__main__":
    main()
