"""What the page of methods shows."""

from dataclasses import dataclass

from arena.site.pages.parts.parts import Cell, Fact, Head, Link


@dataclass(frozen=True, slots=True)
class Example:
    """A number of this arena and how anybody can make it again; `command` may be empty."""

    contestant: Link
    value: Cell
    over: str
    command: str


@dataclass(frozen=True, slots=True)
class Method:
    """How one number comes about. `formulas` are MathML of our own making, not escaped."""

    key: str
    name: str
    symbol: str
    formulas: tuple[str, ...]
    words: str
    facts: str
    source: str
    caveat: str
    example: Example | None


@dataclass(frozen=True, slots=True)
class MethodChapter:
    """A heading and the numbers below it."""

    key: str
    title: str
    methods: tuple[Method, ...]


@dataclass(frozen=True, slots=True)
class BandRow:
    """A band of values and what a source calls it."""

    span: str
    words: str


@dataclass(frozen=True, slots=True)
class BandTable:
    """How one source reads one metric, with what is to be said against it."""

    metric: Link
    source: str
    rows: tuple[BandRow, ...]
    caveat: str
    here: str


@dataclass(frozen=True, slots=True)
class MethodologyPage:
    """templates/site/methodology.html.

    `newest` is the cohort whose `rules` are shown; `limit` says what they make of prices.
    More than `most` contestants are not compared in pairs.
    """

    head: Head
    example: str
    level: str
    headline: Link | None
    most: str
    newest: Link | None
    rules: tuple[Fact, ...]
    chapters: tuple[MethodChapter, ...]
    bands: tuple[BandTable, ...]
    limit: str
    symbols: tuple[Fact, ...]
