"""The kinds of value that a key may hold: a reader each, and what editors are told."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

from pydantic import AfterValidator, GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic_core import CoreSchema, core_schema

from arena.config.document import Plain, WrongError, shown
from arena.errors import did_you_mean
from arena.plugins import AGENTS, CONTEXTS, LLMS, VENUES
from arena.records.money import Usd, usd

# Readers of each kind of value: from text of YAML to a typed value.
#
# Every reader takes what the file holds at a key and gives the value, or raises `WrongError`.
# Numbers are read from their digits, so that 0.25 is a quarter exactly.

E = TypeVar("E", bound=StrEnum)

ID_PATTERN = "[a-z0-9][a-z0-9-]*"
DURATION_PATTERN = "[0-9]+[smhd]"
ENV_PATTERN = "[A-Z_][A-Z0-9_]*"
CLASS_PATTERN = r"[^:\x00-\x1f]+:[A-Za-z_]\w*"  # my_agent.py:Mine, package.module:Mine
NUMBER_PATTERN = r"([0-9]{1,13}(\.[0-9]{0,6})?|\.[0-9]{1,6})"
MOMENT_PATTERN = (
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([T ][0-9]{2}:[0-9]{2}(:[0-9]{2})?(Z|[+-][0-9]{2}:[0-9]{2})?)?"
)

DAY_PATTERN = "[0-9]{4}-[0-9]{2}-[0-9]{2}"

LONGEST_ID = 64
LONGEST = timedelta(days=36500)
MOST = Decimal(10**12)
YEARS = range(2000, 2200)
UNITS = {
    "d": timedelta(days=1),
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
    "s": timedelta(seconds=1),
}

_INTEGER = re.compile("-?(0|[1-9][0-9]{0,99})")
_FLOAT = re.compile(
    r"-?((0|[1-9][0-9]{0,98})(\.[0-9]{0,99})?|\.[0-9]{1,99})([eE][-+]?[0-9]{1,3})?"
)
_TRUTH = {"true": True, "True": True, "TRUE": True} | dict.fromkeys(
    ("false", "False", "FALSE"), False
)
Frozen = tuple[tuple[str, object], ...]


def text(value: object) -> str:
    """Read text, kept letter by letter; what stands without quotes is text as written."""
    if not isinstance(value, str):
        raise WrongError("text", shown(value))
    return str(value)


def title(value: object) -> str:
    """Read text that says something."""
    words = text(value)
    if not words.strip():
        raise WrongError("some text", shown(words))
    return words


def identifier(value: object) -> str:
    """Read a name that may stand in an address, a file name and a database."""
    name = text(value)
    if not re.fullmatch(ID_PATTERN, name) or len(name) > LONGEST_ID:
        expected = f"a name of a-z, 0-9 and -, at most {LONGEST_ID} long"
        raise WrongError(expected, shown(name))
    return name


def file_path(value: object) -> str:
    """Read a path, which nobody opens yet."""
    path = text(value)
    if not path.strip() or not path.isprintable():
        raise WrongError("a path", shown(path))
    return path


def env_name(value: object) -> str:
    """Read the name of an environment variable.

    Anything else may be the key itself, and is not shown.
    """
    name = text(value)
    if not re.fullmatch(ENV_PATTERN, name):
        actual = "something else, not shown because it may be the key itself"
        raise WrongError("the name of an environment variable, such as LAB_API_KEY", actual)
    return name


def url(value: object) -> str:
    """Read the address of a server, without a password in it."""
    address = text(value)
    expected = "an address such as https://api.example.org/v1"
    if "@" in address:
        raise WrongError(expected, "an address with an @, not shown as it may hold a password")
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in {"http", "https"} or not address.isprintable():
        raise WrongError(expected, shown(address))
    return address


def flag(value: object) -> bool:
    """Read true or false; `yes` and `no` are words."""
    if isinstance(value, Plain) and value in _TRUTH:
        return _TRUTH[value]
    raise WrongError("true or false", shown(value))


def count(least: int, most: int) -> Callable[[object], int]:
    """Make the reader of a whole number from `least` to `most`."""

    def read(value: object) -> int:
        if isinstance(value, Plain) and re.fullmatch("[0-9]{1,18}", value):
            number = int(value)
            if least <= number <= most:
                return number
        raise WrongError(f"a whole number from {least} to {most}", shown(value))

    return read


def exact(
    expected: str, *, positive: bool = False, most: Decimal = MOST
) -> Callable[[object], Decimal]:
    """Make the reader of a number from 0 to `most`, of at most six decimals, as a Decimal.

    With `positive` the number must not be 0.
    """

    def read(value: object) -> Decimal:
        if isinstance(value, str) and re.fullmatch(NUMBER_PATTERN, value):
            number = Decimal(str(value))
            if number <= most and not (positive and number == 0):
                return number
        raise WrongError(expected, shown(value))

    return read


def duration(value: object) -> timedelta:
    """Read a span of time: a whole number and s, m, h or d.

    >>> duration("10m")
    datetime.timedelta(seconds=600)
    """
    if isinstance(value, str) and re.fullmatch(DURATION_PATTERN, value):
        digits, unit = value[:-1].lstrip("0"), UNITS[value[-1]]
        if digits and len(digits) <= len("3153600000") and int(digits) <= LONGEST // unit:
            return int(digits) * unit
    raise WrongError("a duration such as 90s, 10m, 1h or 7d, longer than 0", shown(value))


def duration_text(span: timedelta) -> str:
    """Write a duration as it is read, in its largest whole unit.

    >>> duration_text(timedelta(hours=36))
    '36h'
    """
    unit = next(letter for letter, length in UNITS.items() if not span % length)
    return f"{span // UNITS[unit]}{unit}"


def moment(value: object) -> datetime:
    """Read a moment; a plain date is its midnight in UTC.

    >>> moment("2026-01-05T10:00+01:00")
    datetime.datetime(2026, 1, 5, 9, 0, tzinfo=datetime.timezone.utc)
    """
    expected = f"a time such as 2026-01-05T09:00Z or 2026-01-05, from {YEARS[0]} to {YEARS[-1]}"
    if not isinstance(value, str) or not re.fullmatch(MOMENT_PATTERN, value):
        raise WrongError(expected, shown(value))
    try:
        when = datetime.fromisoformat(value)
    except ValueError:
        raise WrongError(expected, shown(value)) from None
    if when.year not in YEARS:
        raise WrongError(expected, shown(value))
    if len(value) == len("2026-01-05"):
        return when.replace(tzinfo=UTC)
    if when.tzinfo is None:
        raise WrongError(expected, f"{shown(value)}, which has no time zone", "add a Z for UTC")
    return when.astimezone(UTC)


def day(value: object) -> date:
    """Read a day of the calendar.

    >>> day("2026-12-11")
    datetime.date(2026, 12, 11)
    """
    if isinstance(value, str) and re.fullmatch(DAY_PATTERN, value):
        try:
            when = date.fromisoformat(value)
        except ValueError:
            when = date.min
        if when.year in YEARS:
            return when
    raise WrongError("a day such as 2026-12-11", shown(value))


def enum_reader(kind: type[E]) -> Callable[[object], E]:
    """Make the reader of one of an enumeration's words."""

    def read(value: object) -> E:
        words = [member.value for member in kind]
        if isinstance(value, str) and value in words:
            return kind(str(value))
        tip = did_you_mean(value, words) if isinstance(value, str) else ""
        raise WrongError(f"one of {', '.join(words)}", shown(value), tip)

    return read


