"""Sound answers of every kind and venue, about markets in every state, to be spoiled."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

from arena.records.market import State, VenueId, Verdict
from arena.venues.reading import Origin
from tests.standins.venues import (
    DIALECTS,
    KALSHI,
    MANIFOLD,
    POLYMARKET,
    Asked,
    Quirks,
    StandInWorld,
    WorldMarket,
    WorldView,
)
from tests.standins.venues.kalshi_names import event_ticker, series_ticker
from tests.standins.venues.polymarket_ids import condition_id, is_new_protocol, token_id

SETTLED = "settled"
"""All that is said of one market's end, put together; no kind of payload by itself."""

Json = Any
Query = Iterable[tuple[str, str]]

NOW = datetime(2026, 3, 2, 12, 20, tzinfo=UTC)
WORLD = StandInWorld(seed=5, events_per_day=6)
SOON = timedelta(minutes=20)  # what has just changed may not be final everywhere
SOME = 3  # rows of a list: each is read whenever any of them is spoiled
STATES = tuple(state for state in State if state is not State.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Sound:
    """One answer, of this kind and about this moment."""

    venue: str
    kind: str
    name: str
    payload: Json
    at: datetime

    @property
    def origin(self) -> Origin:
        return Origin(VenueId(self.venue), self.at)


@dataclass(frozen=True)
class Scene:
    """A market at a moment that it is worth to be asked about, with others to stand by it."""

    market: WorldMarket
    view: WorldView

    @cached_property
    def markets(self) -> Sequence[WorldMarket]:
        """The market, an open one and one that is over."""
        others = [
            market
            for market in self.view.markets
            if market.event_number != self.market.event_number
            and not is_new_protocol(market.event_number)
        ]
        is_open = next(m for m in reversed(others) if m.state is State.OPEN)
        over = next(m for m in reversed(others) if m.state is State.RESOLVED)
        return (self.market, is_open, over)

    @property
    def name(self) -> str:
        """What became of it, in words."""
        said = self.market.outcome.verdict if self.market.outcome else self.market.state
        return said.value.lower()

    def ask(self, venue: str, path: str, query: Query = (), body: Json = None) -> Json:
        """Ask a venue's stand-in; what it does not have is None."""
        sent = b"" if body is None else json.dumps(body).encode()
        asked = Asked("GET" if body is None else "POST", path, tuple(query), sent)
        said = DIALECTS[venue].answer(asked, self.view, Quirks())
        return json.loads(json.dumps(said.payload)) if said.status == 200 else None

    def own(self, venue: str, market: WorldMarket | None = None) -> str:
        """Name a market as its venue does."""
        return DIALECTS[venue].own_id((market or self.market).number)


def scenes() -> Iterator[Scene]:
    """Give a market in every state, and one of every outcome."""
    view = WORLD.view(NOW)
    markets = [m for m in reversed(view.markets) if not is_new_protocol(m.event_number)]
    for verdict in Verdict:
        over = [m for m in markets if m.outcome and m.outcome.verdict is verdict]
        yield Scene(over[0], view)
    for state in STATES:
        at, number = next(
            (stage.at, market.number)
            for market in markets
            for stage in WORLD.course(market.number)
            if stage.state is state and stage.at < NOW
        )
        then = WORLD.view(at + SOON)
        found = then.find(number)
        assert found is not None
        yield Scene(found, then)


def sound_payloads() -> Iterator[Sound]:
    """Give answers of every kind, each once."""
    seen: set[tuple[str, str, str]] = set()
    for scene in scenes():
        for venue, kinds in _KINDS.items():
            for kind, ask in kinds.items():
                for n, payload in enumerate(ask(scene)):
                    known = venue, kind, json.dumps(payload)
                    if payload and known not in seen:
                        seen.add(known)
                        name = f"{venue} {kind} {scene.name} {n}"
                        yield Sound(venue, kind, name, payload, scene.view.at)


def gamma(scene: Scene) -> list[Json]:
    """Give Gamma's rows of a scene's markets, open and closed ones."""
    named = [("id", str(market.number)) for market in scene.markets]
    query = [*named, ("include_tag", "true")]
    path = "/gamma/markets/keyset"
    pages = [
        scene.ask(POLYMARKET, path, [*query, ("closed", said)]) for said in ("false", "true")
    ]
    return [row for page in pages for row in page["markets"]]


def no_first(row: Json) -> Json:
    """Name NO first, so that all that a row says of the first outcome is about NO."""
    return {**row, "outcomes": '["No", "Yes"]'}


def _gamma_page(scene: Scene) -> Iterator[Json]:
    sent = gamma(scene)
    yield {"markets": sent, "next_cursor": "WyJhIiwxXQ=="}
    yield {"markets": [no_first(row) for row in sent]}


def _gamma_market(scene: Scene) -> Iterator[Json]:
    found = scene.ask(POLYMARKET, f"/gamma/markets/{scene.market.number}")
    yield found
    yield no_first(found)


def _settled(scene: Scene) -> Iterator[Json]:
    told = {
        "gamma": next(_gamma_market(scene)),
        "clob": scene.ask(POLYMARKET, f"/clob/markets/{condition_id(scene.market.number)}"),
        "resolutions": resolutions(scene),
    }
    for said in (told, told | {"gamma": no_first(told["gamma"])}):
        yield said
        yield said | {"resolutions": {"data": []}}


def _tokens(scene: Scene) -> list[Json]:
    return [{"token_id": token_id(m.number, side)} for m in scene.markets for side in (0, 1)]


def _clob(path: str) -> Callable[[Scene], Iterator[Json]]:
    def ask(scene: Scene) -> Iterator[Json]:
        single = scene.ask(POLYMARKET, path, [("token_id", token_id(scene.market.number, 0))])
        many = scene.ask(POLYMARKET, path, body=_tokens(scene))
        yield many[:SOME] if isinstance(many, list) else many or single

    return ask


def _of_condition(path: str) -> Callable[[Scene], Iterator[Json]]:
    def ask(scene: Scene) -> Iterator[Json]:
        yield scene.ask(POLYMARKET, f"{path}/{condition_id(scene.market.number)}")

    return ask


def resolutions(scene: Scene) -> Json:
    """Give what the Data API says of a scene's markets."""
    named = ",".join(condition_id(market.number) for market in scene.markets)
    return scene.ask(POLYMARKET, "/data/v2/resolutions", [("condition_id", named)])


def _polymarket_past(scene: Scene) -> Iterator[Json]:
    token, end = token_id(scene.market.number, 0), int(scene.view.at.timestamp())
    clob = [("market", token), ("startTs", str(end - 200 * 3600)), ("endTs", str(end))]
    said = scene.ask(POLYMARKET, "/clob/prices-history", clob)
    yield {"history": said["history"][:SOME]}
    data = [("token_id", token), ("start", str(end - 200 * 3600)), ("end", str(end))]
    yield scene.ask(POLYMARKET, "/data/v2/prices-history", [*data, ("limit", str(SOME))])


def _tickers(scene: Scene) -> str:
    return ",".join(scene.own(KALSHI, market) for market in scene.markets)


def _kalshi_page(scene: Scene) -> Iterator[Json]:
    today = scene.ask(KALSHI, "/markets", [("tickers", _tickers(scene))])
    old = (
        scene.ask(KALSHI, f"/historical/markets/{scene.own(KALSHI, market)}")
        for market in sorted(scene.markets, key=lambda market: market.number)
    )
    archive = [said["market"] for said in old if said]
    yield {"cursor": "", "markets": [*today["markets"], *archive]}


def _kalshi_market(scene: Scene) -> Iterator[Json]:
    own = scene.own(KALSHI)
    yield scene.ask(KALSHI, f"/markets/{own}")
    yield scene.ask(KALSHI, f"/historical/markets/{own}")


def _kalshi_event(scene: Scene) -> Iterator[Json]:
    path = f"/events/{event_ticker(scene.market.event_number)}"
    yield scene.ask(KALSHI, path)
    yield scene.ask(KALSHI, path, [("with_nested_markets", "true")])


def _kalshi_events(scene: Scene) -> Iterator[Json]:
    nested = [("with_nested_markets", "true")]
    paths = (f"/events/{event_ticker(m.event_number)}" for m in scene.markets[:2])
    yield {"cursor": "", "events": [scene.ask(KALSHI, path, nested)["event"] for path in paths]}


def _kalshi_series(scene: Scene) -> Iterator[Json]:
    paths = (f"/series/{series_ticker(market.event_number)}" for market in scene.markets)
    said = [scene.ask(KALSHI, path) for path in paths]
    yield said[0]
    yield {"series": [one["series"] for one in said]}


def _kalshi_books(scene: Scene) -> Iterator[Json]:
    query = [("tickers", scene.own(KALSHI, market)) for market in scene.markets]
    yield scene.ask(KALSHI, "/markets/orderbooks", query)


def _span(scene: Scene) -> list[tuple[str, str]]:
    opened = int(scene.market.opens_at.timestamp())
    span = {"start_ts": opened, "end_ts": opened + 4 * 3600, "period_interval": 60}
    return [(name, str(value)) for name, value in span.items()]


def _candles(scene: Scene) -> Iterator[Json]:
    own, series = scene.own(KALSHI), series_ticker(scene.market.event_number)
    span = _span(scene)
    live = scene.ask(KALSHI, f"/series/{series}/markets/{own}/candlesticks", span)
    yield live
    yield scene.ask(KALSHI, f"/historical/markets/{own}/candlesticks", span)
    if live:
        several = ({"market_ticker": f"{own}{n}"} | live for n in range(SOME))
        yield {"markets": list(several)}


def _exchange_status(scene: Scene) -> Iterator[Json]:
    yield scene.ask(KALSHI, "/exchange/status")


def _manifold_list(scene: Scene) -> Iterator[Json]:
    yield [
        scene.ask(MANIFOLD, f"/market/{scene.own(MANIFOLD, market)}", [("lite", "true")])
        for market in scene.markets
    ]


def _manifold_market(scene: Scene) -> Iterator[Json]:
    yield scene.ask(MANIFOLD, f"/market/{scene.own(MANIFOLD)}")


def _bets(scene: Scene) -> Iterator[Json]:
    query = [("contractId", scene.own(MANIFOLD)), ("limit", "4")]
    yield scene.ask(MANIFOLD, "/bets", query)


_KINDS: Mapping[str, Mapping[str, Callable[[Scene], Iterator[Json]]]] = {
    POLYMARKET: {
        "markets": _gamma_page,
        "markets-by-id": _gamma_page,
        "market": _gamma_market,
        "books": _clob("/clob/books"),
        "midpoint": _clob("/clob/midpoint"),
        "midpoints": _clob("/clob/midpoints"),
        "price-history": _polymarket_past,
        "resolutions": lambda scene: iter([resolutions(scene)]),
        "clob-market": _of_condition("/clob/markets"),
        "clob-markets": _of_condition("/clob/clob-markets"),
        SETTLED: _settled,
    },
    KALSHI: {
        "events": _kalshi_events,
        "event": _kalshi_event,
        "markets": _kalshi_page,
        "market": _kalshi_market,
        "quotes": _kalshi_page,
        "statuses": _kalshi_page,
        "orderbooks": _kalshi_books,
        "candlesticks": _candles,
        "series": _kalshi_series,
        "exchange-status": _exchange_status,
    },
    MANIFOLD: {
        "markets": _manifold_list,
        "market": _manifold_market,
        "bets": _bets,
    },
}
