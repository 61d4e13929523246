"""What Gamma, Polymarket's catalogue, sends about a market or an event, field by field.

Source: https://docs.polymarket.com/api-reference
"""

import json
from datetime import datetime, timedelta

from arena.records.market import FeeKind
from arena.records.money import ONE
from tests.standins.venues.dialect import Quirks, draw, hex_id, iso
from tests.standins.venues.polymarket_ids import (
    SIDES,
    Row,
    condition_id,
    group_id,
    is_augmented,
    is_new_protocol,
    is_up_down,
    outcomes_of,
    question_id,
    slug,
    slug_of,
    text,
    token_id,
)
from tests.standins.venues.polymarket_life import Word, is_closed, word_of
from tests.standins.venues.world import WorldMarket, WorldView

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
MIN_ORDER = 5
LEFT_OUT, OFTEN = 0.02, 0.8  # of markets


def gamma_market(market: WorldMarket, view: WorldView, quirks: Quirks) -> Row:
    """Give a market as Gamma has it, without the event around it."""
    word = word_of(market, view)
    row = {
        **_identity(market),
        **_dates(market, word),
        "outcomes": json.dumps(outcomes_of(market)),
        "outcomePrices": json.dumps([text(price) for price in word.prices]),
        **_flags(market, word),
        **_trading(market, word),
        **_prices(market, view),
        **_money(market, word),
        **_oracle(market, word),
        **_charges(market),
        **_group(market),
    }
    young = quirks.hidden(market.opens_at, view.at)
    tokens: object = json.dumps([token_id(market.number, side) for side in SIDES])
    if young:
        tokens = "" if draw("young", market.number) < 1 / 2 else "[]"
    return {**row, "clobTokenIds": tokens}


def gamma_event(event: tuple[WorldMarket, ...], view: WorldView) -> Row:
    """Give an event as Gamma has it, without its markets and tags."""
    first = event[0]
    closed = all(is_closed(market) for market in event)
    name = f"{slug(first.event_title)}-{first.event_number}"
    volume, day = sum(m.volume for m in event), sum(m.volume_24h for m in event)
    row: Row = {
        "id": str(first.event_number),
        "ticker": name,
        "slug": name,
        "title": first.event_title,
        "description": first.rules,
        "resolutionSource": "",
        "startDate": iso(first.opens_at, digits=6),
        "creationDate": iso(first.opens_at, digits=6),
        "endDate": iso(first.closes_at),
        "image": "",
        "icon": "",
        "active": True,
        "closed": closed,
        "archived": False,
        "new": False,
        "featured": False,
        "restricted": True,
        "liquidity": float(sum(m.liquidity for m in event)),
        "volume": float(volume),
        "openInterest": float(volume) / 4,
        "createdAt": iso(first.opens_at - HOUR, digits=6),
        "updatedAt": iso(view.at, digits=6),
        "volume24hr": float(day),
        "volume1wk": float(min(volume, 7 * day)),
        "volume1mo": float(volume),
        "volume1yr": float(volume),
        "enableOrderBook": True,
        "negRisk": first.exclusive,
        "commentCount": 0,
        "cyom": False,
        "showAllOutcomes": True,
        "showMarketImages": False,
        "enableNegRisk": first.exclusive,
        "automaticallyActive": True,
        "negRiskAugmented": is_augmented(first),
        "pendingDeployment": False,
        "deploying": False,
        "requiresTranslation": False,
        "version": "v2" if is_new_protocol(first.event_number) else "v1",
    }
    if first.exclusive:
        row["negRiskMarketID"] = group_id(first)
    if is_up_down(first):
        row["series"] = [{"id": "1", "slug": "daily-up-down", "recurrence": "daily"}]
    return row


def tags_of(market: WorldMarket) -> list[Row]:
    """Give the tags of a market's event."""
    label = market.category.capitalize()
    return [
        {
            "id": str(int(draw("tag", label) * 100_000)),
            "label": label,
            "slug": market.category,
            "requiresTranslation": False,
        }
    ]


def _identity(market: WorldMarket) -> Row:
    address = slug_of(market)
    return {
        "id": str(market.number),
        "question": market.question,
        "conditionId": condition_id(market.number),
        "slug": f"{address}-up-or-down" if is_up_down(market) else address,
        "resolutionSource": "",
        "image": "",
        "icon": "",
        "description": market.rules,
        "marketMakerAddress": "",
        "submitted_by": f"0x{hex_id(40, 'submitter')}",
        "resolvedBy": f"0x{hex_id(40, 'resolver')}",
        "questionID": question_id(market.number),
    }


