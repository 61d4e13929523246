"""`arena export`: the public data as files."""

import json
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.options import (
    FOLDER,
    database_option,
    existing,
    json_option,
    known,
    make_sure,
    yes_option,
)
from arena.cli.say import say_json, usage_error
from arena.cli.tables import table
from arena.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from arena.records.settings import Settings
    from arena.site.datafiles import DataFile, FileFormat, Publication
    from arena.store import Store
    from arena.store.exports.datasets import Dataset

SQLITE: Final = "arena.sqlite"
TOURNAMENT: Final = "tournament.json"
SETS: Final = "forecastbench"
# What is no table: it may be of one cohort alone, and forecast sets are of one contestant.
OF_COHORTS: Final = ("tournament", "inspect")
FORMATS: Final = ("csv", "json", "parquet", "sqlite", *OF_COHORTS, SETS)
# The names of what is exported, which the help tells without importing what writes it.
TABLES: Final = (
    *("leaderboard", "cohorts", "rounds", "seats", "markets", "resolutions", "fills"),
    *("sales", "positions", "marks", "forecasts", "prices", "decisions", "costs", "texts"),
)


@click.command()
@click.argument("form", metavar="FORMAT", type=click.Choice(FORMATS))
@click.option(
    "-o",
    "--out",
    type=FOLDER,
    default=Path("export"),
    help="The folder for the files; older ones of the same names are replaced.",
)
@click.option(
    "--only",
    metavar="NAMES",
    help=f"These tables alone, with commas between: {', '.join(TABLES)}.",
)
@click.option("--contestant", help=f"With {SETS}: whose forecasts.")
@click.option("--cohort", help="This cohort alone, for tournament and inspect.")
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
    contestant: str | None,
    cohort: str | None,
    packed: bool,
    is_sure: bool,
    database: Path | None,
    as_json: bool,
) -> None:
    """Write the public data as FORMAT: csv, json (a line a row), parquet or sqlite.

    Beside the files stand SHA256SUMS, for `sha256sum --check`, and descriptions of every table
    and column: a data package, Croissant, a card for Hugging Face (README.md), CITATION.cff,
    .zenodo.json and BibTeX. paper-arena.json makes `arena score`, `compare` and `calibration`
    of the table forecasts say what the arena itself says. Prompts and replies are in parquet
    alone, which needs `pip install 'paper-arena[duckdb]'`. sqlite is two files: arena.sqlite,
    a copy of the arena's file without them and without what servers sent, and tables.sqlite,
    with metadata.json for Datasette. In CSV, text that a spreadsheet would run as a formula
    has an apostrophe before it. Files of those names that no export wrote are replaced only
    when you agree.

    tournament is a file for `arena tournament`; inspect are the calls to models, with prompts
    and replies, as logs of Inspect. Both take --cohort. forecastbench is what --contestant
    forecast of ForecastBench's markets, a forecast set a round.
    """
    from arena.cli.scores.evidence import board_of_arena, settings_of
    from arena.sheets.board import BOARD
    from arena.site.datafiles import SUMS, descriptions, sums_of

    _refuse_options(form, only, cohort, contestant, packed=packed)
    settings = settings_of(context.obj.config, database)
    with existing(context.obj.config, database) as store, _library(form):
        sets = _forecast_sets(store, contestant, settings) if contestant else {}
        names = [*sets] or _names(form, only, packed=packed)
        _refuse_foreign(out, names, is_sure=is_sure, as_json=as_json)
        about, board = _publication(settings, store), board_of_arena(store, settings).text()
        _mark_as_ours(out)
        if form == "tournament":
            files = [_tournament(context, out, cohort, database)]
        elif form == "inspect":
            files = _inspect(store, out, cohort)
        elif sets:
            files = _write_sets(sets, out)
        else:
            files = _tables(store, out, form, _chosen(form, only), packed=packed)
    described = descriptions(about, files, form)
    _write_texts(out, {BOARD: board, SUMS: sums_of(files), **described})
    if as_json:
        say_json(folder=str(out), files=files)
        return
    table(
        ("file", "table", "rows", "bytes"),
        [[file.name, file.dataset, f"{file.rows:,}", f"{file.size:,}"] for file in files],
    )
    click.echo(f"in {out}, with {', '.join((SUMS, BOARD, *described))}")


