"""`arena export`: the public data as files."""

import json
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.options import database_option, json_option, make_sure, yes_option
from arena.cli.say import say_json
from arena.cli.tables import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.site.datafiles import DataFile, FileFormat
    from arena.store import Store
    from arena.store.exports.datasets import Dataset

INDEX: Final = "datapackage.json"
PACKAGE: Final = "paper-arena"
SQLITE: Final = "arena.sqlite"
FORMATS: Final = ("csv", "json", "parquet", "sqlite")
# The names of what is exported, which the help tells without importing what writes it.
TABLES: Final = (
    *("leaderboard", "cohorts", "rounds", "seats", "markets", "resolutions", "fills"),
    *("sales", "positions", "forecasts", "decisions", "costs", "texts"),
)
# What each kind of column is called in a data package.
_TYPES: Final = {
    "text": "string",
    "moment": "datetime",
    "flag": "boolean",
    "count": "integer",
    "number": "number",
    "dollars": "number",
    "shares": "number",
    "price": "number",
}


@click.command()
@click.argument("form", metavar="FORMAT", type=click.Choice(FORMATS))
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("export"),
    help="The folder for the files; older ones of the same names are replaced.",
)
@click.option(
    "--only",
    metavar="NAMES",
    help=f"These tables alone, with commas between: {', '.join(TABLES)}.",
)
@click.option("--gzip", "packed", is_flag=True, help="Pack each file of csv and json.")
@yes_option
@database_option
@json_option
@click.pass_context
def export(  # noqa: PLR0913  each is an argument or an option
    context: click.Context,
    form: str,
    *,
    out: Path,
    only: str | None,
    packed: bool,
    is_sure: bool,
    database: Path | None,
    as_json: bool,
) -> None:
    """Write the public data as FORMAT: csv, json (a line a row), parquet or sqlite.

    Beside the files stand SHA256SUMS, for `sha256sum --check`, and datapackage.json, which
    says what each table and column is. Prompts and replies are in parquet alone, which needs
    `pip install 'paper-arena[duckdb]'`; sqlite is a copy of the arena's file without them and
    without what servers sent. In CSV, text that a spreadsheet would run as a formula has an
    apostrophe before it. Files of those names that no export wrote are replaced only when
    you agree.
    """
    from arena.cli.database import existing
    from arena.config import load_settings
    from arena.site.datafiles import SUMS, sums_of, write_dataset

    if form == "sqlite" and only:
        raise click.UsageError("--only goes with csv, json and parquet: sqlite is one file")
    chosen = [dataset for dataset in _chosen(only) if form == "parquet" or not dataset.long]
    end = form if form == "parquet" else _form(form, packed=packed)
    names = [SQLITE] if form == "sqlite" else [f"{dataset.name}.{end}" for dataset in chosen]
    _refuse_foreign(out, names, is_sure=is_sure, as_json=as_json)
    licence = "" if database else load_settings(context.obj.config).publishing.licence
    with existing(context.obj.config, database) as store:
        if form == "sqlite":
            files = [_sqlite(store, out)]
        elif form == "parquet":
            files = [file for dataset in chosen if (file := _parquet(dataset, store, out))]
        else:
            files = [
                write_dataset(dataset, store, out, _form(form, packed=packed))
                for dataset in chosen
            ]
    out.mkdir(parents=True, exist_ok=True)  # no table of an empty arena has made it
    (out / SUMS).write_text(sums_of(files), encoding="utf-8")
    index = _index(files, form, licence)
    (out / INDEX).write_text(json.dumps(index, indent=2) + "\n", encoding="utf-8")
    if as_json:
        say_json(folder=str(out), files=files)
        return
    table(
        ("file", "table", "rows", "bytes"),
        [[file.name, file.dataset, f"{file.rows:,}", f"{file.size:,}"] for file in files],
    )
    click.echo(f"in {out}, with {SUMS} and {INDEX}")


