"""What the page of insights shows."""

from dataclasses import dataclass

from arena.site.pages.parts import Fact, Figure, Head, Link, Table


@dataclass(frozen=True, slots=True)
class InsightCard:
    """One insight: what it shows, how it is read, its picture and its values.

    `values` are of all contestants together. `missing` says why there is nothing to show.
    `more` are the rows that only the twin has room for, and `note` says so.
    """

    key: str
    title: str
    shows: str
    reading: str
    figure: Figure | None = None
    table: Table | None = None
    values: Table | None = None
    more: Table | None = None
    note: str = ""
    missing: str = ""


@dataclass(frozen=True, slots=True)
class InsightsPage:
    """templates/site/insights.html. `contents` lead to the cards."""

    head: Head
    lead: str
    level: str
    facts: tuple[Fact, ...]
    contents: tuple[Link, ...]
    cards: tuple[InsightCard, ...]
