"""A cache of what a build has read from the store."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from hashlib import sha256

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.picture import can_draw
from arena.records.cohort import CohortId, CohortSpec, ContestantId
from arena.records.grade import Board
from arena.records.market import (
    EventId,
    Market,
    MarketId,
    Outcome,
    Quote,
    State,
    Status,
    Verdict,
)
from arena.records.settings import Edition, Entrant
from arena.site import places
from arena.site.charts.drawing import COLOURS
from arena.site.charts.subjects import LineWeight
from arena.site.overview.records import ContestantProfile, Overview, RankPlace
from arena.site.pages.parts import Cell, Link, Moment
from arena.site.sanitize import one_line
from arena.store import Store
from arena.store.caches import spec_of
from arena.store.journal.books import Ruling
from arena.store.pages.cards import CohortCard, MarketCard
from arena.store.pages.showcase import Showcase

LABEL = 60  # characters of a name that fit in a table
SHORTEST_LABEL = 8  # beside a long id
QUESTION = 140

_STATES = {
    State.OPEN: "open",
    State.HALTED: "halted",
    State.CLOSED_PENDING: "closed, not resolved yet",
    State.PROPOSED: "closed, an outcome is proposed",
    State.DISPUTED: "closed, the outcome is disputed",
    State.RESOLVED: "resolved by the venue, not booked yet",
    State.UNKNOWN: "unknown to the venue",
}


@dataclass(slots=True)
class Reading:
    """The store at one moment, seen by the pages. `at` is no earlier than anything on it.

    `has_picture` says whether the site has a picture of the front page.
    """

    store: Store
    show: Showcase
    edition: Edition
    at: datetime
    overview: Overview
    has_picture: bool = field(default_factory=can_draw)
    _facts: dict[MarketId, Market] = field(default_factory=dict)
    _rulings: dict[MarketId, Ruling | None] = field(default_factory=dict)
    _statuses: dict[MarketId, Status] = field(default_factory=dict)
    _books: dict[tuple[MarketId, datetime], Quote | None] = field(default_factory=dict)
    _boards: dict[CohortId, Board] = field(default_factory=dict)
    _names: dict[ContestantId, str] = field(default_factory=dict)
    _shown: Counter[str] = field(default_factory=Counter)  # labels of the cast
    _tones: dict[ContestantId, int] = field(default_factory=dict)
    _specs: dict[CohortId, CohortSpec] = field(default_factory=dict)

    def learn(self, markets: Iterable[MarketId]) -> None:
        """Read the newest facts, states and rulings of markets at once."""
        new = [m for m in dict.fromkeys(markets) if m not in self._rulings]
        if not new:
            return
        self._facts |= self.store.tape.markets(new, self.at)
        self._statuses |= self.store.tape.statuses(new, self.at)
        rulings = self.show.rulings(new)
        self._rulings |= {m: rulings.get(m) for m in new}

    def learn_books(self, markets: Iterable[MarketId], at: datetime) -> None:
        """Read at once the books that positions in markets were valued by at a moment."""
        new = [m for m in dict.fromkeys(markets) if (m, at) not in self._books]
        if new:
            books = self.store.tape.two_sided_quotes(new, at)
            self._books |= {(m, at): books.get(m) for m in new}

    def book(self, market: MarketId, at: datetime) -> Quote | None:
        """The book that positions in a market were valued by at a moment, if any."""
        self.learn_books([market], at)
        return self._books[market, at]

    def facts(self, card: MarketCard) -> Market:
        """A market's newest facts; one that is not on the tape is called by its id."""
        self.learn([card.id])
        unknown = Market(card.id, card.venue, EventId(""), card.id)
        return self._facts.get(card.id, unknown)

    def ruling(self, market: MarketId) -> Ruling | None:
        """The resolution of a market that the books stand on."""
        self.learn([market])
        return self._rulings[market]

    def outcome(self, market: MarketId) -> Outcome | None:
        """How a market resolved; None while it has not, or no longer has."""
        ruling = self.ruling(market)
        return ruling.outcome if ruling else None

    def state(self, market: MarketId) -> str:
        """Where a market is in its life, in words."""
        ruling = self.ruling(market)
        if ruling and ruling.outcome:
            return ruling_words(ruling)
        status = self._statuses.get(market)
        now = _STATES[status.state] if status else "no word from the venue yet"
        return f"resolution taken back; {now}" if ruling else now

    def board(self, cohort: CohortId) -> Board:
        """A cohort's leaderboard."""
        if cohort not in self._boards:
            self._boards[cohort] = self.store.boards.of_cohort(cohort)
        return self._boards[cohort]

    def spec(self, cohort: CohortId) -> CohortSpec:
        """The agreement of a cohort that is there."""
        if cohort not in self._specs:
            self._specs[cohort] = spec_of(self.store.db, cohort)
        return self._specs[cohort]

    def entrant(self, contestant: ContestantId) -> Entrant:
        """Who a contestant is; one that is no longer configured goes by its id."""
        return self.edition.cast.get(contestant) or Entrant(contestant)

    def weight(self, contestant: ContestantId) -> LineWeight:
        """How a contestant is drawn: a baseline is no main line."""
        is_baseline = self.entrant(contestant).reference
        return LineWeight.REFERENCE if is_baseline else LineWeight.MAIN

    def profile(self, contestant: ContestantId) -> ContestantProfile:
        """The estimates of a contestant; an empty profile if it has just started."""
        profile = self.overview.profiles.get(contestant)
        last = len(self.overview.order) + 1
        return profile or ContestantProfile(contestant, RankPlace(None, 1, last))

    def in_order(self, contestants: Iterable[ContestantId]) -> tuple[ContestantId, ...]:
        """Contestants in the one order of all lists: best first, then baselines.

        Those without a place stand after those with one, by their names.
        """
        place = {name: n for n, name in enumerate(self.overview.order)}
        last = len(place)

        def key(name: ContestantId) -> tuple[bool, int, str]:
            return self.entrant(name).reference, place.get(name, last), self.label(name)

        return tuple(sorted(contestants, key=key))

    def label(self, contestant: ContestantId) -> str:
        """What a contestant is called: its label, and its id where the label is not its own."""
        if contestant not in self._names:
            label = one_line(self.entrant(contestant).label or contestant, LABEL)
            cast = self.edition.cast
            if not self._shown:
                self._shown.update(one_line(cast[who].label or who, LABEL) for who in cast)
            if self._shown[label] > (contestant in cast):
                room = max(LABEL - len(contestant) - len(" ()"), SHORTEST_LABEL)
                label = f"{one_line(label, room)} ({contestant})"
            self._names[contestant] = label
        return self._names[contestant]

    def tone(self, contestant: ContestantId) -> int | None:
        """The number of a contestant's colour and shape, the same on all pages.

        None for a baseline, which has none. One that is no longer configured has the number
        of its name's digest.
        """
        if self.entrant(contestant).reference:
            return None
        if not self._tones:
            own = sorted(
                name for name, entrant in self.edition.cast.items() if not entrant.reference
            )
            self._tones |= {name: n for n, name in enumerate(own)}
        return self._tones.get(contestant, sha256(contestant.encode()).digest()[0] % COLOURS)

    def contestant(self, contestant: ContestantId, root: str) -> Link:
        """A link to a contestant."""
        return Link(self.label(contestant), root + places.contestant(contestant))

    def market(self, market: MarketId, root: str) -> Link:
        """A link to a market, by its question."""
        self.learn([market])
        facts = self._facts.get(market)
        question = one_line(facts.question if facts else market, QUESTION)
        return Link(question, root + places.market(market))


