"""Files of forecasts as a user writes them, and what is read from them."""

import json
from pathlib import Path
from textwrap import dedent

from arena.scoring.table import Forecasts
from arena.sheets.reading import Sheet, read_forecasts

HEAD = "contestant,market,event,at,p,market_p,close_p,outcome"


def write(folder: Path, text: str, name: str = "f.csv") -> Path:
    file = folder / name
    file.write_text(dedent(text), encoding="utf-8")
    return file


def read(folder: Path, text: str, name: str = "f.csv", labels: tuple[str, ...] = ()) -> Sheet:
    """What is read from a file with this text."""
    return read_forecasts([write(folder, text, name)], labels=labels)


def read_rows(folder: Path, *rows: dict[str, object], labels: tuple[str, ...] = ()) -> Sheet:
    """What is read from a JSON array of these rows."""
    return read(folder, json.dumps(rows), "f.json", labels)


def said(found: Forecasts) -> list[tuple[str, str, str, float, int]]:
    """Each row: contestant, market, event, p and outcome."""
    names = (
        [column.names[code] for code in column.codes]
        for column in (found.contestant, found.market, found.event)
    )
    return list(zip(*names, found.p.tolist(), found.outcome.tolist(), strict=True))


def first_rows(found: Sheet) -> dict[str, int]:
    """For each reason the number of the first row that was left out for it."""
    return {why: place.row for why, place in found.first.items()}
