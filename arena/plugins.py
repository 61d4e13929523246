"""Plugins by their entry points, and their options, read one by one.

The built-in plugins come through the same door as any other. Options of a contestant or a
model are looked at before they are used; those that its plugin lacks are refused. A type
checker knows nothing of a plugin: what it gives is held to the types that records declare,
before it is written where it could not be read back.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from functools import cache
from importlib import import_module
from math import isfinite
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Literal,
    NewType,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from arena.errors import ArenaError, ForeignError, did_you_mean, foreign
from arena.process import aside
from arena.records.money import Price, Shares
from arena.records.settings import ContestantSettings, ModelSettings

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.metadata import EntryPoint

    from arena.ports import AgentFactory, ContextFactory, LlmFactory, VenueFactory


Word = TypeVar("Word", bound=StrEnum)


class PluginOptions:
    """A contestant's or a model's options, read one by one.

    Raises:
        ArenaError: `agent.option`, of a model `llm.option`: an option is unknown; later, that
            one has a wrong value.
    """

    def __init__(
        self, settings: ContestantSettings | ModelSettings, names: Iterable[str] = ()
    ) -> None:
        if isinstance(settings, ModelSettings):
            self._code, self._whose = "llm.option", f"model {settings.name}"
            self._plugin = f"adapter {settings.adapter}"
        else:
            self._code, self._whose = "agent.option", str(settings.id)
            self._plugin = f"agent {settings.agent}"
        self._known = tuple(names)
        self._given = dict(settings.options)
        for name in self._given:
            if name not in self._known:
                raise self.wrong(f"the {self._plugin} has no option {name!r}")

    def __contains__(self, name: str) -> bool:
        return name in self._given

    def seed(self, default: int, name: str = "seed") -> int:
        """Give an option that is any whole number."""
        value = self._given.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.wrong(f"{name} is a whole number, not {value!r}")
        return value

    def whole(self, name: str, default: int, *, least: int, most: int) -> int:
        """Give a whole number within its limits."""
        value = self._given.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise self.wrong(f"{name} is a whole number from {least} to {most}, not {value!r}")
        return value

    def number(self, name: str, default: float, *, least: float, most: float) -> float:
        """Give a number within its limits."""
        value = self._given.get(name, default)
        wanted = f"{name} is a number from {least:g} to {most:g}, not {value!r}"
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.wrong(wanted)
        if not least <= value <= most:
            raise self.wrong(wanted)
        return float(value)

    def choice(self, name: str, kinds: type[Word], default: Word) -> Word:
        """Give one of a few words."""
        value = self._given.get(name, default)
        for kind in kinds:
            if value == kind:
                return kind
        raise self.wrong(f"{name} is one of {', '.join(kinds)}, not {value!r}")

    def wrong(self, what: str) -> ArenaError:
        """Make the error that says what is wrong with these options."""
        names = ", ".join(self._known)
        return ArenaError(
            self._code,
            f"{self._whose}: {what}",
            hint=f"it knows {names}" if names else "it has no options",
            status=2,
        )


VENUES: Literal["arena.venues"] = "arena.venues"
LLMS: Literal["arena.llms"] = "arena.llms"
AGENTS: Literal["arena.agents"] = "arena.agents"
CONTEXTS: Literal["arena.contexts"] = "arena.contexts"

_T = TypeVar("_T")


def names(group: str) -> tuple[str, ...]:
    """List the plugins of a group by name, in order; nothing is imported."""
    return tuple(sorted({point.name for point in _points(group)}))


@overload
def load(group: Literal["arena.venues"], name: str) -> "VenueFactory": ...
@overload
def load(group: Literal["arena.llms"], name: str) -> "LlmFactory": ...
@overload
def load(group: Literal["arena.agents"], name: str) -> "AgentFactory": ...
@overload
def load(group: Literal["arena.contexts"], name: str) -> "ContextFactory": ...
def load(group: str, name: str) -> object:
    """Import a plugin and give its factory.

    Raises:
        ArenaError: `plugin.unknown`: no installed package offers it. `plugin.ambiguous`: two
            packages offer different things under one name. `plugin.broken`: its import
            failed, or gave something that cannot be called.
    """
    point = _point(group, name)
    with redirect_stdout(sys.stderr):
        factory = _guarded(point.load, lambda why: _broken(point, why))
    if isinstance(factory, ArenaError):
        raise factory
    if not callable(factory):
        raise _broken(point, f"{point.value} cannot be called")
    if not point.module.startswith("arena."):
        vars(sys.modules[point.module]).setdefault("print", aside)
    return factory


def built(whose: str, build: Callable[[], _T]) -> _T | ArenaError:
    """Build a part by its plugin, or say why it cannot be: the other parts go on without it.

    >>> built("the venue here", lambda: 1 // 0).message
    'the venue here could not be built: ZeroDivisionError: integer division or modulo by zero'
    """
    return _guarded(
        build,
        lambda why: ArenaError(
            "plugin.broken",
            f"{whose} could not be built: {why}",
            hint="repair its file, or upgrade or uninstall the package of its plugin",
        ),
    )


def kinds_of(venue: str) -> "Mapping[str, Any]":
    """Give what reads each kind of a venue's payloads: `KINDS` beside its factory, or nothing.

    Raises:
        ArenaError: As `load` does.
    """
    load(VENUES, venue)
    kinds: Mapping[str, Any] = getattr(import_module(_point(VENUES, venue).module), "KINDS", {})
    return kinds


@cache
def _points(group: str) -> "Sequence[EntryPoint]":
    from importlib.metadata import entry_points  # noqa: PLC0415  as slow as the whole --help

    return tuple(entry_points(group=group))


def _point(group: str, name: str) -> "EntryPoint":
    offers = {point.value: point for point in _points(group) if point.name == name}
    if len(offers) == 1:
        return next(iter(offers.values()))
    if not offers:
        raise ArenaError(
            "plugin.unknown",
            f"no installed package offers {name!r} in the group {group}",
            hint=did_you_mean(name, names(group)),
            status=2,
        )
    raise ArenaError(
        "plugin.ambiguous",
        f"{name!r} in the group {group} is offered as {' and as '.join(sorted(offers))}",
        hint="uninstall one of the packages that offer it",
        status=2,
    )


def _guarded(code: Callable[[], _T], failure: Callable[[str], ArenaError]) -> _T | ArenaError:
    """Run somebody else's code; what it raises becomes the failure, in words."""
    try:
        with foreign():
            return code()
    except ArenaError as error:
        return error
    except ForeignError as error:
        broken = failure(str(error))
        broken.__cause__ = error.__cause__
        return broken


def _broken(point: "EntryPoint", why: str) -> ArenaError:
    package = point.dist.name if point.dist else "the package that offers it"
    return ArenaError(
        "plugin.broken",
        f"the plugin {point.name!r} of {point.group} could not be loaded: {why}",
        hint=f"repair, upgrade or uninstall {package}",
    )


LARGEST: Final = 10**12  # of a count, an amount or a number of any kind, above and below 0

Check = Callable[[object], str]


def misfit(value: object, kind: object, *, in_utf8: bool = False) -> str:
    """Say what of a value is not as its kind, such as a record, declares it; empty if all is.

    Moments must have a time zone, numbers be finite and of at most `LARGEST`, prices lie in
    [0, 1]. With `in_utf8` text must have bytes: replies may hold half a character.

    >>> from arena.records.answer import Usage
    >>> misfit(Usage(tokens_in=1.5), Usage), misfit(Usage(7), Usage)
    ('tokens_in: 1.5 is no int or None', '')
    """
    return _check_of(kind, _in_utf8 if in_utf8 else _text)(value)


@cache
def _check_of(kind: Any, text: Check) -> Check:  # noqa: ANN401  what an annotation may be
    if isinstance(kind, NewType) and kind not in _PLAIN:
        return _check_of(kind.__supertype__, text)
    if isinstance(kind, type) and is_dataclass(kind):
        return _record(kind, text)
    if kind is str:
        return text
    origin, inner = get_origin(kind), get_args(kind)
    if origin in {Union, UnionType}:
        return _either(inner, text)
    if origin is tuple and inner[1:] != (...,):
        return _in_places(tuple(_check_of(each, text) for each in inner))
    if origin in {tuple, frozenset}:
        return _each(origin, _check_of(inner[0], text))
    if origin is not None and issubclass(origin, Mapping):
        return _keyed(*(_check_of(each, text) for each in inner))
    return _PLAIN.get(kind) or (
        lambda value: "" if isinstance(value, kind) else _is_no(value, kind)
    )


def _is_no(value: object, kind: object) -> str:
    return f"{ascii(value)[:60]} is no {_named(kind)}"


def _named(kind: object) -> str:
    return "None" if kind is type(None) else str(getattr(kind, "__name__", kind))


def _record(kind: type[Any], text: Check) -> Check:
    hints = get_type_hints(kind)
    checks = [(field.name, _check_of(hints[field.name], text)) for field in fields(kind)]

    def check(value: object) -> str:
        if not isinstance(value, kind):
            return _is_no(value, kind)
        for name, fits in checks:
            if words := fits(getattr(value, name)):
                return f"{name}: {words}"
        return ""

    return check


def _either(kinds: tuple[type, ...], text: Check) -> Check:
    checks = [_check_of(kind, text) for kind in kinds]
    names = " or ".join(_named(kind) for kind in kinds)

    def check(value: object) -> str:
        said = [words for fits in checks if (words := fits(value))]
        if len(said) < len(checks):
            return ""
        deeper = [words for words in said if ": " in words]
        return deeper[0] if deeper else f"{ascii(value)[:60]} is no {names}"

    return check


def _in_places(checks: tuple[Check, ...]) -> Check:
    def check(value: object) -> str:
        if not isinstance(value, tuple) or len(value) != len(checks):
            return f"{ascii(value)[:60]} is no tuple of {len(checks)}"
        return next(
            (words for fits, v in zip(checks, value, strict=True) if (words := fits(v))), ""
        )

    return check


def _each(kind: type[Any], fits: Check) -> Check:
    def check(value: object) -> str:
        if not isinstance(value, kind):
            return _is_no(value, kind)
        return next((words for each in value if (words := fits(each))), "")

    return check


def _keyed(of_key: Check, of_value: Check) -> Check:
    def check(value: object) -> str:
        if not isinstance(value, Mapping):
            return _is_no(value, Mapping)
        found = (of_key(key) or of_value(each) for key, each in value.items())
        return next((words for words in found if words), "")

    return check


def _text(value: object) -> str:
    return "" if isinstance(value, str) else _is_no(value, str)


def _in_utf8(value: object) -> str:
    if not isinstance(value, str):
        return _is_no(value, str)
    try:
        value.encode()
    except UnicodeEncodeError:
        return _is_no(value, str)
    return ""


def _is_moment(value: object) -> bool:
    if not isinstance(value, datetime) or value.tzinfo is None:
        return False
    try:
        value.astimezone(UTC)
    except OverflowError:
        return False
    return True


def _is_number(value: object, *kinds: type) -> bool:
    if type(value) not in kinds:
        return False
    number: Any = value
    return isfinite(number) and abs(number) <= LARGEST


def _only(kind: object, fits: Callable[[Any], bool]) -> Check:
    return lambda value: "" if fits(value) else _is_no(value, kind)


_PLAIN: Final[Mapping[object, Check]] = {
    int: _only(int, lambda value: _is_number(value, int)),
    float: _only(float, lambda value: _is_number(value, int, float)),
    Decimal: _only(Decimal, lambda value: _is_number(value, Decimal)),
    Price: _only(Price, lambda value: _is_number(value, Decimal) and 0 <= value <= 1),
    Shares: _only(Shares, lambda value: _is_number(value, Decimal) and value >= 0),
    datetime: _only(datetime, _is_moment),
}