@lru_cache(maxsize=4096)
def cohort_link(cohort: CohortId, root: str) -> Link:
    """A link to a cohort."""
    return Link(one_line(cohort, LABEL), root + places.cohort(cohort))


def moment_cell(at: datetime, href: str = "") -> Cell:
    """A moment in a table."""
    moment = shown_moment(at)
    return Cell(moment.text, value=moment.iso, href=href)


@lru_cache(maxsize=4096)
def shown_moment(at: datetime) -> Moment:
    """A moment for people and for machines."""
    return Moment(figures.moment(at), figures.machine(at))


def ruling_words(ruling: Ruling | None) -> str:
    """How a market resolved, as the books have it."""
    if ruling is None:
        return "not resolved"
    if ruling.outcome is None:
        return "resolution taken back"
    words = outcome_words(ruling.outcome)
    revised = f" (revision {ruling.revision})" if ruling.revision > 1 else ""
    return f"resolved {words}{revised}"


def outcome_words(outcome: Outcome) -> str:
    """An outcome in a word or two."""
    if outcome.verdict is Verdict.VOID:
        return "void"
    if outcome.verdict is Verdict.FRACTION:
        return f"at {METRICS['price'].shown(outcome.yes_pays)} a YES share"
    return outcome.verdict.value


def state_words(card: CohortCard) -> str:
    """Whether a cohort is done, in a word."""
    return "running" if card.complete_at is None else "complete"
