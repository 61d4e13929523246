"""docs/sources.txt is what `arena sources` computes, with every known answer."""

import os
from collections.abc import Mapping

import pytest

from arena.cli.scores.sources import COLUMNS, table_row
from arena.metrics.sources.examples import (
    FORMULAS,
    example_ids,
    source_example,
    source_examples,
)
from tests.docs.pages import ROOT
from tests.vectors import near, source, source_ids

TABLE = ROOT / "docs" / "sources.txt"
TOLD = COLUMNS[:4]  # the command's last column is the same on nearly every row
KNOWN = [name for name in source_ids() if name.startswith(("s000", "s001", "s002", "s003"))]
OTHER_NAMES = {"seed_dm": "dm", "seed_p": "p"}
IN_WORDS = {"recommended", "note", "status"}  # what to do, not a value
BY_ROUNDING = "s002.sharpe"  # its values are what the rounding leaves on a machine


def rows() -> list[tuple[str, ...]]:
    """The command's rows without the source's letter, which the page gives by the example."""
    cells = []
    for example in source_examples():
        name, formula, *values = table_row(example)[: len(TOLD)]
        cells.append((name, formula.removeprefix(f"{example.source}: "), *values))
    return [tuple(cell.replace("|", "/") for cell in row) for row in cells]


def test_the_table_is_what_the_command_computes() -> None:
    text = "".join(" | ".join(row) + "\n" for row in (tuple(TOLD), *rows()))
    if os.environ.get("ARENA_UPDATE_GOLDEN"):
        TABLE.write_text(text, "utf-8")
    assert TABLE.read_text("utf-8") == text


def value(name: str, key: str, values: Mapping[str, object]) -> object:
    if name == "s002.kill.constant_worse" and key == "gap_in_se":
        return "null" if values[key] is None else values[key]
    return values[OTHER_NAMES.get(key, key)]


@pytest.mark.parametrize("name", [n for n in KNOWN if not n.startswith(BY_ROUNDING)])
def test_every_known_answer_is_printed(name: str) -> None:
    known, example = source(name), source_example(name)
    expected = {key: v for key, v in known["expected"].items() if key not in IN_WORDS}
    sides = example.published, example.right
    assert expected
    for key, answer in expected.items():
        given = [value(name, key, side) for side in sides if OTHER_NAMES.get(key, key) in side]
        room = {"tol": known["tol"], "relative": isinstance(answer, float) and answer > 1}
        assert any(near(found, answer, **room) for found in given), (key, given, answer)


def test_every_example_that_a_source_gives_is_computed() -> None:
    assert set(KNOWN) <= set(example_ids())


def test_every_formula_has_an_example() -> None:
    assert [key for key in FORMULAS if not any(i.startswith(key) for i in example_ids())] == []


@pytest.mark.parametrize("name", [n for n in KNOWN if n.startswith(BY_ROUNDING)])
def test_a_series_without_spread_has_no_sharpe_ratio(name: str) -> None:
    assert source_example(name).right["sharpe"] is None
