"""Public tables as files: CSV and JSON lines, with what each file is and its digest.

What a folder of data is, for people and programs: all from the tables' own description.

Sources: Data Package 1.0, https://specs.frictionlessdata.io/data-package/; Croissant 1.0 and
its vocabulary of responsible AI, https://docs.mlcommons.org/croissant/; CFF 1.2.0,
https://citation-file-format.github.io/; https://docs.datasette.io/en/stable/metadata.html;
https://huggingface.co/docs/hub/datasets-cards; https://developers.zenodo.org/.
"""

import csv
import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from hashlib import file_digest
from io import StringIO, TextIOWrapper
from itertools import zip_longest
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TextIO

from arena import __version__
from arena.errors import ArenaError
from arena.metrics import figures
from arena.records.settings import SiteSettings
from arena.sheets.parquet import ParquetType, read_parquet, write_parquet
from arena.site.engine.json_page import unarmed
from arena.site.sanitize import visible
from arena.store import Store
from arena.store.exports.datasets import DATASETS, Cell, Cells, ColumnKind, Dataset
from arena.store.pages.showcase import Showcase

SUMS: Final = "SHA256SUMS"
PARQUET: Final = ".parquet"
# What a kind of column is called in Parquet, in a data package, and in Croissant.
_TYPES: Final = {
    ColumnKind.TEXT: (ParquetType.TEXT, "string", "sc:Text"),
    ColumnKind.MOMENT: (ParquetType.MOMENT, "datetime", "sc:DateTime"),
    ColumnKind.FLAG: (ParquetType.FLAG, "boolean", "sc:Boolean"),
    ColumnKind.COUNT: (ParquetType.COUNT, "integer", "sc:Integer"),
    ColumnKind.NUMBER: (ParquetType.NUMBER, "number", "sc:Float"),
    ColumnKind.PROBABILITY: (ParquetType.NUMBER, "number", "sc:Float"),
    ColumnKind.DOLLARS: (ParquetType.DOLLARS, "number", "sc:Float"),
    ColumnKind.SHARES: (ParquetType.DOLLARS, "number", "sc:Float"),
    ColumnKind.PRICE: (ParquetType.PRICE, "number", "sc:Float"),
}


class FileFormat(StrEnum):
    """How a table is written, by the end of its file's name."""

    CSV = "csv"
    CSV_PACKED = "csv.gz"
    JSON = "jsonl"
    JSON_PACKED = "jsonl.gz"


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file that was written: its name in its folder, rows, bytes and SHA-256."""

    dataset: str
    name: str
    rows: int
    size: int
    sha256: str


def write_dataset(
    dataset: Dataset, store: Store, folder: Path, form: FileFormat = FileFormat.CSV
) -> DataFile:
    """Write a table as `<folder>/<name>.<form>`, row by row, in the place of an older one.

    Amounts are exact text, what is missing is empty in CSV and null in JSON. Text that a
    spreadsheet would take for a formula gets an apostrophe before it and hidden characters
    are named, in CSV only. The same rows give the same bytes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{dataset.name}.{form}"
    part = file.with_name(f".{file.name}.part")
    try:
        with _opened(part, packed=form.endswith(".gz")) as text:
            write = _csv if form.startswith("csv") else _json
            rows = write(dataset, dataset.rows(store.db), text)
        part.replace(file)
    finally:
        part.unlink(missing_ok=True)
    return noted(dataset.name, file, rows)


def text_of(dataset: Dataset, store: Store, cohort: str | None = None) -> tuple[str, int]:
    """A table as CSV, whole or of one cohort, and how many rows it has."""
    text = StringIO(newline="")
    rows = _csv(dataset, dataset.rows(store.db, cohort), text)
    return text.getvalue(), rows


def write_parquet_dataset(dataset: Dataset, store: Store, folder: Path) -> DataFile | None:
    """Write a table as `<folder>/<name>.parquet`; None without a row.

    Raises:
        ArenaError: DuckDB is not installed.
    """
    file = folder / f"{dataset.name}.parquet"
    count = write_parquet(file, _parquet_columns(dataset), _parquet_rows(dataset, store))
    if count:
        return noted(dataset.name, file, count)
    file.unlink(missing_ok=True)
    return None


def parquet_of(dataset: Dataset, store: Store, cohort: str) -> bytes:
    """A cohort's rows as the bytes of a Parquet file, also of no row."""
    with TemporaryDirectory() as scratch:
        file = Path(scratch) / f"table{PARQUET}"
        rows = _parquet_rows(dataset, store, cohort)
        write_parquet(file, _parquet_columns(dataset), rows, even_empty=True)
        return file.read_bytes()


