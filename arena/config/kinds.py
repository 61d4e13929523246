"""The kinds of value that a key may hold: a reader each, and what editors are told."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic_core import CoreSchema, core_schema

from arena.config import values
from arena.config.document import WrongError, shown
from arena.errors import did_you_mean
from arena.records.money import Usd, usd

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
FIELDS: tuple[tuple[str, range, tuple[str, ...]], ...] = (
    ("minute", range(60), ()),
    ("hour", range(24), ()),
    ("day of the month", range(1, 32), ()),
    ("month", range(1, 13), MONTHS),
    ("day of the week", range(7), DAYS),
)
PART = re.compile(r"(\*|(\w{1,3})(-(\w{1,3}))?)(/([0-9]{1,3}))?", re.ASCII)


def crontab(value: object) -> str:
    """Read a line of five fields: minute, hour, day, month and day of the week."""
    expected = "five crontab fields, such as */10 * * * *"
    if not isinstance(value, str):
        raise WrongError(expected, shown(value))
    fields = value.split()
    if len(fields) != len(FIELDS):
        raise WrongError(expected, f"{shown(value)}, which has {len(fields)}")
    for field, (name, span, words) in zip(fields, FIELDS, strict=True):
        if not all(_fits(part, span, words) for part in field.split(",")):
            within = f"{span[0]}-{span[-1]}" + (f" or {words[0]}-{words[-1]}" if words else "")
            raise WrongError(f"a {name} within {within}", shown(field))
    return " ".join(fields)


def _fits(part: str, span: range, words: tuple[str, ...]) -> bool:
    match = PART.fullmatch(part)
    if match is None:
        return False
    _, first, _, last, _, step = match.groups()
    if step is not None and not 1 <= int(step) <= len(span):
        return False
    ends = [_number(end, span, words) for end in (first, last) if end]
    return None not in ends and ends == sorted(end for end in ends if end is not None)


def _number(end: str, span: range, words: tuple[str, ...]) -> int | None:
    if end.lower() in words:
        return span[words.index(end.lower())]
    return int(end) if end.isdecimal() and int(end) in span else None


@dataclass(frozen=True, slots=True)
class PluginNames:
    """The names of plugins, by kind."""

    venues: tuple[str, ...]
    llms: tuple[str, ...]
    agents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DeclaredNames:
    """The names that a file may refer to; None where they are unknown, and not checked."""

    plugins: PluginNames | None = None
    venues: tuple[str, ...] | None = None
    models: tuple[str, ...] | None = None
    contestants: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class FieldReader:
    """Reads a field with a function of `values`, and tells editors what it takes."""

    reader: Callable[[Any], object]
    schema: Mapping[str, Any]

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self.reader)

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return dict(self.schema)


def _amount(read: Callable[[Any], Decimal], **limits: int) -> FieldReader:
    digits = f"^{values.NUMBER_PATTERN}$"
    return FieldReader(
        read, {"type": ["number", "string"], "minimum": 0, "pattern": digits, **limits}
    )


def _dollars(*, positive: bool) -> Callable[[Any], Usd]:
    least = "more than 0" if positive else "0 or more"
    expected = f"dollars, {least}, such as 100 or 0.25 (at most six decimals)"
    read = values.exact(expected, positive=positive)
    return lambda value: usd(read(value))


def _declared_name(
    what: str, among: Callable[[DeclaredNames], tuple[str, ...] | None]
) -> Callable[[str, ValidationInfo], str]:
    def check(name: str, info: ValidationInfo) -> str:
        names = among(info.context) if isinstance(info.context, DeclaredNames) else None
        if names is None or name in names:
            return name
        raise WrongError(what, shown(name), did_you_mean(name, names))

    return check


def _plugin(what: str, group: Callable[[PluginNames], tuple[str, ...]]) -> AfterValidator:
    def names(names_known: DeclaredNames) -> tuple[str, ...] | None:
        return None if names_known.plugins is None else group(names_known.plugins)

    return AfterValidator(_declared_name(what, names))


def choice(kind: type[StrEnum]) -> FieldReader:
    """Read one of an enumeration's words."""
    words = [member.value for member in kind]
    return FieldReader(values.choice(kind), {"type": "string", "enum": words})


def _pattern(pattern: str) -> dict[str, str]:
    return {"type": "string", "pattern": f"^{pattern}$"}


TEXT = {"type": "string"}
ID = FieldReader(values.identifier, _pattern(values.ID_PATTERN))
FRACTION = "a fraction from 0 to 1, such as 0.25 (at most six decimals)"
SHARE = "a fraction above 0 and at most 1, such as 0.25 (at most six decimals)"
TOKENS = "dollars a million tokens, such as 2.5"

Text = Annotated[str, FieldReader(values.text, TEXT)]
Title = Annotated[str, FieldReader(values.title, TEXT)]
Id = Annotated[str, ID]
FilePath = Annotated[str, FieldReader(values.file_path, TEXT)]
EnvName = Annotated[str, FieldReader(values.env_name, _pattern(values.ENV_PATTERN))]
Url = Annotated[str, FieldReader(values.url, {"type": "string", "format": "uri"})]
Crontab = Annotated[str, FieldReader(crontab, TEXT)]
Flag = Annotated[bool, FieldReader(values.flag, {"type": "boolean"})]
Count = Annotated[int, FieldReader(values.count(1, 10**6), {"type": "integer", "minimum": 1})]
Copies = Annotated[int, FieldReader(values.count(1, 1000), {"type": "integer", "minimum": 1})]
Duration = Annotated[
    timedelta,
    FieldReader(values.duration, _pattern(values.DURATION_PATTERN)),
]
Moment = Annotated[datetime, FieldReader(values.moment, _pattern(values.MOMENT_PATTERN))]
Day = Annotated[date, FieldReader(values.day, _pattern(values.DAY_PATTERN))]
Dollars = Annotated[Usd, _amount(_dollars(positive=False))]
Capital = Annotated[Usd, _amount(_dollars(positive=True))]
PerMillion = Annotated[Decimal, _amount(values.exact(TOKENS))]
Fraction = Annotated[Decimal, _amount(values.exact(FRACTION, most=Decimal(1)), maximum=1)]
Share = Annotated[
    Decimal, _amount(values.exact(SHARE, positive=True, most=Decimal(1)), maximum=1)
]
Options = Annotated[values.Frozen, FieldReader(values.options, {"type": "object"})]

VenueAdapter = Annotated[Text, _plugin("a venue adapter", lambda p: p.venues)]
ModelAdapter = Annotated[Text, _plugin("a model adapter", lambda p: p.llms)]
AgentName = Annotated[Text, _plugin("an agent", lambda p: p.agents)]
ModelName = Annotated[
    Text, AfterValidator(_declared_name("a model of config.yaml", lambda n: n.models))
]
VenueName = Annotated[
    Text,
    AfterValidator(_declared_name("a venue of config.yaml", lambda n: n.venues)),
    AfterValidator(values.identifier),
]
ContestantName = Annotated[
    Text, AfterValidator(_declared_name("a contestant of config.yaml", lambda n: n.contestants))
]
