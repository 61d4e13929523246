"""The command in this very process: quick, and a warning in it is an error of the test."""

import json
from pathlib import Path
from typing import Any, NoReturn

import pytest

from arena.cli import main
from arena.scoring.table import Forecasts
from tests.cli.agreed import agreeing
from tests.cli.shell import Done

Capsys = pytest.CaptureFixture[str]


def here(capsys: Capsys, *words: str | Path) -> Done:
    """Run a command to its end, in the folder that this process is in."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words])
    out, err = capsys.readouterr()
    code = ended.value.code
    assert isinstance(code, int)
    return agreeing(words, Done(code, out, err))


def strict(done: Done) -> dict[str, Any]:
    """The one document that a command printed, which holds no NaN and no infinity."""

    def refuse(word: str) -> NoReturn:
        raise AssertionError(f"{word} is not JSON")

    found: dict[str, Any] = json.loads(done.out, parse_constant=refuse)
    assert found["schema_version"] == 1
    return found


def as_csv(found: Forecasts, file: Path) -> Path:
    """Write forecasts down as a user would."""
    count = 0 if found.options is None else found.options.shape[1]
    p = ["p"] if found.options is None else [f"p_{k + 1}" for k in range(count)]
    lines = [
        ",".join(["contestant", "market", "event", "topic", "at", "market_p", "outcome", *p])
    ]
    for n in range(len(found)):
        row = [
            column.names[column.codes[n]]
            for column in (found.contestant, found.market, found.event, found.labels["topic"])
        ]
        price, outcome = found.market_p[n], int(found.outcome[n])
        said = [found.p[n]] if found.options is None else found.options[n]
        row += [str(found.at[n]), repr(float(price)), str(outcome + (count > 0))]
        lines.append(",".join([*row, *(repr(float(x)) for x in said)]))
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def written(folder: Path, *rows: str, head: str = "contestant,market,p,outcome") -> Path:
    """Write rows of forecasts below a head, as text."""
    made = folder / "f.csv"
    made.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    return made
