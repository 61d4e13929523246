"""The worked examples of the four sources: what each prints, and what the arena computes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final

import numpy as np

from arena.errors import ArenaError, did_you_mean
from arena.metrics.sources import (
    Formula,
    Given,
    Values,
    betting_guide,
    forecaster_arena,
    metaculus,
    world_cup,
)

SOURCES: Final = {
    "A": "A guide to scoring rules for betting agents",
    "B": "Forecaster Arena's scoring (v1)",
    "C": "The 45 Percent Problem",
    "D": "Metaculus tournament scoring (2022)",
}
FORMULAS: Final[Mapping[str, Formula]] = {
    **betting_guide.FORMULAS,
    **forecaster_arena.FORMULAS,
    **world_cup.FORMULAS,
    **metaculus.FORMULAS,
}
_FILE = files("arena.metrics.sources") / "examples.json"


@dataclass(frozen=True, slots=True)
class SourceExample:
    """A worked example. `published` follows the source's own rule, `right` the arena's.

    `printed` is what the source prints, in its own words; empty where it prints no number.
    `command` is the command that computes the formula on a user's own data.
    """

    id: str
    source: str
    formula: str
    command: str
    printed: str
    published: Mapping[str, object]
    right: Mapping[str, object]
    input: Mapping[str, object] = field(repr=False)


@cache
def _entries() -> Mapping[str, Mapping[str, Any]]:
    return {entry["id"]: entry for entry in json.loads(_FILE.read_text("utf-8"))}


def example_ids() -> tuple[str, ...]:
    """The names of all examples, by source."""
    return tuple(_entries())


def source_example(name: str) -> SourceExample:
    """Compute one example anew from its input.

    Raises:
        ArenaError: No example has this name.
    """
    entry = _entries().get(name)
    if entry is None:
        raise ArenaError(
            "sources.unknown",
            f"no example is called {name}",
            hint=did_you_mean(name, example_ids()) or "`arena sources` lists them",
            status=2,
        )
    given = _with_questions(entry["input"])
    published, right = _formula(name)(given)
    return SourceExample(
        id=name,
        source=entry["source"],
        formula=entry["formula"],
        command=entry["command"],
        printed=entry.get("printed", ""),
        published=_plain_values(published),
        right=_plain_values(right),
        input=entry["input"],
    )


def source_examples() -> tuple[SourceExample, ...]:
    """Every example, in the order of `example_ids`."""
    return tuple(source_example(name) for name in example_ids())


def _formula(name: str) -> Formula:
    """The formula with the longest beginning of the name."""
    return FORMULAS[max((start for start in FORMULAS if name.startswith(start)), key=len)]


def _with_questions(given: Given) -> Given:
    """The input, with the inputs of the examples that it names as its questions."""
    if "questions" not in given:
        return given
    return {**given, "questions": [_entries()[name]["input"] for name in given["questions"]]}


def _plain_values(values: Values) -> Mapping[str, object]:
    return {key: _plain(value) for key, value in values.items()}


def _plain(value: object) -> object:
    """Numbers, texts, lists and mappings as JSON has them."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return _plain_values(value)
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
