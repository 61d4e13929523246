"""The page of data, and the files it lists."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import sha256

from arena.records.claim import Scope
from arena.records.cohort import CohortId
from arena.records.seal import UNSEALED, Weight
from arena.sheets.board import BOARD, PublishedBoard
from arena.sheets.parquet import has_parquet
from arena.site import Document, Page, places
from arena.site.datafiles import SUMS, parquet_of, publication, text_of
from arena.site.estimates import count_cell
from arena.site.overview.read import today_of
from arena.site.pages.parts import Cell, Fact, Head, Link
from arena.site.reading import Reading, cohort_link, shown_moment
from arena.site.sanitize import folder_name
from arena.store.exports.datasets import DATASETS, Dataset
from arena.store.journal.entries import SqliteSeals
from arena.store.pages.cards import CohortCard


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


FOLDERS = 40  # a row of one has twenty elements
SEALED = "exploratory: `arena seal --check` of the arena says which tests were registered"
WHOLE = ("leaderboard", "cohorts")  # a row a contestant, and a row a cohort
OF_COHORT = (
    "seats", "rounds", "fills", "sales", "positions", "forecasts", "prices", "decisions",
    "costs",
)  # fmt: skip
AS_PARQUET = ("forecasts",)  # where DuckDB is installed

_BY_NAME = {dataset.name: dataset for dataset in DATASETS}
_SNIPPETS = (
    Fact(
        "Python",
        """import pandas as pd
bets = pd.read_csv("data/{cohort}/fills.csv")
print(bets.groupby("contestant").cost.sum())""",
    ),
    Fact(
        "R",
        """bets <- read.csv("data/{cohort}/fills.csv")
aggregate(cost ~ contestant, bets, sum)""",
    ),
    Fact(
        "DuckDB",
        """SELECT contestant, avg(power(p - outcome::INT, 2)) AS brier
FROM 'data/*/forecasts.csv' WHERE outcome IN ('0', '1') GROUP BY 1 ORDER BY 2;""",
    ),
    Fact("Score them as here", "arena score data/{cohort}/forecasts.csv"),
    Fact("Check the files", "cd data/{cohort} && sha256sum --check SHA256SUMS"),
    Fact("All of it", "arena export parquet -o everything"),
)


def pages(reading: Reading) -> Iterator[Page | Document]:
    """The page of data, and the files about everything."""
    path = places.DATA
    files: list[FileRow] = []
    for name in WHOLE:
        document, rows = _written(_BY_NAME[name], reading, None)
        yield document
        files.append(_row(_BY_NAME[name], document, rows))
    yield Document(f"data/{BOARD}", _board(reading).text())
    count = reading.show.cohort_count()
    cards = reading.show.cohorts(count - FOLDERS + 1, count)
    as_of = reading.store.boards.as_of()
    newest = folder_name(cards[0].id) if cards else "COHORT"
    view = DataPage(
        head=Head(
            "Data",
            places.root_of(path),
            "data",
            "Files of data with their digests, and what each column means.",
            shown_moment(as_of) if as_of else None,
        ),
        licence=reading.edition.site.licence,
        files=tuple(files),
        folders=tuple(_folder(card) for card in cards),
        tables=tuple(_table(dataset) for dataset in DATASETS),
        snippets=tuple(
            replace(snippet, text=snippet.text.replace("{cohort}", newest))
            for snippet in _SNIPPETS
        ),
        citation=publication(reading.store, reading.edition.site).bibtex,
        most=FOLDERS,
    )
    yield Page(path, "data.html", view)


def files_of(card: CohortCard, reading: Reading) -> Iterator[Document]:
    """A cohort's files of data, and their digests."""
    sums = []
    documents = [_written(_BY_NAME[name], reading, card.id)[0] for name in OF_COHORT]
    for name in AS_PARQUET if has_parquet() else ():
        content = parquet_of(_BY_NAME[name], reading.store, card.id)
        documents.append(Document(f"{_place(card.id)}/{name}.parquet", "", content))
    for document in documents:
        sums.append(f"{_digest(document)}  {document.path.rpartition('/')[2]}\n")
        yield document
    yield Document(f"{_place(card.id)}/{SUMS}", "".join(sums))


def _board(reading: Reading) -> PublishedBoard:
    """By which rule this arena makes claims; whether a seal was kept is not known here."""
    edition, store = reading.edition, reading.store
    references = frozenset(name for name, entrant in edition.cast.items() if entrant.reference)
    words = SEALED if SqliteSeals(store.db).any() else UNSEALED.words
    scope = Scope(today_of(store), edition.season, references)
    return PublishedBoard(scope, Weight.EXPLORATORY, words, (), reading.show.head()[1])


def _place(cohort: CohortId) -> str:
    return f"data/{folder_name(cohort)}"


def _written(
    dataset: Dataset, reading: Reading, cohort: CohortId | None
) -> tuple[Document, int]:
    text, rows = text_of(dataset, reading.store, cohort)
    folder = "data" if cohort is None else _place(cohort)
    return Document(f"{folder}/{dataset.name}.csv", text), rows


def _digest(document: Document) -> str:
    return sha256(document.content).hexdigest()


def _row(dataset: Dataset, document: Document, rows: int) -> FileRow:
    size = len(document.content)
    return FileRow(
        file=Link(document.path, document.path),
        words=dataset.words,
        rows=count_cell(rows),
        size=Cell(f"{size / 1000:,.1f} kB", value=size),
        digest=_digest(document),
    )


def _folder(card: CohortCard) -> FolderRow:
    place = _place(card.id)
    names = [f"{name}.csv" for name in OF_COHORT]
    names += [f"{name}.parquet" for name in AS_PARQUET if has_parquet()]
    return FolderRow(
        cohort=cohort_link(card.id, ""),
        sums=Link(SUMS, f"{place}/{SUMS}"),
        files=tuple(Link(name, f"{place}/{name}") for name in names),
    )


def _table(dataset: Dataset) -> TableRow:
    return TableRow(
        dataset.name,
        dataset.words,
        ", ".join(dataset.key),
        tuple(Fact(c.name, c.words, c.kind.value) for c in dataset.columns),
    )