def is_same_table(path: str, one: bytes, other: bytes) -> bool:
    """Whether two Parquet files of a table have the same rows; DuckDB's versions write others.

    Args:
        path: Where the file stands, under the table's name.
        one: The bytes of a file that anybody wrote.
        other: The bytes of a file that this program wrote.
    """
    (dataset,) = (table for table in DATASETS if table.name == Path(path).stem)
    with TemporaryDirectory() as scratch:
        files = [Path(scratch) / name for name in ("one", "other")]
        for file, content in zip(files, (one, other), strict=True):
            file.write_bytes(content)
        try:
            first, second = (read_parquet([file], _parquet_columns(dataset)) for file in files)
            return all(a == b for a, b in zip_longest(first, second))
        except ArenaError:
            return False


def _parquet_columns(dataset: Dataset) -> Sequence[tuple[str, ParquetType]]:
    return [(column.name, _TYPES[column.kind][0]) for column in dataset.columns]


def _parquet_rows(
    dataset: Dataset, store: Store, cohort: str | None = None
) -> Iterator[Sequence[object]]:
    for row in dataset.rows(store.db, cohort):
        yield [int(cell.scaleb(6)) if isinstance(cell, Decimal) else cell for cell in row]


def noted(dataset: str, file: Path, rows: int) -> DataFile:
    """Weigh a file that was written, and take its digest."""
    with file.open("rb") as held:
        digest = file_digest(held, "sha256").hexdigest()
    return DataFile(dataset, file.name, rows, file.stat().st_size, digest)


def sums_of(files: Sequence[DataFile]) -> str:
    """The digests of files as `sha256sum --check` reads them, by name."""
    return "".join(
        f"{file.sha256}  {file.name}\n" for file in sorted(files, key=attrgetter("name"))
    )


@contextmanager
def _opened(file: Path, *, packed: bool) -> Iterator[TextIO]:
    if not packed:
        with file.open("w", encoding="utf-8", newline="") as text:
            yield text
        return
    with (
        file.open("wb") as raw,
        gzip.GzipFile("", "wb", 6, raw, mtime=0) as packing,
        TextIOWrapper(packing, encoding="utf-8", newline="") as text,
    ):
        yield text


Rows = Iterator[Cells]


def _csv(dataset: Dataset, rows: Rows, text: TextIO) -> int:
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(dataset.names)
    return _count(rows, lambda row: writer.writerow([_field(cell) for cell in row]))


def _json(dataset: Dataset, rows: Rows, text: TextIO) -> int:
    def write(row: Cells) -> None:
        record = dict(zip(dataset.names, map(_plain, row), strict=True))
        text.write(json.dumps(record, allow_nan=False) + "\n")

    return _count(rows, write)


def _count(rows: Rows, write: Callable[[Cells], object]) -> int:
    count = 0
    for count, row in enumerate(rows, 1):  # noqa: B007  the last number is the answer
        write(row)
    return count


def _field(cell: Cell) -> object:
    return unarmed(visible(cell)) if isinstance(cell, str) else _plain(cell)


def _plain(cell: Cell) -> str | int | float | None:
    return f"{cell.normalize():f}" if isinstance(cell, Decimal) else cell