def _library(form: str) -> AbstractContextManager[object]:
    """What a form needs: where it is lacking, nothing is written."""
    from arena.sheets.parquet import scratch

    return scratch() if form == "parquet" else nullcontext()


def _mark_as_ours(out: Path) -> None:
    """Write an index first: an export that is stopped midway is then known for ours."""
    from arena.site.datafiles import INDEX, PACKAGE

    if not _is_ours(out / INDEX):
        _write_texts(out, {INDEX: json.dumps({"name": PACKAGE})})


def _write_texts(out: Path, texts: "Mapping[str, str]") -> None:
    from arena.site.engine.site_folder import write_whole

    for name, text in texts.items():
        write_whole(out / name, text.encode())  # half an index would not be known for ours


def _refuse_options(
    form: str, only: str | None, cohort: str | None, contestant: str | None, *, packed: bool
) -> None:
    if packed and form not in {"csv", "json"}:
        raise click.UsageError("--gzip goes with csv and json")
    if only and form in {"sqlite", SETS, *OF_COHORTS}:
        raise click.UsageError("--only goes with csv, json and parquet: they have tables")
    if cohort and form not in OF_COHORTS:
        raise click.UsageError(f"--cohort goes with {' and '.join(OF_COHORTS)}")
    if (form == SETS) is not bool(contestant):
        raise click.UsageError(f"{SETS} is of one --contestant, and the others of all")


def _names(form: str, only: str | None, *, packed: bool) -> list[str]:
    """The files that will be written, but for logs, whose names depend on what is in them."""
    from arena.site.datafiles import TABLES_FILE

    if form in {"sqlite", *OF_COHORTS}:
        return {"sqlite": [SQLITE, TABLES_FILE], "tournament": [TOURNAMENT]}.get(form, [])
    end = form if form == "parquet" else _form(form, packed=packed)
    return [f"{dataset.name}.{end}" for dataset in _chosen(form, only)]


def _publication(settings: "Settings | None", store: "Store") -> "Publication":
    """What the configuration says of the arena; of another file nothing is known."""
    from arena.records.settings import SiteSettings
    from arena.site.datafiles import publication

    return publication(store, settings.publishing if settings else SiteSettings())


def _forecast_sets(
    store: "Store", contestant: str, settings: "Settings | None"
) -> "Mapping[str, Mapping[str, Any]]":
    """Forecast sets by the names of their files.

    Raises:
        ArenaError: The contestant has forecast no market of ForecastBench.
    """
    from arena.records.settings import SiteSettings
    from arena.site.sanitize import folder_name
    from arena.store.exports.other_formats import forecast_sets

    site = settings.publishing if settings else SiteSettings()
    sets = forecast_sets(store.db, contestant, site.name)
    if not sets:
        there = [line.contestant for line in store.boards.overall().standings]
        raise usage_error(
            "export.forecastbench",
            f"{contestant} has forecast no market of ForecastBench",
            hint="" if contestant in there else did_you_mean(contestant, there),
        )
    return {f"{due}.{folder_name(contestant)}.json": held for due, held in sets.items()}


def _write_sets(sets: "Mapping[str, Mapping[str, Any]]", out: Path) -> "list[DataFile]":
    from arena.site.datafiles import noted

    out.mkdir(parents=True, exist_ok=True)
    for name, held in sets.items():
        (out / name).write_text(json.dumps(held, indent=1) + "\n", encoding="utf-8")
    return [noted(name[:-5], out / name, len(sets[name]["forecasts"])) for name in sets]


