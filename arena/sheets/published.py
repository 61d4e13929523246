"""Tables that an arena published, read as the arena itself has their forecasts."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from arena.scoring.table import DailyPrices, Factor, Forecasts
from arena.sheets.columns import moments_of
from arena.sheets.files import SheetSource, read_source

PRICES: Final = "prices"
_OPEN: Final = "is_open"
_CATEGORIES: Final = ("category", "cohort")
COLUMNS: Final = (*_CATEGORIES, "due", "resolved_at", "exclusive")  # beside those of any file
MARKED: Final = (*COLUMNS, _OPEN)  # the labels that `as_published` needs


def with_open_rows(source: SheetSource) -> SheetSource:
    """A table whose open rows have an outcome that means nothing, and are marked."""
    outcome = source.frame["outcome"]
    is_open = outcome.isna()
    nothing = 0 if outcome.dtype.kind in "biuf" else "0"
    marked = {"outcome": outcome.where(~is_open, nothing), _OPEN: is_open.astype(str)}
    return replace(source, frame=source.frame.assign(**marked))


def as_published(forecasts: Forecasts, files: Sequence[Path]) -> Forecasts:
    """Forecasts as the arena itself has them: with what is open, due and exclusive, and prices.

    Args:
        forecasts: Those of tables whose labels are MARKED, among others.
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
        if name in _CATEGORIES or name not in MARKED
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
        beside = (file.with_name(PRICES + end) for end in (file.suffix, ".csv"))
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
