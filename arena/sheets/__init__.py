"""Forecasts that others wrote down: CSV, JSON, Parquet and ForecastBench files, as columns."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from arena.errors import ArenaError, did_you_mean
from arena.metrics.drift import ProbeAnswers
from arena.sheets.columns import Sheet, forecasts_of, probes_of
from arena.sheets.files import (
    ALIASES,
    SheetSource,
    is_forecast_set,
    is_option,
    plain,
    read_source,
)
from arena.sheets.forecastbench import Resolutions, set_frame

__all__ = ["Sheet", "read_forecasts", "read_probes"]


def read_forecasts(  # noqa: PLR0913  files of several kinds, and which columns
    files: Sequence[Path],
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
            their names and what is in them.
        resolutions: Resolution sets of ForecastBench, for forecast sets.
        questions: Question sets of ForecastBench: they hold the market's price.
        labels: Further columns to keep, to break scores down by.
        extras: Columns that are kept among the labels where the first file has them.
        renames: By a heading of a file, which of our columns it is.

    Raises:
        ArenaError: A file is missing, is not what its name says, or lacks a column.
    """
    renames = dict(renames or {})
    _refuse_unknown(renames)
    ruling = Resolutions.read(resolutions, questions)
    sources = [_source(file, (*labels, *extras), renames, ruling) for file in files]
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
    there_too = [name for name in extras if name in sources[0].frame]
    return forecasts_of(sources, (*labels, *there_too))


def read_probes(file: Path) -> tuple[ProbeAnswers, Mapping[str, int]]:
    """Read answers to probes, and by reason how many rows are not good.

    Args:
        file: Any file that forecasts are read from, with contestant, question, at and p.

    Raises:
        ArenaError: The file is missing, is not what its name says, or lacks a column.
    """
    return probes_of(read_source(file, (), {}))


def _source(
    file: Path, labels: Sequence[str], renames: Mapping[str, str], ruling: Resolutions
) -> SheetSource:
    source = read_source(file, labels, renames)
    if is_forecast_set(source.frame):
        source = replace(source, frame=set_frame(source.frame, file, ruling))
    if "contestant" in source.frame:
        return source
    return replace(source, frame=source.frame.assign(contestant=file.stem))


def _refuse_unknown(renames: Mapping[str, str]) -> None:
    for ours in renames.values():
        if ours not in ALIASES and not is_option(ours):
            raise ArenaError(
                "score.map",
                f"{ours} is none of the columns that are scored",
                hint=f"--map THEIRS=OURS: {did_you_mean(ours, ALIASES)}",
                status=2,
            )