def _dates(market: WorldMarket, word: Word) -> Row:
    ends = _said_end(market)
    row: Row = {
        "startDate": iso(market.opens_at, digits=6),
        "startDateIso": f"{market.opens_at:%Y-%m-%d}",
        "createdAt": iso(market.opens_at - HOUR, digits=6),
        "updatedAt": iso(market.resolved_at or market.opens_at, digits=6),
        "acceptingOrdersTimestamp": iso(market.opens_at),
        "deployingTimestamp": iso(market.opens_at, digits=6),
        "hasReviewedDates": True,
    }
    if ends is not None:
        row |= {"endDate": iso(ends), "endDateIso": f"{ends:%Y-%m-%d}"}
    if word.closed and (closed := market.resolved_at or market.closed_at):
        row["closedTime"] = f"{closed:%Y-%m-%d %H:%M:%S}+00"
        row["umaEndDate"] = iso(closed)
    return row


def _said_end(market: WorldMarket) -> datetime | None:
    """Give the end that is sent: sometimes none, or one that passes while all goes on."""
    u = draw("end", market.number)
    if u < LEFT_OUT:
        return None
    return market.opens_at + DAY if u < 2 * LEFT_OUT else market.closes_at


def _flags(market: WorldMarket, word: Word) -> Row:
    return {
        "active": True,
        "closed": word.closed,
        "new": False,
        "featured": False,
        "archived": False,
        "restricted": True,
        "ready": False,
        "funded": False,
        "cyom": False,
        "approved": True,
        "automaticallyActive": True,
        "clearBookOnStart": True,
        "manualActivation": False,
        "negRisk": market.exclusive,
        "negRiskOther": is_augmented(market) and market.number % 10 == market.siblings,
        "pagerDutyNotificationEnabled": False,
        "pendingDeployment": False,
        "deploying": False,
        "rfqEnabled": False,
        "holdingRewardsEnabled": False,
        "requiresTranslation": False,
    }


def _trading(market: WorldMarket, word: Word) -> Row:
    return {
        "enableOrderBook": True,
        "acceptingOrders": word.accepting,
        "orderPriceMinTickSize": float(market.tick),
        "orderMinSize": MIN_ORDER,
        "rewardsMinSize": 0,
        "rewardsMaxSpread": 0,
    }


def _prices(market: WorldMarket, view: WorldView) -> Row:
    """Give the best prices; they stand still after the close, and no bid is no field."""
    bid, ask = market.bid, market.ask if market.ask is not None else ONE
    row: Row = {"bestAsk": float(ask), "spread": float(round(ask - (bid or 0), 6))}
    if bid is not None:
        row["bestBid"] = float(bid)
    row["lastTradePrice"] = 0 if market.last is None else float(market.last)
    then = view.history(market.number, view.at - DAY - HOUR, view.at - DAY)
    if then and market.last is not None and draw("change", market.number) < OFTEN:
        row["oneDayPriceChange"] = float(market.last - then[-1][1])
    return row


def _money(market: WorldMarket, word: Word) -> Row:
    volume = float(market.volume)
    if word.closed and draw("volume", market.number) < 1 / 10:
        return {}
    row: Row = {
        "volume": text(market.volume),
        "volumeNum": volume,
        "volume1mo": volume,
        "volume1yr": volume,
        "volumeClob": volume,
    }
    if not word.closed:
        liquidity, day = float(market.liquidity), float(market.volume_24h)
        row |= {"liquidity": text(market.liquidity), "liquidityNum": liquidity}
        row |= {"liquidityClob": liquidity, "volume24hr": day, "volume24hrClob": day}
    return row


def _oracle(market: WorldMarket, word: Word) -> Row:
    row: Row = {
        "umaBond": "500",
        "umaReward": "5",
        "customLiveness": 0,
        "umaResolutionStatuses": json.dumps(word.past),
    }
    if is_new_protocol(market.event_number):
        said = "resolved" if word.pays is not None else "active"
        positions = [hex_id(64, "position", market.number, side) for side in SIDES]
        return {"version": "v2", "resolutionStatus": said, "positionIds": positions}
    if word.oracle is not None:
        row["umaResolutionStatus"] = word.oracle
    if draw("version", market.number) < 2 / 3:
        row["version"] = "v1"
    return row


def _charges(market: WorldMarket) -> Row:
    row: Row = {"makerBaseFee": 1000, "takerBaseFee": 1000}
    if market.fee.kind is not FeeKind.QUADRATIC:
        return {**row, "feesEnabled": False}
    return {
        **row,
        "feesEnabled": True,
        "feeType": f"{market.category}_fees",
        "feeSchedule": {
            "exponent": market.fee.exponent,
            "rate": float(market.fee.rate),
            "takerOnly": True,
            "rebateRate": 0.25,
        },
    }


def _group(market: WorldMarket) -> Row:
    if market.siblings == 1:
        return {}
    row: Row = {
        "groupItemTitle": market.label,
        "groupItemThreshold": str(market.number % 10 - 1),
    }
    if market.exclusive:
        row["negRiskMarketID"] = group_id(market)
        row["negRiskRequestID"] = f"0x{hex_id(64, 'request', market.number)}"
    return row
