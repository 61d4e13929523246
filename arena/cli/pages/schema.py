"""`arena schema`: what commands print with --json."""

import json
import types
from collections.abc import Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import (
    Any,
    Final,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import click

from arena.cli.say import SCHEMA_VERSION, unknown_name

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, Any]

_PLAIN: Final[Mapping[Any, Schema]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Decimal: {"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$"},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    timedelta: {"type": "number"},
    PurePath: {"type": "string"},
    Any: {},
    object: {},
}
_ERROR: Final = ("code", "message", "hint")


def schema_of(name: str, keys: Mapping[str, Any]) -> Schema:
    """The schema of the document that a command prints.

    Amounts are text, durations seconds. Nothing else than what is named may be in it.

    Args:
        name: The command, such as `tape size`.
        keys: The document's keys with the type of each, without `schema_version`.

    Raises:
        TypeError: A type of it has no shape in JSON.
    """
    defs: dict[str, Schema] = {}
    required = {key for key, kind in keys.items() if get_origin(kind) is not NotRequired}
    shape = _object(keys, required, defs)
    return {
        "$schema": DIALECT,
        "title": f"arena {name} --json",
        "type": "object",
        "properties": {"schema_version": {"const": SCHEMA_VERSION}, **shape["properties"]},
        "required": ["schema_version", *shape["required"]],
        "additionalProperties": False,
        "$defs": dict(sorted(defs.items())),
    }


def error_schema() -> Schema:
    """The schema of the document that goes to standard error when a command fails."""
    texts: Schema = {name: {"type": "string"} for name in _ERROR}
    error = {
        "type": "object",
        "properties": {**texts, "details": {"type": "object"}},
        "required": [*_ERROR, "details"],
        "additionalProperties": False,
    }
    return {
        "$schema": DIALECT,
        "title": "an error, with --json",
        "type": "object",
        "properties": {"schema_version": {"const": SCHEMA_VERSION}, "error": error},
        "required": ["schema_version", "error"],
        "additionalProperties": False,
    }


def _shape(kind: Any, defs: dict[str, Schema]) -> Schema:  # noqa: ANN401  any type there is
    while hasattr(kind, "__supertype__"):
        kind = kind.__supertype__
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    origin = get_origin(kind)
    if origin is not None:
        return _compound(kind, origin, defs)
    if is_dataclass(kind) or is_typeddict(kind):
        return _named(kind, defs)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return {"enum": [member.value for member in kind]}
    raise TypeError(f"{kind} has no shape in JSON")


def _compound(kind: Any, origin: Any, defs: dict[str, Schema]) -> Schema:  # noqa: ANN401
    inner = get_args(kind)
    if origin in {Union, types.UnionType}:
        return {"anyOf": [_shape(part, defs) for part in inner]}
    if origin is Literal:
        return {"enum": list(inner)}
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _shape(inner[1], defs)}
    if origin is tuple and inner[-1] is not Ellipsis:
        each = [_shape(part, defs) for part in inner]
        return {"type": "array", "prefixItems": each, "minItems": len(each), "items": False}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return {"type": "array", "items": _shape(inner[0], defs)}
    raise TypeError(f"{kind} has no shape in JSON")


def _named(kind: Any, defs: dict[str, Schema]) -> Schema:  # noqa: ANN401
    """Refer to a record in `$defs`; of two with one name, the second has its module's name."""
    name = kind.__name__
    if defs.get(name, {}).get("$comment", kind.__module__) != kind.__module__:
        name = f"{kind.__module__.rpartition('.')[2]}.{name}"
    if name not in defs:
        defs[name] = {"$comment": kind.__module__}
        defs[name] |= _keys(kind, defs)
    return {"$ref": f"#/$defs/{name}"}


def _keys(kind: Any, defs: dict[str, Schema]) -> Schema:  # noqa: ANN401
    hints = get_type_hints(kind, include_extras=True)
    if is_dataclass(kind):
        hints = {field_.name: hints[field_.name] for field_ in fields(kind)}
    required = getattr(kind, "__required_keys__", hints.keys())
    words = " ".join((kind.__doc__ or "").split())
    return {"description": words, **_object(hints, required, defs)}


def _object(
    hints: Mapping[str, Any], required: Collection[str], defs: dict[str, Schema]
) -> Schema:
    properties = {
        name: _shape(get_args(hint)[0] if get_origin(hint) is NotRequired else hint, defs)
        for name, hint in hints.items()
    }
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in hints if name in required],
        "additionalProperties": False,
    }


@click.command()
@click.argument("command", nargs=-1)
def schema(command: tuple[str, ...]) -> None:
    """Print the JSON schema of what COMMAND prints with --json, such as `tape size`.

    `error` is the document that goes to standard error when a command fails. Without COMMAND
    those that there are are listed. `arena config schema` is that of the files you write.
    """
    from arena.cli.pages.documents import DOCUMENTS

    name = " ".join(command)
    if not name:
        click.echo("\n".join([*DOCUMENTS, "error"]))
    elif name == "error":
        click.echo(json.dumps(error_schema(), indent=2))
    elif name in DOCUMENTS:
        click.echo(json.dumps(schema_of(name, DOCUMENTS[name]), indent=2))
    else:
        message = f"{name!r} prints no JSON document"
        raise unknown_name("schema.unknown", message, name, DOCUMENTS)
