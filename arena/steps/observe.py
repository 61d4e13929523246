"""Step 2: read the venues, and lay out the rounds that are due."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from arena.errors import ArenaError
from arena.ports import Venue
from arena.records.cohort import Cohort, CohortId, Universe
from arena.records.market import Market, MarketId, Quote, State, Status, VenueId
from arena.records.money import ZERO_USD, Usd
from arena.records.report import Failure
from arena.records.settings import Schedule
from arena.records.trade import Entry, RoundOpened
from arena.steps.calendar import due_round
from arena.steps.doors import Doors
from arena.store import Store

_UNNAMEABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Observed:
    """Which venues answered, which rounds were laid out, and what went wrong."""

    polled: tuple[VenueId, ...]
    rounds: tuple[tuple[CohortId, int], ...]
    failures: tuple[Failure, ...]


@dataclass(frozen=True, slots=True)
class _View:
    """What one venue said in one poll."""

    listed: Sequence[Market]
    quotes: Mapping[MarketId, Quote]
    statuses: Mapping[MarketId, Status]


async def observe(doors: Doors, at: datetime) -> Observed:
    """Poll each venue that is due; keep what it said and the rounds that follow, as one.

    A venue that fails is noted, and its rounds wait for a later tick; the others go on.
    """
    polled: list[VenueId] = []
    rounds: list[tuple[CohortId, int]] = []
    failures: list[Failure] = []
    running = doors.store.books.running()
    for name in venues_of_interest(doors.store, running, doors.venues, at, doors.schedule):
        due = _due(doors, [c for c in running if c.spec.venue == name], at)
        if not due and not _poll_is_due(doors, name, at):
            continue
        try:
            view = await _look(doors, name, due, at)
        except ArenaError as error:
            doors.store.tape.record_poll(name, at, error.message)
            failures.append(Failure(error.message, f"venue {name}", error.hint))
            continue
        rounds += _keep(doors, name, view, due, at)
        polled.append(name)
    return Observed(tuple(polled), tuple(rounds), tuple(failures))


async def look_back(
    doors: Doors, at: datetime
) -> tuple[tuple[Failure, ...], frozenset[VenueId]]:
    """Ask what has become of the markets that late answers are about, before these are judged.

    Where a round waits, an answer may have been given when an outcome was known already.

    Returns:
        What failed, and the venues that did not answer: late answers about their markets
        cannot be judged yet.
    """
    failures: list[Failure] = []
    silent: set[VenueId] = set()
    for name, markets in sorted(_answered_late(doors, at).items()):
        try:
            statuses = await _venue(doors, name).statuses(sorted(markets))
        except ArenaError as error:
            failures.append(Failure(error.message, f"venue {name}", error.hint))
            silent.add(name)
            continue
        with doors.store.write():
            doors.store.tape.record_statuses((statuses[m] for m in sorted(statuses)), at)
    return tuple(failures), frozenset(silent)


def _answered_late(doors: Doors, at: datetime) -> Mapping[VenueId, set[MarketId]]:
    """Markets of earlier rounds that wait for answers, where one is there to be judged."""
    store, found = doors.store, dict[VenueId, set[MarketId]]()
    for played in store.books.open_rounds():
        cohort = store.books.cohort(played.cohort)
        if cohort is None or not cohort.spec.rules.answer_within or played.at >= at:
            continue
        seat = (played.cohort, played.number)
        if store.tape.answered(*seat) - store.books.judged(*seat):
            venue = cohort.spec.venue
            found.setdefault(venue, set(store.books.held_markets(venue))).update(played.offered)
    return found


def venues_of_interest(
    store: Store,
    running: Sequence[Cohort],
    configured: Iterable[VenueId],
    at: datetime,
    schedule: Schedule,
) -> list[VenueId]:
    """Venues that cohorts play on, or that may still rule on a forecast or change a ruling."""
    playing = {cohort.spec.venue for cohort in running}
    watched = {v for v in configured if store.books.watched(v, at, schedule.recheck_for)}
    return sorted(playing | watched)


def _due(doors: Doors, cohorts: Sequence[Cohort], at: datetime) -> list[tuple[Cohort, int]]:
    due: list[tuple[Cohort, int]] = []
    for cohort in cohorts:
        last = doors.store.books.last_round(cohort.id)
        number = due_round(cohort, last.number if last else 0, at)
        if number is not None:
            due.append((cohort, number))
    return due


def _poll_is_due(doors: Doors, venue: VenueId, at: datetime) -> bool:
    last = doors.store.tape.last_poll(venue)
    return last is None or at - last >= doors.schedule.poll_every


async def _look(
    doors: Doors, name: VenueId, due: Sequence[tuple[Cohort, int]], at: datetime
) -> _View:
    venue = _venue(doors, name)
    books = doors.store.books
    listed = [m for m in await venue.markets() if _is_sound(m)] if due else []
    wanted = {m.id for m in listed} | set(books.held_markets(name))
    quotes = await venue.quotes(sorted(wanted))
    watched = set(books.watched(name, at, doors.schedule.recheck_for))
    statuses = await venue.statuses(sorted(watched))
    listed = [m for m in listed if not _is_over(doors, m.id, statuses.get(m.id))]
    late = [q.market for q in quotes.values() if q.at > at]
    if late:
        raise ArenaError("venue.future", f"{name} quotes {late[0]} from after {at}")
    return _View(listed, quotes, statuses)


def _is_over(doors: Doors, market: MarketId, status: Status | None) -> bool:
    """Say whether a market has resolved, or is still settled in the books.

    One whose venue has just taken its word back is offered again from the next round on,
    when what was paid on it has been taken back too.
    """
    ruling = doors.store.books.ruling(market)
    settled = ruling is not None and ruling.outcome is not None
    return settled or (status is not None and status.state is State.RESOLVED)


def _is_sound(market: Market) -> bool:
    """A market whose id the database cannot hold is left out: a NUL, half a character."""
    return bool(market.id) and not _UNNAMEABLE.search(market.id)


def _venue(doors: Doors, name: VenueId) -> Venue:
    venue = doors.venues.get(name)
    if venue is None:
        raise ArenaError(
            "venue.missing",
            f"a running cohort needs the venue {name}, which is not configured",
            hint=f"put {name} back under venues in config.yaml",
        )
    return venue


def _keep(
    doors: Doors,
    name: VenueId,
    view: _View,
    due: Sequence[tuple[Cohort, int]],
    at: datetime,
) -> list[tuple[CohortId, int]]:
    store, held = doors.store, set(doors.store.books.held_markets(name))
    picks = {
        cohort.id: pick(cohort.spec.universe, view.listed, view.quotes, at) for cohort, _ in due
    }
    kept = {market.id for markets in picks.values() for market in markets}
    with store.write():
        store.tape.record_poll(name, at)
        store.tape.record_markets((m for m in view.listed if m.id in kept | held), at)
        store.tape.record_quotes(
            (view.quotes[m] for m in sorted(kept | held) if m in view.quotes), at
        )
        store.tape.record_statuses((view.statuses[m] for m in sorted(view.statuses)), at)
        store.journal.append(
            _opening(store, cohort, number, [m.id for m in picks[cohort.id]], at)
            for cohort, number in due
        )
    return [(cohort.id, number) for cohort, number in due]


def _opening(
    store: Store, cohort: Cohort, number: int, offered: Sequence[MarketId], at: datetime
) -> Entry:
    digest = store.tape.digest_of(offered, at)
    return Entry(
        id=f"round:{cohort.id}:{number}",
        at=at,
        event=RoundOpened(number, tuple(offered), digest, _seed(cohort.id, number, digest)),
        cohort=cohort.id,
    )


def _seed(cohort: CohortId, number: int, digest: str) -> str:
    """Draw a round's seed from its prices: nobody knew it who wrote a market's text."""
    return sha256(f"{cohort}/{number}/{digest}".encode()).hexdigest()[:16]


def pick(
    universe: Universe,
    listed: Sequence[Market],
    quotes: Mapping[MarketId, Quote],
    at: datetime,
) -> tuple[Market, ...]:
    """Choose a round's markets: the top by volume of those that pass, ties by market id.

    A market without a quote is not offered; an unknown volume counts as none.
    """

    def volume(market: Market) -> Usd:
        return quotes[market.id].volume or ZERO_USD

    passed = [
        m
        for m in {m.id: m for m in listed}.values()  # pages of a list may overlap
        if m.id in quotes
        and volume(m) >= universe.min_volume
        and (not universe.categories or m.category in universe.categories)
        and _closes_in_time(m, universe, at)
    ]
    passed.sort(key=lambda m: (-volume(m), m.id))
    return tuple(passed[: universe.top])


def _closes_in_time(market: Market, universe: Universe, at: datetime) -> bool:
    if universe.closes_within is None:
        return True
    return market.closes_at is not None and market.closes_at - at <= universe.closes_within
