"""What the pages that compare contestants show."""

from dataclasses import dataclass

from arena.site.pages.parts import Cell, Column, Figure, Head, Kpi, Link, Table


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """A square of the matrix: `text` over a quieter `note`, and the pair's page.

    `kind` is "up" where the row is better, "down" where it is worse. On the diagonal, and
    where nothing was tested, it is empty.
    """

    text: str = ""
    note: str = ""
    kind: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A contestant's row of the matrix: `number` is its column, too."""

    number: str
    contestant: Link
    verdicts: tuple[MatrixCell, ...]
    differences: tuple[MatrixCell, ...]
    tests: tuple[MatrixCell, ...]


@dataclass(frozen=True, slots=True)
class PairRow:
    """What two contestants' common questions say, the first less the second."""

    pair: Link
    first: str
    second: str
    difference: Cell
    p: Cell
    p_anytime: Cell
    common: Cell
    needed: Cell
    verdict: str


@dataclass(frozen=True, slots=True)
class LeagueRow:
    """A contestant's place, with everything that says how sure it is."""

    contestant: Link
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class ComparePage:
    """templates/site/compare.html. The twin has all `pairs` and `league_more`, too."""

    head: Head
    metric: Link
    better: str
    level: str
    risk: str
    sentence: str
    look: str
    why_not: str
    matrix: tuple[MatrixRow, ...]
    matrix_note: str
    league_words: str
    league_set: str
    league_columns: tuple[Column, ...]
    league: tuple[LeagueRow, ...]
    league_more: tuple[LeagueRow, ...]
    flip: str
    flip_events: tuple[tuple[Link, ...], ...]
    instances: Table | None
    leads: tuple[PairRow, ...]
    pair_columns: tuple[Column, ...]
    anytime: Column | None
    csv: str
    command: str
    pairs: tuple[PairRow, ...]


@dataclass(frozen=True, slots=True)
class SideRow:
    """A number of both contestants."""

    about: Link
    one: Cell
    other: Cell


@dataclass(frozen=True, slots=True)
class SideTable:
    """Numbers of both contestants beside each other: `key` is the table's id on the page."""

    key: str
    title: str
    words: str
    rows: tuple[SideRow, ...]


@dataclass(frozen=True, slots=True)
class PairPage:
    """templates/site/pair.html."""

    head: Head
    one: Link
    other: Link
    verdict: str
    evidence: str
    kpis: tuple[Kpi, ...]
    figures: tuple[Figure, ...]
    equity: Figure | None
    tables: tuple[SideTable, ...]
    command: str
