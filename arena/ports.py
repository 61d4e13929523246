"""The doors: the only things a step may call that are not pure."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from arena.records.answer import Answer, Completion, Question
from arena.records.briefing import Briefing
from arena.records.market import Market, MarketId, Quote, Status


class Clock(Protocol):
    """Says what time it is."""

    def now(self) -> datetime:
        """Return the current moment, in UTC."""


class Venue(Protocol):
    """A place that trades markets and settles them.

    Every method tells what is known at this moment and nothing from after it. A venue that
    cannot be read raises `ArenaError`.
    """

    async def markets(self) -> Sequence[Market]:
        """List the markets that can be traded now."""

    async def quotes(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Quote]:
        """Give the newest quote of each market; one that has none is left out."""

    async def statuses(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Status]:
        """Say where each market is in its life; one that is unknown is left out."""


class Llm(Protocol):
    """A language model that answers a question.

    What goes wrong with the world is in the `Completion` (`trouble`), not raised.
    """

    async def complete(self, question: Question) -> Completion:
        """Ask once, as often as the retry rules allow, and tell everything that happened."""


class Agent(Protocol):
    """A contestant's strategy: whatever it decides, it says in words that are read later."""

    async def answer(self, briefing: Briefing) -> Answer:
        """Answer a briefing with the reply format of `agents.reply`."""
