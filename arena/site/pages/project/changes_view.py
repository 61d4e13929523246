"""What the page of changes shows."""

from dataclasses import dataclass

from arena.site.pages.parts.parts import Head, Link, Moment


@dataclass(frozen=True, slots=True)
class Item:
    """Something that happened. `id` names it for ever; `sort` says of what kind it is."""

    id: str
    at: Moment
    sort: str
    title: str
    link: Link
    words: str


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A rule that a cohort goes by and the one before it did not."""

    effective: Moment
    cohort: Link
    rule: str
    before: str
    now: str


@dataclass(frozen=True, slots=True)
class Correction:
    """A resolution that a venue changed, and what it had been."""

    at: Moment
    market: Link
    before: str
    now: str
    revision: str
    positions: str


@dataclass(frozen=True, slots=True)
class Interruption:
    """A time that the record was broken off: no tick, an older database, another adapter."""

    at: Moment
    what: str
    words: str


@dataclass(frozen=True, slots=True)
class ChangesPage:
    """templates/site/changes.html."""

    head: Head
    rules: tuple[RuleChange, ...]
    corrections: tuple[Correction, ...]
    interruptions: tuple[Interruption, ...]
    items: tuple[Item, ...]
    cohorts: int
    most: int
    feeds: tuple[Link, ...]
