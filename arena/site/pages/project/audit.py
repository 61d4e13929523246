"""The page of the audit: what the pages were made from, and how to check them."""

from collections.abc import Iterator
from dataclasses import dataclass

import arena
from arena.metrics import figures
from arena.site import Document, Page, places
from arena.site.pages.parts import Fact, Head
from arena.site.reading import Reading, shown_moment


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


CHECKS = (
    AuditCheck(
        "This site",
        "arena verify bundle URL",
        "From the published files alone: each has its digest, the chain and the laws of the "
        "books hold, and the numbers of the main pages come out again.",
    ),
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
        "A copy of these pages",
        "arena site check DIR",
        "Links, security policy, JSON versions and digests.",
    ),
)


def pages(reading: Reading) -> Iterator[Page | Document]:
    """The page of the audit."""
    at = reading.store.boards.as_of()
    view = AuditPage(
        head=Head(
            "Audit",
            places.root_of(places.AUDIT),
            "audit",
            "What these pages were made from, and how to check them.",
            shown_moment(at) if at else None,
        ),
        made_from=_source_facts(reading),
        checks=CHECKS,
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
