"""Tournaments in files, and the command that scores them, run in this process."""

import json
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from arena.cli.scores.tournament import tournament
from arena.errors import ArenaError

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "tournament_2022.json"
RAIN: dict[str, Any] = {
    "id": "rain",
    "type": "binary",
    "open": 0,
    "close": 2,
    "resolution": "yes",
    "forecasts": [
        {"forecaster": "A", "at": 0, "value": 0.9},
        {"forecaster": "B", "at": 1, "value": 0.3},
    ],
}


def run(file: Path, *more: str) -> Result:
    return CliRunner().invoke(tournament, [str(file), *more])


def document(file: Path, *more: str) -> dict[str, Any]:
    found = run(file, "--json", *more)
    assert found.exception is None, found.exception
    whole: dict[str, Any] = json.loads(found.stdout)
    return whole


def refusal(file: Path, *more: str) -> ArenaError:
    found = run(file, *more)
    assert isinstance(found.exception, ArenaError), (found.exception, found.output)
    assert found.exception.status == 2
    assert found.exception.hint
    return found.exception


def written(folder: Path, whole: object) -> Path:
    file = folder / "tournament.json"
    file.write_text(whole if isinstance(whole, str) else json.dumps(whole), encoding="utf-8")
    return file


def with_question(folder: Path, change: Mapping[str, Any], **more: object) -> Path:
    """A tournament with one question that is RAIN but for some keys; `...` drops a key."""
    asked = {k: v for k, v in {**deepcopy(RAIN), **change}.items() if v is not ...}
    return written(folder, {"questions": [asked], **more})
