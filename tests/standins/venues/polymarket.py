"""Polymarket's three services: Gamma (catalogue), CLOB (books) and Data API (resolutions).

Source: https://docs.polymarket.com/api-reference
"""

import json
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from arena.records.market import Outcome, State
from arena.records.money import price
from tests.standins.venues.dialect import EPOCH, Answer, Asked, Quirks, draw, whole
from tests.standins.venues.polymarket_clob import (
    book,
    clob_market,
    clob_market_short,
    history,
    midpoint,
    resolution,
)
from tests.standins.venues.polymarket_gamma import gamma_event, gamma_market, tags_of
from tests.standins.venues.polymarket_ids import Row, number_of_condition, number_of_token
from tests.standins.venues.polymarket_life import HALF, pays
from tests.standins.venues.polymarket_lists import Refused, page_of_markets
from tests.standins.venues.world import WorldMarket, WorldView

MOST_TOKENS = 500  # of one POST
MOST_CONDITIONS = 20
MOST_POINTS = 10_000
LONGEST_ID = 20
OLDEST = 300  # seconds that a list's answer may be old
WIDEST = timedelta(days=15)
PUBLIC = ("Cache-Control", "public, max-age=300")


class PolymarketDialect:
    """Answers as Polymarket does; paths begin with the service: /gamma, /clob or /data."""

    def own_id(self, number: int) -> str:
        """Give Gamma's id of a market."""
        return str(number)

    def number(self, own: str) -> int | None:
        """Find a market's number from Gamma's id; None where it cannot be one."""
        return _own(own)

    def truth(self, outcome: Outcome) -> Outcome:
        """Say what is paid: 1, 0, or one half where the world says void or a fraction."""
        return Outcome(pays(outcome))

    def answer(self, asked: Asked, view: WorldView, quirks: Quirks) -> Answer:
        """Answer a request as the service that its path begins with."""
        service, *parts = asked.parts
        if service == "gamma":
            return _gamma(asked, parts, view, quirks)
        if service == "clob":
            return _clob(asked, parts, view, quirks)
        return _data(asked, parts, view)


def _gamma(asked: Asked, parts: Sequence[str], view: WorldView, quirks: Quirks) -> Answer:
    match parts:
        case "markets", "keyset":
            return _list(asked, view, quirks)
        case "markets", own:
            number = _own(own)
            found = None if number is None else view.find(number)
            return _lost(own) if found is None else Answer(200, _row(found, view, quirks))
    return _gamma_error(404, "not found error", "path not found")


def _list(asked: Asked, view: WorldView, quirks: Quirks) -> Answer:
    """Give a page of a list; one that names no ids comes from a cache and may be old."""
    age = 0 if asked.one("id") else int(draw("age", view.at, asked.query) * OLDEST)
    then = view.earlier(timedelta(seconds=age))
    try:
        page, cursor = page_of_markets(then, asked, quirks)
    except Refused as refusal:
        return _gamma_error(422, "validation error", str(refusal))
    tagged = asked.one("include_tag") == "true"
    rows = [
        _row(market, then, quirks) | ({"tags": tags_of(market)} if tagged else {})
        for market in page
    ]
    payload: Row = {"markets": rows}
    if cursor is not None:
        payload["next_cursor"] = cursor
    return Answer(200, payload, (PUBLIC, ("Age", str(age))))


def _row(market: WorldMarket, view: WorldView, quirks: Quirks) -> Row:
    """Give a market with the event that it is part of."""
    event = gamma_event(view.event(market.event_number), view)
    return {**gamma_market(market, view, quirks), "events": [event]}


def _clob(asked: Asked, parts: Sequence[str], view: WorldView, quirks: Quirks) -> Answer:
    match asked.method, *parts:
        case "GET", "midpoint":
            found = _booked(asked.one("token_id") or "", view, quirks)
            middle = midpoint(*found) if found else None
            return _NO_BOOK if middle is None else Answer(200, {"mid": middle})
        case "POST", ("books" | "midpoints") as kind:
            return _batch(kind, asked.body, view, quirks)
        case "GET", ("markets" | "clob-markets") as kind, condition:
            market = _of_condition(condition, view)
            if market is None or quirks.hidden(market.opens_at, view.at):
                return Answer(404, {"error": "market not found"})
            give = clob_market if kind == "markets" else clob_market_short
            return Answer(200, give(market, view))
        case "GET", "prices-history":
            return _clob_history(asked, view)
    return Answer(404, {"error": "not found"})


def _batch(kind: str, body: bytes, view: WorldView, quirks: Quirks) -> Answer:
    said = json.loads(body)
    if not isinstance(said, list):
        return Answer(400, {"error": "Invalid payload"})
    if len(said) > MOST_TOKENS:
        return Answer(400, {"error": "Payload exceeds the limit"})
    tokens = [row["token_id"] for row in said]
    if kind == "midpoints":
        return Answer(200, _middles(tokens, view, quirks))
    return Answer(200, [book(m, side, view) for m, side in _all(tokens, view, quirks)])


