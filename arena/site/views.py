"""What each page shows: the only names that its template may use."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Head:
    """What every page has: `root` leads to the site's folder, `section` is lit in the nav."""

    title: str
    root: str
    section: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """Words that lead somewhere; without `href` they are only words."""

    text: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment for people and for machines."""

    text: str
    iso: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: its value, and a quieter line below it."""

    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """A name and what it is; `href` explains the name."""

    name: str
    text: str
    note: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column; `href` leads to its formula."""

    key: str
    label: str
    name: str
    href: str


@dataclass(frozen=True, slots=True)
class ColumnGroup:
    """A head over several columns."""

    label: str
    width: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One contestant's line."""

    rank: str
    contestant: Link
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class BoardView:
    """A leaderboard as a table."""

    groups: tuple[ColumnGroup, ...]
    rank: Column
    columns: tuple[Column, ...]
    rows: tuple[BoardRow, ...]
    ranked_by: str
    linear_caveat: str


@dataclass(frozen=True, slots=True)
class IndexPage:
    """templates/site/index.html."""

    head: Head
    contestants: str
    cohorts: str
    fills: str
    as_of: Moment | None
    board: BoardView
    twin: str


@dataclass(frozen=True, slots=True)
class Pager:
    """The pages of a long list: the newest few, and the way to the others."""

    here: str
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class CohortRow:
    """A cohort in a list."""

    cohort: Link
    title: str
    started: Moment
    state: str
    contestants: str


@dataclass(frozen=True, slots=True)
class CohortListPage:
    """templates/site/cohorts.html."""

    head: Head
    rows: tuple[CohortRow, ...]
    pager: Pager


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A round of a cohort."""

    number: str
    at: Moment
    markets: str
    turns: Cell
    state: str
    digest: str


@dataclass(frozen=True, slots=True)
class MarketRow:
    """A market in a list."""

    market: Link
    category: str
    venue: str
    state: str
    closes: Moment | None


@dataclass(frozen=True, slots=True)
class CohortPage:
    """templates/site/cohort.html."""

    head: Head
    name: str
    title: str
    state: str
    marked: Moment | None
    started: Moment
    ends: Moment
    digest: str
    agreement: tuple[Fact, ...]
    board: BoardView
    rounds: tuple[RoundRow, ...]
    markets: tuple[MarketRow, ...]
    left_out: str


@dataclass(frozen=True, slots=True)
class ContestantRow:
    """A contestant in a list."""

    contestant: Link
    id: str
    cohorts: str
    turns: str
    bets: str


@dataclass(frozen=True, slots=True)
class ContestantListPage:
    """templates/site/contestants.html."""

    head: Head
    rows: tuple[ContestantRow, ...]


@dataclass(frozen=True, slots=True)
class PlayedRow:
    """How a contestant did in one cohort."""

    cohort: Link
    started: Moment
    state: str
    rank: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class PositionRow:
    """An open position. `worth` is at the mark of its cohort."""

    market: Link
    cohort: Link
    side: str
    shares: str
    cost: str
    price: str
    worth: str
    quote: str


@dataclass(frozen=True, slots=True)
class TradeRow:
    """A bet that traded, or a sale. `about` is the market, or on a market's page who did it."""

    at: Moment
    cohort: Link
    about: Link
    deed: str
    side: str
    price: str
    shares: str
    amount: Cell
    confidence: str
    implied: tuple[Cell, ...]
    outcome: str


@dataclass(frozen=True, slots=True)
class FailureRow:
    """A turn that could not be read."""

    at: Moment
    cohort: Link
    round: str
    reason: str


@dataclass(frozen=True, slots=True)
class CountRow:
    """A reason and how often."""

    reason: str
    times: str


@dataclass(frozen=True, slots=True)
class ContestantPage:
    """templates/site/contestant.html."""

    head: Head
    id: str
    label: str
    as_of: Moment | None
    rank: str
    facts: tuple[Fact, ...]
    columns: tuple[Column, ...]
    played: tuple[PlayedRow, ...]
    positions: tuple[PositionRow, ...]
    positions_note: str
    trades: tuple[TradeRow, ...]
    trades_note: str
    replies: tuple[Fact, ...]
    failures: tuple[FailureRow, ...]
    failures_note: str
    refusals: tuple[CountRow, ...]
    recent: int


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


@dataclass(frozen=True, slots=True)
class Method:
    """How one number comes about. `formulas` are MathML of our own making, not escaped."""

    key: str
    name: str
    symbol: str
    formulas: tuple[str, ...]
    words: str
    unit: str
    better: str
    interval: str
    reference: str
    source: str
    caveat: str


@dataclass(frozen=True, slots=True)
class MethodChapter:
    """A heading and the numbers below it."""

    key: str
    title: str
    methods: tuple[Method, ...]


@dataclass(frozen=True, slots=True)
class MethodologyPage:
    """templates/site/methodology.html."""

    head: Head
    chapters: tuple[MethodChapter, ...]
    symbols: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class NotFoundPage:
    """templates/site/404.html."""

    head: Head
