"""Kalshi's dialect: its public addresses, filters, pages and refusals.

Source: https://docs.kalshi.com/api-reference, version 3.34.0.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from http import HTTPStatus
from itertools import groupby
from operator import attrgetter

from arena.records.market import Outcome
from tests.standins.venues.dialect import Answer, Asked, Quirks, iso, seconds
from tests.standins.venues.kalshi_asked import RefusedError, Wishes, bad, missing
from tests.standins.venues.kalshi_hours import exchange_schedule, exchange_status
from tests.standins.venues.kalshi_names import (
    event_of,
    event_of_series,
    event_ticker,
    market_ticker,
    number_of,
    series_ticker,
)
from tests.standins.venues.kalshi_past import candles, trades
from tests.standins.venues.kalshi_rows import (
    Row,
    archived,
    book,
    combination_row,
    cutoff,
    event_row,
    market_row,
    series_row,
    standing,
    truth,
)
from tests.standins.venues.world import WorldMarket, WorldView

COMBINATIONS = 2_000  # that lists of markets begin with
MOST_EVENTS, MOST_MARKETS, MOST_BOOKS, MOST_TRADES = 200, 1_000, 100, 1_000
MOST_CANDLES = 10_000


class KalshiDialect:
    """Speaks as `https://external-api.kalshi.com/trade-api/v2` does."""

    def answer(self, asked: Asked, view: WorldView, quirks: Quirks) -> Answer:
        """Answer a request; nothing here changes anything, so only GET is known."""
        if asked.method != "GET":
            return RefusedError(405, "method_not_allowed", "not allowed").answer
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
            case ("exchange", "schedule"):
                return exchange_schedule()
            case ("events",):
                return self._events()
            case ("events", ticker):
                return self._event(ticker)
            case ("series", *rest):
                return self._of_series(rest)
            case ("markets", *rest):
                return self._of_markets(rest)
            case ("historical", *rest):
                return self._historical(rest)
        raise missing()

    def _of_series(self, rest: Sequence[str]) -> Row:
        match rest:
            case []:
                return self._all_series()
            case [ticker]:
                return {"series": series_row(self._family(event_of_series(ticker))[0])}
            case [series, "markets", ticker, "candlesticks"]:
                return self._candlesticks(ticker, series)
        raise missing()

    def _of_markets(self, rest: Sequence[str]) -> Row:
        match rest:
            case []:
                return self._markets()
            case ["orderbooks"]:
                return self._orderbooks()
            case ["candlesticks"]:
                return self._all_candlesticks()
            case ["trades"]:
                return self._trades()
            case [ticker]:
                return {"market": market_row(self._live(ticker), self._at)}
            case [ticker, "orderbook"]:
                depth = self._wishes.whole("depth", 0, 0, 100)
                return {"orderbook_fp": book(self._live(ticker), self._at, depth)}
        raise missing()

    def _historical(self, rest: Sequence[str]) -> Row:
        match rest:
            case ["cutoff"]:
                names = ("market_positions_last_updated", "market_settled", "orders_updated")
                moment = iso(cutoff(self._at))
                return {f"{name}_ts": moment for name in (*names, "trades_created")}
            case ["markets"]:
                return self._archive()
            case ["markets", ticker]:
                return {"market": market_row(self._in_archive(ticker), self._at)}
            case ["markets", ticker, "candlesticks"]:
                found, span = self._in_archive(ticker), self._wishes.span()
                rows = candles(found, self._view, span, archive=True)
                return {"ticker": ticker, "candlesticks": rows}
        raise missing()

    def _events(self) -> Row:
        words, named = self._wishes.statuses(), self._wishes.names("tickers")
        series, closing = self._wishes.one("series_ticker"), self._wishes.moment("min_close_ts")

        def wanted(markets: tuple[WorldMarket, ...]) -> bool:
            number = markets[0].event_number
            if named is not None and event_ticker(number) not in named:
                return False
            if series is not None and series_ticker(number) != series:
                return False
            if closing is not None and all(_closes(m) < closing for m in markets):
                return False
            return words is None or any(self._status(m) in words for m in markets)

        families = {group[0].event_number: group for group in self._families()}
        keys = [number for number, group in families.items() if wanted(group)]
        chosen, cursor = self._page(
            keys, self._wishes.whole("limit", MOST_EVENTS, 1, MOST_EVENTS)
        )
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

    def _all_series(self) -> Row:
        category = self._wishes.one("category")
        rows = [series_row(group[0]) for group in self._families()]
        chosen = [row for row in rows if category is None or row["category"] == category]
        return {"series": chosen or None}

    def _markets(self) -> Row:
        limit = self._wishes.whole("limit", 100, 0, MOST_MARKETS) or 100
        words, times = self._wishes.statuses(), self._wishes.times()
        found = {
            m.number: m
            for m in self._chosen()
            if not archived(m, self._at)
            and (words is None or self._status(m) in words)
            and (times is None or times.fits(self._moment(m, times.kind)))
        }
        chosen, cursor = self._page([*self._combinations(), *sorted(found)], limit)
        rows = [
            combination_row(-key, self._at) if key < 0 else market_row(found[key], self._at)
            for key in chosen
        ]
        return {"cursor": cursor, "markets": rows}

    def _chosen(self) -> Iterable[WorldMarket]:
        """Give the markets that the filters by name leave; who is not known is left out."""
        tickers = self._wishes.names("tickers")
        event, series = self._wishes.one("event_ticker"), self._wishes.one("series_ticker")
        if tickers is not None:
            found = (self._find(ticker) for ticker in tickers)
            return [m for m in found if m is not None and not self._hidden(m)]
        if event is not None or series is not None:
            number = event_of(event) if event is not None else event_of_series(series or "")
            return () if number is None else self._view.event(number)
        return self._view.markets

    def _combinations(self) -> range:
        """Number the combinations of a list; below zero, so that they come first."""
        names = ("tickers", "event_ticker", "series_ticker")
        mixed = self._wishes.one("mve_filter")
        if mixed not in {None, "exclude", "only"}:
            raise bad("invalid mve_filter")
        by_name = any(self._wishes.one(name) is not None for name in names)
        told = self._wishes.one("status") in {None, "open"}
        return (
            range(0) if mixed == "exclude" or by_name or not told else range(-COMBINATIONS, 0)
        )

    def _orderbooks(self) -> Row:
        tickers = self._asked.all("tickers")
        if not 1 <= len(tickers) <= MOST_BOOKS:
            raise bad(f"tickers must have 1 to {MOST_BOOKS} elements")
        found = [(name, self._find(name)) for name in dict.fromkeys(tickers)]
        return {
            "orderbooks": [
                {"ticker": name, "orderbook_fp": book(market, self._at, 0)}
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

    def _all_candlesticks(self) -> Row:
        tickers = self._wishes.names("market_tickers") or ()
        if not 1 <= len(tickers) <= MOST_BOOKS:
            raise bad(f"market_tickers must name 1 to {MOST_BOOKS} markets")
        span = self._wishes.span()
        if span.periods * len(tickers) > MOST_CANDLES:
            raise bad(f"more than {MOST_CANDLES} candlesticks")
        found = [(name, self._find(name)) for name in tickers]
        return {
            "markets": [
                {"market_ticker": name, "candlesticks": candles(m, self._view, span)}
                for name, m in found
                if m is not None and not self._gone(m)
            ]
        }

    def _trades(self) -> Row:
        limit = self._wishes.whole("limit", 100, 1, MOST_TRADES)
        market = self._live(self._wishes.one("ticker") or "")
        since, until = self._wishes.moment("min_ts"), self._wishes.moment("max_ts")
        rows = trades(
            market,
            self._view,
            0 if since is None else seconds(since),
            seconds(self._at if until is None else until),
        )
        chosen, cursor = self._page(range(len(rows)), limit)
        return {"cursor": cursor, "trades": [rows[key] for key in chosen]}

    def _archive(self) -> Row:
        limit = self._wishes.whole("limit", 100, 1, MOST_MARKETS)
        found = {m.number: m for m in self._chosen() if archived(m, self._at)}
        chosen, cursor = self._page(sorted(found), limit)
        return {"cursor": cursor, "markets": [market_row(found[n], self._at) for n in chosen]}

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

    def _in_archive(self, ticker: str) -> WorldMarket:
        found = self._find(ticker)
        if found is None or not archived(found, self._at):
            raise missing()
        return found

    def _gone(self, market: WorldMarket) -> bool:
        return archived(market, self._at) or self._hidden(market)

    def _hidden(self, market: WorldMarket) -> bool:
        return self._quirks.hidden(market.opens_at, self._at)

    def _status(self, market: WorldMarket) -> str:
        return standing(market, self._at).status

    def _moment(self, market: WorldMarket, kind: str) -> datetime | None:
        told = {
            "created": market.opens_at,
            "close": _closes(market),
            "settled": standing(market, self._at).final_at,
        }
        return told.get(kind, self._at)

    def _page(self, keys: Sequence[int], limit: int) -> tuple[list[int], str]:
        return self._wishes.page(keys, limit, stuck=self._quirks.first_page)


def _closes(market: WorldMarket) -> datetime:
    return market.closed_at or market.closes_at
