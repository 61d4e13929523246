"""The page of status: whether venues and models answer, what runs, and what is late."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from arena.metrics import figures
from arena.records.report import VenueStatus
from arena.site import Document, Page, places
from arena.site.estimates import count_cell
from arena.site.pages.parts import Cell, Fact, Head, Link, Moment
from arena.site.reading import LABEL, Reading, cohort_link, shown_moment
from arena.site.sanitize import one_line
from arena.store.pages.cards import CohortCard
from arena.store.pages.health import ReadingRecord, SqliteHealth, TurnRecord

SPAN: Final = timedelta(days=30)  # that readings and turns are counted over
LATE_AFTER: Final = timedelta(days=1)
MOST: Final = 60
TROUBLE: Final = 300  # characters


@dataclass(frozen=True, slots=True)
class VenueRow:
    """How a venue has answered: `read` and `failed` of the last days, `trouble` since then."""

    venue: str
    answered: Moment | None
    read: Cell
    failed: Cell
    trouble: str
    oldest: str
    held: Cell


@dataclass(frozen=True, slots=True)
class ContestantRow:
    """How a contestant has answered in the last days."""

    contestant: Link
    turns: Cell
    failed: Cell
    last_failed: Moment | None


@dataclass(frozen=True, slots=True)
class RunningRow:
    """A cohort that is not complete."""

    cohort: Link
    started: Moment
    marked: Moment | None
    rounds: Cell
    open: Cell


@dataclass(frozen=True, slots=True)
class LateRow:
    """A market past its close without an outcome."""

    market: Link
    due: Moment | None
    state: str


@dataclass(frozen=True, slots=True)
class StatusPage:
    """templates/site/status.html; `days` is the span of what is counted."""

    head: Head
    facts: tuple[Fact, ...]
    days: int
    venues: tuple[VenueRow, ...]
    contestants: tuple[ContestantRow, ...]
    running: tuple[RunningRow, ...]
    started: bool
    late: tuple[LateRow, ...]
    most: int


def pages(reading: Reading) -> Iterator[Page | Document]:
    """The page of status."""
    root = places.root_of(places.STATUS)
    at = reading.store.boards.as_of()
    cards = _newest(reading)
    venues: tuple[VenueRow, ...] = ()
    contestants: tuple[ContestantRow, ...] = ()
    late: tuple[LateRow, ...] = ()
    if at:
        health = SqliteHealth(reading.store.db)
        readings = {record.venue: record for record in health.readings(at - SPAN)}
        names = dict.fromkeys(card.spec.venue for card in cards)
        venues = tuple(
            _venue(health.venue(name, at), readings.get(name, ReadingRecord(name, 0, 0, ())))
            for name in names
        )
        records = {record.contestant: record for record in health.turn_records(at - SPAN)}
        contestants = tuple(
            _contestant(records[name], reading, root) for name in reading.in_order(records)
        )
        late = _late(health, reading, at)
    view = StatusPage(
        head=Head(
            "Status",
            root,
            "status",
            "Whether venues and models answer, which cohorts run, and what is late.",
            shown_moment(at) if at else None,
        ),
        facts=_facts(at, venues, contestants, late),
        days=SPAN.days,
        venues=venues,
        contestants=contestants,
        running=tuple(_row(card, reading, root) for card in cards if not card.complete_at),
        started=bool(cards),
        late=late,
        most=MOST,
    )
    yield Page(places.STATUS, "status.html", view)


def _facts(
    at: datetime | None,
    venues: tuple[VenueRow, ...],
    contestants: tuple[ContestantRow, ...],
    late: tuple[LateRow, ...],
) -> tuple[Fact, ...]:
    if at is None:
        return ()
    silent = sum(bool(row.trouble) for row in venues)
    turns = sum(int(row.turns.value or 0) for row in contestants)
    failed = sum(int(row.failed.value or 0) for row in contestants)
    return (
        Fact("Newest data", figures.moment(at)),
        Fact("Venues that do not answer", f"{silent} of {len(venues)}"),
        Fact("Turns that failed", f"{figures.count(failed)} of {figures.count(turns)}"),
        Fact("Late outcomes", f"{len(late)}{' or more' if len(late) == MOST else ''}"),
    )


def _newest(reading: Reading) -> list[CohortCard]:
    """The newest cohorts that are not complete; without one, the last of all."""
    count = reading.show.cohort_count()
    cards = reading.show.cohorts(count - MOST + 1, count)
    return [card for card in cards if card.complete_at is None] or list(cards[:1])


def _venue(health: VenueStatus, record: ReadingRecord) -> VenueRow:
    age = health.oldest_price_age
    days = record.failed_days
    unquoted = f"{figures.count(health.unquoted_markets)} without a price"
    return VenueRow(
        venue=one_line(health.venue, LABEL),
        answered=shown_moment(health.last_poll) if health.last_poll else None,
        read=count_cell(record.read),
        failed=count_cell(
            record.failed,
            f"on {figures.many(len(days), 'day')}, the last {days[-1]}" if days else "",
        ),
        trouble=one_line(health.last_error, TROUBLE) if health.last_error else "",
        oldest=figures.MISSING if age is None else figures.span(age),
        held=count_cell(health.held_markets, unquoted if health.unquoted_markets else ""),
    )


def _row(card: CohortCard, reading: Reading, root: str) -> RunningRow:
    rounds = reading.show.rounds(card.id)
    marked = reading.show.marked_at(card.id)
    still_open = sum(line.open for line in reading.board(card.id).standings)
    closed = sum(round_card.closed for round_card in rounds)
    return RunningRow(
        cohort=cohort_link(card.id, root),
        started=shown_moment(card.started_at),
        marked=shown_moment(marked) if marked else None,
        rounds=Cell(f"{closed} of {len(rounds)} judged", value=closed),
        open=count_cell(still_open),
    )


def _contestant(record: TurnRecord, reading: Reading, root: str) -> ContestantRow:
    return ContestantRow(
        contestant=reading.contestant(record.contestant, root),
        turns=count_cell(record.turns),
        failed=count_cell(record.failed),
        last_failed=shown_moment(record.last_failed) if record.last_failed else None,
    )


def _late(health: SqliteHealth, reading: Reading, at: datetime) -> tuple[LateRow, ...]:
    late, root = health.late(at - LATE_AFTER)[:MOST], places.root_of(places.STATUS)
    reading.learn(overdue.market for overdue in late)
    return tuple(
        LateRow(
            reading.market(overdue.market, root),
            shown_moment(overdue.closes_at) if overdue.closes_at else None,
            reading.state(overdue.market),
        )
        for overdue in late
    )
