"""Ask each venue's server a few questions: does it answer, and as it used to?"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar

from arena import plugins
from arena.cli.venue_keys import Drift, drifts
from arena.errors import ArenaError
from arena.ports import Clock, Live, Venue
from arena.records.market import (
    Catalogue,
    LeftOut,
    Market,
    MarketId,
    PricePoint,
    Quote,
    State,
    Status,
)
from arena.records.money import Price
from arena.records.payload import Payload
from arena.records.settings import VenueSettings
from arena.secrets import Secrets

FEW = 3  # markets that prices and states are asked for
SPAN = timedelta(days=2)  # of history

History = Callable[[MarketId, datetime, datetime], Awaitable[Sequence[PricePoint]]]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Call:
    """One question: what came of it in a few words, and how many answers that took.

    `wrong` is True where an answer came, but not the one that it should be; `broken` is why
    none came.
    """

    name: str
    gave: str
    answers: int
    wrong: bool = False
    broken: ArenaError | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """What is known of a venue after a check."""

    settings: VenueSettings
    calls: tuple[Call, ...]
    left_out: tuple[LeftOut, ...]
    drifts: tuple[Drift, ...]
    answers: int

    @property
    def cannot_be_read(self) -> bool:
        """Whether not even its list of markets came."""
        return self.calls[0].broken is not None

    @property
    def is_partly_broken(self) -> bool:
        """Whether any question was not answered."""
        return any(call.broken is not None for call in self.calls)

    @property
    def has_findings(self) -> bool:
        """Whether anything should be looked at: what is merely new is only told."""
        malformed = any(left.malformed for left in self.left_out)
        gone = any(drift.gone for drift in self.drifts)
        return malformed or gone or any(call.wrong for call in self.calls)


class Collector:
    """Keeps answers in memory, for as long as somebody looks at them."""

    def __init__(self) -> None:
        self.payloads: list[Payload] = []

    def keep(self, payload: Payload) -> None:
        """Keep one answer."""
        self.payloads.append(payload)


@dataclass(slots=True)
class Probe:
    """A venue that is about to be asked."""

    settings: VenueSettings
    venue: Venue
    answers: Collector
    calls: list[Call]
    secrets: Secrets

    async def ask(
        self,
        name: str,
        question: Callable[[], Awaitable[_T]],
        told: Callable[[_T], str],
        *,
        well: Callable[[_T], bool] = bool,
    ) -> _T | None:
        """Ask one question and note what came of it; None where no answer came."""
        before = len(self.answers.payloads)
        try:
            answer = await question()
        except ArenaError as raised:
            error = raised.reworded(self.secrets.text)
            answers = len(self.answers.payloads) - before
            why = error.message.removeprefix(f"{self.settings.id}: ")  # the heading names it
            self.calls.append(Call(name, why, answers, broken=error))
            return None
        answers = len(self.answers.payloads) - before
        self.calls.append(Call(name, told(answer), answers, wrong=not well(answer)))
        return answer


def check_all(
    chosen: Sequence[VenueSettings], clock: Clock, secrets: Secrets | None = None
) -> list[Checked]:
    """Ask each venue one of each question, all venues at once; no secret is told.

    Raises:
        ArenaError: A venue cannot be built, or asks no server.
    """
    probes = [probe_of(settings, clock, secrets) for settings in chosen]

    async def ask_all() -> list[Checked]:
        return list(await asyncio.gather(*(_check(probe, clock) for probe in probes)))

    return asyncio.run(ask_all())


def probe_of(settings: VenueSettings, clock: Clock, secrets: Secrets | None = None) -> Probe:
    """Build a venue that reads one page of its list, and keeps its answers in memory.

    Raises:
        ArenaError: It cannot be built, or it is not live: it asks no server.
    """
    answers = Collector()
    build = plugins.load(plugins.VENUES, settings.adapter)
    venue = build(settings, clock, answers)  # the options are judged as they are written
    options = dict(settings.options) | {"pages": 1}
    with suppress(ArenaError):  # it has no such option
        venue = build(replace(settings, options=tuple(options.items())), clock, answers)
    if not _is_live(venue):
        raise ArenaError(
            "venue.not_live",
            f"{settings.id} asks no server: its adapter is {settings.adapter}",
            hint="only venues with servers can be checked",
            status=2,
        )
    return Probe(settings, venue, answers, [], secrets or Secrets())


def live(configured: Sequence[VenueSettings], clock: Clock) -> list[VenueSettings]:
    """Choose the venues that ask a server.

    Raises:
        ArenaError: One cannot be built.
    """
    return [
        settings
        for settings in configured
        if _is_live(
            plugins.load(plugins.VENUES, settings.adapter)(settings, clock, Collector())
        )
    ]


def _is_live(venue: Venue) -> bool:
    return isinstance(venue, Live) and venue.only_now


def history_of(venue: Venue) -> History | None:
    """Give what a venue that remembers its prices is asked for them by; None if it does not."""
    found: History | None = getattr(venue, "history", None)
    return found


async def _check(probe: Probe, clock: Clock) -> Checked:
    venue = probe.venue
    listed = await probe.ask("catalogue", venue.catalogue, _listed, well=_has_prices)
    markets = _busiest(listed) if listed is not None else ()
    ids = [market.id for market in markets]
    if markets:
        await probe.ask("details", lambda: venue.details(markets), _detailed)
        await probe.ask("quotes", lambda: venue.quotes(ids), _quoted)
        await probe.ask(
            "statuses",
            lambda: venue.statuses(ids),
            lambda found: _told(ids, found),
            well=lambda found: _known(ids, found),
        )
        if (remember := history_of(venue)) is not None:
            now = clock.now()
            await probe.ask(
                "history",
                lambda: remember(ids[0], now - SPAN, now),
                _remembered,
                well=lambda _: True,  # it may be younger than that
            )
    drifted = drifts(probe.settings.adapter, probe.answers.payloads)
    unread: Callable[[], Awaitable[str]] | None = getattr(venue, "unread", None)
    if unread is not None:
        await probe.ask("unread", unread, str)
    return Checked(
        probe.settings,
        tuple(probe.calls),
        () if listed is None else listed.left_out,
        drifted,
        len(probe.answers.payloads),
    )


def _busiest(listed: Catalogue) -> Sequence[Market]:
    """Choose the few markets with a price that are traded most."""
    quoted = {quote.market: quote for quote in listed.quotes}
    found = [market for market in listed.markets if market.id in quoted]
    found.sort(key=lambda market: -(quoted[market.id].volume_24h or 0))
    return (found or list(listed.markets))[:FEW]


def _has_prices(listed: Catalogue) -> bool:
    return bool(listed.markets) and bool(listed.quotes)


def _listed(listed: Catalogue) -> str:
    few = f"{len(listed.markets)} markets, {len(listed.quotes)} with a price"
    return f"{few}, {len(listed.left_out)} left out"


def _detailed(markets: Sequence[Market]) -> str:
    with_rules = sum(bool(market.rules) for market in markets)
    return f"{len(markets)} markets, {with_rules} with rules"


def _quoted(quotes: Mapping[MarketId, Quote]) -> str:
    spreads = [f"{_price(quote.bid)} to {_price(quote.ask)}" for quote in quotes.values()]
    levels = sum(len(quote.bids) + len(quote.asks) for quote in quotes.values())
    told = f": {', '.join(spreads)}" if spreads else ""
    return f"{len(quotes)} quotes on {levels} levels{told}"


def _price(price: Price | None) -> str:
    return "nobody" if price is None else f"{price.normalize():f}"


def _told(asked: Sequence[MarketId], statuses: Mapping[MarketId, Status]) -> str:
    states = [status.state.value for status in statuses.values()]
    all_of = "" if len(states) == len(asked) else f" of {len(asked)} markets"
    return f"{len(states)} states{all_of}" + (f": {', '.join(states)}" if states else "")


def _known(asked: Sequence[MarketId], statuses: Mapping[MarketId, Status]) -> bool:
    """Whether each market that was just listed is known."""
    states = [statuses[one].state for one in asked if one in statuses]
    return len(states) == len(asked) and State.UNKNOWN not in states


def _remembered(points: Sequence[PricePoint]) -> str:
    days = SPAN // timedelta(days=1)
    return f"{len(points)} prices of the last {days} days"
