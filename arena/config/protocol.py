"""Reads the protocol of a study: a YAML file, refused like a configuration."""

import types
from collections.abc import Iterator, Sequence
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final, Union, get_args, get_origin, get_type_hints

from pydantic import Field, create_model

from arena.config.document import ConfigDocument, Place, Problem, WrongError, read_document
from arena.config.document import shown as described
from arena.config.forms import FileForm
from arena.config.kinds import (
    Day,
    DeclaredNames,
    Duration,
    FieldReader,
    Flag,
    Title,
    choice,
    count,
    exact,
)
from arena.config.validate import fill_in, refusal
from arena.errors import did_you_mean
from arena.metrics.study.protocol import NEEDED, Prediction, StudyProtocol

SHIPPED: Final = "world-cup.yaml"
MOST_DRAWS: Final = 1_000_000
_BELOW_ONE: Final = Decimal("0.999999")
_LEVEL: Final = "a level above 0 and below 1, such as 0.05 (at most six decimals)"
_SHARE: Final = "a share above 0 and below 1, such as 0.03 (at most six decimals)"
_PROBABILITY: Final = "a probability from 0 to 1 (at most six decimals)"
_NUMBER: Final = "a number above 0 (at most six decimals)"
_SIGNED: Final = "a number, such as -0.044859 (at most six decimals)"


def shipped_protocol() -> str:
    """The text of the protocol that comes with the program: the World Cup paper's levels."""
    return (files("arena.config") / SHIPPED).read_text("utf-8")


def load_protocol(file: Path) -> StudyProtocol:
    """Read a protocol; keys that are left out have the defaults of `StudyProtocol`.

    Raises:
        ArenaError: Something is wrong; the message has one line for each problem.
    """
    document = read_document(file)
    form, problems = fill_in(_form(StudyProtocol), document, DeclaredNames())
    protocol: StudyProtocol | None = None if form is None else _record(StudyProtocol, form)
    if protocol is not None:
        problems = tuple(_contradictions(protocol, document))
    if protocol is None or problems:
        hint = "`arena study --print-protocol` prints one with every key"
        raise refusal("study.protocol", problems, hint)
    return protocol


def _number(expected: str, **limits: Any) -> FieldReader:  # noqa: ANN401  passed on
    read = exact(expected, **limits)
    return FieldReader(lambda value: float(read(value)), {"type": "number"})


def _signed(value: object) -> float:
    minus = isinstance(value, str) and value.startswith("-")
    try:
        size = exact(_SIGNED)(value[1:] if minus and isinstance(value, str) else value)
    except WrongError:
        raise WrongError(_SIGNED, described(value)) from None
    return -float(size) if minus else float(size)


_NUMBERS: Final = {
    "level": _number(_LEVEL, positive=True, most=_BELOW_ONE),
    "share": _number(_SHARE, positive=True, most=_BELOW_ONE),
    "probability": _number(_PROBABILITY, most=Decimal(1)),
    "signed": FieldReader(_signed, {"type": "number"}),
    "": _number(_NUMBER, positive=True),
}
_READERS: Final[dict[Any, Any]] = {
    str: Title,
    bool: Flag,
    date: Day,
    timedelta: Duration,
    int: Annotated[int, FieldReader(count(1, MOST_DRAWS), {"type": "integer", "minimum": 1})],
}


@cache
def _form(record: Any) -> Any:  # noqa: ANN401  a form that is made here has no name to type by
    """The form of a record: a key for each field."""
    hints = get_type_hints(record, include_extras=True)
    keys: dict[str, Any] = {}
    for each in fields(record):
        default = each.default if each.default is not MISSING else ...
        if each.default_factory is not MISSING:
            default = Field(default_factory=each.default_factory)
        keys[each.name] = (_reader(hints[each.name]), default)
    return create_model(record.__name__, __base__=FileForm, **keys)


def _reader(kind: Any) -> Any:  # noqa: ANN401  whatever a field may hold
    if get_origin(kind) in {Union, types.UnionType}:
        (inner,) = (part for part in get_args(kind) if part is not types.NoneType)
        return _reader(inner) | None
    if get_origin(kind) is tuple:
        return types.GenericAlias(tuple, (_reader(get_args(kind)[0]), ...))
    if get_origin(kind) is Annotated:
        return Annotated[float, _NUMBERS[get_args(kind)[1]]]
    if kind is float:
        return Annotated[float, _NUMBERS[""]]
    if isinstance(kind, type) and is_dataclass(kind):
        return _form(kind)
    return Annotated[kind, choice(kind)] if issubclass(kind, StrEnum) else _READERS[kind]


def _record(record: Any, form: Any) -> Any:  # noqa: ANN401  as `_form`
    """The record that a form holds; what was left out is there already."""
    if isinstance(form, tuple):
        (inner, *_) = get_args(record)
        return tuple(_record(inner, part) for part in form)
    if not isinstance(form, FileForm):
        return form
    hints = get_type_hints(record)
    return record(**{key: _record(hints[key], value) for key, value in dict(form).items()})


def _contradictions(protocol: StudyProtocol, document: ConfigDocument) -> Iterator[Problem]:
    """What does not go together, though each value is right alone."""
    options = protocol.options
    if len(options) < 2 or len(set(options)) < len(options):  # noqa: PLR2004  options
        twin = described(next((o for o in options if options.count(o) > 1), None))
        yield document.problem(("options",), "two or more different options", twin)
    yield from _among(document, ("reference",), protocol.reference, options)
    if protocol.champion in {protocol.baseline, protocol.market}:
        model = described(protocol.champion)
        yield document.problem(("champion",), "another model than baseline and market", model)
    if protocol.closing.shortest_block > protocol.closing.longest_block:
        blocks = ("closing", "shortest_block")
        longer = str(protocol.closing.shortest_block)
        yield document.problem(blocks, "no more than closing.longest_block", longer)
    prices = protocol.efficiency.prices
    yield from _among(document, ("efficiency", "prices"), prices, ("closing", "opening"))
    ids = [prediction.id for prediction in protocol.predictions]
    for n, prediction in enumerate(protocol.predictions):
        place: Place = ("predictions", n)
        if prediction.id in ids[:n]:
            twin = described(prediction.id)
            yield document.problem((*place, "id"), "each id once", twin)
        yield from _unfinished(prediction, place, document)
        if prediction.option:
            yield from _among(document, (*place, "option"), prediction.option, options)


def _unfinished(
    prediction: Prediction, place: Place, document: ConfigDocument
) -> Iterator[Problem]:
    for key in NEEDED[prediction.kind]:
        if not getattr(prediction, key):
            expected = f"the key {key}, which the kind {prediction.kind} needs"
            yield document.problem(place, expected, "none")
    if prediction.low > prediction.high:
        yield document.problem((*place, "low"), "no more than high", f"{prediction.low:g}")


def _among(
    document: ConfigDocument, place: Place, name: str, names: Sequence[str]
) -> Iterator[Problem]:
    if name not in names:
        expected, tip = f"one of {', '.join(names)}", did_you_mean(name, names)
        yield document.problem(place, expected, described(name), tip)