def _refuse_foreign(out: Path, names: "Sequence[str]", *, is_sure: bool, as_json: bool) -> None:
    """Ask before a file is replaced that this command did not write."""
    from arena.site.datafiles import SUMS

    there = [name for name in (*names, SUMS, INDEX) if (out / name).exists()]
    if there and not _is_ours(out / INDEX):
        make_sure(
            f"In {out} these are replaced, and no export wrote them: {', '.join(there)}.",
            is_sure=is_sure,
            as_json=as_json,
        )


def _is_ours(index: Path) -> bool:
    try:
        package = json.loads(index.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return False
    return isinstance(package, dict) and package.get("name") == PACKAGE


def _form(name: str, *, packed: bool) -> "FileFormat":
    from arena.site.datafiles import FileFormat

    if name == "csv":
        return FileFormat.CSV_PACKED if packed else FileFormat.CSV
    return FileFormat.JSON_PACKED if packed else FileFormat.JSON


def _chosen(only: str | None) -> "Sequence[Dataset]":
    from arena.store.exports.datasets import DATASETS

    if only is None:
        return DATASETS
    by_name = {dataset.name: dataset for dataset in DATASETS}
    names = [name.strip() for name in only.split(",") if name.strip()]
    for name in names:
        if name not in by_name:
            raise click.BadParameter(
                f"there is no table {name!r}; there are {', '.join(by_name)}",
                param_hint="--only",
            )
    return [by_name[name] for name in dict.fromkeys(names)]


def _parquet(dataset: "Dataset", store: "Store", out: Path) -> "DataFile | None":

    from arena.sheets.parquet import ParquetType, write_parquet
    from arena.site.datafiles import noted
    from arena.store.exports.datasets import ColumnKind

    kind, column_kind = ParquetType, ColumnKind
    kinds = {
        column_kind.TEXT: kind.TEXT,
        column_kind.MOMENT: kind.MOMENT,
        column_kind.FLAG: kind.FLAG,
        column_kind.COUNT: kind.COUNT,
        column_kind.NUMBER: kind.NUMBER,
        column_kind.DOLLARS: kind.DOLLARS,
        column_kind.SHARES: kind.DOLLARS,
        column_kind.PRICE: kind.PRICE,
    }
    file = out / f"{dataset.name}.parquet"
    columns = [(column.name, kinds[column.kind]) for column in dataset.columns]
    rows = (
        tuple(int(cell.scaleb(6)) if isinstance(cell, Decimal) else cell for cell in row)
        for row in dataset.rows(store.db)
    )
    count = write_parquet(file, columns, rows)
    if count:
        return noted(dataset.name, file, count)
    file.unlink(missing_ok=True)
    return None


def _sqlite(store: "Store", out: Path) -> "DataFile":

    from arena.site.datafiles import noted
    from arena.store.exports.public import copy_public

    rows = copy_public(store.db, out / SQLITE)
    return noted("everything", out / SQLITE, rows)


def _index(files: "Sequence[DataFile]", form: str, licence: str) -> dict[str, Any]:
    """What each file is, as a data package (Frictionless Data) that tools can read.

    Source: Data Package 1.0, https://specs.frictionlessdata.io/data-package/.
    """
    from arena.store.exports.datasets import DATASETS

    by_name = {dataset.name: dataset for dataset in DATASETS}
    resources = []
    for file in files:
        resource: dict[str, Any] = {
            "name": file.dataset,
            "path": file.name,
            "format": form,
            "bytes": file.size,
            "hash": f"sha256:{file.sha256}",
            "rows": file.rows,
        }
        if file.dataset in by_name:
            resource |= _described(by_name[file.dataset])
        resources.append(resource)
    licences = [{"title": licence}] if licence else []
    return {"name": PACKAGE, "resources": resources, "licenses": licences}


def _described(dataset: "Dataset") -> dict[str, Any]:
    fields = [
        {"name": column.name, "type": _TYPES[column.kind], "description": column.words}
        for column in dataset.columns
    ]
    schema = {"fields": fields, "primaryKey": list(dataset.key), "missingValues": [""]}
    return {"description": dataset.words, "schema": schema}
