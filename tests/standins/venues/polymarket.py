"""Polymarket's three services: Gamma (catalogue), CLOB (books) and Data API (resolutions).

Source: https://docs.polymarket.com/api-reference
"""

import base64
import binascii
import json
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from arena.records.market import Outcome, State
from arena.records.money import price
from tests.standins.venues.dialect import EPOCH, Answer, Asked, Quirks, draw, page_of, whole
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
from tests.standins.venues.polymarket_lists import (
    Item,
    Refused,
    event_items,
    market_items,
    page_of_items,
)
from tests.standins.venues.world import WorldMarket, WorldView

MOST_MARKETS, MOST_EVENTS = 100, 500  # rows of a page
MOST_TOKENS = 500  # of one POST
MOST_CONDITIONS = 20
MOST_POINTS = 10_000
LONGEST_ID = 20
OLDEST = 300  # seconds that a list's answer may be old
IDS = ("id", "slug", "condition_ids", "question_ids", "clob_token_ids")
SPANS = {
    "1h": timedelta(hours=1),
    "6h": timedelta(hours=6),
    "1d": timedelta(days=1),
    "1w": timedelta(weeks=1),
    "1m": timedelta(days=30),
}
EVER = ("max", "all")
WIDEST = timedelta(days=15)
COARSE = 720  # minutes, below which a resolved market has no history of all time
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
    match asked.method, *parts:
        case "GET", ("markets" | "events") as kind, "keyset":
            return _list(kind, asked, view, quirks)
        case "GET", "markets", own:
            number = _own(own)
            found = None if number is None else view.find(number)
            if found is None:
                return _lost(own)
            return Answer(200, _around(gamma_market(found, view, quirks), found, view))
        case "GET", "events", own:
            number = _own(own)
            event = () if number is None else view.event(number)
            return Answer(200, _whole_event(event, view, quirks)) if event else _lost(own)
    return _gamma_error(404, "not found error", "path not found")


def _list(kind: str, asked: Asked, view: WorldView, quirks: Quirks) -> Answer:
    """Give a page of a list; one that names no ids comes from a cache and may be old."""
    named = any(asked.all(key) for key in IDS)
    age = 0 if named else int(draw("age", view.at, asked.query) * OLDEST)
    then = view.earlier(timedelta(seconds=age))
    of_markets = kind == "markets"
    items = market_items(then) if of_markets else event_items(then)
    most = MOST_MARKETS if of_markets else MOST_EVENTS
    try:
        page, cursor = page_of_items(items, asked, quirks, most)
    except Refused as refusal:
        return _gamma_error(422, "validation error", str(refusal))
    tagged = asked.one("include_tag") == "true"
    rows = [
        _listed(item, then, quirks, tagged=tagged)
        if of_markets
        else _whole_event(then.event(item.number), then, quirks)
        for item in page
    ]
    payload: Row = {kind: rows}
    if cursor is not None:
        payload["next_cursor"] = cursor
    return Answer(200, payload, (PUBLIC, ("Age", str(age))))


def _listed(item: Item, view: WorldView, quirks: Quirks, *, tagged: bool) -> Row:
    market = item.markets[0]
    row = _around(gamma_market(market, view, quirks), market, view)
    return {**row, "tags": tags_of(market)} if tagged else row


def _around(row: Row, market: WorldMarket, view: WorldView) -> Row:
    """Add the event that a market is part of, without its tags."""
    event = gamma_event(view.event(market.event_number), view)
    return {**row, "events": [{key: event[key] for key in event if key != "tags"}]}


def _whole_event(event: tuple[WorldMarket, ...], view: WorldView, quirks: Quirks) -> Row:
    """Give an event with its markets; their ticks are not always sent."""
    rows = [gamma_market(market, view, quirks) for market in event]
    for market, row in zip(event, rows, strict=True):
        if draw("tick", market.number) < 1 / 10:
            del row["orderPriceMinTickSize"]
    return {**gamma_event(event, view), "markets": rows}


def _clob(asked: Asked, parts: Sequence[str], view: WorldView, quirks: Quirks) -> Answer:
    match asked.method, *parts:
        case "GET", ("book" | "midpoint") as kind:
            found = _booked(asked.one("token_id") or "", view, quirks)
            middle = midpoint(*found) if found else None
            if found is None or (kind == "midpoint" and middle is None):
                return _NO_BOOK
            return Answer(200, book(*found, view) if kind == "book" else {"mid": middle})
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
    tokens = _tokens(body)
    if isinstance(tokens, Answer):
        return tokens
    if kind == "midpoints":
        return Answer(200, _middles(tokens, view, quirks))
    return Answer(200, [book(m, side, view) for m, side in _all(tokens, view, quirks)])


def _tokens(body: bytes) -> list[str] | Answer:
    """Read the tokens of a POST, or say why they cannot be used."""
    try:
        said = json.loads(body)
    except ValueError:
        said = None
    if not isinstance(said, list):
        return Answer(400, {"error": "Invalid payload"})
    if len(said) > MOST_TOKENS:
        return Answer(400, {"error": "Payload exceeds the limit"})
    return [row["token_id"] for row in said if isinstance(row, dict) and "token_id" in row]