INDEX: Final = "datapackage.json"
PACKAGE: Final = "paper-arena"
DATASETTE: Final = "metadata.json"
NAMES: Final = (
    *(INDEX, "croissant.json", "README.md", "CITATION.cff", ".zenodo.json", "citation.bib"),
    DATASETTE,
)
TABLES_FILE: Final = "tables.sqlite"
_AUTHORS: Final = "The operators of the arena"
_KEYWORDS: Final = ("forecasting", "prediction-markets", "language-models", "calibration")
_SUMMARY: Final = (
    "Forecasts and paper bets of language models and other contestants on prediction markets, "
    "with the prices they saw, the outcomes, the books and the costs. No money was staked."
)
# What a user of the data must know, by its term in Croissant's vocabulary of responsible AI.
_RESPONSIBLE: Final = {
    "dataCollection": "Programs polled venues for prices and outcomes, and asked every "
    "contestant of a round about the same markets at the same moment.",
    "dataCollectionType": "Software collection",
    "dataUseCases": "Use it to compare forecasters, to test scoring rules and to compute "
    "published scores again. It is no advice to buy or sell.",
    "dataLimitations": "A bet trades at a stored price and moves none. Forecasts of markets "
    "that have not resolved have no outcome yet. Markets of one event share their news, so "
    "their rows are not independent.",
    "dataBiases": "Markets are those that a venue lists and a cohort's rules choose: no random "
    "sample of questions. A model may know outcomes from before its training ended.",
    "personalSensitiveInformation": "Personal data are not asked for. Questions name persons "
    "in public life, in their venue's words; a contestant that is a person stands under an id "
    "that the operator chose.",
    "dataReleaseMaintenancePlan": "The journal only grows: a later export holds what this one "
    "does, and outcomes that came since. A venue may correct an outcome.",
}
# Licences that every index knows, by their letters and digits.
_LICENCES: Final = {
    "cc010": ("CC0-1.0", "https://creativecommons.org/publicdomain/zero/1.0/"),
    "ccby40": ("CC-BY-4.0", "https://creativecommons.org/licenses/by/4.0/"),
    "ccbysa40": ("CC-BY-SA-4.0", "https://creativecommons.org/licenses/by-sa/4.0/"),
    "ccbync40": ("CC-BY-NC-4.0", "https://creativecommons.org/licenses/by-nc/4.0/"),
}
# The terms of Croissant 1.0, as its readers compare them.
_CONTEXT: Final[Mapping[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{
        term: f"cr:{term}"
        for term in (
            *("citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty"),
            *("fileObject", "fileSet", "format", "includes", "isLiveDataset", "jsonPath"),
            *("key", "md5", "parentField", "path", "recordSet", "references", "regex"),
            *("repeated", "replace", "samplingRate", "separator", "source", "subField"),
            "transform",
        )
    },
}
_ENCODINGS: Final = {
    "csv": "text/csv",
    "json": "application/jsonlines",
    "parquet": "application/x-parquet",
    "sqlite": "application/vnd.sqlite3",
    "tournament": "application/json",
    "inspect": "application/json",
    "forecastbench": "application/json",
}
_FORMATS: Final = {
    "json": "jsonl",
    **dict.fromkeys(("tournament", "inspect", "forecastbench"), "json"),
}
# Titles and statements, for Datasette.
_QUERIES: Final = {
    "Mean Brier score by contestant, beside that of the market's price": """
SELECT contestant, count(*) AS n,
    avg((p - outcome) * (p - outcome)) AS brier,
    avg((market_p - outcome) * (market_p - outcome)) AS brier_of_market
FROM forecasts WHERE outcome IN ('1', '0') AND market_p IS NOT NULL
GROUP BY contestant ORDER BY brier""",
    "Realised profit before fees by contestant and category, in US dollars": """
SELECT contestant, category, count(*) AS positions, sum(realised) AS realised
FROM positions JOIN markets USING (market)
GROUP BY contestant, category ORDER BY contestant, category""",
    "Calls, tokens and cost in US dollars by model": """
SELECT llm, count(*) AS calls, sum(tokens_in) AS tokens_in, sum(tokens_out) AS tokens_out,
    sum(cost) AS cost
FROM costs GROUP BY llm ORDER BY llm""",
    "All forecasts of one market": """
SELECT at, contestant, p, market_p, outcome
FROM forecasts WHERE market = :market ORDER BY at, contestant""",
}


@dataclass(frozen=True, slots=True)
class Publication:
    """What a data set is called, where it is, and the books that it was made from.

    `as_of` is the newest moment in it, `head` the journal's digest: an arena in which nothing
    has happened has neither. `licence` and `url` are empty where none is configured.
    """

    title: str = "Paper Arena"
    url: str = ""
    licence: str = ""
    notice: str = ""
    as_of: datetime | None = None
    head: str = ""

    @property
    def summary(self) -> str:
        """What it is, after the warning of a demonstration."""
        return f"{self.notice} {_SUMMARY}".strip()

    @property
    def known_licence(self) -> tuple[str, str] | None:
        """The licence's SPDX id and address, where it is a common one."""
        return _LICENCES.get("".join(filter(str.isalnum, self.licence.lower())))

    @property
    def until(self) -> str:
        """Until when there are data, in words."""
        return figures.moment(self.as_of) if self.as_of else "nothing yet"

    @property
    def date(self) -> str:
        """The day until which there are data, in ISO 8601; empty where there are none."""
        return f"{self.as_of:%Y-%m-%d}" if self.as_of else ""

    @property
    def bibtex(self) -> str:
        """How to cite it, as BibTeX."""
        link = f"  url = {{{self.url}}},\n" if self.url else ""
        return (
            f"@misc{{paper_arena,\n  title = {{{self.title}}},\n"
            f"  year = {{{self.date[:4] or 'n.d.'}}},\n{link}"
            f"  note = {{Data to {self.until}, journal {self.head[:16] or 'empty'}}}\n}}"
        )


def publication(store: Store, site: SiteSettings) -> Publication:
    """What is known of an arena's data: of its books, and of where it publishes them."""
    as_of, (_, head) = store.boards.as_of(), Showcase(store.db).head()
    return Publication(site.name, site.base_url, site.licence, site.notice, as_of, head)


def descriptions(about: Publication, files: Sequence[DataFile], form: str) -> Mapping[str, str]:
    """Describe files that were written: the text of each description, by its file's name.

    Args:
        about: The data set.
        files: What was written; none for an arena without a row.
        form: What they are: csv, json, parquet or sqlite.
    """
    by_name = {dataset.name: dataset for dataset in DATASETS}
    tables = {
        file: by_name[file.dataset]
        for file in files
        # readers of JSON lines refuse a file without a line
        if file.dataset in by_name and (file.rows or form == "csv")
    }
    export = _Export(about, files, tables, form)
    documents = {
        INDEX: _package(export),
        "croissant.json": _croissant(export),
        ".zenodo.json": _zenodo(about),
    }
    if form == "sqlite":
        documents[DATASETTE] = _datasette(about)
    written = {name: json.dumps(one, indent=2) + "\n" for name, one in documents.items()}
    return {
        **written,
        "README.md": _card(export),
        "CITATION.cff": f"{_in_yaml(_citation(about))}\n",
        "citation.bib": f"{about.bibtex}\n",
    }


def _in_yaml(document: Mapping[str, Any]) -> str:
    """A line a key, each with its value as JSON, which YAML reads too."""
    return "\n".join(f"{key}: {json.dumps(value)}" for key, value in document.items())


@dataclass(frozen=True, slots=True)
class _Export:
    """Files of a form that were written of a data set, and those of them that are tables."""

    about: Publication
    files: Sequence[DataFile]
    tables: Mapping[DataFile, Dataset]
    form: str


def _package(export: _Export) -> dict[str, Any]:
    about = export.about
    package: dict[str, Any] = {
        "name": PACKAGE,
        "title": about.title,
        "description": about.summary,
        "resources": [_resource(file, export) for file in export.files],
    }
    if about.licence:
        spdx, address = about.known_licence or ("other", "")
        licence = {"name": spdx, "path": address, "title": about.licence}
        package["licenses"] = [{key: word for key, word in licence.items() if word}]
    return package


def _resource(file: DataFile, export: _Export) -> dict[str, Any]:
    tables, form = export.tables, export.form
    resource: dict[str, Any] = {
        "name": file.dataset,
        "type": "table" if file in tables else "file",
        "path": file.name,
        "format": _FORMATS.get(form, form),
        "mediatype": _ENCODINGS[form],
        "bytes": file.size,
        "hash": f"sha256:{file.sha256}",
    }
    if file in tables:
        resource["rows"] = file.rows
        dataset, present = tables[file], {other.name for other in tables.values()}
        resource["description"] = dataset.words
        resource["schema"] = {
            "fields": [
                {"name": c.name, "type": _type(c.kind, form), "description": c.described}
                for c in dataset.columns
            ],
            "primaryKey": list(dataset.key),
            "foreignKeys": [
                {"fields": [name], "reference": {"resource": other, "fields": [name]}}
                for name, other in dataset.references.items()
                if other in present
            ],
            "missingValues": [""],
        }
    return resource


def _type(kind: ColumnKind, form: str) -> str:
    """What a data package calls a kind of column: in JSON a flag is a number."""
    return "integer" if form == "json" and kind is ColumnKind.FLAG else _TYPES[kind][1]


def _croissant(export: _Export) -> dict[str, Any]:
    about = export.about
    document: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.0",
            "http://mlcommons.org/croissant/RAI/1.0",
        ],
        "name": about.title,
        "description": about.summary,
        "citeAs": about.bibtex,
        "creator": {"@type": "sc:Organization", "name": _AUTHORS},
        "datePublished": about.date,
        "keywords": list(_KEYWORDS),
        "license": (about.known_licence or ("", about.licence))[1],
        "url": about.url,
        "version": __version__,
        **{f"rai:{term}": words for term, words in _RESPONSIBLE.items()},
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": file.name,
                "name": file.name,
                "contentUrl": file.name,
                "contentSize": f"{file.size} B",
                "encodingFormat": _ENCODINGS[export.form],
                "sha256": file.sha256,
            }
            for file in export.files
        ],
        "recordSet": [_record_set(file, dataset) for file, dataset in export.tables.items()],
    }
    return {term: words for term, words in document.items() if words != ""}


