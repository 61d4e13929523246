"""Validates a document with a form; each problem names its place."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic.json_schema import GenerateJsonSchema

from arena.config.document import ConfigDocument, Place, Problem, WrongError, shown
from arena.config.forms import CohortForm, ConfigForm, FileForm
from arena.config.kinds import DeclaredNames, duration_text
from arena.errors import ArenaError, did_you_mean

F = TypeVar("F", bound=FileForm)

IN_KEY = "[key]"
WANTED = {
    "dict_type": "a mapping",
    "list_type": "a list",
    "missing": "this key",
    "model_type": "a mapping",
    "tuple_type": "a list",
}


class FileKind(StrEnum):
    """The two kinds of file."""

    CONFIG = "config"
    COHORT = "cohort"


def schema(kind: FileKind) -> dict[str, Any]:
    """Describe a kind of file as JSON schema, for editors and for the documentation."""
    form = ConfigForm if kind is FileKind.CONFIG else CohortForm
    dialect = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return dialect | form.model_json_schema(schema_generator=_AsWritten)


def fill_in(
    form: type[F], document: ConfigDocument, names: DeclaredNames
) -> tuple[F | None, tuple[Problem, ...]]:
    """Read a document into a form; the form is None where there are problems.

    The document's own problems come first; what it refused already is not judged twice.
    """
    if document.tree is None:
        return None, document.problems
    try:
        filled = form.model_validate(document.tree, context=names)
    except ValidationError as error:
        keys = _Keys(form.model_json_schema())
        wrong = (
            _problem(document, detail, keys)
            for detail in error.errors(include_url=False)
            if not _is_refused(document, _place(detail))
        )
        return None, (*document.problems, *wrong)
    return None if document.problems else filled, document.problems


def refusal(code: str, problems: Iterable[Problem], hint: str) -> ArenaError:
    """The error that says what is wrong with files, one line for each problem."""
    return ArenaError(code, "\n".join(map(str, problems)), hint=hint, status=2)


class _AsWritten(GenerateJsonSchema):
    """Gives defaults as they are written in a file, and no titles that repeat a key."""

    def encode_default(self, dft: object) -> object:
        if isinstance(dft, timedelta):
            return duration_text(dft)
        if isinstance(dft, Decimal):
            return int(dft) if dft == int(dft) else float(dft)
        return super().encode_default(dft)

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002  pydantic's
        return False


class _Keys:
    """Which keys a schema has at a place."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self.root = root

    def at(self, place: Place) -> tuple[str, ...]:
        """List the keys of the mapping at a place."""
        here: Mapping[str, Any] = self.root
        for part in place:
            here = next(self._below(here, part), {})
        return tuple(here.get("properties", ()))

    def _below(self, here: Mapping[str, Any], part: str | int) -> Iterator[Mapping[str, Any]]:
        if part in here.get("properties", {}):
            yield self._meant(here["properties"][part])
        for other in (
            here.get("additionalProperties"),
            *here.get("patternProperties", {}).values(),
            here.get("items"),
        ):
            if isinstance(other, Mapping):
                yield self._meant(other)

    def _meant(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        name = schema.get("$ref", "").rpartition("/")[2]
        return self.root["$defs"][name] if name else schema


def _place(detail: Mapping[str, Any]) -> Place:
    place: Place = detail["loc"]
    return place[:-1] if place[-1:] == (IN_KEY,) else place


def _is_refused(document: ConfigDocument, place: Place) -> bool:
    return any(place[:n] in document.faults for n in range(len(place) + 1))


def _problem(document: ConfigDocument, detail: Mapping[str, Any], keys: _Keys) -> Problem:
    place, kind = _place(detail), detail["type"]
    error = detail.get("ctx", {}).get("error")
    if isinstance(error, WrongError):
        return document.problem(place, error.expected, error.found, error.suggestion)
    if kind == "extra_forbidden":
        tip = did_you_mean(str(place[-1]), keys.at(place[:-1]))
        return document.problem(place, "a known key", shown(place[-1]), tip)
    actual = "none" if kind == "missing" else shown(detail["input"])
    return document.problem(place, WANTED.get(kind, detail["msg"]), actual)
