"""The page of changes: rules with their first cohort, corrections, what happened last."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise

from arena.metrics import figures
from arena.records.cohort import CohortSpec
from arena.site import Document, Page, places
from arena.site.pages.cohorts.agreements import agreement
from arena.site.pages.parts import Head, Link, Moment
from arena.site.reading import Reading, cohort_link, outcome_words, shown_moment
from arena.site.sanitize import one_line
from arena.store.pages.cards import CohortCard
from arena.store.pages.showcase import Ruled


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


COHORTS = 100  # the newest, among which changes of rules are looked for
RULED = 100
ITEMS = 60
FEEDS = (Link("Atom feed", "feed.xml"), Link("JSON feed", "feed.json"))


def pages(reading: Reading) -> Iterator[Page | Document]:
    """The page of changes."""
    root = places.root_of(places.CHANGES)
    cards, ruled = _newest(reading)
    view = ChangesPage(
        head=Head(
            "Changes",
            root,
            "changes",
            "Rules with the cohort they hold from, corrections, and what happened last.",
        ),
        rules=tuple(rule_changes(cards, root)),
        corrections=tuple(_correction(r, reading, root) for r in ruled if r.revision > 1),
        interruptions=tuple(interruptions(reading)),
        items=news(reading, root),
        cohorts=COHORTS,
        most=RULED,
        feeds=FEEDS if reading.edition.site.base_url else (),
    )
    yield Page(places.CHANGES, "changes.html", view)


def news(reading: Reading, root: str) -> tuple[Item, ...]:
    """What happened last, newest first: starts, ends, changes of rules, outcomes.

    Args:
        reading: The store.
        root: The way from the page up to the site's folder, or the site's address.
    """
    cards, ruled = _newest(reading)
    items = [
        *(_started(card, root) for card in cards),
        *(_completed(card, root) for card in cards if card.complete_at),
        *(_changed(change) for change in rule_changes(cards, root)),
        *(_outcome(ruling, reading, root) for ruling in ruled),
        *(_interrupted(interruption, root) for interruption in interruptions(reading)),
    ]
    items.sort(key=lambda item: item.id)
    items.sort(key=lambda item: item.at.iso, reverse=True)
    return tuple(items[:ITEMS])


def rule_changes(cards: Sequence[CohortCard], root: str) -> Iterator[RuleChange]:
    """Rules in which a cohort differs from the one of the same file before it, newest first."""
    numbered_changes: list[tuple[int, RuleChange]] = []
    for now, before in _neighbours(cards):
        numbered_changes += [(now.number, change) for change in _between(before, now, root)]
    for _, change in sorted(numbered_changes, key=lambda pair: -pair[0]):
        yield change


def interruptions(reading: Reading) -> Iterator[Interruption]:
    """Starts missed among the newest cohorts, older databases put back, other adapters."""
    for card, missed in _missed_starts(_newest(reading)[0]):
        starts = figures.many(missed, "start")
        words = f"{starts} of {card.spec.name} before {card.id}: the arena was not ticked."
        yield Interruption(shown_moment(card.started_at), "Starts were missed", words)
    for at, gone in reading.show.restored(RULED):
        since = f"goes on from entry {gone.kept:,}" if gone.kept else "has nothing of it"
        words = f"Published up to entry {gone.entry:,} ({gone.head}); the journal now {since}."
        yield Interruption(shown_moment(at), "An older database was put back", words)
    for at, event in reading.show.adapters(RULED):
        cohorts = figures.many(event.cohorts, "running cohort")
        words = f"{cohorts} began while it was read in another way. Now: adapter "
        words += f"{one_line(event.adapter, 100)}, options with the SHA-256 {event.options}."
        what = f"Adapter or options of the venue {one_line(event.venue, 100)} changed"
        yield Interruption(shown_moment(at), what, words)


def _missed_starts(cards: Sequence[CohortCard]) -> Iterator[tuple[CohortCard, int]]:
    """Cohorts before which starts of their file were missed, and how many."""
    for now, before in _neighbours(cards):
        if missed := now.spec.start.missed(before.started_at, now.started_at):
            yield now, missed


def _neighbours(cards: Sequence[CohortCard]) -> Iterator[tuple[CohortCard, CohortCard]]:
    """Each cohort with the one of the same file before it, newest first within a file."""
    by_name = sorted(cards, key=lambda card: (card.spec.name, -card.number))
    for _, same in groupby(by_name, key=lambda card: card.spec.name):
        yield from pairwise(same)


def _between(before: CohortCard, now: CohortCard, root: str) -> Iterator[RuleChange]:
    if before.digest == now.digest:
        return
    old, new = _rules_in_words(before.spec), _rules_in_words(now.spec)
    for rule, value in new.items():
        if old.get(rule) != value:
            yield RuleChange(
                shown_moment(now.started_at),
                cohort_link(now.id, root),
                rule,
                old.get(rule, ""),
                value,
            )


@lru_cache(maxsize=4 * COHORTS)
def _rules_in_words(spec: CohortSpec) -> dict[str, str]:
    """An agreement in words, rule by rule; what a cohort's own start says is left out."""
    words = {fact.name: fact.text for fact in agreement(spec)}
    names = sorted(spec.contestants)
    return words | {"contestants": one_line(", ".join(names), 1000)}


