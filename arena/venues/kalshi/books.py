"""What Kalshi's order books say: they hold bids alone, for YES and for NO.

Whoever bids p for NO offers YES at 1 - p.

Source:
    https://docs.kalshi.com/getting_started/orderbook_responses.
"""

from dataclasses import dataclass

from arena.records.market import Level
from arena.records.money import ONE, Price, price
from arena.venues.kalshi.fields import (
    Row,
    broken,
    mapping,
    offered,
    price_text,
    read_list,
    read_one,
    ticker,
)
from arena.venues.reading import Origin, Read, count

DEPTH = 20
FORMS = ("orderbook_fp", "orderbook")  # the second until March 2026


@dataclass(frozen=True, slots=True)
class KalshiBook:
    """A market's order book as offers for YES, best first.

    `ticker` is empty where the payload is about one market and does not name it.
    """

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


def orderbook(payload: object, origin: Origin, depth: int = DEPTH) -> Read[KalshiBook]:  # noqa: ARG001
    """Read `GET /markets/{ticker}/orderbook`, with at most `depth` levels a side."""
    return read_one("orderbook", lambda: _book("", mapping(payload), depth))


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
