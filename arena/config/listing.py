"""Every key of a configuration file with its value, and the line that gave it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path

from arena.config.document import ConfigDocument, Place, dotted, read_document
from arena.config.forms import ConfigForm, FileForm
from arena.config.kinds import DeclaredNames
from arena.config.validate import fill_in
from arena.config.values import duration_text


@dataclass(frozen=True, slots=True)
class ListedSetting:
    """A key and its value as a file would have it; `line` is None for a default."""

    key: str
    value: object
    line: int | None


def listed(file: Path) -> tuple[ListedSetting, ...]:
    """List every key of a configuration file that holds a value, defaults among them.

    Keys of services are not in it, for no file holds one: only the names of their variables.

    Returns:
        The keys in the order of the documentation; nothing where the file is not right.
    """
    document = read_document(file)
    config, problems = fill_in(ConfigForm, document, DeclaredNames())
    if config is None or problems:
        return ()
    return tuple(_leaves(config, (), document))


def _leaves(form: FileForm, place: Place, document: ConfigDocument) -> Iterator[ListedSetting]:
    for name in type(form).model_fields:
        value, here = getattr(form, name), (*place, name)
        if isinstance(value, FileForm):
            yield from _leaves(value, here, document)
        elif isinstance(value, dict):
            for key, inner in value.items():
                yield from _leaves(inner, (*here, key), document)
        else:
            yield ListedSetting(dotted(here), _written(value), document.lines.get(here))


def _written(value: object) -> object:
    """A value as a file would have it."""
    if isinstance(value, timedelta):
        return duration_text(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): _written(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return _pairs(value)
    return value


def _pairs(value: tuple[object, ...] | list[object]) -> object:
    """A list, or the options of a plugin, which are pairs of a name and a value."""
    pairs = [part for part in value if isinstance(part, tuple) and len(part) == 2]  # noqa: PLR2004
    if value and len(pairs) == len(value):
        return {str(name): _written(inner) for name, inner in pairs}
    return [_written(inner) for inner in value]