def _newest(reading: Reading) -> tuple[Sequence[CohortCard], Sequence[Ruled]]:
    count = reading.show.cohort_count()
    cards = reading.show.cohorts(count - COHORTS + 1, count)
    ruled = reading.show.ruled(RULED)
    reading.learn(ruling.market for ruling in ruled)
    return cards, ruled


def _started(card: CohortCard, root: str) -> Item:
    number = len(card.spec.contestants)
    many = figures.many(number, "contestant decides", "contestants decide")
    return Item(
        f"start:{card.id}",
        shown_moment(card.started_at),
        "cohort",
        "Cohort started",
        cohort_link(card.id, root),
        f"{many} until {figures.moment(card.ends_at)}.",
    )


def _completed(card: CohortCard, root: str) -> Item:
    at = card.complete_at or card.ends_at
    return Item(
        f"complete:{card.id}",
        shown_moment(at),
        "cohort",
        "Cohort complete",
        cohort_link(card.id, root),
        "Every position is settled, or was sold.",
    )


def _interrupted(interruption: Interruption, root: str) -> Item:
    return Item(
        f"interruption:{interruption.at.iso}:{interruption.what}",
        interruption.at,
        "interruption",
        interruption.what,
        Link("Changes", f"{root}{places.CHANGES}#interruptions"),
        interruption.words,
    )


def _changed(change: RuleChange) -> Item:
    return Item(
        f"rule:{change.cohort.text}:{change.rule}",
        change.effective,
        "rule",
        f"{change.rule} changed",
        change.cohort,
        f"From {change.before or 'nothing'} to {change.now or 'nothing'}.",
    )


def _outcome(ruled: Ruled, reading: Reading, root: str) -> Item:
    correction = ruled.revision > 1
    words = f"{figures.many(ruled.positions, 'position')} on it."
    if correction:
        before = outcome_words(ruled.before) if ruled.before else "nothing"
        words = f"It had been {before}. {words} They were reversed and settled again."
    return Item(
        f"resolve:{ruled.market}:{ruled.revision}",
        shown_moment(ruled.at),
        "correction" if correction else "outcome",
        f"{'Corrected' if correction else 'Resolved'}: {outcome_words(ruled.outcome)}",
        reading.market(ruled.market, root),
        words,
    )


def _correction(ruled: Ruled, reading: Reading, root: str) -> Correction:
    return Correction(
        at=shown_moment(ruled.at),
        market=reading.market(ruled.market, root),
        before=outcome_words(ruled.before) if ruled.before else "taken back",
        now=outcome_words(ruled.outcome),
        revision=str(ruled.revision),
        positions=figures.count(ruled.positions),
    )
