"""Whether servers can be reached, and what time it is there."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from importlib import import_module
from typing import Final

from arena.cli.examine import Finding, State
from arena.http import HttpDoor, HttpError, HttpRequest, host_and_port
from arena.records.settings import Settings, VenueSettings

SECONDS: Final = 10.0
DRIFT: Final = timedelta(seconds=30)
# Which options of a venue hold its servers' addresses.
_ADDRESSES: Final[Mapping[str, Sequence[str]]] = {
    "kalshi": ("base_url",),
    "manifold": ("base_url",),
    "polymarket": ("gamma", "clob"),
}


def of_network(settings: Settings, now: datetime) -> Sequence[Finding]:
    """Ask each server of a venue or a model for anything at all; no key is sent.

    A server that cannot be reached is a warning: it may be back before the next round.
    """
    servers = dict(_servers(settings))
    return asyncio.run(_ask_all(servers, now)) if servers else ()


def _servers(settings: Settings) -> Iterator[tuple[str, str]]:
    """Every address that rounds need, and what it is for."""
    for venue in settings.venues:
        for url in _addresses(venue):
            yield url, f"venue {venue.id}"
    names = {who for spec in settings.cohorts for who in spec.contestants}
    used = {c.model for c in settings.contestants if c.id in names}
    for model in settings.models:
        if model.name in used and model.base_url:
            yield model.base_url, f"model {model.name}"


def _addresses(venue: VenueSettings) -> Iterator[str]:
    if venue.adapter not in _ADDRESSES:
        return
    usual = import_module(f"arena.venues.{venue.adapter}.options").Options()
    said = dict(venue.options)
    for name in _ADDRESSES[venue.adapter]:
        yield str(said.get(name) or getattr(usual, name))


async def _ask_all(servers: Mapping[str, str], now: datetime) -> Sequence[Finding]:
    async with HttpDoor() as door:
        asked = [_ask(door, url, what, now) for url, what in servers.items()]
        return await asyncio.gather(*asked)


async def _ask(door: HttpDoor, url: str, what: str, now: datetime) -> Finding:
    named = f"server of {what}"
    try:
        reply = await door.send(HttpRequest("HEAD", url), seconds=SECONDS)
    except HttpError as error:
        hint = "check the network and the address; the next round asks again"
        return Finding(named, State.WARN, error.message, hint)
    where = f"{host_and_port(url)} answers"
    off = _off(reply.header("date"), now)
    if off is not None and abs(off) > DRIFT:
        hint = "set the machine's clock: rounds and deadlines go by it"
        return Finding(named, State.WARN, f"{where}; its clock is {off} apart", hint)
    return Finding(named, State.OK, where)


def _off(date: str | None, now: datetime) -> timedelta | None:
    """How far a server's clock is ahead; None where it says no time."""
    try:
        said = parsedate_to_datetime(date or "")
    except (TypeError, ValueError):
        return None
    return said.astimezone(UTC) - now
