"""Reads the options of a contestant or a model, and refuses those its plugin lacks."""

from collections.abc import Iterable
from enum import StrEnum
from typing import TypeVar

from arena.agents.samples import EXPONENT, Aggregate, Pooling
from arena.errors import ArenaError
from arena.records.settings import ContestantSettings, ModelSettings

MOST_EXTREME = 10.0

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

    def pooling(self) -> Pooling:
        """Give the rule that `aggregate` names, with the exponent `extremise` if it has one."""
        rule = self.choice("aggregate", Aggregate, Aggregate.MEDIAN)
        if "extremise" in self and rule is not Aggregate.EXTREMISED:
            raise self.wrong(f"extremise goes with aggregate: extremised, not {rule}")
        exponent = self.number("extremise", EXPONENT, least=1, most=MOST_EXTREME)
        return Pooling(rule, exponent)

    def wrong(self, what: str) -> ArenaError:
        """Make the error that says what is wrong with these options."""
        names = ", ".join(self._known)
        return ArenaError(
            self._code,
            f"{self._whose}: {what}",
            hint=f"it knows {names}" if names else "it has no options",
            status=2,
        )