def _record_set(file: DataFile, dataset: Dataset) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": dataset.name,
        "name": dataset.name,
        "description": dataset.words,
        "key": [{"@id": f"{dataset.name}/{name}"} for name in dataset.key],
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{dataset.name}/{column.name}",
                "name": column.name,
                "description": column.described,
                "dataType": _TYPES[column.kind][2],
                "source": {
                    "fileObject": {"@id": file.name},
                    "extract": {"column": column.name},
                },
            }
            for column in dataset.columns
        ],
    }


def _citation(about: Publication) -> dict[str, Any]:
    spdx, _ = about.known_licence or ("", "")
    document = {
        "cff-version": "1.2.0",
        "message": "If you use these data, cite them as below.",
        "type": "dataset",
        "title": about.title,
        "abstract": about.summary,
        "authors": [{"name": _AUTHORS}],
        "date-released": about.date,
        "keywords": list(_KEYWORDS),
        "license": spdx,
        "url": about.url,
        "version": about.head[:16],
    }
    return {key: words for key, words in document.items() if words}


def _zenodo(about: Publication) -> dict[str, Any]:
    spdx, _ = about.known_licence or ("", "")
    document = {
        "title": about.title,
        "description": about.summary,
        "upload_type": "dataset",
        "creators": [{"name": _AUTHORS}],
        "keywords": list(_KEYWORDS),
        "publication_date": about.date,
        "access_right": "open" if spdx else "",
        "license": spdx.lower(),
        "version": about.head[:16],
    }
    return {key: words for key, words in document.items() if words}


