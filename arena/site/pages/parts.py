"""What pages are put together from: the only names that templates may use."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from arena.metrics.figures import steady

Value = Decimal | float | int | str | None
FigureCell = tuple[str, Value, str, str]  # text, exact value, note and address


@dataclass(frozen=True, slots=True)
class Head:
    """What every page has: `root` leads to the site's folder, `section` is lit in the nav.

    `words` is what a preview says of the page, `as_of` the moment of its newest data, from
    which readers are warned `stale_hours` later; 0 never warns. `twin` leads to the same
    numbers for machines, and the build fills it in. `url` and `image` are whole addresses on
    the web, empty where nobody said where the site will stand. `site` is what the site is
    called. `demonstration` is what a site of invented models says on every page; empty
    elsewhere.
    """

    title: str
    root: str
    section: str = ""
    words: str = ""
    as_of: "Moment | None" = None
    twin: str = ""
    stale_hours: int = 0
    url: str = ""
    image: str = ""
    site: str = "Paper Arena"
    demonstration: str = ""


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
class DocumentRow:
    """A document as text; `link` leads to the web, and is None where that is not safe."""

    source: str
    title: str
    text: str
    at: Moment | None
    link: Link | None


@dataclass(frozen=True, slots=True)
class DocumentsView:
    """The documents of a round; `refused` and `failed` say in words what is not shown."""

    round: int
    rows: tuple[DocumentRow, ...]
    refused: tuple[str, ...]
    failed: tuple[str, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class Between:
    """An interval: as numbers and in words.

    `kind` says what it is: `95 %, t over events`, or `certain bounds`.
    """

    low: float
    high: float
    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: what is read, a quieter line below it, and its exact value.

    `value` is what machines read and what is sorted by; None where there is none.
    """

    text: str
    note: str = ""
    value: Value = None
    between: Between | None = None
    href: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", steady(self.value))


@dataclass(frozen=True, slots=True)
class Drawing:
    """A small drawing, SVG of our own making, and what it shows in words."""

    svg: str
    words: str


@dataclass(frozen=True, slots=True)
class Strip:
    """A column of a grid: what is read in each row, and the exact values behind it.

    `values`, `notes` and `hrefs` have a place a row too, or none where no row has one.
    """

    texts: tuple[str, ...]
    values: tuple[Value, ...] = ()
    notes: tuple[str, ...] = ()
    hrefs: tuple[str, ...] = ()

    @property
    def cells(self) -> Iterator[FigureCell]:
        """What stands in each row."""
        none = ("",) * len(self.texts)
        values = self.values or (None,) * len(self.texts)
        steadied = map(steady, values)
        return zip(self.texts, steadied, self.notes or none, self.hrefs or none, strict=True)


@dataclass(frozen=True, slots=True)
class Grid:
    """A plain table, column by column: what a figure shows, as numbers."""

    head: tuple[str, ...]
    columns: tuple[Strip, ...]

    @property
    def rows(self) -> Iterator[tuple[FigureCell, ...]]:
        """What stands in each row, column by column."""
        return zip(*(column.cells for column in self.columns), strict=True)


@dataclass(frozen=True, slots=True)
class Key:
    """An entry of a figure's legend; `mark` is the class that colours and dashes it."""

    text: str
    mark: str
    href: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """Another way to draw a figure: what chooses it, what it is called, and its drawings."""

    key: str
    label: str
    wide: str = ""
    narrow: str = ""


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart: drawn wide and narrow, with what it says and the same numbers as a table.

    `wide` and `narrow` are SVG of our own making, not escaped; `alone` is the wide one as a
    file of its own, with its colours in it. `key` is its id on the page, and names its files:
    `svg` and `csv` are where these stand, empty where there are none. `looks` are the ways to
    draw it, first the one that is shown unless another is chosen, whose drawings stand here.
    """

    key: str
    title: str
    caption: str
    wide: str
    narrow: str
    grid: Grid
    keys: tuple[Key, ...] = ()
    alone: str = ""
    svg: str = ""
    csv: str = ""
    looks: tuple[Look, ...] = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """A name and what it is; `href` explains the name."""

    name: str
    text: str
    note: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class Kpi:
    """A number that stands out: its name, its value, and what it is taken over in words."""

    name: str
    cell: Cell
    over: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column; `href` leads to its formula, `better` says which way is good."""

    key: str
    label: str
    name: str
    href: str
    better: str = ""


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
class NotFoundPage:
    """templates/site/404.html."""

    head: Head


# Whether it heads its row, its column's kind, its text, where that leads, its exact value where
# that is not what is written, its moment for machines, its note, and its interval.
TableCell = tuple[bool, str, str, str, str, str, str, Between | None]


@dataclass(frozen=True, slots=True)
class Field:
    """A column: `kind` is `n` (a number), `one` (a line), `words` (text) or `when` (a moment).

    `href` leads to its formula. A moment's cell has ISO 8601 as its value.
    """

    label: str
    kind: str = "n"
    href: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows below their fields; the first cell of a row heads it."""

    label: str
    fields: tuple[Field, ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""

    @property
    def lines(self) -> Iterator[list[TableCell]]:
        """Its rows as a template reads them fastest."""
        kinds = [(not nth, field.kind) for nth, field in enumerate(self.fields)]
        for row in self.rows:
            yield [_table_cell(*kind, cell) for kind, cell in zip(kinds, row, strict=True)]


def _table_cell(head: bool, kind: str, cell: Cell) -> TableCell:  # noqa: FBT001  a field's two traits
    value = cell.value
    moment = str(value) if kind == "when" and value else ""
    exact = "" if value is None or moment else str(value)
    if exact == cell.text:
        exact = ""
    return head, kind, cell.text, cell.href, exact, moment, cell.note, cell.between
