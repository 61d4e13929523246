"""What the page of data shows."""

from dataclasses import dataclass

from arena.site.pages.parts.parts import Cell, Fact, Head, Link


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file of data. `digest` is the SHA-256 of its bytes."""

    file: Link
    words: str
    rows: Cell
    size: Cell
    digest: str


@dataclass(frozen=True, slots=True)
class FolderRow:
    """The folder of a cohort's files, with their digests in a file of its own."""

    cohort: Link
    sums: Link
    files: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table of the data dictionary."""

    key: str
    words: str
    named_by: str
    columns: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class DataPage:
    """templates/site/data.html."""

    head: Head
    licence: str
    files: tuple[FileRow, ...]
    folders: tuple[FolderRow, ...]
    tables: tuple[TableRow, ...]
    snippets: tuple[Fact, ...]
    citation: str
    most: int
