"""Kalshi's dialect: its public addresses, filters, pages and refusals.

Source: https://docs.kalshi.com/api-reference, version 3.34.0.
"""

from collections.abc import Iterable, Sequence
from http import HTTPStatus
from itertools import groupby
from operator import attrgetter

from arena.records.market import Outcome
from tests.standins.venues.dialect import Answer, Asked, Quirks
from tests.standins.venues.kalshi_asked import RefusedError, Wishes, bad, missing
from tests.standins.venues.kalshi_hours import exchange_status
from tests.standins.venues.kalshi_names import (
    event_of,
    event_of_series,
    market_ticker,
    number_of,
    series_ticker,
)
from tests.standins.venues.kalshi_past import candles
from tests.standins.venues.kalshi_rows import (
    Row,
    archived,
    book,
    event_row,
    market_row,
    series_row,
    standing,
    truth,
)
from tests.standins.venues.world import WorldMarket, WorldView

MOST_EVENTS, MOST_MARKETS, MOST_BOOKS = 200, 1_000, 100


class KalshiDialect:
    """Speaks as `https://external-api.kalshi.com/trade-api/v2` does."""

    def answer(self, asked: Asked, view: WorldView, quirks: Quirks) -> Answer:
        """Answer a request; nothing here changes anything, so only GET is known."""
        try:
            return Answer(HTTPStatus.OK, _Request(asked, view, quirks).payload())
        except RefusedError as refused:
            return refused.answer

    def own_id(self, number: int) -> str:
        """Give a market's ticker."""
        return market_ticker(number)

    def number(self, own: str) -> int | None:
        """Find a market's number from its ticker."""
        return number_of(own)

    def truth(self, outcome: Outcome) -> Outcome:
        """Kalshi voids nothing: what has no answer pays half to each side."""
        return truth(outcome)


class _Request:
    """One request, at one moment of the world."""

    def __init__(self, asked: Asked, view: WorldView, quirks: Quirks) -> None:
        self._asked = asked
        self._wishes = Wishes(asked)
        self._view = view
        self._quirks = quirks
        self._at = view.at

    def payload(self) -> Row:
        """Find who answers this address, by its steps."""
        match self._asked.parts:
            case ("exchange", "status"):
                return exchange_status(self._at)
            case ("events",):
                return self._events()
            case ("events", ticker):
                return self._event(ticker)
            case ("series", ticker):
                return {"series": series_row(self._family(event_of_series(ticker))[0])}
            case ("series", series, "markets", ticker, "candlesticks"):
                return self._candlesticks(ticker, series)
            case ("markets", "orderbooks"):
                return self._orderbooks()
            case ("markets", *named):
                return self._market(named[0]) if named else self._markets()
            case ("historical", "markets", ticker, *rest):
                return self._historical(ticker, rest)
        raise missing()

    def _historical(self, ticker: str, rest: Sequence[str]) -> Row:
        found = self._find(ticker)
        if found is None or not archived(found, self._at):
            raise missing()
        match rest:
            case []:
                return {"market": market_row(found, self._at)}
            case ["candlesticks"]:
                rows = candles(found, self._view, self._wishes.span(), archive=True)
                return {"ticker": ticker, "candlesticks": rows}
        raise missing()

    def _events(self) -> Row:
        words = self._wishes.statuses()
        families = {group[0].event_number: group for group in self._families()}
        keys = [
            number
            for number, group in families.items()
            if words is None or any(standing(m, self._at).status in words for m in group)
        ]
        limit = self._wishes.whole("limit", MOST_EVENTS, 1, MOST_EVENTS)
        stuck = self._quirks.first_page
        chosen, cursor = self._wishes.page(keys, limit, stuck=stuck)
        rows = [self._with_markets(families[number]) for number in chosen]
        return {"cursor": cursor, "events": rows, "milestones": []}

    def _event(self, ticker: str) -> Row:
        markets = self._family(event_of(ticker))
        row = self._with_markets(markets)
        if "markets" in row:
            return {"event": row}
        return {"event": row, "markets": self._still_live(markets)}

    def _with_markets(self, markets: tuple[WorldMarket, ...]) -> Row:
        row = event_row(markets)
        if self._wishes.one("with_nested_markets") == "true":
            row["markets"] = self._still_live(markets)
        return row

    def _still_live(self, markets: Iterable[WorldMarket]) -> list[Row] | None:
        """Describe the markets of today; Kalshi writes an empty list as null."""
        return [market_row(m, self._at) for m in markets if not archived(m, self._at)] or None

    def _market(self, ticker: str) -> Row:
        return {"market": market_row(self._live(ticker), self._at)}

    def _markets(self) -> Row:
        """Describe the markets of today that are named; one that is not known is left out."""
        limit = self._wishes.whole("limit", 100, 0, MOST_MARKETS) or 100
        named = map(self._find, (self._wishes.one("tickers") or "").split(","))
        found = {m.number: m for m in named if m is not None and not self._gone(m)}
        rows = [market_row(found[key], self._at) for key in sorted(found)[:limit]]
        return {"cursor": "", "markets": rows}

    def _orderbooks(self) -> Row:
        tickers = self._asked.all("tickers")
        if not 1 <= len(tickers) <= MOST_BOOKS:
            raise bad(f"tickers must have 1 to {MOST_BOOKS} elements")
        found = [(name, self._find(name)) for name in dict.fromkeys(tickers)]
        return {
            "orderbooks": [
                {"ticker": name, "orderbook_fp": book(market, self._at)}
                for name, market in found
                if market is not None and not self._gone(market)
            ]
        }

    def _candlesticks(self, ticker: str, series: str) -> Row:
        market = self._live(ticker)
        if series_ticker(market.event_number) != series:
            raise missing()
        rows = candles(market, self._view, self._wishes.span())
        return {"ticker": ticker, "candlesticks": rows}

    def _families(self) -> Iterable[tuple[WorldMarket, ...]]:
        for _, group in groupby(self._view.markets, attrgetter("event_number")):
            yield tuple(group)

    def _family(self, number: int | None) -> tuple[WorldMarket, ...]:
        found = () if number is None else self._view.event(number)
        if not found:
            raise missing()
        return found

    def _find(self, ticker: str) -> WorldMarket | None:
        number = number_of(ticker)
        return None if number is None else self._view.find(number)

    def _live(self, ticker: str) -> WorldMarket:
        found = self._find(ticker)
        if found is None or self._gone(found):
            raise missing()
        return found

    def _gone(self, market: WorldMarket) -> bool:
        young = self._quirks.hidden(market.opens_at, self._at)
        return young or archived(market, self._at)
