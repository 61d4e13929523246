"""Reads spoiled answers where live ones are read, and names all that is wrong with that."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from arena.clock import HandClock
from arena.errors import ArenaError
from arena.http import MAX_REPLY, HttpDoor, HttpReply, HttpRequest, Manners, PoliteReader
from arena.records.answer import Payload
from arena.records.market import LeftOut, Status, VenueId
from arena.venues.kalshi import KINDS as KALSHI_KINDS
from arena.venues.manifold.venue import KINDS as MANIFOLD_KINDS
from arena.venues.polymarket import KINDS as POLYMARKET_KINDS
from arena.venues.polymarket.outcome import Resolution
from arena.venues.polymarket.venue import status_of
from arena.venues.reading import Listed, Origin, Read
from tests.http.asking import NoTime
from tests.standins.venues import KALSHI, MANIFOLD, POLYMARKET
from tests.venues.fuzz import Mutant, Mutator, write
from tests.venues.fuzz_outcomes import outcomes_said, settled
from tests.venues.fuzz_plain import Json, flat, part, prices_read, prices_said, unsound
from tests.venues.fuzz_says import EVENT_SAYS, EVENTS, NAMES, ROWS, SAYS, field_of
from tests.venues.fuzz_sound import NOW, SETTLED, Sound


def read_settled(payload: Json, origin: Origin) -> Read[Status]:
    """Put together what three services say of a market's end, as the adapter does."""
    found = POLYMARKET_KINDS["market"](part(payload, "gamma"), origin).rows
    told = POLYMARKET_KINDS["resolutions"](part(payload, "resolutions"), origin)
    clob = POLYMARKET_KINDS["clob-market"](part(payload, "clob"), origin).rows
    bad = {left.what: Resolution(left.what, "unreadable") for left in told.left_out}
    by_condition = {row.condition: row for row in told.rows} | bad
    winners = {row.condition: row for row in clob}
    states = [
        status_of(row, by_condition.get(row.condition), winners.get(row.condition))
        for row in found
    ]
    return Read(tuple(states))


KINDS = {
    POLYMARKET: {**POLYMARKET_KINDS, SETTLED: read_settled},
    KALSHI: KALSHI_KINDS,
    MANIFOLD: MANIFOLD_KINDS,
}
LONGEST_WORDS = 400

JSON_TYPE = (("content-type", "application/json"),)


@dataclass(slots=True)
class Tally:
    """How much was tried, and everything that was wrong, claim by claim."""

    tried: Counter[tuple[str, str]] = field(default_factory=Counter)
    hows: Counter[str] = field(default_factory=Counter)
    unread: int = 0
    rows: int = 0
    left: int = 0
    outcomes: int = 0
    raised: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    outcome: list[str] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)
    strayed: list[str] = field(default_factory=list)
    unlike: list[str] = field(default_factory=list)


class _Saying(HttpDoor):
    """Gives an answer that it was told, from nowhere."""

    body = b""

    async def send(
        self,
        request: HttpRequest,  # noqa: ARG002  whatever it is
        *,
        seconds: float,  # noqa: ARG002  it takes none
        most: int = MAX_REPLY,  # noqa: ARG002  as live answers are, these are short enough
    ) -> HttpReply:
        return HttpReply(200, JSON_TYPE, self.body)


class _Forgetful:
    def keep(self, payload: Payload) -> None:
        """Keep nothing."""


class Reading:
    """Reads the text of an answer as the adapters do, but for the network."""

    def __init__(self) -> None:
        self._door = _Saying()
        self._reader = PoliteReader(
            VenueId("fuzz"),
            Manners(per_second=1e6),
            HandClock(NOW),
            _Forgetful(),
            door=self._door,
            pauses=NoTime().pauses(),
        )

    async def payload(self, body: bytes) -> object:
        self._door.body = body
        return (await self._reader.get("http://127.0.0.1/fuzz")).payload


async def fuzz(
    sounds: Sequence[Sound], rng: np.random.Generator, times: int, tally: Tally
) -> None:
    """Spoil every payload in turn, so many times in all, and judge what is made of it."""
    reading = Reading()
    mutators = [Mutator(sound.payload, frozenset(SAYS[sound.venue])) for sound in sounds]
    whole = [await _read(reading, sound, write(sound.payload)) for sound in sounds]
    for n in range(times):
        at = n % len(sounds)
        mutant = mutators[at].one(rng)
        await _judge(reading, sounds[at], whole[at], mutant, tally)


async def _read(reading: Reading, sound: Sound, body: bytes) -> Read[Any]:
    return KINDS[sound.venue][sound.kind](await reading.payload(body), sound.origin)


