"""Reads files of forecasts, whoever wrote them, as one table."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from arena.errors import ArenaError, did_you_mean
from arena.metrics.insights.drift import ProbeAnswers
from arena.sheets.board import board_of
from arena.sheets.columns import NO_TRUTH, Sheet, forecasts_of, probes_of
from arena.sheets.files import (
    ALIASES,
    SheetSource,
    is_forecast_set,
    is_option,
    plain,
    read_source,
)
from arena.sheets.forecastbench import SOURCE, Resolutions, set_frame
from arena.sheets.frames import ArrowTable, frame_source
from arena.sheets.published import COLUMNS, MARKED, as_published, with_open_rows

__all__ = ["ArrowTable", "Sheet", "read_forecasts", "read_probes"]


def read_forecasts(  # noqa: PLR0913  files of several kinds, and which columns
    files: Sequence[Path | ArrowTable],
    *,
    resolutions: Sequence[Path] = (),
    questions: Sequence[Path] = (),
    labels: Sequence[str] = (),
    extras: Sequence[str] = (),
    renames: Mapping[str, str] | None = None,
) -> Sheet:
    """Read files of forecasts as one table.

    Args:
        files: CSV or text of fields as spreadsheets write it, JSON (an array, or an object with
            `forecasts`), JSON lines, Parquet, or forecast sets of ForecastBench; told apart by
            their names and what is in them. Tables of pandas, Polars or PyArrow will do too.
        resolutions: Resolution sets of ForecastBench, for forecast sets.
        questions: Question sets of ForecastBench: they hold the market's price.
        labels: Further columns to keep, to break scores down by.
        extras: Columns that are kept among the labels where the first file has them.
        renames: By a heading of a file, which of our columns it is.

    Returns:
        The rows. Tables that an arena published, with its board beside them, are read as that
        arena has them.

    Raises:
        ArenaError: A file is missing, is not what its name says, or lacks a column.
    """
    renames = dict(renames or {})
    _refuse_unknown(renames)
    ruling = Resolutions.read(resolutions, questions)
    paths = [file for file in files if isinstance(file, Path)]
    board = board_of(paths) if len(paths) == len(files) else None
    wanted = (*labels, *extras, *COLUMNS) if board else (*labels, *extras)
    sources = [_source(file, wanted, renames, ruling) for file in files]
    if not sources:
        raise ArenaError("score.no_file", "no file of forecasts was named", status=2)
    there = [name for source in sources for name in source.headings.names]
    for theirs in renames:
        if plain(theirs) not in map(plain, there):
            raise ArenaError(
                "score.map",
                f"no file has a column {theirs}",
                hint=did_you_mean(theirs, there),
                status=2,
            )
    there_too = [name for name in (*extras, SOURCE) if name in sources[0].frame]
    if board is None or not all({*COLUMNS, "outcome"} <= {*s.frame} for s in sources):
        return forecasts_of(sources, (*labels, *there_too))
    open_too = [with_open_rows(source) for source in sources]
    sheet = forecasts_of(open_too, (*labels, *there_too, *MARKED))
    return replace(
        sheet,
        forecasts=as_published(sheet.forecasts, paths),
        first={why: place for why, place in sheet.first.items() if why not in NO_TRUTH},
        board=board,
    )


def read_probes(file: Path) -> tuple[ProbeAnswers, Mapping[str, int]]:
    """Read answers to probes, and by reason how many rows are not good.

    Args:
        file: Any file that forecasts are read from, with contestant, question, at and p.

    Raises:
        ArenaError: The file is missing, is not what its name says, or lacks a column.
    """
    return probes_of(read_source(file, (), {}))


def _source(
    file: Path | ArrowTable,
    labels: Sequence[str],
    renames: Mapping[str, str],
    ruling: Resolutions,
) -> SheetSource:
    if not isinstance(file, Path):
        source, stem = frame_source(file, labels, renames), "forecaster"
    else:
        source, stem = read_source(file, labels, renames), file.stem
        if is_forecast_set(source.frame):
            source = replace(source, frame=set_frame(source.frame, file, ruling))
    if "contestant" in source.frame:
        return source
    return replace(source, frame=source.frame.assign(contestant=stem))


def _refuse_unknown(renames: Mapping[str, str]) -> None:
    for ours in renames.values():
        if ours not in ALIASES and not is_option(ours):
            raise ArenaError(
                "score.map",
                f"{ours} is none of the columns that are scored",
                hint=f"--map THEIRS=OURS: {did_you_mean(ours, ALIASES)}",
                status=2,
            )
