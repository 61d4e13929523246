"""What pages are put together from: the only names that templates may use."""

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
class Pager:
    """The pages of a long list: the newest few, and the way to the others."""

    here: str
    links: tuple[Link, ...]


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
class CountRow:
    """A reason and how often."""

    reason: str
    times: str
