"""Kalshi's words for the world: the rows of its markets, events and series.

Source: https://docs.kalshi.com/api-reference, version 3.34.0.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from arena.records.market import FeeKind, FeeModel, Level, Outcome, State, Verdict
from arena.records.money import ONE, Price, price
from arena.venues.simulated.world import LONGEST_WAIT
from tests.standins.venues.dialect import draw, iso
from tests.standins.venues.kalshi_names import event_ticker, market_ticker, series_ticker
from tests.standins.venues.world import WorldMarket

Row = dict[str, object]

ARCHIVED_AFTER = timedelta(days=20)  # from the final word until only the archive has it
DETERMINED_FOR = timedelta(hours=1)
AMENDED_FOR = timedelta(hours=3)
NULL_RATE = 0.05  # of markets with a list that is null
NEVER = "0001-01-01T00:00:00Z"
HALF = Outcome(price("0.5"))
CATEGORIES = {
    "economy": "Economics",
    "weather": "Climate and Weather",
    "sport": "Sports",
    "science": "Science and Technology",
    "politics": "Politics",
}
# a world's fee in dollars, and the multiplier of 0.07 that comes close to it
MULTIPLIERS = {2: 0.25, 3: 0.5, 4: 0.5, 5: 0.75, 6: 1, 7: 1}


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a market is in Kalshi's words. `final_at` is None until the word is final."""

    status: str
    outcome: Outcome | None = None
    final_at: datetime | None = None


def truth(outcome: Outcome) -> Outcome:
    """Kalshi voids nothing: what has no answer pays half to each side."""
    return HALF if outcome.verdict is Verdict.VOID else outcome


def standing(market: WorldMarket, at: datetime) -> Standing:
    """Say where a market is.

    A result is told when it is determined, and is final an hour later. One that took longer
    than a plain one can was disputed or changed: it is `amended` for some hours.
    """
    if market.state is State.DISPUTED:
        claimed = "1" if draw("claim", market.number) < 1 / 2 else "0"
        return Standing("disputed", Outcome(price(claimed)))
    if market.outcome is None or market.resolved_at is None:
        words = {State.OPEN: "active", State.HALTED: "inactive"}
        return Standing(words.get(market.state, "closed"))
    outcome = truth(market.outcome)
    waited = market.resolved_at - (market.closed_at or market.resolved_at)
    amended = waited > timedelta(hours=LONGEST_WAIT)
    final_at = market.resolved_at + (AMENDED_FOR if amended else DETERMINED_FOR)
    if at < final_at:
        return Standing("amended" if amended else "determined", outcome)
    return Standing("finalized", outcome, final_at)


def archived(market: WorldMarket, at: datetime) -> bool:
    """Say whether only the archive has a market: what became final some days ago."""
    final_at = standing(market, at).final_at
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    return final_at is not None and final_at < midnight - ARCHIVED_AFTER


def market_row(market: WorldMarket, at: datetime) -> Row:
    """Describe a market as `GET /markets/{ticker}` does."""
    event, number = event_ticker(market.event_number), market.number
    close = market.closed_at or market.closes_at
    latest = iso(market.closes_at + timedelta(days=7))
    row: Row = {
        "ticker": market_ticker(number),
        "event_ticker": event,
        "market_type": "binary",
        "title": _title(market),
        "subtitle": market.label,
        "yes_sub_title": market.label or "Yes",
        "no_sub_title": market.label or "Yes",
        "created_time": _created(market),
        "open_time": iso(market.opens_at),
        "close_time": iso(close),
        "expected_expiration_time": iso(market.closes_at + timedelta(minutes=5)),
        "expiration_time": latest,
        "latest_expiration_time": latest,
        "updated_time": _precise(at.replace(minute=0, second=0), "updated", number),
        "can_close_early": True,
        "custom_strike": {"Name": market.label} if market.label else None,
        "strike_type": "custom",
        "exchange_index": 0,
        "settlement_timer_seconds": int(DETERMINED_FOR.total_seconds()),
        "notional_value_dollars": "1.0000",
        "rules_primary": market.rules,
        "rules_secondary": "",
        **_prices(market),
        **_counts(market),
        **_grid(market.tick, is_null=draw("ranges", number) < NULL_RATE),
        **_settlement(standing(market, at)),
    }
    if draw("settlement bounds", number) < 1 / 2:  # both forms are met in the wild
        row["settlement_bounds_type"] = "default"
    else:
        row["liquidity_dollars"] = "0.0000"
    return row


def event_row(markets: tuple[WorldMarket, ...]) -> Row:
    """Describe the event of some markets, without them."""
    first = markets[0]
    number = first.event_number
    row: Row = {
        "available_on_brokers": False,
        "category": CATEGORIES.get(first.category, first.category),
        "collateral_return_type": "MECNET" if first.exclusive else "",
        "event_ticker": event_ticker(number),
        "exchange_index": 0,
        "last_updated_ts": _precise(first.opens_at, "event", number),
        "mutually_exclusive": first.exclusive,
        "series_ticker": series_ticker(number),
        "settlement_sources": _sources(number),
        "strike_period": "",
        "sub_title": "",
        "title": first.event_title,
    }
    if _overridden(number):
        kind, multiplier = _terms(first.fee)
        row |= {"fee_type_override": kind, "fee_multiplier_override": multiplier}
    return row


