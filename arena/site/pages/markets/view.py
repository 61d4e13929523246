"""What the pages of markets show."""

from dataclasses import dataclass

from arena.site.pages.parts import Cell, Fact, Figure, Head, Link, Moment, Pager


@dataclass(frozen=True, slots=True)
class MarketRow:
    """A market in a list."""

    market: Link
    category: str
    venue: str
    state: str
    closes: Moment | None


@dataclass(frozen=True, slots=True)
class MarketListPage:
    """templates/site/markets.html.

    `words` says which markets stand here. Where `shards` is not 0 the list can be searched:
    so many files of the index are there.
    """

    head: Head
    title: str
    words: str
    rows: tuple[MarketRow, ...]
    pager: Pager
    facets: tuple[Link, ...] = ()
    shards: int = 0


@dataclass(frozen=True, slots=True)
class PriceNow:
    """The newest price of YES, its bid and ask in words, and when it was read."""

    text: str
    words: str
    read: Moment


@dataclass(frozen=True, slots=True)
class QuoteRow:
    """A book as it was read; `volume` and `liquidity` are in the market's own unit."""

    name: str
    read: Moment
    bid: Cell
    ask: Cell
    mid: Cell
    volume: Cell
    liquidity: Cell
    age: str


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """A contestant on a market: what it said, how that was scored, and what it brought."""

    contestant: Link
    count: int
    last: Cell
    seen: Cell
    last_brier: Cell
    mean: Cell
    mean_brier: Cell
    result: Cell
    at: Moment | None
    decision: str


@dataclass(frozen=True, slots=True)
class DealRow:
    """A fill or a sale; `decision` leads to the turn it was decided in, where it has a page."""

    at: Moment
    decision: str
    contestant: Link
    cohort: Link
    deed: str
    price: Cell
    amount: Cell
    confidence: Cell
    implied: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class WordRow:
    """What the venue said of the market, or what the books made of it, and when."""

    at: Moment
    who: str
    words: str
    note: str


@dataclass(frozen=True, slots=True)
class MarketPage:
    """templates/site/market.html. `tone` is done once it resolved, part if it was undone."""

    head: Head
    id: str
    question: str
    rules: str
    facts: tuple[Fact, ...]
    closes: Moment | None
    link: Link | None
    state: str
    tone: str
    resolved: Moment | None
    price: PriceNow | None
    quotes: tuple[QuoteRow, ...]
    chart: Figure | None
    strip: Figure | None
    players: tuple[PlayerRow, ...]
    players_note: str
    trades: tuple[DealRow, ...]
    trades_note: str
    history: tuple[WordRow, ...]
    history_note: str
    siblings: tuple[Link, ...]