def _refuse_foreign(out: Path, names: "Sequence[str]", *, is_sure: bool, as_json: bool) -> None:
    """Ask before a file is replaced that this command did not write."""
    from arena.sheets.board import BOARD
    from arena.site.datafiles import DATASETTE, INDEX, NAMES, SUMS

    described = [name for name in NAMES if name != DATASETTE or SQLITE in names]
    there = [name for name in (*names, SUMS, BOARD, *described) if (out / name).exists()]
    if there and not _is_ours(out / INDEX):
        what = f"In {out} these are replaced, and no export wrote them: {', '.join(there)}."
        make_sure(what, is_sure=is_sure, as_json=as_json)


def _is_ours(index: Path) -> bool:
    from arena.site.datafiles import PACKAGE

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


def _chosen(form: str, only: str | None) -> "Sequence[Dataset]":
    from arena.store.exports.datasets import DATASETS

    by_name = {dataset.name: dataset for dataset in DATASETS}
    names = list(by_name) if only is None else [name.strip() for name in only.split(",")]
    for name in filter(None, names):
        if name not in by_name:
            raise click.BadParameter(
                f"there is no table {name!r}; there are {', '.join(by_name)}",
                param_hint="--only",
            )
    chosen = [by_name[name] for name in dict.fromkeys(filter(None, names))]
    return [dataset for dataset in chosen if form == "parquet" or not dataset.long]


def _tables(
    store: "Store", out: Path, form: str, chosen: "Sequence[Dataset]", *, packed: bool
) -> "list[DataFile]":
    from arena.site.datafiles import write_dataset, write_parquet_dataset

    if form == "sqlite":
        return _sqlite(store, out)
    if form == "parquet":
        written = (write_parquet_dataset(dataset, store, out) for dataset in chosen)
        return [file for file in written if file]
    kind = _form(form, packed=packed)
    return [write_dataset(dataset, store, out, kind) for dataset in chosen]


def _sqlite(store: "Store", out: Path) -> "list[DataFile]":
    from arena.site.datafiles import TABLES_FILE, noted
    from arena.store.exports.public import copy_public, write_tables

    everything = noted("everything", out / SQLITE, copy_public(store.db, out / SQLITE))
    public = write_tables(store.db, out / TABLES_FILE, _chosen("sqlite", None))
    return [everything, noted("public-tables", out / TABLES_FILE, public)]


def _tournament(
    context: click.Context, out: Path, cohort: str | None, database: Path | None
) -> "DataFile":
    from arena.cli.scores.tournament import of_cohorts
    from arena.cli.scores.tournament_file import spoken
    from arena.scoring.tournament.records import Void
    from arena.site.datafiles import noted

    held = of_cohorts(context, database, cohort).tournament
    questions = [
        {
            "id": question.id,
            "type": question.kind,
            "open": spoken(question.open, dated=True),
            "close": spoken(question.close, dated=True),
            "actual_close": question.closed and spoken(question.closed, dated=True),
            "resolution": None
            if question.outcome is Void.UNRESOLVED
            else question.outcome
            if isinstance(question.outcome, Void)
            else ("no", "yes")[question.outcome],
            "forecasts": [
                {"forecaster": f.forecaster, "at": spoken(f.at, dated=True), "value": f.value}
                for f in question.forecasts
            ],
        }
        for question in held.questions
    ]
    document = {
        "title": held.title,
        "rules": held.rule,
        "excluded": sorted(held.excluded),
        "uncounted": sorted(held.uncounted),
        "questions": questions,
    }
    out.mkdir(parents=True, exist_ok=True)
    file = out / TOURNAMENT
    file.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return noted("tournament", file, sum(len(one.forecasts) for one in held.questions))


def _inspect(store: "Store", out: Path, cohort: str | None) -> "list[DataFile]":
    from arena.site.datafiles import noted
    from arena.site.sanitize import folder_name
    from arena.store.exports.other_formats import inspect_logs

    out.mkdir(parents=True, exist_ok=True)
    files = []
    for name, log, calls in inspect_logs(store.db, known(store, cohort)):
        file = out / f"{folder_name(name)}.json"
        file.write_text(log, encoding="utf-8")
        files.append(noted(folder_name(name), file, calls))
    return files