def series_row(first: WorldMarket) -> Row:
    """Describe the series of a market."""
    number = first.event_number
    kind, multiplier = ("quadratic", 1) if _overridden(number) else _terms(first.fee)
    return {
        "category": CATEGORIES.get(first.category, first.category),
        "contract_url": "",
        "exchange_index": 0,
        "fee_multiplier": multiplier,
        "fee_type": kind,
        "frequency": "one_off",
        "last_updated_ts": _precise(first.opens_at, "series", number),
        "settlement_sources": _sources(number),
        "tags": None if draw("tags", number) < 1 / 4 else [first.category],
        "ticker": series_ticker(number),
        "title": first.event_title,
    }


def book(market: WorldMarket, at: datetime) -> Row:
    """Give the bids for YES and for NO, the best last."""
    if standing(market, at).status not in {"active", "inactive"}:
        return {"yes_dollars": None, "no_dollars": None}
    no = tuple(Level(price(ONE - level.price), level.shares) for level in market.asks)
    return {"yes_dollars": _side(market.bids), "no_dollars": _side(no)}


def money(value: Decimal) -> str:
    """Write dollars as Kalshi does."""
    return f"{value:.4f}"


def _side(levels: Iterable[Level]) -> list[list[str]] | None:
    best_first = [[money(level.price), f"{level.shares:.2f}"] for level in levels]
    return best_first[::-1] or None


def _title(market: WorldMarket) -> str:
    label = market.label
    return market.question.replace(label, f"**{label}**", 1) if label else market.question


def _prices(market: WorldMarket) -> Row:
    bid, ask, last = market.bid or price(0), market.ask or price(1), market.last or price(0)
    yes_size = market.bids[0].shares if market.bids else Decimal(0)
    no_size = market.asks[0].shares if market.asks else Decimal(0)
    return {
        "yes_bid_dollars": money(bid),
        "yes_ask_dollars": money(ask),
        "no_bid_dollars": money(ONE - ask),
        "no_ask_dollars": money(ONE - bid),
        "yes_bid_size_fp": f"{yes_size:.2f}",
        "yes_ask_size_fp": f"{no_size:.2f}",
        "last_price_dollars": money(last),
        "previous_price_dollars": money(last),
        "previous_yes_bid_dollars": money(bid),
        "previous_yes_ask_dollars": money(ask),
    }


def _counts(market: WorldMarket) -> Row:
    return {
        "volume_fp": f"{market.volume:.2f}",
        "volume_24h_fp": f"{market.volume_24h:.2f}",
        "open_interest_fp": f"{market.volume * Decimal('0.6'):.2f}",
    }


def _grid(tick: Price, *, is_null: bool) -> Row:
    cents = tick % Decimal("0.01") == 0
    step = "0.0100" if cents else "0.0010"
    ranges = [{"end": "1.0000", "start": "0.0000", "step": step}]
    return {
        "price_level_structure": "linear_cent" if cents else "deci_cent",
        "price_ranges": None if is_null else ranges,
    }


def _settlement(where: Standing) -> Row:
    row: Row = {"status": where.status, "result": "", "expiration_value": ""}
    paid = None if where.outcome is None else where.outcome.yes_pays
    if where.outcome is None or paid is None:
        return row
    words = {Verdict.YES: "yes", Verdict.NO: "no"}
    row["result"] = words.get(where.outcome.verdict, "scalar")
    row["settlement_value_dollars"] = money(paid)
    if where.final_at is not None:
        row["settlement_ts"] = iso(where.final_at)
    return row


def _created(market: WorldMarket) -> str:
    if draw("created", market.number) < 1 / 5:
        return NEVER
    return _precise(market.opens_at, "created", market.number)


def _precise(at: datetime, *what: object) -> str:
    """Write a moment with 5 or 6 digits behind the second, within a second of it."""
    exact = at.replace(microsecond=int(draw("micro", *what) * 1_000_000))
    return iso(exact, digits=5 if draw("digits", *what) < 1 / 4 else 6)


def _sources(number: int) -> list[Row] | None:
    if draw("sources", number) < 1 / 3:
        return None
    return [{"name": "The simulated world", "url": "https://example.com/"}]


def _overridden(event_number: int) -> bool:
    return draw("override", event_number) < 1 / 8


def _terms(fee: FeeModel) -> tuple[str, float]:
    if fee.kind is FeeKind.NOTIONAL:
        return "flat", 1
    if fee.kind is FeeKind.NONE:
        return "quadratic", 0
    return "quadratic_with_maker_fees", MULTIPLIERS.get(int(fee.rate * 100), 1)
