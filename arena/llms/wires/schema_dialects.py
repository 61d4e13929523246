"""What of a JSON schema a provider understands: the rest would make it refuse the request.

What is left out is checked when the answer is read, so a narrower schema loses nothing but
the provider's help.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from arena.llms.wires.lenient import mapping


@dataclass(frozen=True, slots=True)
class Dialect:
    """A provider's part of JSON schema.

    `keeps` are the keywords that stay. With `closes`, an object that does not say whether it
    may have other properties has none; with `orders`, an object's properties come in the
    order they are written in.
    """

    keeps: frozenset[str]
    closes: bool = False
    orders: bool = False


# https://platform.claude.com/docs/en/build-with-claude/structured-outputs
ANTHROPIC = Dialect(
    frozenset(
        {"$defs", "$ref", "additionalProperties", "anyOf", "const", "description", "enum"}
        | {"format", "items", "properties", "required", "title", "type"}
    ),
    closes=True,
)
# https://ai.google.dev/gemini-api/docs/structured-output
GEMINI = Dialect(
    frozenset(
        {"$defs", "$ref", "additionalProperties", "anyOf", "enum", "items", "maxItems"}
        | {"maximum", "minItems", "minimum", "properties", "propertyOrdering", "required"}
        | {"type"}
    ),
    orders=True,
)

_NAMED = frozenset({"$defs", "properties"})  # keywords whose values are schemas by name
_SINGLE = frozenset({"additionalProperties", "items"})  # and those that are one schema


def schema_for(dialect: Dialect, text: str) -> Mapping[str, object]:
    """Say a schema in a provider's dialect.

    Args:
        dialect: What the provider understands.
        text: The schema, as JSON text.

    Raises:
        ValueError: The text is not JSON.

    >>> schema_for(ANTHROPIC, '{"type": "number", "minimum": 0}')
    {'type': 'number'}
    """
    return mapping(_translated(json.loads(text), dialect))


def _translated(schema: object, dialect: Dialect) -> object:
    """Translate a schema into a dialect; `true` and `false` stay as they are."""
    if not isinstance(schema, Mapping):
        return schema
    translated: dict[str, object] = {}
    for keyword, value in schema.items():
        translated |= _keyword(keyword, value, dialect)
    if "$ref" in translated:  # whatever stands beside a reference is refused
        return {
            keyword: value for keyword, value in translated.items() if keyword.startswith("$")
        }
    properties = mapping(translated.get("properties"))
    if dialect.closes and (properties or translated.get("type") == "object"):
        translated.setdefault("additionalProperties", False)
    if dialect.orders and properties:
        translated.setdefault("propertyOrdering", list(properties))
    return translated


def _keyword(keyword: str, value: object, dialect: Dialect) -> dict[str, object]:
    if keyword == "const" and keyword not in dialect.keeps:
        return {"enum": [value]}
    keyword = "anyOf" if keyword == "oneOf" else keyword
    if keyword not in dialect.keeps:
        return {}
    if keyword in _NAMED:
        return {
            keyword: {n: _translated(inner, dialect) for n, inner in mapping(value).items()}
        }
    if keyword in _SINGLE:
        return {keyword: _translated(value, dialect)}
    if keyword == "anyOf":
        options = value if isinstance(value, list) else []
        return {keyword: [_translated(inner, dialect) for inner in options]}
    return {keyword: value}
