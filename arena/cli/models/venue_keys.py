"""Compares the fields of servers' answers with recorded ones."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from urllib.parse import urlsplit

from arena.records.answer import Payload

LONGEST = 80  # characters of a name that is shown
MOST = 50  # names of one kind that are shown


@dataclass(frozen=True, slots=True)
class ObjectKind:
    """One kind of object in a venue's answers.

    `path` is a pattern for the end of an address, `rows` the names that lead from the answer
    down to the objects, through any lists on the way. `needed` fields carry what the arena
    reads, `seen` ones have been there before.
    """

    name: str
    path: str
    rows: tuple[str, ...]
    needed: frozenset[str]
    seen: frozenset[str]


@dataclass(frozen=True, slots=True)
class Drift:
    """How objects of a kind differ from what they were: fields that are new, and gone."""

    kind: str
    objects: int
    new: tuple[str, ...]
    gone: tuple[str, ...]


def drifts(adapter: str, payloads: Iterable[Payload]) -> tuple[Drift, ...]:
    """Compare the good answers of a venue's server with the recorded ones, kind by kind.

    A needed field is gone where no object of its kind has it; a kind of which there was no
    object is left out, and a venue of which nothing is recorded has no kinds.
    """
    answers = [p for p in payloads if p.status == HTTPStatus.OK]
    by_kind = (_drift(kind, answers) for kind in known_kinds().get(adapter, ()))
    return tuple(drift for drift in by_kind if drift.objects)


@cache
def known_kinds() -> Mapping[str, tuple[ObjectKind, ...]]:
    """Read what is recorded of each venue's answers."""
    text = files("arena.venues").joinpath("keys.json").read_text(encoding="utf-8")
    return {
        venue: tuple(_kind(name, spec) for name, spec in kinds.items())
        for venue, kinds in json.loads(text).items()
    }


def objects_at(payload: object, rows: Sequence[str]) -> list[Mapping[str, object]]:
    """Find the objects that names lead to, through any lists on the way.

    >>> objects_at({"events": [{"markets": [{"a": 1}]}, {}]}, ["events", "markets"])
    [{'a': 1}]
    """
    here = [payload]
    for name in rows:
        here = [node.get(name) for node in _flat(here) if isinstance(node, dict)]
    return [node for node in _flat(here) if isinstance(node, dict)]


def _drift(kind: ObjectKind, answers: Iterable[Payload]) -> Drift:
    objects = [
        record
        for answer in answers
        if re.search(kind.path, urlsplit(answer.url).path)
        for record in objects_at(_payload(answer), kind.rows)
    ]
    names = {str(name)[:LONGEST] for record in objects for name in record}
    new = sorted(names - kind.seen)[:MOST]
    gone = sorted(kind.needed - names)
    return Drift(kind.name, len(objects), tuple(new), tuple(gone))


def _payload(answer: Payload) -> object:
    try:
        return json.loads(answer.body)
    except (ValueError, RecursionError):
        return None


def _flat(values: Iterable[object]) -> list[object]:
    return [
        element
        for value in values
        for element in (value if isinstance(value, list) else [value])
    ]


def _kind(name: str, spec: Mapping[str, object]) -> ObjectKind:
    def names(key: str) -> tuple[str, ...]:
        listed = spec[key]
        return tuple(map(str, listed)) if isinstance(listed, list) else ()

    return ObjectKind(
        name,
        str(spec["path"]),
        names("rows"),
        frozenset(names("needed")),
        frozenset(names("seen")),
    )
