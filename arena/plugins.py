"""Plugins by their entry points, and their options, read one by one.

The built-in plugins come through the same door as any other. Options of a contestant or a
model are looked at before they are used; those that its plugin lacks are refused.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout
from enum import StrEnum
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from arena.errors import ArenaError, ForeignError, did_you_mean, foreign
from arena.process import aside
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
            hint="repair, upgrade or uninstall the package of its plugin",
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