def _datasette(about: Publication) -> dict[str, Any]:
    tables = {
        dataset.name: {
            "title": dataset.name,
            "description": dataset.words,
            "columns": {column.name: column.described for column in dataset.columns},
        }
        for dataset in DATASETS
        if not dataset.long
    }
    queries = {
        title.partition(",")[0].replace(" ", "_").lower(): {"title": title, "sql": sql}
        for title, sql in _QUERIES.items()
    }
    document = {
        "title": about.title,
        "description": about.summary,
        "license": about.licence,
        "license_url": (about.known_licence or ("", ""))[1],
        "source": about.title,
        "source_url": about.url,
        "databases": {TABLES_FILE.partition(".")[0]: {"tables": tables, "queries": queries}},
    }
    return {key: words for key, words in document.items() if words}


def _card(export: _Export) -> str:
    """README.md, as the hub of Hugging Face reads it."""
    about, tables = export.about, export.tables
    spdx, _ = about.known_licence or ("other" if about.licence else "unknown", "")
    head: dict[str, Any] = {
        "pretty_name": about.title,
        "license": spdx.lower(),
        "language": ["en"],
        "tags": list(_KEYWORDS),
        "configs": [{"config_name": file.dataset, "data_files": file.name} for file in tables],
    }
    if spdx == "other":
        head["license_name"] = about.licence
    lines = [
        f"---\n{_in_yaml(head)}\n---",
        f"# {about.title}\n\n{about.summary}\n",
        f"Data to {about.until}, journal `{about.head or 'empty'}`.",
        f"Licence: {about.licence or 'none is stated'}.\n",
        "| file | rows | what a row is |\n|---|---|---|",
        *(
            f"| `{file.name}` | {file.rows:,} | "
            f"{tables[file].words if file in tables else file.dataset} |"
            for file in export.files
        ),
        "\n`datapackage.json` says what each column means, `SHA256SUMS` has the digests.",
    ]
    if export.form == "sqlite":
        lines.append(f"To look at the tables: `datasette {TABLES_FILE} -m {DATASETTE}`.")
    lines.append("\n## What to know before use\n")
    lines += [
        f"- {words}" for term, words in _RESPONSIBLE.items() if term != "dataCollectionType"
    ]
    lines.append(f"\n## Citation\n\n```bibtex\n{about.bibtex}\n```")
    return "\n".join(lines) + "\n"
