"""Whether what a command prints with --json is what its schema says; every test asks it."""

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from arena.cli.pages.documents import DOCUMENTS
from arena.cli.pages.schema import error_schema, schema_of
from tests.cli.shell import Done

Schema = dict[str, Any]
NOTHING: Schema = {"not": {}}
_TYPES: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "null": type(None),
    "array": list,
    "object": dict,
}


def agreeing(words: Sequence[str | Path], done: Done) -> Done:
    """Give a command's end back, if the documents in it are what was promised."""
    if "--json" not in words:
        return done
    name = command_of(words)
    if name and done.out.startswith("{"):
        wrong = list(misfits(json.loads(done.out), promised(name)))
        assert not wrong, f"arena {name}: {wrong}"
    if done.err.startswith('{"schema_version"'):
        wrong = list(misfits(json.loads(done.err), error_schema()))
        assert not wrong, f"an error: {wrong}"
    return done


def command_of(words: Sequence[str | Path]) -> str:
    """The command that words call, as `arena schema` names it; empty where it has none."""
    plain = [str(word) for word in words if not str(word).startswith("-")]
    named = (" ".join(plain[n : n + m]) for n in range(len(plain)) for m in (2, 1))
    return next((name for name in named if name in DOCUMENTS), "")


@cache
def promised(name: str) -> Schema:
    return schema_of(name, DOCUMENTS[name])


def misfits(value: object, schema: Schema) -> Iterator[str]:
    """Judge a document by the part of JSON schema that is used here."""
    yield from _Judge(schema).at(value, schema, "$")


class _Judge:
    def __init__(self, root: Schema) -> None:
        self.root = root

    def at(self, value: object, schema: Schema, place: str) -> Iterator[str]:
        if schema is NOTHING:
            yield f"{place}: nothing may be here"
            return
        if "$ref" in schema:
            yield from self.at(value, self.root["$defs"][schema["$ref"].split("/")[-1]], place)
        elif "anyOf" in schema:
            each = [list(self.at(value, part, place)) for part in schema["anyOf"]]
            yield from min(each, key=len)
        elif "enum" in schema or "const" in schema:
            if value not in schema.get("enum", [schema.get("const")]):
                yield f"{place}: {value!r} is none of the words"
        elif "type" in schema:
            yield from self._typed(value, schema, place)

    def _typed(self, value: object, schema: Schema, place: str) -> Iterator[str]:
        kind = schema["type"]
        is_flag = isinstance(value, bool) and kind in {"integer", "number"}
        if is_flag or not isinstance(value, _TYPES[kind]):
            yield f"{place}: {value!r} is no {kind}"
        elif isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
            yield f"{place}: {value!r} is not written so"
        elif isinstance(value, list):
            first: list[Schema] = schema.get("prefixItems", [])
            rest = _or_nothing(schema.get("items", {}))
            if len(value) < schema.get("minItems", 0):
                yield f"{place}: too few"
            for n, item in enumerate(value):
                yield from self.at(item, first[n] if n < len(first) else rest, f"{place}[{n}]")
        elif isinstance(value, dict):
            yield from self._keys(value, schema, place)

    def _keys(self, value: dict[str, object], schema: Schema, place: str) -> Iterator[str]:
        known: dict[str, Schema] = schema.get("properties", {})
        yield from (
            f"{place}.{k} is missing" for k in schema.get("required", ()) if k not in value
        )
        for key, inner in value.items():
            rest = _or_nothing(schema.get("additionalProperties", {}))
            yield from self.at(inner, known.get(key, rest), f"{place}.{key}")


def _or_nothing(rest: Schema | bool) -> Schema:  # noqa: FBT001  a schema may be false
    return NOTHING if rest is False else rest if isinstance(rest, dict) else {}
