import re
from collections.abc import Iterator
from typing import Any

import pytest

from arena.config import FileKind, schema
from arena.config.document import Plain, read_document
from tests.config.build import ROOT
from tests.present import some

HEADINGS = {FileKind.CONFIG: "## config.yaml", FileKind.COHORT: "## Cohort files"}
SHIPPED = [
    (FileKind.CONFIG, "config.yaml"),
    (FileKind.COHORT, "cohorts/daily.yaml"),
    (FileKind.COHORT, "cohorts/replay.yaml"),
]


@pytest.mark.parametrize("kind", FileKind)
def test_the_documentation_names_every_key_and_no_other(kind: FileKind) -> None:
    assert set(documented(kind)) == set(dict(described(kind)))


@pytest.mark.parametrize("kind", FileKind)
def test_the_documentation_tells_every_default(kind: FileKind) -> None:
    assert documented(kind) == dict(described(kind))


@pytest.mark.parametrize("kind", FileKind)
def test_editors_are_told_what_every_key_means(kind: FileKind) -> None:
    root = schema(kind)
    nested = [root, *root["$defs"].values()]
    entries = [entry for one in nested for entry in one["properties"].values()]
    assert all("description" in meant(entry, root) | entry for entry in some(entries))


@pytest.mark.parametrize("kind", FileKind)
def test_the_schema_knows_no_keys_that_are_not_named(kind: FileKind) -> None:
    root = schema(kind)
    assert all(one["additionalProperties"] is False for one in [root, *root["$defs"].values()])


def test_a_default_is_told_as_it_is_written() -> None:
    rules = schema(FileKind.COHORT)["$defs"]["RulesForm"]["properties"]
    assert rules["max_bet_fraction"]["default"] == 0.25
    assert rules["max_quote_age"]["default"] == "1h"


@pytest.mark.parametrize(("kind", "file"), SHIPPED)
def test_the_schema_accepts_what_is_shipped(kind: FileKind, file: str) -> None:
    root = schema(kind)
    assert list(misfits(read_document(ROOT / file).tree, root, root, file)) == []


def test_the_schema_refuses_what_is_not_there() -> None:
    root = schema(FileKind.CONFIG)
    tree = {"bogus": Plain("1"), "venues": {"A": {"adapter": Plain("x")}, "b": {}}}
    assert len(list(misfits(tree, root, root, ""))) == 3


def documented(kind: FileKind) -> dict[str, str]:
    """Read key and default from the table under a kind's heading."""
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    _, _, section = text.partition(HEADINGS[kind])
    section, _, _ = section.partition("\n## ")
    rows = re.findall(r"^\| `([^`]+)` \| [^|]+ \| ([^|]+) \|", section, re.MULTILINE)
    return {key: default.strip().strip("`") for key, default in rows}


def described(kind: FileKind) -> Iterator[tuple[str, str]]:
    root = schema(kind)
    yield from keys_below(root, root, "")


def keys_below(
    one: dict[str, Any], root: dict[str, Any], path: str
) -> Iterator[tuple[str, str]]:
    for key, entry in one.get("properties", {}).items():
        yield path + key, default_of(entry, needed=key in one.get("required", ()))
        for part in entry.get("anyOf", [entry]):  # a mapping that may be left out
            yield from keys_below(meant(part, root), root, f"{path}{key}.")
    for entry in one.get("patternProperties", {}).values():
        yield from keys_below(meant(entry, root), root, f"{path}<name>.")


def default_of(entry: dict[str, Any], *, needed: bool) -> str:
    default = entry.get("default")
    if needed:
        return "required"
    if isinstance(default, bool):
        return str(default).lower()
    return "none" if default in (None, "", []) else str(default)


def meant(entry: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    name = entry.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = root["$defs"][name] if name else entry
    return found


def misfits(
    value: object, entry: dict[str, Any], root: dict[str, Any], at: str
) -> Iterator[str]:
    """Judge a value by the part of JSON schema that is used here."""
    one = meant(entry, root)
    if "anyOf" in one:
        each = [list(misfits(value, part, root, at)) for part in one["anyOf"]]
        yield from min(each, key=len)
    elif not set(types_of(value)) & set(listed(one["type"])):
        yield f"{at}: {value!r} is no {one['type']}"
    elif isinstance(value, str) and not re.search(one.get("pattern", ""), value):
        yield f"{at}: {value!r}"
    elif isinstance(value, list):
        for item in value:
            yield from misfits(item, one["items"], root, at)
    elif isinstance(value, dict):
        yield from misfits_inside(value, one, root, at)


def misfits_inside(
    value: dict[str, object], one: dict[str, Any], root: dict[str, Any], at: str
) -> Iterator[str]:
    yield from (f"{at}.{key} is missing" for key in one.get("required", ()) if key not in value)
    patterns = one.get("patternProperties", {}).items()
    for key, inner in value.items():
        fits = [entry for pattern, entry in patterns if re.search(pattern, key)]
        fits += [one["properties"][key]] if key in one.get("properties", {}) else []
        if not fits and one.get("additionalProperties") is False:
            yield f"{at}.{key} is unknown"
        for entry in fits:
            yield from misfits(inner, entry, root, f"{at}.{key}")


def listed(types: str | list[str]) -> list[str]:
    return [types] if isinstance(types, str) else types


def types_of(value: object) -> list[str]:
    if isinstance(value, Plain) and re.fullmatch(r"-?[0-9]+", value):
        return ["integer", "number"]
    if isinstance(value, Plain) and re.fullmatch(r"-?[0-9]*\.[0-9]+", value):
        return ["number"]
    if isinstance(value, Plain) and value in ("true", "false"):
        return ["boolean"]
    kinds = ((str, "string"), (list, "array"), (dict, "object"))
    return [name for kind, name in kinds if isinstance(value, kind)] or ["null"]
