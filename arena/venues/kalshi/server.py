"""Kalshi's server: two addresses for the same thing, and whether it trades now.

What Kalshi's order books say: they hold bids alone, for YES and for NO.

Whoever bids p for NO offers YES at 1 - p.

Source:
    https://docs.kalshi.com/getting_started/orderbook_responses.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from arena.errors import ArenaError
from arena.http import JsonReply, PoliteReader
from arena.http.verdict import CHANGED
from arena.ports import Clock
from arena.records.market import Level, VenueId
from arena.records.money import ONE, Price, price
from arena.records.settings import VenueSettings
from arena.venues.kalshi.parse import (
    Row,
    broken,
    holds_list,
    mapping,
    offered,
    price_text,
    read_list,
    read_one,
    ticker,
)
from arena.venues.options import is_address, is_pace, is_whole, read_options
from arena.venues.reading import Origin, Read, count, flag, hold_to_format, moment

DEPTH = 20
FORMS = ("orderbook_fp", "orderbook")  # the second until March 2026


@dataclass(frozen=True, slots=True)
class KalshiBook:
    """A market's order book as offers for YES, best first."""

    ticker: str
    bids: tuple[Level, ...]
    asks: tuple[Level, ...]

    @property
    def bid(self) -> Price | None:
        """The best bid; None where nobody bids."""
        return self.bids[0].price if self.bids else None

    @property
    def ask(self) -> Price | None:
        """The best ask; None where nobody asks."""
        return self.asks[0].price if self.asks else None


def orderbooks(payload: object, origin: Origin, depth: int = DEPTH) -> Read[KalshiBook]:  # noqa: ARG001
    """Read `GET /markets/orderbooks`, with at most `depth` levels a side."""

    def parse(row: Row) -> tuple[str, KalshiBook]:
        own = ticker(row, "ticker")
        return own, _book(own, row, depth)

    return read_list(payload, "orderbooks", "ticker", parse)


def _book(own: str, row: Row, depth: int) -> KalshiBook:
    held = next((row[form] for form in FORMS if isinstance(row.get(form), dict)), None)
    if held is None:
        raise broken("no orderbook_fp")
    book = mapping(held)
    bids = _levels(book, "yes_dollars")
    asks = [Level(price(ONE - no.price), no.shares) for no in _levels(book, "no_dollars")]
    bids.sort(key=lambda level: -level.price)
    asks.sort(key=lambda level: level.price)
    return KalshiBook(own, tuple(bids[:depth]), tuple(asks[:depth]))


def _levels(book: Row, side: str) -> list[Level]:
    """Read the bids of a side; None is nobody. One that cannot be read spoils the book."""
    rows = book.get(side)
    if side not in book or not isinstance(rows, list | None):
        raise broken(f"no {side}")
    levels: list[Level] = []
    for row in rows or ():
        if not isinstance(row, list) or len(row) < 2:  # noqa: PLR2004  price and count
            raise broken(f"a level of {side} is no pair")
        at, shares = price_text(row[0]), count(row[1])
        if at is None or shares is None:
            raise broken(f"a level of {side} is not in dollars and contracts")
        if offered(at) is not None and shares:
            levels.append(Level(at, shares))
    return levels


MOST_PAGES = 1_000
MOST_DEPTH = 100


@dataclass(frozen=True, slots=True)
class KalshiOptions:
    """How Kalshi is asked.

    `fallback_url` is asked where `base_url` does not answer; empty is none. At most `pages`
    of 200 events are listed. `depth` is how many levels of a book's side are kept; with 0 no
    book is asked for, and a quote has its best prices alone.
    """

    base_url: str = "https://external-api.kalshi.com/trade-api/v2"
    fallback_url: str = "https://api.elections.kalshi.com/trade-api/v2"
    pages: int = 100
    depth: int = DEPTH
    per_second: float = 5.0


def options_of(settings: VenueSettings) -> KalshiOptions:
    """Read the options of a venue.

    Raises:
        ArenaError: `venue.option`: one is unknown or has a wrong value.
    """
    return read_options(settings, KalshiOptions, _RIGHT, _HINT)


