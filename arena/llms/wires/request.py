"""The whole request: what the wire says, and what options and profile add to it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from arena.llms.profile import NONE, Options
from arena.llms.wires.lenient import mapping
from arena.llms.wires.wire import Ask, Wire


def request_of(wire: Wire, ask: Ask, options: Options) -> dict[str, object]:
    """Say a question as the JSON of a request, complete.

    Effort, sampling, the pinned route and `extra` are put into what the wire says, `extra`
    over all; then what the server has refused is taken out.
    """
    body = merged({}, wire.body(ask))
    for path, value in _placed(ask, options):
        body = merged(body, _nested(path.split("."), value))
    if options.sampling:
        inside = [name for name in ask.profile.sampling_field.split(".") if name]
        body = merged(body, _nested(inside, options.sampling))
    if options.route:
        body = merged(body, {"provider": options.route})
    body = merged(body, options.extra)
    for path in ask.without:
        body = _without(body, path.split("."))
    return body


def merged(base: Mapping[str, object], over: Mapping[str, object]) -> dict[str, object]:
    """Put one mapping over another, field by field; what is no mapping is replaced.

    >>> merged({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}, "d": [4]})
    {'a': {'b': 1, 'c': 3}, 'd': [4]}
    """
    both = dict(base)
    for name, value in over.items():
        inner = both.get(name)
        if isinstance(inner, Mapping) and isinstance(value, Mapping):
            both[name] = merged(inner, value)
        else:
            both[name] = value
    return both


def paths_in(body: Mapping[str, object]) -> Iterator[str]:
    """List the fields of a request, dotted, an outer one before those inside it.

    >>> list(paths_in({"a": {"b": 1}, "c": [{"d": 2}]}))
    ['a', 'a.b', 'c']
    """
    for name, value in body.items():
        yield name
        if isinstance(value, Mapping):
            yield from (f"{name}.{inner}" for inner in paths_in(value))


def _placed(ask: Ask, options: Options) -> Iterator[tuple[str, object]]:
    profile = ask.profile
    yield from profile.always
    if options.effort == NONE and profile.effort_none:
        yield from profile.effort_none
    elif options.effort:
        yield profile.effort_field, options.effort
        yield from profile.with_effort


def _nested(path: Sequence[str], value: object) -> dict[str, object]:
    for name in reversed(path):
        value = {name: value}
    return dict(value) if isinstance(value, Mapping) else {}


def _without(body: Mapping[str, object], path: Sequence[str]) -> dict[str, object]:
    """Take a field out, and with it what is left empty around it."""
    name, *rest = path
    inner = body.get(name)
    kept = {field: value for field, value in body.items() if field != name}
    if rest and isinstance(inner, Mapping):
        left = _without(inner, rest)
        return {**kept, name: left} if left else kept
    return dict(body) if rest else kept


# What of a JSON schema a provider understands: the rest would make it refuse the request.
#
# What is left out is checked when the answer is read, so a narrower schema loses nothing but
# the provider's help.


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
