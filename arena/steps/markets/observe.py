"""Step 2: read the venues, and lay out the rounds that are due.

Of a venue a tick reads its list, its prices, and what became of its markets.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from typing import Final, TypeVar

from arena.errors import ArenaError, ForeignError, foreign
from arena.plugins import misfit
from arena.ports import Venue
from arena.process import rare_collection
from arena.records.cohort import Cohort, CohortId, FeeRule, Universe
from arena.records.market import (
    Catalogue,
    FeeKind,
    LeftOut,
    Market,
    MarketId,
    Quote,
    State,
    Status,
    VenueId,
)
from arena.records.report import Failure
from arena.records.settings import Schedule
from arena.records.trade import Entry, RoundOpened
from arena.steps.doors import Doors
from arena.steps.round_schedule import due_round
from arena.steps.rounds.context import RoundDue, gather
from arena.steps.rounds.universe import Chosen, choose, pick
from arena.store import Store

SPARE = 10  # more than a universe's top is asked for: a fresh price may rule a market out
MOST_LOOKS = 4  # times that others are looked at in the place of what was ruled out

_STATUSES: Final = Mapping[MarketId, Status]
_UNNAMEABLE = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a round chooses its markets by, and whose fees it charges.

    Where it is `explained`, what the list's own prices leave out is told with its reasons.
    """

    universe: Universe
    fees: FeeRule = FeeRule.VENUE
    explained: bool = False


