"""A model's options as its configuration wrote them: mappings and lists again."""

from collections.abc import Mapping

from arena.errors import ArenaError
from arena.records.settings import ModelSettings


def thawed(value: object) -> object:
    """Turn frozen options back: a tuple of named pairs is a mapping, another one a list.

    >>> thawed((("a", (1, 2)), ("b", (("c", 3),))))
    {'a': [1, 2], 'b': {'c': 3}}
    """
    if isinstance(value, Mapping):
        return {str(name): thawed(inner) for name, inner in value.items()}
    if not isinstance(value, tuple | list):
        return value
    if value and all(_is_named(pair) for pair in value):
        return {name: thawed(inner) for name, inner in value}
    return [thawed(inner) for inner in value]


def mapping_option(settings: ModelSettings, name: str) -> dict[str, object]:
    """Give an option that is a mapping; one that is not there is empty.

    Raises:
        ArenaError: It is something else.
    """
    value = thawed(dict(settings.options).get(name, ()))
    if value == []:
        return {}
    if not isinstance(value, dict):
        raise wrong_option(settings, f"{name} is not a mapping", "write its fields below it")
    return value


def wrong_option(settings: ModelSettings, what: str, hint: str) -> ArenaError:
    """Say what is wrong with a model's options."""
    return ArenaError("llm.option", f"model {settings.name}: {what}", hint=hint, status=2)


def _is_named(pair: object) -> bool:
    match pair:
        case (str(), _):
            return isinstance(pair, tuple)
        case _:
            return False