def _booked(token: str, view: WorldView, quirks: Quirks) -> tuple[WorldMarket, int] | None:
    """Find the market and side of a token that has a book: it is open or halted."""
    named = number_of_token(token)
    market = None if named is None else view.find(named[0])
    if named is None or market is None or market.closed_at is not None:
        return None
    young = quirks.hidden(market.opens_at, view.at)
    return None if young or market.state is State.RESOLVED else (market, named[1])


def _all(
    tokens: Iterable[str], view: WorldView, quirks: Quirks
) -> list[tuple[WorldMarket, int]]:
    """Find the tokens that have a book, in the server's own order; the others are not named."""
    found = (_booked(token, view, quirks) for token in tokens)
    return sorted(
        {one for one in found if one is not None}, key=lambda one: (one[0].number, one[1])
    )


def _middles(tokens: Iterable[str], view: WorldView, quirks: Quirks) -> dict[str, str]:
    found = {token: _booked(token, view, quirks) for token in tokens}
    middles = {token: midpoint(*one) for token, one in found.items() if one is not None}
    return {token: middle for token, middle in middles.items() if middle is not None}


def _clob_history(asked: Asked, view: WorldView) -> Answer:
    """Give past prices of a token; what is before its first trade is a flat 0.5."""
    named = number_of_token(asked.one("market") or "")
    market = None if named is None else view.find(named[0])
    if named is None or market is None:
        return Answer(400, {"error": "invalid filters: 'market' must be a token"})
    fidelity = whole(asked.one("fidelity"), 60, 10**6) or 60
    since, until = _moment(asked.one("startTs")), _moment(asked.one("endTs"))
    if since is None:
        return Answer(400, {"error": "invalid filters: no 'interval' and no 'startTs'"})
    points = [
        (at, price(HALF) if at == market.opens_at else value)
        for at, value in view.history(market.number, since, until or view.at)
    ]
    told = history(points[:: max(1, fidelity // 60)], named[1])
    return Answer(200, {"history": [{"t": at, "p": value} for at, value in told]})


def _data(asked: Asked, parts: Sequence[str], view: WorldView) -> Answer:
    match parts:
        case "v2", "resolutions":
            return _resolutions(asked, view)
        case "v2", "prices-history":
            return _data_history(asked, view)
    return Answer(404, {"error": "not found"})


def _resolutions(asked: Asked, view: WorldView) -> Answer:
    """Give the rows of conditions; there is none for what is not known."""
    names = dict.fromkeys((asked.one("condition_id") or "").split(","))
    if len(names) > MOST_CONDITIONS:
        return Answer(400, {"error": f"at most {MOST_CONDITIONS} ids"})
    markets = (_of_condition(name, view) for name in names)
    rows = (resolution(market, view) for market in markets if market is not None)
    told = [row for row in rows if row is not None]
    return Answer(200, {"data": told, "pagination": {"has_more": False, "next_cursor": None}})


def _data_history(asked: Asked, view: WorldView) -> Answer:
    named = number_of_token(asked.one("token_id") or "")
    market = None if named is None else view.find(named[0])
    since, until = _moment(asked.one("start")), _moment(asked.one("end")) or view.at
    if named is None or market is None or since is None:
        return Answer(400, {"error": "needs a token_id and one of interval, start, as_of"})
    if until - since > WIDEST:
        return Answer(400, {"error": "the window is 15 days at most"})
    points = view.history(market.number, since, until)
    bucket = whole(asked.one("bucket_seconds"), 3600, 86_400) or 3600
    limit = whole(asked.one("limit"), 1000, MOST_POINTS)
    told = [
        {"timestamp": at, "price": value, "resolution_seconds": max(bucket, 3600)}
        for at, value in history(points[:: max(1, bucket // 3600)], named[1])[:limit]
    ]
    return Answer(200, {"data": told, "pagination": {"has_more": False, "next_cursor": None}})


def _moment(said: str | None) -> datetime | None:
    read = whole(said, 0, 10**11) if said else None
    return None if read is None else EPOCH + timedelta(seconds=read)


def _own(said: str) -> int | None:
    digits = said.isascii() and said.isdigit() and len(said) <= LONGEST_ID
    return int(said) if digits else None


def _of_condition(condition: str, view: WorldView) -> WorldMarket | None:
    number = number_of_condition(condition)
    return None if number is None else view.find(number)


def _lost(own: str) -> Answer:
    if _own(own) is None:
        return _gamma_error(422, "validation error", "id is invalid")
    return _gamma_error(404, "not found error", "id not found")


def _gamma_error(status: int, kind: str, error: str) -> Answer:
    return Answer(status, {"type": kind, "error": error})


_NO_BOOK = Answer(404, {"error": "No orderbook exists for the requested token id"})