@dataclass(frozen=True, slots=True)
class VenueView:
    """What one venue said in one poll.

    `markets` are those of which everything is known that a round needs, `listed` all that its
    list held, `first` what each universe chose of them by the list's own prices, `held` those
    whose price was wanted whatever was chosen.
    """

    markets: tuple[Market, ...] = ()
    quotes: Mapping[MarketId, Quote] = field(default_factory=dict)
    statuses: Mapping[MarketId, Status] = field(default_factory=dict)
    listed: tuple[Market, ...] = ()
    first: tuple[Chosen, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    held: frozenset[MarketId] = frozenset()


async def look(
    venue: Venue,
    wanted: Sequence[Wanted],
    *,
    held: Collection[MarketId] = (),
    watched: Collection[MarketId] = (),
    at: datetime,
) -> VenueView:
    """Read a venue: its list only where there is a round to choose from it.

    A venue whose list has prices is asked for fresh ones of what may be offered, and of what
    is held; another one for those of its whole list. Where these rule out so much that a
    round is short of markets, the next ones of the list are asked about.

    Args:
        venue: Whom to ask.
        wanted: What the rounds that are due choose by.
        held: Markets whose price is wanted whatever is chosen.
        watched: Markets whose state is wanted.
        at: The moment of the poll.

    Raises:
        ArenaError: The venue cannot be read, or quotes from after `at` (`venue.future`).
    """
    catalogue = await venue.catalogue() if wanted else Catalogue(())
    listed = tuple(m for m in {m.id: m for m in catalogue.markets}.values() if is_sound(m))
    list_quotes = {quote.market: quote for quote in catalogue.quotes}
    closer = _Closer(venue, listed, list_quotes, at)
    first: tuple[Chosen, ...] = ()
    if list_quotes:
        first = await closer.choose(wanted, held)
    else:
        await closer.ask(_ids(listed) | set(held))
    return VenueView(
        markets=tuple(closer.markets[m.id] for m in listed if m.id in closer.markets),
        quotes=closer.quotes,
        statuses=await venue.statuses(sorted(watched)),
        listed=listed,
        first=first,
        left_out=catalogue.left_out,
        held=frozenset(held),
    )


class _Closer:
    """Looks at some of a list's markets more closely: their fresh prices and whole facts."""

    def __init__(
        self,
        venue: Venue,
        listed: Sequence[Market],
        list_quotes: Mapping[MarketId, Quote],
        at: datetime,
    ) -> None:
        self.markets: dict[MarketId, Market] = {}
        self.quotes: dict[MarketId, Quote] = {}
        self._venue, self._listed, self._list_quotes, self._at = venue, listed, list_quotes, at
        self._requested: set[MarketId] = set()

    async def choose(
        self, wanted: Sequence[Wanted], held: Collection[MarketId]
    ) -> tuple[Chosen, ...]:
        """Look at each round's short list, and at others while it is short of markets.

        Returns:
            What each round chose by the list, without what was ruled out since.
        """
        lost = [set[MarketId]() for _ in wanted]
        new = set(held)
        for _ in range(MOST_LOOKS):
            first = tuple(map(self._shortlist, wanted, lost))
            new |= set().union(*(_ids(chosen.markets) for chosen in first)) - self._requested
            if not new:
                break
            await self.ask(new)
            new, lost_before = set(), lost
            lost = [
                gone | self._ruled_out(want, chosen)
                for want, chosen, gone in zip(wanted, first, lost, strict=True)
            ]
            if lost == lost_before:
                break
        return first

    async def ask(self, markets: Collection[MarketId]) -> None:
        """Ask for the prices of markets, and for the facts of those that are listed.

        Raises:
            ArenaError: As for `look`.
        """
        self._requested |= set(markets)
        quotes = await self._venue.quotes(sorted(markets))
        for market, quote in quotes.items():
            if quote.market != market:
                raise TypeError(f"a quote of {quote.market} is given as one of {market}")
        late = [quote.market for quote in quotes.values() if quote.at > self._at]
        if late:
            raise ArenaError("venue.future", f"{late[0]} is quoted from after {self._at}")
        self.quotes |= {
            m: _completed(quote, self._list_quotes.get(m)) for m, quote in quotes.items()
        }
        named = set(markets)
        details = await self._venue.details([m for m in self._listed if m.id in named])
        self.markets |= {market.id: market for market in details}

    def _shortlist(self, want: Wanted, lost: Collection[MarketId]) -> Chosen:
        top = want.universe.top
        more = replace(want.universe, top=top + max(SPARE, top // 2))
        listed = [market for market in self._listed if market.id not in lost]
        if want.explained:
            return choose(more, listed, self._list_quotes, self._at)
        return Chosen(pick(more, listed, self._list_quotes, self._at), ())

    def _ruled_out(self, want: Wanted, first: Chosen) -> set[MarketId]:
        """The markets of a short list that others have to replace: none if it has enough."""
        read_markets = list(self.markets.values())
        chosen = pick(want.universe, read_markets, self.quotes, self._at, fees=want.fees)
        if len(chosen) >= want.universe.top:
            return set()
        return _ids(first.markets) - _ids(chosen)


def is_sound(market: Market) -> bool:
    """Whether the database can hold a market's id: no NUL, no half of a character."""
    return bool(market.id) and not _UNNAMEABLE.search(market.id)


def _completed(quote: Quote, list_quote: Quote | None) -> Quote:
    """Add the volumes and the liquidity, which only the list has."""
    if list_quote is None:
        return quote
    return replace(
        quote,
        volume=list_quote.volume if quote.volume is None else quote.volume,
        volume_24h=list_quote.volume_24h if quote.volume_24h is None else quote.volume_24h,
        liquidity=list_quote.liquidity if quote.liquidity is None else quote.liquidity,
    )


def _ids(markets: Iterable[Market]) -> set[MarketId]:
    return {market.id for market in markets}


Due = Sequence[tuple[Cohort, int]]
PAUSED = "venue.paused"  # its own hours: nothing is broken, and a later tick goes on
LONGEST_POLL = timedelta(hours=1)  # meanwhile the prices of all venues grow old

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Observed:
    """Which venues answered, which rounds were laid out, and what went wrong.

    `notes` tell of rows that could not be read while the rest of a list could.
    """

    polled: tuple[VenueId, ...]
    rounds: tuple[tuple[CohortId, int], ...]
    failures: tuple[Failure, ...]
    notes: tuple[str, ...] = ()


async def observe(doors: Doors, at: datetime, *, longest: timedelta = LONGEST_POLL) -> Observed:
    """Poll each venue that is due; keep what it said and the rounds that follow, as one.

    All are asked at the same time. A venue that fails is noted, and its rounds wait for a
    later tick; the others go on.

    Args:
        doors: The store and the venues.
        at: The moment of the tick.
        longest: For how long a venue is read; one that is not done by then has failed.
    """
    polled: list[VenueId] = []
    rounds: list[tuple[CohortId, int]] = []
    failures: list[Failure] = []
    notes: list[str] = []
    wanted = _wanted(doors, at)
    with rare_collection():
        views = await asyncio.gather(
            *(_ask(doors, name, due, at, longest) for name, due in wanted.items())
        )
    for (name, due), view in zip(wanted.items(), views, strict=True):
        if isinstance(view, ArenaError):
            doors.store.tape.record_poll(name, at, view.message)
            if view.code == PAUSED:
                notes.append(f"venue {name}: {view.message}")
            else:
                failures.append(Failure(view.message, f"venue {name}", view.hint))
            continue
        chosen = _chosen(doors, view, due, at)
        gathered = await gather(doors, chosen, at)
        failures += gathered.failures
        rounds += _keep(doors, name, view, chosen, gathered.digests, at)
        notes += _notes(name, view)
        polled.append(name)
    return Observed(tuple(polled), tuple(rounds), tuple(failures), tuple(notes))


def _wanted(doors: Doors, at: datetime) -> dict[VenueId, Due]:
    """The venues that are to be polled now, each with the rounds that are due on it."""
    running = doors.store.books.running()
    wanted: dict[VenueId, Due] = {}
    for name in venues_of_interest(doors.store, running, doors.venues, at, doors.schedule):
        due = _due(doors, [c for c in running if c.spec.venue == name], at)
        if due or _poll_is_due(doors, name, at):
            wanted[name] = due
    return wanted


async def _ask(
    doors: Doors, name: VenueId, due: Due, at: datetime, longest: timedelta
) -> VenueView | ArenaError:
    """Read a venue; what goes wrong is its own matter, and no other venue's.

    Raises:
        ArenaError: Its answers cannot be kept: that is the arena's own matter (`store.full`).
    """
    books = doors.store.books
    try:
        seen = look(
            _venue(doors, name),
            [Wanted(cohort.spec.universe, cohort.spec.rules.fees) for cohort, _ in due],
            held=books.held_markets(name),
            watched=books.watched(name, at, doors.schedule.recheck_for),
            at=at,
        )
        return await _in_time(name, seen, longest, VenueView)
    except ArenaError as error:
        if error.code.startswith("store."):
            raise
        return error.reworded(doors.secrets.text)


async def _in_time(
    name: VenueId,
    answer: Awaitable[_T],
    longest: timedelta,
    kind: object,
) -> _T:
    """Wait for what a venue says, and no longer than that.

    Raises:
        ArenaError: `venue.silent`: it has not said all of it. `venue.broken`: its adapter
            raised what it should not, or gave what is not of this kind. Or what the venue
            raises.
    """
    try:
        with foreign(TimeoutError):
            async with asyncio.timeout(longest.total_seconds()):
                told = await answer
            if wrong := misfit(told, kind, in_utf8=True):
                raise TypeError(wrong)  # as the adapter's own would be
            return told
    except TimeoutError as error:
        raise ArenaError(
            "venue.silent",
            f"{name} had not told everything after {longest}",
            hint="nothing of this poll was used; ask it for less (`pages` among its options, "
            "`top` of the cohorts), or faster (`per_second`) where its terms allow that",
        ) from error
    except ForeignError as error:
        raise ArenaError(
            "venue.broken",
            f"{name} cannot be read: {error}",
            hint="its adapter has a defect: what its server said last is on the tape "
            f"(`arena tape list --venue {name}`)",
        ) from error


def _notes(name: VenueId, view: VenueView) -> list[str]:
    bad = [left for left in view.left_out if left.malformed]
    if not bad:
        return []
    rows = "row" if len(bad) == 1 else "rows"
    example = f"such as {bad[0].what}: {bad[0].why}"
    return [f"venue {name}: {len(bad)} {rows} of its list could not be read, {example}"]


async def look_back(
    doors: Doors, at: datetime
) -> tuple[tuple[Failure, ...], frozenset[VenueId]]:
    """Read the statuses of markets that have late answers, before the answers are judged.

    In a round that waits for answers, one may come when an outcome is known already.

    Returns:
        What failed, and the venues that did not answer: late answers about their markets
        cannot be judged yet.
    """
    failures: list[Failure] = []
    silent: set[VenueId] = set()
    for name, markets in sorted(_answered_late(doors, at).items()):
        try:
            request = _venue(doors, name).statuses(sorted(markets))
            statuses = await _in_time(name, request, LONGEST_POLL, _STATUSES)
        except ArenaError as error:
            clean = error.reworded(doors.secrets.text)
            failures.append(Failure(clean.message, f"venue {name}", clean.hint))
            silent.add(name)
            continue
        with doors.store.write():
            doors.store.tape.record_statuses(weighed(doors, statuses, at), at)
    return tuple(failures), frozenset(silent)


def _answered_late(doors: Doors, at: datetime) -> Mapping[VenueId, set[MarketId]]:
    """Markets of earlier open rounds that have an answer to be judged, by venue."""
    store, markets_by_venue = doors.store, dict[VenueId, set[MarketId]]()
    for played in store.books.open_rounds():
        cohort = store.books.cohort(played.cohort)
        if cohort is None or not cohort.spec.rules.answer_within or played.at >= at:
            continue
        seat = (played.cohort, played.number)
        if store.tape.answered(*seat) - store.books.judged(*seat):
            venue = cohort.spec.venue
            markets_by_venue.setdefault(venue, set(store.books.held_markets(venue))).update(
                played.offered
            )
    return markets_by_venue


def venues_of_interest(
    store: Store,
    running: Sequence[Cohort],
    configured: Iterable[VenueId],
    at: datetime,
    schedule: Schedule,
) -> list[VenueId]:
    """Venues that cohorts play on, or that may still rule on a forecast or change a ruling."""
    playing = {cohort.spec.venue for cohort in running}
    idle = set(configured) - playing
    watched = {v for v in idle if store.books.watched(v, at, schedule.recheck_for)}
    return sorted(playing | watched)


def _due(doors: Doors, cohorts: Sequence[Cohort], at: datetime) -> Due:
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


def weighed(
    doors: Doors, statuses: Mapping[MarketId, Status], at: datetime
) -> Sequence[Status]:
    """Confirm those statuses of a venue that may be believed now; sorted by market.

    A status that moves money sets an outcome or withdraws one. It is confirmed once it was
    read twice, for moments with `confirm_after` between: an answer that a cache repeats keeps
    its moment. Any other status is confirmed at once, and so is one that the venue does not
    mark as unconfirmed.
    """
    in_doubt = [market for market, status in statuses.items() if status.unconfirmed]
    last_statuses = doors.store.tape.statuses(in_doubt, at)
    return [_weighed(doors, statuses[m], last_statuses.get(m)) for m in sorted(statuses)]


def _weighed(doors: Doors, status: Status, last: Status | None) -> Status:
    if not status.unconfirmed:
        return status
    ruling = doors.store.books.ruling(status.market)
    settled = ruling is not None and ruling.outcome is not None
    if status.state is not State.RESOLVED and not settled:
        return replace(status, unconfirmed=False)
    if last is None or (last.state, last.outcome) != (status.state, status.outcome):
        return status
    is_second = status.at - last.at >= doors.schedule.confirm_after
    return replace(status, unconfirmed=last.unconfirmed and not is_second)


def _may_be_offered(doors: Doors, market: MarketId, status: Status | None) -> bool:
    """Say whether a market trades by its venue's last word, and is not settled in the books.

    A list may be older than that word. One whose venue has just taken its outcome back is
    offered again from the next round on, when what was paid on it has been taken back too.
    """
    ruling = doors.store.books.ruling(market)
    settled = ruling is not None and ruling.outcome is not None
    return not settled and (status is None or status.state is State.OPEN)


def _venue(doors: Doors, name: VenueId) -> Venue:
    venue = doors.venues.get(name)
    if venue is None:
        raise ArenaError(
            "venue.missing",
            f"a running cohort needs the venue {name}, which is not configured",
            hint=f"put {name} back under venues in config.yaml",
        )
    if isinstance(venue, ArenaError):
        raise venue
    return venue


def _chosen(doors: Doors, view: VenueView, due: Due, at: datetime) -> list[RoundDue]:
    """Choose the markets of each round that is due."""
    if not due:
        return []
    unasked = [m.id for m in view.markets if m.id not in view.statuses]
    last = {**doors.store.tape.statuses(unasked, at), **view.statuses}
    open_now = [m for m in view.markets if _may_be_offered(doors, m.id, last.get(m.id))]
    return [
        RoundDue(
            cohort,
            number,
            tuple(
                pick(
                    cohort.spec.universe, open_now, view.quotes, at, fees=cohort.spec.rules.fees
                )
            ),
        )
        for cohort, number in due
    ]


def _keep(  # noqa: PLR0913, PLR0917  # what was read, and what follows from it
    doors: Doors,
    name: VenueId,
    view: VenueView,
    chosen: Sequence[RoundDue],
    contexts: Mapping[CohortId, str],
    at: datetime,
) -> list[tuple[CohortId, int]]:
    store, held = doors.store, view.held
    kept = {market.id for due in chosen for market in due.markets}
    digest_of = cache(lambda markets: store.tape.digest_of(markets, at))  # many offer the same
    with store.write():
        store.tape.record_poll(name, at)
        recorded = [m for m in view.markets if m.id in kept | held]
        store.tape.record_markets(_with_fees(store, recorded, at), at)
        store.tape.record_quotes(
            (view.quotes[m] for m in sorted(kept | held) if m in view.quotes), at
        )
        store.tape.record_statuses(weighed(doors, view.statuses, at), at)
        store.journal.append(
            _opening(due, digest_of, contexts.get(due.cohort.id, ""), at) for due in chosen
        )
    return [(due.cohort.id, due.number) for due in chosen]


def _with_fees(store: Store, markets: Sequence[Market], at: datetime) -> Sequence[Market]:
    """Keep the last known fee where a venue states none any more: positions can be sold."""
    last_facts = store.tape.markets([m.id for m in markets], at)
    return [
        replace(m, fee=last_facts[m.id].fee)
        if m.fee.kind is FeeKind.UNKNOWN and m.id in last_facts
        else m
        for m in markets
    ]


def _opening(
    due: RoundDue,
    digest_of: Callable[[tuple[MarketId, ...]], str],
    context: str,
    at: datetime,
) -> Entry:
    cohort, number = due.cohort.id, due.number
    offered = tuple(market.id for market in due.markets)
    digest = digest_of(offered)
    return Entry(
        id=f"round:{cohort}:{number}",
        at=at,
        event=RoundOpened(number, offered, digest, _seed(cohort, number, digest), context),
        cohort=cohort,
    )


def _seed(cohort: CohortId, number: int, digest: str) -> str:
    """Draw a round's seed from its prices: nobody knew it who wrote a market's text."""
    return sha256(f"{cohort}/{number}/{digest}".encode()).hexdigest()[:16]
