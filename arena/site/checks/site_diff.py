"""Two built sites, file by file and number by number."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from arena.site.checks.links import files_in


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a twin that is another now; None where there is or was none."""

    where: str
    old: object
    new: object


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file with other bytes; `values` are those that changed, of a JSON document."""

    path: str
    values: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """The differences between two sites."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: tuple[ChangedFile, ...]

    @property
    def is_none(self) -> bool:
        """Whether the two are the same to the byte."""
        return not (self.added or self.removed or self.changed)


def compare(old: Path, new: Path) -> Difference:
    """Compare two folders of pages; files whose names begin with a dot are left out."""
    before, after = set(files_in(old)), set(files_in(new))
    changed = (
        ChangedFile(path, _values(old / path, new / path))
        for path in sorted(before & after)
        if (old / path).read_bytes() != (new / path).read_bytes()
    )
    return Difference(
        tuple(sorted(after - before)), tuple(sorted(before - after)), tuple(changed)
    )


def _values(old: Path, new: Path) -> tuple[Value, ...]:
    if old.suffix != ".json":
        return ()
    try:
        before, after = (json.loads(file.read_text(encoding="utf-8")) for file in (old, new))
    except ValueError:
        return ()
    was, now = dict(_flat(before, "")), dict(_flat(after, ""))
    return tuple(
        Value(where, was.get(where), now.get(where))
        for where in dict.fromkeys([*was, *now])
        if (where in was, was.get(where)) != (where in now, now.get(where))
    )


def _flat(value: object, where: str) -> Iterator[tuple[str, object]]:
    """Every value of a document, under the way that leads to it."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _flat(inner, f"{where}.{name}" if where else str(name))
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield from _flat(inner, f"{where}[{n}]")
    else:
        yield where, value
