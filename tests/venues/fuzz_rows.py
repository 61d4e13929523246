"""Where the rows of each kind of payload are, and how many have to be accounted for."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from arena.venues.kalshi.venue import History
from arena.venues.reading import Read
from tests.standins.venues import KALSHI, MANIFOLD, POLYMARKET
from tests.venues.fuzz import Way
from tests.venues.fuzz_plain import Json, part, rows

Row = dict[str, Json]

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
KALSHI_LISTS = {
    "markets": "markets",
    "quotes": "markets",
    "statuses": "markets",
    "orderbooks": "orderbooks",
    "trades": "trades",
}
ROWS: Mapping[tuple[str, str], tuple[Way, ...]] = {
    (POLYMARKET, "markets"): (("markets", 0),),
    (POLYMARKET, "markets-by-id"): (("markets", 0),),
    (POLYMARKET, "market"): ((),),
    (POLYMARKET, "event"): (("markets", 0),),
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
    (KALSHI, "trades"): (("trades", 0),),
    (MANIFOLD, "markets"): ((0,),),
    (MANIFOLD, "market"): ((),),
    (MANIFOLD, "bets"): ((0,),),
}
"""The ways to the rows of a kind; 0 stands for any number."""

EVENTS: Mapping[tuple[str, str], tuple[Way, ...]] = {
    (POLYMARKET, "event"): ((),),
    (KALSHI, "events"): (("events", 0),),
    (KALSHI, "event"): (("event",),),
}
"""The ways to what holds rows and says something about all of them."""

NAMES = frozenset(
    {"id", "ticker", "event_ticker", "trade_id", "asset_id", "condition_id", "c"}
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


def totals(venue: str, kind: str, payload: Json) -> set[int]:
    """Say how many rows have to be read or refused: one refusal where there are none.

    What holds rows of its own is one refusal, or all that it holds.
    """
    if venue == KALSHI:
        return _kalshi_totals(kind, payload)
    held = (polymarket_rows if venue == POLYMARKET else manifold_rows)(kind, payload)
    return {1 if held is None else len(held)}


def counted(read: Read[Any]) -> int:
    """Count what was read or refused, candles one by one."""
    points = sum(len(row.points) for row in read.rows if isinstance(row, History))
    return len(read.rows) + len(read.left_out) + points


def polymarket_rows(kind: str, payload: Json) -> list[Json] | None:
    """Give the rows that a payload holds; None where it is none of its kind."""
    found = _POLYMARKET[kind](payload) if kind in _POLYMARKET else payload
    if kind == "event" and isinstance(found, list):
        around = {key: value for key, value in payload.items() if key != "markets"}
        return [{"events": [around], **row} if isinstance(row, dict) else row for row in found]
    return found if isinstance(found, list) else None


def _under(key: str) -> Callable[[Json], Json]:
    return lambda payload: payload.get(key) if isinstance(payload, dict) else payload


def _whole(*names: str) -> Callable[[Json], Json]:
    """Take a payload for one row if it is an object with one of these names."""
    return lambda payload: (
        [payload] if isinstance(payload, dict) and payload.keys() & set(names) else None
    )


_POLYMARKET: Mapping[str, Callable[[Json], Json]] = {
    "markets": _under("markets"),
    "markets-by-id": _under("markets"),
    "market": _whole("id"),
    "event": lambda payload: part(payload, "markets"),
    "book": _whole("bids", "asks"),
    "midpoint": _whole("mid"),
    "midpoints": lambda payload: (
        list(payload.items()) if isinstance(payload, dict) and "error" not in payload else None
    ),
    "price-history": lambda payload: _under(
        "history" if isinstance(payload, dict) and "history" in payload else "data"
    )(payload),
    "resolutions": _under("data"),
    "clob-market": _whole("condition_id"),
    "clob-markets": lambda payload: payload if isinstance(payload, list) else [payload],
}


def manifold_rows(kind: str, payload: Json) -> list[Json] | None:
    """Give the rows that a payload holds; None where it is none of its kind."""
    if kind in {"market", "prob"}:
        return [payload]
    if kind == "probs":
        return list(payload.items()) if isinstance(payload, dict) else None
    return payload if isinstance(payload, list) else None


def kalshi_rows(kind: str, payload: Json) -> Iterator[Row]:
    """Give the rows of a payload, with what is said above them under `@event` and `@day`."""
    if kind in {"events", "event"}:
        several = part(payload, "events") if kind == "events" else [part(payload, "event")]
        for event in rows(several):
            held = {"markets": part(payload, "markets"), **event}["markets"]
            yield from (row | {"@event": event} for row in rows(held))
    elif kind == "exchange-schedule":
        for week in rows(part(payload, "schedule", "standard_hours")):
            for day in DAYS:
                yield from (row | {"@day": day} for row in rows(week.get(day)))
    else:
        yield from rows(_kalshi_list(kind, payload))


def _kalshi_list(kind: str, payload: Json) -> Json:
    if kind in {"market", "statuses"} and isinstance(part(payload, "market"), dict):
        return [payload["market"]]
    if kind == "candlesticks" and isinstance(payload, dict) and "markets" in payload:
        return payload["markets"]
    if kind == "series":
        held = part(payload, "series")
        return held if isinstance(held, list) else [held]
    return part(payload, KALSHI_LISTS[kind]) if kind in KALSHI_LISTS else [payload]


def _kalshi_totals(kind: str, payload: Json) -> set[int]:
    if kind == "statuses" and isinstance(payload, dict) and "market" in payload:
        return {1}
    if kind in KALSHI_LISTS:
        return {_count(payload, KALSHI_LISTS[kind])}
    held = _KALSHI_HOLDERS.get(kind)
    return {1} if held is None else held(payload)


def _of_series(payload: Json) -> set[int]:
    found = part(payload, "series")
    return {len(found) if isinstance(found, list) else 1}


def _of_events(payload: Json) -> set[int]:
    found = part(payload, "events")
    if not isinstance(found, list):
        return {_count(payload, "events")}
    return _sums({1, _count(event, "markets")} for event in found)


def _of_event(payload: Json) -> set[int]:
    event = part(payload, "event")
    if not isinstance(event, dict):
        return {1}
    return {1, _count(event if "markets" in event else payload, "markets")}


def _of_candles(payload: Json) -> set[int]:
    """Count a history and its candles; one that cannot be read is one refusal."""
    if not isinstance(payload, dict) or "markets" not in payload:
        return {1, 1 + _count(payload, "candlesticks")}
    several = payload["markets"]
    if not isinstance(several, list):
        return {_count(payload, "markets")}
    return _sums({1, 1 + _count(one, "candlesticks")} for one in several)


def _of_schedule(payload: Json) -> set[int]:
    weeks = part(payload, "schedule", "standard_hours")
    if not isinstance(weeks, list):
        return {1}
    days = (
        sum(_count(week, day) for day in DAYS) if isinstance(week, dict) else 1
        for week in weeks
    )
    return {sum(days)}


_KALSHI_HOLDERS: Mapping[str, Callable[[Json], set[int]]] = {
    "series": _of_series,
    "events": _of_events,
    "event": _of_event,
    "candlesticks": _of_candles,
    "exchange-schedule": _of_schedule,
}


def _count(holder: Json, key: str) -> int:
    """Count the rows under a key: null is none, and what is no list is one refusal."""
    if not isinstance(holder, dict) or key not in holder:
        return 1
    found = holder[key]
    return len(found) if isinstance(found, list) else int(found is not None)


def _sums(choices: Iterable[set[int]]) -> set[int]:
    return {sum(chosen) for chosen in product(*choices)}
