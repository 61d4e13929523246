"""Forecasts that others wrote down: CSV, JSON, Parquet and ForecastBench files, as columns."""

from collections.abc import Sequence
from pathlib import Path

from arena.errors import ArenaError
from arena.sheets.columns import Sheet, forecasts_of
from arena.sheets.files import frame_of
from arena.sheets.forecastbench import Resolutions, is_forecast_set, set_frame

__all__ = ["Sheet", "read_forecasts"]


def read_forecasts(
    files: Sequence[Path],
    *,
    resolutions: Sequence[Path] = (),
    questions: Sequence[Path] = (),
    labels: Sequence[str] = (),
) -> Sheet:
    """Read files of forecasts as one table.

    Args:
        files: CSV, JSON (an array, or an object with `forecasts`), JSON lines, Parquet, or
            forecast sets of ForecastBench; told apart by their names and what is in them.
        resolutions: Resolution sets of ForecastBench, for forecast sets.
        questions: Question sets of ForecastBench: they hold the market's price.
        labels: Further columns to keep, to break scores down by.

    Raises:
        ArenaError: A file is missing, is not what its name says, or lacks a column.
    """
    ruling = Resolutions.read(resolutions, questions)
    frames = []
    for file in files:
        found = frame_of(file, labels)
        if is_forecast_set(found):
            found = set_frame(found, file, ruling)
        if "contestant" not in found:
            found = found.assign(contestant=file.stem)
        frames.append(found)
    if not frames:
        raise ArenaError("score.no_file", "no file of forecasts was named", status=2)
    return forecasts_of(frames, labels, ", ".join(file.name for file in files))
