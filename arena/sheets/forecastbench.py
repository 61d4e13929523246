"""ForecastBench's own files: forecast sets, with their resolution and question sets."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from arena.errors import ArenaError
from arena.sheets.files import SET_KEYS

Key = tuple[str, str, str | None]  # source, id, and the date where a question has several


@dataclass(frozen=True, slots=True)
class Resolutions:
    """What became of questions, and the price of each when it was frozen."""

    truth: Mapping[Key, float | None]
    price: Mapping[tuple[str, str], float]

    @classmethod
    def read(cls, resolutions: Sequence[Path], questions: Sequence[Path]) -> "Resolutions":
        """Read resolution sets and question sets; none is fine where none is needed.

        Raises:
            ArenaError: A file is missing or is not of that kind.
        """
        truth: dict[Key, float | None] = {}
        for row in _rows(resolutions, "resolutions"):
            if isinstance(row["id"], str):
                found = row["resolved_to"] if row.get("resolved", True) else None
                truth[(row["source"], row["id"], row["resolution_date"])] = found
                truth.setdefault((row["source"], row["id"], None), found)
        price = {
            (row["source"], row["id"]): float(row["freeze_datetime_value"])
            for row in _rows(questions, "questions")
            if isinstance(row["id"], str) and _is_number(row.get("freeze_datetime_value"))
        }
        return cls(truth, price)


def is_forecast_set(frame: pd.DataFrame) -> bool:
    """Whether a file is a forecast set, by what its head says."""
    return {"id", "source", "forecast"} <= set(frame.columns) and bool(
        set(SET_KEYS) & set(frame.attrs)
    )


def set_frame(frame: pd.DataFrame, file: Path, ruling: Resolutions) -> pd.DataFrame:
    """Lay a forecast set out as our columns; what has no resolution has no outcome.

    A question asked for several dates is one event with a market a date. Combinations of two
    questions are left out: they are not markets.

    Raises:
        ArenaError: No resolution set was given.
    """
    if not ruling.truth:
        raise ArenaError(
            "score.resolutions",
            f"{file} is a forecast set: it does not say how its questions resolved",
            hint="name ForecastBench's resolution set with --resolutions FILE",
            status=2,
        )
    head = frame.attrs
    who = " / ".join(str(head[k]) for k in ("organization", "model") if head.get(k))
    rows = []
    for said in frame.to_dict("records"):
        if not isinstance(said["id"], str):
            continue
        source, name = str(said["source"]), said["id"]
        date = said.get("resolution_date")
        dated = date if isinstance(date, str) else None
        rows.append(
            {
                "contestant": who or file.stem,
                "market": f"{source}/{name}" + (f"@{dated}" if dated else ""),
                "event": f"{source}/{name}",
                "at": head.get("forecast_due_date"),
                "p": said["forecast"],
                "outcome": ruling.truth.get((source, name, dated)),
                "market_p": ruling.price.get((source, name)),
            }
        )
    columns = ["contestant", "market", "event", "at", "p", "outcome", "market_p"]
    return pd.DataFrame(rows, columns=columns)


def _rows(files: Sequence[Path], key: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for file in files:
        try:
            document = json.loads(file.read_text("utf-8"))
            found += document[key]
        except FileNotFoundError as error:
            raise ArenaError("score.no_file", f"there is no file {file}", status=2) from error
        except (ValueError, KeyError, TypeError) as error:
            raise ArenaError(
                "score.unreadable",
                f"{file} is not a set of {key} of ForecastBench",
                hint=f"it is a JSON object with a list under {key!r}",
                status=2,
            ) from error
    return found


def _is_number(value: object) -> bool:
    try:
        float(str(value))
    except ValueError:
        return False
    return True
