"""Reads files of forecasts, whoever wrote them, as one table."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from arena.errors import ArenaError, did_you_mean
from arena.metrics.insights.drift import ProbeAnswers
from arena.scoring.table import DailyPrices, Factor, Forecasts
from arena.sheets.board import board_of
from arena.sheets.columns import NO_TRUTH, Sheet, forecasts_of, moments_of, probes_of
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

__all__ = ["ArrowTable", "Sheet", "read_forecasts", "read_probes"]

_PRICES: Final = "prices"
_OPEN: Final = "is_open"
_CATEGORIES: Final = ("category", "cohort")
_COLUMNS: Final = (*_CATEGORIES, "due", "resolved_at", "exclusive")  # beside those of any file
_MARKED: Final = (*_COLUMNS, _OPEN)  # the labels that `_as_published` needs


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
    wanted = (*labels, *extras, *_COLUMNS) if board else (*labels, *extras)
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
    if board is None or not all({*_COLUMNS, "outcome"} <= {*s.frame} for s in sources):
        return forecasts_of(sources, (*labels, *there_too))
    open_too = [_with_open_rows(source) for source in sources]
    sheet = forecasts_of(open_too, (*labels, *there_too, *_MARKED))
    return replace(
        sheet,
        forecasts=_as_published(sheet.forecasts, paths),
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


def _with_open_rows(source: SheetSource) -> SheetSource:
    """A table whose open rows have an outcome that means nothing, and are marked."""
    outcome = source.frame["outcome"]
    is_open = outcome.isna()
    nothing = 0 if outcome.dtype.kind in "biuf" else "0"
    marked = {"outcome": outcome.where(~is_open, nothing), _OPEN: is_open.astype(str)}
    return replace(source, frame=source.frame.assign(**marked))


def _as_published(forecasts: Forecasts, files: Sequence[Path]) -> Forecasts:
    """Forecasts as the arena itself has them: with what is open, due and exclusive, and prices.

    Args:
        forecasts: Those of tables whose labels are _MARKED, among others.
        files: The tables; the prices are beside them.

    Raises:
        ArenaError: A file of prices cannot be read.
    """
    labels, market = dict(forecasts.labels), _as_they_come(forecasts.market)
    flags = {
        name: np.array([level in {"1", "1.0", "True"} for level in labels[name].names], bool)
        for name in ("exclusive", _OPEN)
    }
    is_open = flags[_OPEN][labels[_OPEN].codes]
    due, ended = (
        moments_of(labels[name].names)[labels[name].codes] for name in ("due", "resolved_at")
    )
    kept = {
        name: _as_they_come(label)
        for name, label in labels.items()
        if name in _CATEGORIES or name not in _MARKED
    }
    every = replace(
        forecasts,
        contestant=_as_they_come(forecasts.contestant),
        market=market,
        event=_as_they_come(forecasts.event),
        labels=kept,
        due=due,
        ended=ended,
        exclusive=flags["exclusive"][labels["exclusive"].codes],
    )
    n = int(np.count_nonzero(is_open))
    left_out = {**forecasts.left_out, **({"outcome_missing": n} if n else {})}
    return replace(
        every.take(~is_open),
        waiting=every.take(is_open),
        left_out=dict(sorted(left_out.items())),
        prices=_prices(files, market.names),
    )


def _as_they_come(column: Factor) -> Factor:
    """The same column numbered by its rows, so that sums are taken in the arena's order."""
    codes, there = pd.factorize(column.codes)
    return Factor(tuple(column.names[code] for code in there.tolist()), codes)


def _prices(files: Sequence[Path], markets: Sequence[str]) -> DailyPrices | None:
    """Daily prices of markets, of each day the known one; None where a file has none beside."""
    frames = []
    for file in files:
        beside = (file.with_name(_PRICES + end) for end in (file.suffix, ".csv"))
        table = next((place for place in beside if place.is_file()), None)
        if table is None:
            return None
        frames.append(read_source(table, ("day", "price"), {}).frame)
    every = pd.concat(frames, ignore_index=True)
    code = {name: n for n, name in enumerate(markets)}
    every = every.assign(
        market=every["market"].map(code),
        day=pd.to_datetime(every["day"], format="ISO8601", errors="coerce"),
        price=pd.to_numeric(every["price"], errors="coerce"),
    ).dropna(subset=["market", "day"])
    every = every.sort_values(["market", "day", "price"], kind="stable", na_position="last")
    every = every.drop_duplicates(["market", "day"])
    return DailyPrices(
        every["market"].to_numpy(dtype=np.intp),
        every["day"].to_numpy().astype("datetime64[D]").astype(np.intp),
        every["price"].to_numpy(dtype=np.float64),
    )
