"""What Polymarket's CLOB and its Data API send about a market, field by field.

Source: https://docs.polymarket.com/api-reference
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from arena.records.market import FeeKind, Level
from arena.records.money import Price
from tests.standins.venues.dialect import draw, hex_id, iso, millis, seconds
from tests.standins.venues.polymarket_gamma import MIN_ORDER
from tests.standins.venues.polymarket_ids import (
    Row,
    condition_id,
    group_id,
    of_side,
    outcomes_of,
    question_id,
    slug_of,
    text,
    token_id,
)
from tests.standins.venues.polymarket_life import HALF, word_of
from tests.standins.venues.world import WorldMarket, WorldView

UNSET = "69"  # how the Data API writes that a price is not set
PAID = 1_000_000  # a payout of one dollar
LIVENESS = timedelta(hours=2)


def book(market: WorldMarket, side: int, view: WorldView) -> Row:
    """Give the book of one outcome: bids rise and asks fall, so the best of each is last."""
    bids, asks = (market.bids, market.asks) if side == 0 else (market.asks, market.bids)
    return {
        "market": condition_id(market.number),
        "asset_id": token_id(market.number, side),
        "timestamp": str(millis(view.at)),
        "hash": hex_id(40, "book", market.number, side, view.at),
        "bids": [_level(level, side) for level in reversed(bids)],
        "asks": [_level(level, side) for level in reversed(asks)],
        "min_order_size": str(MIN_ORDER),
        "tick_size": text(market.tick),
        "neg_risk": market.exclusive,
        "last_trade_price": "" if market.last is None else text(of_side(market.last, side)),
    }


def midpoint(market: WorldMarket, side: int) -> str | None:
    """Give the middle of one outcome's book as text; None where a side of it is empty."""
    return None if market.mid is None else text(of_side(market.mid, side))


def clob_market(market: WorldMarket, view: WorldView) -> Row:
    """Give a market as the CLOB has it, with its winner once there is one."""
    word = word_of(market, view)
    whole = word.pays is not None and word.pays != HALF
    return {
        "enable_order_book": not word.closed,
        "active": True,
        "closed": word.closed,
        "archived": False,
        "accepting_orders": word.accepting,
        "accepting_order_timestamp": iso(market.opens_at),
        "minimum_order_size": MIN_ORDER,
        "minimum_tick_size": float(market.tick),
        "condition_id": condition_id(market.number),
        "question_id": question_id(market.number),
        "question": market.question,
        "description": market.rules,
        "market_slug": slug_of(market),
        "end_date_iso": iso(market.closes_at),
        "game_start_time": None,
        "seconds_delay": 0,
        "fpmm": "",
        "maker_base_fee": 1000,
        "taker_base_fee": 1000,
        "notifications_enabled": True,
        "neg_risk": market.exclusive,
        "neg_risk_market_id": group_id(market) if market.exclusive else "",
        "neg_risk_request_id": "",
        "icon": "",
        "image": "",
        "rewards": {"rates": None, "min_size": 0, "max_spread": 0},
        "is_50_50_outcome": False,
        "tokens": [
            {
                "token_id": token_id(market.number, side),
                "outcome": name,
                "price": float(of_side(word.prices[0], side)),
                "winner": whole and word.pays == 1 - side,
            }
            for side, name in enumerate(outcomes_of(market))
        ],
        "tags": [market.category.capitalize()],
    }


def clob_market_short(market: WorldMarket, view: WorldView) -> Row:
    """Give a market as `/clob-markets` has it, with one-letter names."""
    row: Row = {
        "r": {"mi": 0, "ma": 0, "moas": 4},
        "t": [
            {"t": token_id(market.number, side), "o": name}
            for side, name in enumerate(outcomes_of(market))
        ],
        "c": condition_id(market.number),
        "mos": MIN_ORDER,
        "mts": float(market.tick),
        "mbf": 1000,
        "tbf": 1000,
        "ao": word_of(market, view).accepting,
        "nr": market.exclusive,
        "cbos": True,
        "aot": iso(market.opens_at),
        "ibce": True,
    }
    if market.fee.kind is FeeKind.QUADRATIC:
        row["fd"] = {"r": float(market.fee.rate), "e": market.fee.exponent, "to": True}
    return row


def resolution(market: WorldMarket, view: WorldView) -> Row | None:
    """Give a market's row of the Data API's resolutions; None where it has none."""
    word = word_of(market, view)
    if word.row is None:
        return None
    final = word.pays is not None
    row: Row = {
        "question_id": question_id(market.number),
        "condition_id": condition_id(market.number),
        "status": word.row,
        "extended_review": False,
        "was_disputed": "disputed" in word.past,
        "new_version_q": True,
        "proposed_price": UNSET if word.proposed is None else text(word.proposed),
        "reproposed_price": UNSET,
        "price": text(word.pays) if word.pays is not None else UNSET,
        "transaction_hash": f"0x{hex_id(64, 'transaction', market.number, word.row)}",
        "log_index": str(int(draw("log", market.number) * 500)),
        "last_update_timestamp": str(seconds(market.resolved_at or view.at)),
    }
    if word.pays is not None and word.payouts:
        first = int(word.pays * PAID)
        row |= {"payouts": [first, PAID - first], "resolution_source": "reported"}
        row |= {"reporter": "UMA_OO", "market_type": "BINARY"}
        row["resolved_at"] = str(seconds(market.resolved_at or view.at))
    if word.row == "proposed" and not final:
        row["expected_settlement_time"] = iso(view.at + LIVENESS)
        row["settlement_time_basis"] = "managed_proposal_expiration"
    return row


def _level(level: Level, side: int) -> Row:
    return {"price": text(of_side(level.price, side)), "size": text(level.shares)}


def history(points: Iterable[tuple[datetime, Price]], side: int) -> list[tuple[int, float]]:
    """Write prices of YES as prices of one outcome, with seconds since 1970."""
    return [(seconds(at), float(of_side(price, side))) for at, price in points]