def options(value: object) -> Frozen:
    """Read a free mapping as sorted pairs; the plugin that it is for judges what it says.

    Nested mappings become sorted pairs too, and lists tuples.
    """
    if not isinstance(value, Mapping):
        raise WrongError("a mapping", shown(value))
    return tuple(sorted((str(key), _frozen(inner)) for key, inner in value.items()))


def _frozen(value: object) -> object:
    if isinstance(value, Mapping):
        return options(value)
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    return _native(value) if isinstance(value, Plain) else value


def _native(value: Plain) -> object:
    if value in _TRUTH:
        return _TRUTH[value]
    if _INTEGER.fullmatch(value):
        return int(value)
    if _FLOAT.fullmatch(value) and math.isfinite(float(value)):
        return float(value)
    return str(value)


MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
FIELDS: tuple[tuple[str, range, tuple[str, ...]], ...] = (
    ("minute", range(60), ()),
    ("hour", range(24), ()),
    ("day of the month", range(1, 32), ()),
    ("month", range(1, 13), MONTHS),
    ("day of the week", range(8), DAYS),  # 0 and 7 are Sunday
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
    for given, (name, span, words) in zip(fields, FIELDS, strict=True):
        if not all(_fits(part, span, words) for part in given.split(",")):
            within = f"{span[0]}-{span[-1]}" + (f" or {words[0]}-{words[-1]}" if words else "")
            raise WrongError(f"a {name} within {within}", shown(given))
    return " ".join(fields)


def _fits(part: str, span: range, words: tuple[str, ...]) -> bool:
    match = PART.fullmatch(part)
    if match is None:
        return False
    _, first, _, last, _, step = match.groups()
    if step is not None and not 1 <= int(step) <= len(span):
        return False
    ends = [_number(end, span, words) for end in (first, last) if end]
    in_order = sorted(end for end in ends if end is not None)
    return None not in ends and (words is DAYS or ends == in_order)  # a week goes on: sat-mon


def _number(end: str, span: range, words: tuple[str, ...]) -> int | None:
    if end.lower() in words:
        return span[words.index(end.lower())]
    return int(end) if end.isdecimal() and int(end) in span else None


PluginNames = Mapping[str, tuple[str, ...]]  # by their group of entry points


@dataclass(frozen=True, slots=True)
class DeclaredNames:
    """The names that a file may refer to; None where they are unknown, and not checked.

    So are the plugins of a group that is not there.
    """

    plugins: PluginNames = field(default_factory=dict)
    venues: tuple[str, ...] | None = None
    models: tuple[str, ...] | None = None
    contestants: tuple[str, ...] | None = None
    contexts: tuple[str, ...] | None = None


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
    digits = f"^{NUMBER_PATTERN}$"
    return FieldReader(
        read, {"type": ["number", "string"], "minimum": 0, "pattern": digits, **limits}
    )


def _dollars(*, positive: bool) -> Callable[[Any], Usd]:
    least = "more than 0" if positive else "0 or more"
    expected = f"dollars, {least}, such as 100 or 0.25 (at most six decimals)"
    read = exact(expected, positive=positive)
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


def _plugin(what: str, group: str) -> Callable[[str, ValidationInfo], str]:
    return _declared_name(what, lambda names: names.plugins.get(group))


_known_agent = _plugin("an agent, or a class such as mine.py:Mine", AGENTS)


def _agent_name(name: str, info: ValidationInfo) -> str:
    """Let a class pass that is named by its file or module; building it looks for it."""
    return name if re.fullmatch(CLASS_PATTERN, name) else _known_agent(name, info)


def choice(kind: type[StrEnum]) -> FieldReader:
    """Read one of an enumeration's words."""
    words = [member.value for member in kind]
    return FieldReader(enum_reader(kind), {"type": "string", "enum": words})


def _pattern(pattern: str) -> dict[str, str]:
    return {"type": "string", "pattern": f"^{pattern}$"}


TEXT = {"type": "string"}
ID = FieldReader(identifier, _pattern(ID_PATTERN))
FRACTION = "a fraction from 0 to 1, such as 0.25 (at most six decimals)"
SHARE = "a fraction above 0 and at most 1, such as 0.25 (at most six decimals)"
TOKENS = "dollars a million tokens, such as 2.5"

Text = Annotated[str, FieldReader(text, TEXT)]
Title = Annotated[str, FieldReader(title, TEXT)]
Id = Annotated[str, ID]
FilePath = Annotated[str, FieldReader(file_path, TEXT)]
EnvName = Annotated[str, FieldReader(env_name, _pattern(ENV_PATTERN))]
Url = Annotated[str, FieldReader(url, {"type": "string", "format": "uri"})]
Crontab = Annotated[str, FieldReader(crontab, TEXT)]
Flag = Annotated[bool, FieldReader(flag, {"type": "boolean"})]
Count = Annotated[int, FieldReader(count(1, 10**6), {"type": "integer", "minimum": 1})]
Copies = Annotated[int, FieldReader(count(1, 1000), {"type": "integer", "minimum": 1})]
Duration = Annotated[timedelta, FieldReader(duration, _pattern(DURATION_PATTERN))]
Moment = Annotated[datetime, FieldReader(moment, _pattern(MOMENT_PATTERN))]
Day = Annotated[date, FieldReader(day, _pattern(DAY_PATTERN))]
Dollars = Annotated[Usd, _amount(_dollars(positive=False))]
Capital = Annotated[Usd, _amount(_dollars(positive=True))]
PerMillion = Annotated[Decimal, _amount(exact(TOKENS))]
Fraction = Annotated[Decimal, _amount(exact(FRACTION, most=Decimal(1)), maximum=1)]
Share = Annotated[Decimal, _amount(exact(SHARE, positive=True, most=Decimal(1)), maximum=1)]
Options = Annotated[Frozen, FieldReader(options, {"type": "object"})]

VenueAdapter = Annotated[Text, AfterValidator(_plugin("a venue adapter", VENUES))]
ModelAdapter = Annotated[Text, AfterValidator(_plugin("a model adapter", LLMS))]
AgentName = Annotated[Text, AfterValidator(_agent_name)]
ContextAdapter = Annotated[Text, AfterValidator(_plugin("a source's adapter", CONTEXTS))]
ContextName = Annotated[
    Text, AfterValidator(_declared_name("a source of `contexts`", lambda n: n.contexts))
]
ModelName = Annotated[
    Text, AfterValidator(_declared_name("a model of config.yaml", lambda n: n.models))
]
VenueName = Annotated[
    Text,
    AfterValidator(_declared_name("a venue of config.yaml", lambda n: n.venues)),
    AfterValidator(identifier),
]
ContestantName = Annotated[
    Text, AfterValidator(_declared_name("a contestant of config.yaml", lambda n: n.contestants))
]
