"""What the pages of markets show."""

from dataclasses import dataclass

from arena.site.views.parts import Fact, Head, Link, Moment, Pager, TradeRow


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
    """templates/site/markets.html."""

    head: Head
    rows: tuple[MarketRow, ...]
    pager: Pager


@dataclass(frozen=True, slots=True)
class Dot:
    """A bet on a chart, at whole coordinates."""

    x: int
    y: int
    side: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A price over time, in a box of `width` by `height` units; `path` is SVG path data."""

    width: int
    height: int
    path: str
    dots: tuple[Dot, ...]
    words: str
    first: Moment
    last: Moment


@dataclass(frozen=True, slots=True)
class QuoteRow:
    """A book as it was read."""

    name: str
    read: Moment
    bid: str
    ask: str
    mid: str
    age: str


@dataclass(frozen=True, slots=True)
class SaidRow:
    """A contestant's newest stated forecast of a market."""

    contestant: Link
    cohort: Link
    at: Moment
    probability: str
    brier: str


@dataclass(frozen=True, slots=True)
class MarketPage:
    """templates/site/market.html."""

    head: Head
    id: str
    question: str
    rules: str
    facts: tuple[Fact, ...]
    closes: Moment | None
    link: Link | None
    state: str
    resolved: Moment | None
    quotes: tuple[QuoteRow, ...]
    chart: Chart | None
    trades: tuple[TradeRow, ...]
    trades_note: str
    said: tuple[SaidRow, ...]