def _booked(token: object, view: WorldView, quirks: Quirks) -> tuple[WorldMarket, int] | None:
    """Find the market and side of a token that has a book: it is open or halted."""
    named = number_of_token(token) if isinstance(token, str) else None
    market = None if named is None else view.find(named[0])
    if named is None or market is None or market.closed_at is not None:
        return None
    young = quirks.hidden(market.opens_at, view.at)
    return None if young or market.state is State.RESOLVED else (market, named[1])


def _all(
    tokens: Iterable[object], view: WorldView, quirks: Quirks
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
    since, until = _span(asked, view, "startTs", "endTs")
    if since is None:
        return Answer(400, {"error": "invalid filters: no 'interval' and no 'startTs'"})
    ever = asked.one("interval") in EVER
    if ever and market.state is State.RESOLVED and fidelity < COARSE:
        return Answer(200, {"history": []})
    points = [
        (at, price(HALF) if at == market.opens_at else value)
        for at, value in view.history(market.number, since, until)
    ]
    told = history(points[:: max(1, fidelity // 60)], named[1])
    return Answer(200, {"history": [{"t": at, "p": value} for at, value in told]})


def _span(
    asked: Asked, view: WorldView, start: str, end: str
) -> tuple[datetime | None, datetime]:
    """Read which time is asked for; None where nothing says so."""
    interval = asked.one("interval") or ""
    if interval in EVER:
        return EPOCH, view.at
    if interval in SPANS:
        return view.at - SPANS[interval], view.at
    since, until = _moment(asked.one(start)), _moment(asked.one(end))
    return since, until or view.at


def _data(asked: Asked, parts: Sequence[str], view: WorldView) -> Answer:
    match asked.method, *parts:
        case "GET", "v2", "resolutions":
            return _resolutions(asked, view)
        case "GET", "v2", "prices-history":
            return _data_history(asked, view)
    return Answer(404, {"error": "not found"})


def _resolutions(asked: Asked, view: WorldView) -> Answer:
    """Give the rows of conditions or of events; there is none for what is not known."""
    chosen = [key for key in ("condition_id", "question_id", "event_id") if asked.one(key)]
    if len(chosen) != 1 or chosen == ["question_id"]:
        return Answer(400, {"error": "exactly one of condition_id, event_id is needed"})
    names = dict.fromkeys((asked.one(chosen[0]) or "").split(","))
    if len(names) > MOST_CONDITIONS:
        return Answer(400, {"error": f"at most {MOST_CONDITIONS} ids"})
    markets = [
        market
        for name in names
        for market in (
            (_of_condition(name, view),)
            if chosen == ["condition_id"]
            else view.event(_own(name) or 0)
        )
        if market is not None
    ]
    rows = (resolution(market, view) for market in markets)
    told = [row for row in rows if row is not None]
    return Answer(200, {"data": told, "pagination": {"has_more": False, "next_cursor": None}})


def _data_history(asked: Asked, view: WorldView) -> Answer:
    named = number_of_token(asked.one("token_id") or "")
    market = None if named is None else view.find(named[0])
    given = [key for key in ("interval", "start", "as_of") if asked.one(key)]
    wrong = asked.one("offset") is not None or len(given) != 1
    if named is None or market is None or wrong:
        return Answer(400, {"error": "needs a token_id and one of interval, start, as_of"})
    if given == ["as_of"]:
        until = _moment(asked.one("as_of")) or view.at
        points = view.history(market.number, EPOCH, until)[-1:]
    else:
        since, until = _span(asked, view, "start", "end")
        if since is None or (given == ["start"] and until - since > WIDEST):
            return Answer(400, {"error": "the window is 15 days at most"})
        points = view.history(market.number, since, until)
    bucket = whole(asked.one("bucket_seconds"), 3600, 86_400) or 3600
    told = history(points[:: max(1, bucket // 3600)], named[1])
    return _pages(
        [
            {"timestamp": at, "price": value, "resolution_seconds": max(bucket, 3600)}
            for at, value in told
        ],
        asked,
    )


def _pages(rows: Sequence[object], asked: Asked) -> Answer:
    limit = whole(asked.one("limit"), 1000, MOST_POINTS)
    start = _read_place(asked.one("cursor"))
    if not limit or start is None:
        return Answer(400, {"error": "invalid limit or cursor"})
    page, after = page_of(rows, start, limit)
    cursor = None if after is None else base64.urlsafe_b64encode(str(after).encode()).decode()
    return Answer(
        200,
        {"data": page, "pagination": {"has_more": after is not None, "next_cursor": cursor}},
    )


def _read_place(cursor: str | None) -> int | None:
    if not cursor:
        return 0
    try:
        return whole(base64.urlsafe_b64decode(cursor).decode(), 0, 10**9)
    except (ValueError, binascii.Error):
        return None


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
