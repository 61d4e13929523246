"""The page of audit and status: what the pages were made from, and how to check them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import arena
from arena.metrics import figures
from arena.site import places
from arena.site.page import Document, Page
from arena.site.pages.parts import Cell, Fact, Head, Link, Moment
from arena.site.reading import LABEL, Reading, cohort_link, shown_moment
from arena.site.sanitize import one_line
from arena.store.pages.cards import CohortCard
from arena.store.pages.health import SqliteHealth, VenueHealth


@dataclass(frozen=True, slots=True)
class VenueRow:
    """How a venue has answered; `trouble` is what it failed with since."""

    venue: str
    answered: Moment | None
    trouble: str
    oldest: str
    held: Cell


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
class AuditCheck:
    """How a reader checks something: what, and the command that does."""

    what: str
    command: str
    words: str


@dataclass(frozen=True, slots=True)
class AuditPage:
    """templates/site/audit.html."""

    head: Head
    made_from: tuple[Fact, ...]
    checks: tuple[AuditCheck, ...]
    venues: tuple[VenueRow, ...]
    running: tuple[RunningRow, ...]
    started: bool
    late: tuple[LateRow, ...]
    most: int


LATE_AFTER = timedelta(days=1)
MOST = 60
TROUBLE = 300

CHECKS = (
    AuditCheck(
        "The books",
        "arena audit",
        "Every entry adds up to zero, the chain of digests holds, and every cache is made anew "
        "from the two records and compared.",
    ),
    AuditCheck(
        "One number",
        "arena explain CONTESTANT METRIC",
        "The formula, the rows it stands on and a digest of them.",
    ),
    AuditCheck(
        "One decision",
        "arena verify decision COHORT ROUND CONTESTANT",
        "What was asked and said has the digests of the record, and reading it again gives the "
        "same orders.",
    ),
    AuditCheck(
        "These pages",
        "arena site build --check",
        "The same database gives the same bytes, on any machine, in any time zone.",
    ),
    AuditCheck(
        "A copy of these pages", "arena site check DIR", "Links, policy, twins, digests."
    ),
)


def pages(reading: Reading) -> Iterator[Page | Document]:
    """The page of audit and status."""
    root = places.root_of(places.AUDIT)
    health = SqliteHealth(reading.store.db)
    cards = _newest(reading)
    names = dict.fromkeys(card.spec.venue for card in cards)
    at = reading.store.boards.as_of()
    late = health.late(at - LATE_AFTER)[:MOST] if at else ()
    reading.learn(overdue.market for overdue in late)
    view = AuditPage(
        head=Head(
            "Audit and status",
            root,
            "audit",
            "What these pages were made from, how to check them, and what is late.",
            shown_moment(at) if at else None,
        ),
        made_from=_source_facts(reading),
        checks=CHECKS,
        venues=tuple(_venue(health.venue(name, at), at) for name in names) if at else (),
        running=tuple(_row(card, reading, root) for card in cards if not card.complete_at),
        started=bool(cards),
        late=tuple(
            LateRow(
                reading.market(overdue.market, root),
                shown_moment(overdue.closes_at) if overdue.closes_at else None,
                reading.state(overdue.market),
            )
            for overdue in late
        ),
        most=MOST,
    )
    yield Page(places.AUDIT, "audit.html", view)


def _source_facts(reading: Reading) -> tuple[Fact, ...]:
    entry, head = reading.show.head()
    overview = reading.overview
    return (
        Fact("Program", f"Paper Arena {arena.__version__}"),
        Fact("Entries of the journal", figures.count(entry)),
        Fact("Digest of the last entry", head or "none", "SHA-256, chained from the first"),
        Fact("Cohorts", figures.count(reading.show.cohort_count())),
        Fact("Markets offered", figures.count(reading.show.market_count())),
        Fact(
            "Resolved forecasts",
            figures.count(overview.forecasts),
            f"of {figures.many(overview.markets, 'market')} "
            f"in {figures.many(overview.events, 'event')}",
        ),
        *(
            Fact(f"Left out: {why.replace('_', ' ')}", figures.count(number))
            for why, number in sorted(overview.left_out.items())
        ),
    )


def _newest(reading: Reading) -> list[CohortCard]:
    """The newest cohorts that are not complete; without one, the last of all."""
    count = reading.show.cohort_count()
    cards = reading.show.cohorts(count - MOST + 1, count)
    return [card for card in cards if card.complete_at is None] or list(cards[:1])


def _venue(health: VenueHealth, at: datetime) -> VenueRow:
    age = figures.span(at - health.oldest_price) if health.oldest_price else figures.MISSING
    unquoted = f"{figures.count(health.unquoted_markets)} without a price"
    return VenueRow(
        venue=one_line(health.venue, LABEL),
        answered=shown_moment(health.last_poll) if health.last_poll else None,
        trouble=one_line(health.last_error, TROUBLE) if health.last_error else "",
        oldest=age,
        held=Cell(
            figures.count(health.held_markets),
            unquoted if health.unquoted_markets else "",
            health.held_markets,
        ),
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
        open=Cell(figures.count(still_open), value=still_open),
    )