_RIGHT: Mapping[str, Callable[[object], bool]] = {
    "base_url": is_address,
    "fallback_url": lambda value: value == "" or is_address(value),
    "pages": lambda value: is_whole(value, 1, MOST_PAGES),
    "depth": lambda value: is_whole(value, 0, MOST_DEPTH),
    "per_second": is_pace,
}
_HINT = f"pages are 1 to {MOST_PAGES}, depth is 0 to {MOST_DEPTH}"


@dataclass(frozen=True, slots=True)
class Exchange:
    """Whether the exchange trades now, and when it says that it will again."""

    trading: bool
    resumes_at: datetime | None


def exchange_status(payload: object, origin: Origin) -> Read[Exchange]:  # noqa: ARG001
    """Read `GET /exchange/status`."""

    def parse() -> Exchange:
        row = mapping(payload)
        exchange, trading = flag(row.get("exchange_active")), flag(row.get("trading_active"))
        if exchange is None or trading is None:
            raise broken("no exchange_active" if exchange is None else "no trading_active")
        resumes = moment(row.get("exchange_estimated_resume_time"))
        return Exchange(exchange and trading, resumes)

    return read_one("exchange", parse)


FRESH = timedelta(seconds=60)  # for so long what was read belongs to one poll
NO_ANSWER = frozenset({"venue.silent", "venue.blocked"})

Query = Sequence[tuple[str, str]]


class Server:
    """Asks one address of Kalshi's interface, and the other where that does not answer.

    The one that answered last is asked first.

    Args:
        venue: Kalshi's name in the arena.
        options: The addresses.
        clock: Says how old the word about trading is.
        reader: Sends the requests.
    """

    def __init__(
        self, venue: VenueId, options: KalshiOptions, clock: Clock, reader: PoliteReader
    ) -> None:
        self._venue = venue
        self._clock = clock
        self._reader = reader
        urls = [url.rstrip("/") for url in (options.base_url, options.fallback_url) if url]
        self._bases = tuple(dict.fromkeys(urls))
        self._exchange: tuple[datetime, Exchange] | None = None

    async def get(self, path: str, query: Query = (), *, may_miss: bool = False) -> JsonReply:
        """Ask for a path, `/events` for one.

        Raises:
            ArenaError: As `PoliteReader.get` does, and where neither address answers as for
                the first.
        """
        failures: list[ArenaError] = []
        for base in self._bases:
            try:
                page = await self._reader.get(base + path, query, may_miss=may_miss)
            except ArenaError as error:
                if error.code not in NO_ANSWER:
                    raise
                failures.append(error)
            else:
                self._bases = tuple(dict.fromkeys((base, *self._bases)))
                return page
        raise failures[0]

    async def rows(self, path: str, query: Query, key: str) -> JsonReply:
        """Ask for a path whose answer has a list under a key.

        Raises:
            ArenaError: As for `get`; `venue.format`: there is no such list, so that nothing
                is known of any row.
        """
        page = await self.get(path, query)
        if not holds_list(page.payload, key):
            message = f"{self._venue}: the answer to {path} has no list of {key}"
            raise ArenaError("venue.format", message, hint=CHANGED)
        return page

    def origin(self, page: JsonReply) -> Origin:
        """Say whose a page is, and the moment for which it holds."""
        return Origin(self._venue, page.at - page.age)

    async def require_trading(self) -> None:
        """Make sure that the exchange trades; its word on it holds for a minute.

        Raises:
            ArenaError: `venue.paused`: it does not.
        """
        now = self._clock.now()
        if self._exchange is None or not timedelta(0) <= now - self._exchange[0] < FRESH:
            page = await self.get("/exchange/status")
            read = exchange_status(page.payload, self.origin(page))
            state = hold_to_format(self._venue, "exchange states", read).rows[0]
            self._exchange = (now, state)
        exchange = self._exchange[1]
        if not exchange.trading:
            raise ArenaError(
                "venue.paused",
                f"{self._venue}: trading is paused, {_until(exchange.resumes_at)}",
                hint="nothing was read; the next tick asks again",
            )


def _until(resumes_at: datetime | None) -> str:
    if resumes_at is None:
        return "it does not say until when"
    return f"until about {resumes_at:%Y-%m-%d %H:%M} UTC"