async def _judge(
    reading: Reading, sound: Sound, whole: Read[Any], mutant: Mutant, tally: Tally
) -> None:
    tally.tried[sound.venue, sound.kind] += 1
    tally.hows[mutant.how] += 1
    name = f"{sound.name}, {mutant.how} at {mutant.way}"
    try:
        payload = await reading.payload(mutant.body)
    except ArenaError as error:
        tally.unread += 1
        if error.code != "venue.format" or mutant.alike is not None:
            tally.raised.append(f"{name}: {error}")
        return
    try:
        read = KINDS[sound.venue][sound.kind](payload, sound.origin)
    except Exception as error:  # noqa: BLE001  whatever it is, it is what is looked for
        tally.raised.append(f"{name}: {error!r:.300}")
        return
    tally.rows += len(read.rows)
    tally.left += len(read.left_out)
    tally.outcomes += sum(_is_over(row) for row in read.rows)
    tally.outcome += [f"{name}: {why}" for why in _outcomes_not_said(sound, payload, read)]
    tally.numbers += [f"{name}: {why}" for why in _prices_not_said(sound, payload, read)]
    for row in read.rows:
        tally.numbers += [f"{name}: {why}" for why in unsound(row)]
    tally.silent += [f"{name}: {why}" for why in _silent(read)]
    tally.strayed += [f"{name}: {why}" for why in _strayed(sound, whole, read, mutant)]
    if mutant.alike is not None:
        alike = await _read(reading, sound, mutant.alike)
        if (read.rows, read.left_out) != (alike.rows, alike.left_out):
            tally.unlike.append(f"{name}: {read!r:.200} and not {alike!r:.200}")


def _is_over(row: Any) -> bool:  # noqa: ANN401
    return getattr(getattr(row, "status", row), "outcome", None) is not None


def _outcomes_not_said(sound: Sound, payload: object, read: Read[Any]) -> Iterator[str]:
    if sound.kind == SETTLED:
        for status in read.rows:
            yield from settled(status, payload)
        return
    said = outcomes_said(sound.venue, payload) if any(map(_is_over, read.rows)) else []
    for row in filter(_is_over, read.rows):
        outcome = getattr(row, "status", row).outcome
        if outcome not in said:
            yield f"{outcome}, and {said} were said"


def _prices_not_said(sound: Sound, payload: object, read: Read[Any]) -> Iterator[str]:
    """Name prices that stand nowhere in the payload; some are worked out from what does."""
    is_worked_out = sound.kind == "candlesticks" or sound.venue == MANIFOLD
    if is_worked_out or not read.rows:
        return
    said = set(prices_said(payload))
    for row in read.rows:
        yield from (f"{price} was said nowhere" for price in {*prices_read(row)} - said)


def _silent(read: Read[Any]) -> Iterator[str]:
    """Name refusals that say nothing, or too much."""
    for left in read.left_out:
        if not left.what or not left.why:
            yield f"{left} says nothing"
        if max(len(left.what), len(left.why)) > LONGEST_WORDS:
            yield f"{left!r:.100} says too much"


def _strayed(sound: Sound, whole: Read[Any], read: Read[Any], mutant: Mutant) -> Iterator[str]:
    """Name what a change in one place has changed besides what that place says."""
    way, key = mutant.way, (sound.venue, sound.kind)
    if way is None or mutant.rows:
        return
    step, in_row = field_of(way, ROWS.get(key, ())), True
    if step is None:
        step, in_row = field_of(way, EVENTS.get(key, ())), False
    if step is None or step in NAMES or (step == "markets" and not in_row):
        return
    gone, new = _without(whole.rows, read.rows), _without(read.rows, whole.rows)
    if in_row and max(len(gone), len(new)) > 1:
        yield f"{len(gone)} rows are gone and {len(new)} are new"
    if whole.rows and isinstance(whole.rows[0], Listed):
        says = (SAYS if in_row else EVENT_SAYS)[sound.venue].get(str(step))
        yield from _of_markets(f"{step} changes", says, gone, new)
        if in_row and gone and not new and not _is_named(gone[0], read.left_out):
            yield f"{gone[0]!r:.80} is gone, and {read.left_out} does not say so"


def _of_markets(
    what: str, says: tuple[str, ...] | None, gone: Sequence[Any], new: Sequence[Any]
) -> Iterator[str]:
    """Name what of markets a field has changed that it says nothing about."""
    changes = _changes(gone, new)
    if says is None and (gone or new):
        yield f"{what} {changes or 'whether there is a row'}"
    for changed in changes:
        if not changed.startswith(says or ()):
            yield f"{what} {changed}"


def _without(some: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    return [one for one in some if one not in others]


def _changes(gone: Sequence[Any], new: Sequence[Any]) -> set[str]:
    """Name what differs between rows that were read and what is read of them now."""
    now = {row.market.id: flat(row) for row in new}
    changed: set[str] = set()
    for row in gone:
        before, after = flat(row), now.get(row.market.id)
        if after is not None:
            keys = before.keys() ^ after.keys()
            keys |= {key for key in before.keys() & after.keys() if before[key] != after[key]}
            changed |= keys
    return changed


def _is_named(row: Any, left_out: Iterable[LeftOut]) -> bool:  # noqa: ANN401
    own = row.market.id.partition(":")[2]
    return any(left.what in {own, row.market.id, "market"} for left in left_out)
