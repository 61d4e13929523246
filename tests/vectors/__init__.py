"""Known answers, computed by others: each is held by a test of its id."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from math import inf, isclose, nan
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
_WORDS = {"Infinity": inf, "-Infinity": -inf, "NaN": nan}


@cache
def _read(name: str) -> Any:  # noqa: ANN401  what a JSON file holds
    return _number(json.loads((_HERE / name).read_text("utf-8")))


def _number(found: Any) -> Any:  # noqa: ANN401
    if isinstance(found, dict):
        return {key: _number(value) for key, value in found.items()}
    if isinstance(found, list):
        return [_number(value) for value in found]
    return _WORDS.get(found, found) if isinstance(found, str) else found


def source(id: str) -> Mapping[str, Any]:  # noqa: A002  the file's own word
    """A worked example of `sources.json`: input, expected and the absolute `tol`."""
    return next(v for v in _read("sources.json")["vectors"] if v["id"] == id)


def source_ids() -> tuple[str, ...]:
    """The names of all worked examples of `sources.json`."""
    return tuple(v["id"] for v in _read("sources.json")["vectors"])


def case(file: str, name: str) -> Mapping[str, Any]:
    """A case of `stats/FILE.json`: inputs, expected, `tol` relative to max(1, |expected|)."""
    return next(c for c in _read(f"stats/{file}.json")["cases"] if c["name"] == name)


@cache
def replies() -> tuple[Mapping[str, Any], ...]:
    """Replies of language models: name, text, context and what must become of them."""
    return tuple(json.loads((_HERE / "llm_replies.json").read_text("utf-8")))


def penaltyblog(kind: str) -> Sequence[Mapping[str, Any]]:
    """What penaltyblog makes of odds: `implied`, `kelly` or `exclusive`; never empty."""
    found: Sequence[Mapping[str, Any]] = _read("penaltyblog.json")[kind]
    assert found
    return found


def near(found: Any, expected: Any, tol: float, *, relative: bool = False) -> bool:  # noqa: ANN401
    """Whether every number agrees; nested lists and mappings are walked, None equals None."""
    if isinstance(expected, Mapping):
        return all(near(found[k], v, tol, relative=relative) for k, v in expected.items())
    if isinstance(expected, Sequence) and not isinstance(expected, str):
        return len(found) == len(expected) and all(
            near(f, e, tol, relative=relative) for f, e in zip(found, expected, strict=True)
        )
    if expected is None or isinstance(expected, bool | str):
        return bool(found == expected)
    if expected != expected:  # noqa: PLR0124  NaN
        return bool(found != found)  # noqa: PLR0124
    room = tol * max(1.0, abs(expected)) if relative else tol
    return isclose(found, expected, rel_tol=0, abs_tol=room) or found == expected
