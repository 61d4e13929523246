"""What the page of calibration shows."""

from dataclasses import dataclass

from arena.site.pages.parts.parts import Cell, Column, Fact, Figure, Head, Link


@dataclass(frozen=True, slots=True)
class CalibratedRow:
    """One forecaster's numbers in a table; `about` is the market's price in the first row."""

    about: Link
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class CalibrationTable:
    """A table of forecasters: `key` is its id on the page, `words` stand above it."""

    key: str
    title: str
    words: str
    columns: tuple[Column, ...]
    rows: tuple[CalibratedRow, ...]


@dataclass(frozen=True, slots=True)
class Square:
    """How many forecasts lie in a bin, and what share of all; `tint` is the square's class."""

    text: str
    value: int
    share: float
    tint: str


@dataclass(frozen=True, slots=True)
class SpreadRow:
    """Where one forecaster's forecasts lie, bin by bin."""

    about: Link
    squares: tuple[Square, ...]


@dataclass(frozen=True, slots=True)
class CalibrationPage:
    """templates/site/calibration.html. `others` are rows that only the twin has room for."""

    head: Head
    lead: str
    level: str
    facts: tuple[Fact, ...]
    diagrams: tuple[Figure, ...]
    diagrams_note: str
    spans: tuple[str, ...]
    tints: str
    sharpness: tuple[SpreadRow, ...]
    tables: tuple[CalibrationTable, ...]
    others: tuple[CalibrationTable, ...]
    others_note: str
