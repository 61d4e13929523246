"""A twin has the shape of its page's record: every field, and of the kind that it says."""

import json
import types
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest

from arena.site.pages import parts
from tests.present import some
from tests.site.checkers.conftest import KINDS
from tests.site.conftest import Site
from tests.site.truth.twins import kinds

PAGES = Path(import_module("arena.site.pages").__path__[0])
DRAWN = {"Figure": {"wide", "narrow", "alone", "looks"}, "Between": {"drawn"}, "Head": {"root"}}
OPTIONAL = {"note", "between", "href"}  # a cell is without what it does not have


@dataclass(frozen=True, slots=True)
class Told:
    """A grid as twins tell it: its columns row by row, each row a tuple of cells."""

    head: tuple[str, ...]
    rows: tuple[tuple[parts.Cell, ...], ...]


def record_of(kind: str) -> type:
    """The record that a template is filled with: it names the template first."""
    for file in sorted(PAGES.rglob("[!_]*.py")):
        module = ".".join(("arena.site.pages", *file.relative_to(PAGES).with_suffix("").parts))
        for one in vars(import_module(module)).values():
            if is_dataclass(one) and f"templates/site/{kind}.html" in (one.__doc__ or ""):
                return one  # type: ignore[return-value]
    raise LookupError(kind)


def misfits(value: Any, hint: Any, at: str) -> list[str]:  # noqa: ANN401  any there is
    """Where a value is not of a type, by its place in the document."""
    origin = get_origin(hint)
    if origin in {Union, types.UnionType}:
        tried = [misfits(value, one, at) for one in get_args(hint)]
        return min(tried, key=len)
    if hint is type(None):
        return [] if value is None else [f"{at}: {value!r} is not null"]
    if hint is parts.Moment or hint in {Decimal, str}:
        return [] if isinstance(value, str) else [f"{at}: {value!r} is no text"]
    if hint is float:
        return [] if type(value) in {int, float} else [f"{at}: {value!r} is no number"]
    if hint in {int, bool}:
        return [] if type(value) is hint else [f"{at}: {value!r} is no {hint.__name__}"]
    if origin is tuple:
        if not isinstance(value, list):
            return [f"{at}: {value!r} is no list"]
        inner = get_args(hint)[0]
        return [w for n, one in enumerate(value) for w in misfits(one, inner, f"{at}[{n}]")]
    return of_record(value, Told if hint is parts.Grid else hint, at)


@cache
def hints_of(record: type) -> dict[str, Any]:
    return get_type_hints(record)


def of_record(value: Any, hint: Any, at: str) -> list[str]:  # noqa: ANN401  any there is
    if not isinstance(value, dict):
        return [f"{at}: {value!r} is no {hint.__name__}"]
    hints = hints_of(hint)
    wanted = {f.name for f in fields(hint)} - DRAWN.get(hint.__name__, set())
    wanted -= {"svg"} if hint is parts.Drawing else set()
    needed = wanted - OPTIONAL if hint is parts.Cell else wanted
    found = [f"{at}: lacks {name}" for name in sorted(needed - value.keys())]
    found += [f"{at}: has {name}" for name in sorted(value.keys() - wanted)]
    for name in sorted(wanted & value.keys()):
        found += misfits(value[name], hints[name], f"{at}.{name}")
    return found


def refuse(constant: str) -> None:
    raise ValueError(constant)


@pytest.mark.parametrize("name", ["simulated", "lively", "attacked"])
def test_every_twin_fits_the_record_of_its_page(
    name: str, request: pytest.FixtureRequest
) -> None:
    site: Site = request.getfixturevalue(name)
    found = kinds(site.out)
    for kind, pages in found.items():
        hint = record_of(kind)
        for page in pages:
            text = page.with_suffix(".json").read_text(encoding="utf-8")
            said = json.loads(text, parse_constant=refuse)
            assert (said.pop("schema_version"), said.pop("page")) == (1, kind)
            assert said["head"]["title"]
            assert misfits(said, hint, kind) == []
    assert len(found) > 15


def test_every_page_has_a_twin(simulated: Site) -> None:
    pages = {path.with_suffix("") for path in simulated.out.rglob("*.html")}
    assert pages == {
        path.with_suffix("") for kind in kinds(simulated.out).values() for path in kind
    }


def test_every_template_of_a_page_has_a_record() -> None:
    assert all(is_dataclass(record_of(kind)) for kind in some(KINDS))


def test_what_does_not_fit_is_seen() -> None:
    wrong = {"text": 1, "value": [], "colour": "red"}
    assert misfits(wrong, parts.Cell, "cell") == [
        "cell: has colour",
        "cell.text: 1 is no text",
        "cell.value: [] is no text",
    ]
