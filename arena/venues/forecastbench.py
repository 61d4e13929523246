"""Rounds of ForecastBench as a venue: real questions, real prices, real outcomes.

A folder holds `question_sets/DATE-llm.json` and `resolution_sets/DATE_resolution_set.json`,
as the project publishes them (https://github.com/forecastingresearch/forecastbench-datasets,
CC BY-SA 4.0). Only questions that come from a prediction market or a crowd have a price that
is a probability, so only those are read. A question set without a resolution set has markets
that are open, each of which may resolve later.

ForecastBench does not say which questions hang on the same news: events are guessed from their
words (`arena.stats.mean_intervals`). A file `events.json` beside the two folders, an
object of market and event, says otherwise.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

from arena.errors import ArenaError
from arena.metrics.figures import many
from arena.ports import Clock, Payloads, Venue
from arena.records.market import (
    EventId,
    Market,
    MarketId,
    Outcome,
    Quote,
    State,
    Status,
    VenueId,
)
from arena.records.money import Price, price
from arena.records.settings import VenueSettings
from arena.scoring.question_families import AskedQuestion, question_families
from arena.venues.options import is_words, read_options
from arena.venues.recorded import Listing, RecordedVenue, Recording

NAME = VenueId("forecastbench")
SOURCES = ("infer", "manifold", "metaculus", "polymarket")
NOTHING = ("", "N/A")
LAST_ROUND = timedelta(days=14)  # the rounds are two weeks apart
A_DAY = timedelta(days=1)
HINT = "the folder holds question_sets/ and resolution_sets/ as ForecastBench publishes them"

_EVENT_PAGE = re.compile(r"https://polymarket\.com/event/([^/?#]+)/[^/?#]")


@dataclass(frozen=True, slots=True)
class QuestionRound:
    """One question set: what is asked at `due`, and the price that each market had before."""

    due: datetime
    markets: tuple[Market, ...]
    quotes: tuple[Quote, ...]


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a file, and where it stands: errors name it."""

    where: str
    fields: Mapping[str, object]

    def text(self, key: str) -> str:
        value = self._get(key)
        if not isinstance(value, str):
            raise _bad(self.where, f"{key} is not text")
        return value

    def moment(self, key: str) -> datetime | None:
        """Read a date or a time in UTC; None where the file says N/A."""
        value = self._get(key)
        if value is None or value in NOTHING:
            return None
        try:
            read = datetime.fromisoformat(value if isinstance(value, str) else "")
            return read.astimezone(UTC) if read.tzinfo else read.replace(tzinfo=UTC)
        except (ValueError, OverflowError):
            raise _bad(self.where, f"{key} is not a date: {_shortened(value)}") from None

    def date(self, key: str) -> datetime:
        at = self.moment(key)
        if at is None:
            raise _bad(self.where, f"{key} is not a date")
        return at

    def price(self, key: str) -> Price | None:
        """Read a probability, written as a number or as text; None where there is none."""
        value = self._get(key)
        if value is None or value in NOTHING:
            return None
        if isinstance(value, str | int | Decimal) and not isinstance(value, bool):
            try:
                return price(value)
            except (ValueError, ArithmeticError):
                pass
        raise _bad(self.where, f"{key} is not a probability: {_shortened(value)}")

    def truth(self, key: str) -> bool:
        value = self._get(key)
        if not isinstance(value, bool):
            raise _bad(self.where, f"{key} is neither true nor false")
        return value

    def market(self) -> MarketId | None:
        """Name the row's market; None for combinations and for other kinds of question."""
        source, single = self._get("source"), self._get("id")
        if isinstance(single, list) or source not in SOURCES:
            return None
        return MarketId(f"{source}:{self.text('id')}")

    def _get(self, key: str) -> object:
        try:
            return self.fields[key]
        except KeyError:
            raise _bad(self.where, f"{key} is missing") from None


def from_settings(
    settings: VenueSettings,
    clock: Clock,
    payloads: Payloads | None = None,  # noqa: ARG001  no server says anything
) -> Venue:
    """Build the venue from its one option, `path`: the folder with the files."""
    options = read_options(settings, dict[str, str], {"path": is_words}, HINT)
    if not options:
        message = f"the venue {settings.id!r} needs the option path"
        raise ArenaError("venue.option", message, hint=HINT, status=2)
    return RecordedVenue(load(Path(options["path"]), venue=settings.id), clock)


def load(folder: Path, *, venue: VenueId = NAME) -> Recording:
    """Read every round of a folder, or of the folder `datasets` in it.

    Raises:
        ArenaError: `venue.data`, which names the file, the row and the key, when there is no
            question set, or a file does not say what it should.
    """
    if not (folder / "question_sets").exists() and (folder / "datasets").is_dir():
        folder = folder / "datasets"
    rounds: dict[datetime, QuestionRound] = {}
    for path in _question_sets(folder / "question_sets"):
        read = parse_questions(_read(path), str(path), venue=venue)
        rounds.setdefault(read.due, read)
    facts: list[Status | Quote] = []
    unresolved = []
    for due in sorted(rounds):
        path = folder / "resolution_sets" / f"{due:%Y-%m-%d}_resolution_set.json"
        if path.exists():
            facts.extend(parse_resolutions(_read(path), str(path)))
        else:
            unresolved.append(due)
    event_by_market = _event_file(folder / "events.json")
    recording = assemble(rounds.values(), facts, event_by_market)
    notes = (_sets_read(sorted(rounds), unresolved), *_event_notes(recording, event_by_market))
    return replace(recording, notes=notes)


def _question_sets(folder: Path) -> Sequence[Path]:
    """Name the question sets; of one round the first counts, and models come before humans.

    `latest-llm.json` is the newest set under a second name: a link, or a file that holds the
    name alone.
    """
    paths = sorted(
        folder.glob("????-??-??-*.json"), key=lambda path: path.name[10:], reverse=True
    )
    if not paths:
        raise _bad(folder, "there is no question set")
    return paths


def _event_file(file: Path) -> Mapping[MarketId, EventId]:
    """Read which markets share an event, where a person has written it down."""
    if not file.exists():
        return {}
    row = _Row(str(file), _mapping(_read(file), str(file)))
    return {MarketId(market): EventId(row.text(market)) for market in row.fields}


def _sets_read(dues: Sequence[datetime], unresolved: Sequence[datetime]) -> str:
    sentence = (
        f"{many(len(dues), 'question set')} read, {dues[0]:%Y-%m-%d} to {dues[-1]:%Y-%m-%d}"
    )
    if not unresolved:
        return sentence
    days = ", ".join(f"{due:%Y-%m-%d}" for due in unresolved)
    return f"{sentence}; no resolution set yet: {days}"


def _event_notes(
    recording: Recording, event_by_market: Mapping[MarketId, EventId]
) -> Iterator[str]:
    """Say what is still open, and what an event is here."""
    markets = recording.markets
    ended = {status.market for status in recording.statuses if status.outcome is not None}
    events = {market.event for market in markets}
    yield f"{many(len(markets), 'market')}, {len(markets) - len(ended):,} of them still open"
    alone = sum(n == 1 for n in Counter(market.event for market in markets).values())
    yield (
        f"{many(len(events), 'event')}, {alone:,} of them a market alone: guessed from "
        "questions that close on one day and differ in one name or number"
        + (
            f", except for {many(len(event_by_market), 'market')} of events.json"
            if event_by_market
            else ""
        )
    )


def parse_questions(payload: object, where: str, *, venue: VenueId) -> QuestionRound:
    """Read one question set.

    Args:
        payload: The file's JSON, its fractions read as `Decimal`.
        where: The file's name, for error messages.
        venue: The name of the venue that the markets belong to.

    Raises:
        ArenaError: `venue.data`.
    """
    due = _Row(where, _mapping(payload, where)).date("forecast_due_date")
    markets, quotes = [], []
    for row in _rows(payload, "questions", where):
        name = row.market()
        if name is None:
            continue
        markets.append(_market(row, name, venue))
        value, frozen = row.price("freeze_datetime_value"), row.date("freeze_datetime")
        if value is not None:
            quotes.append(Quote(name, bid=value, ask=value, at=frozen))
    return QuestionRound(due, tuple(markets), tuple(quotes))


def parse_resolutions(payload: object, where: str) -> tuple[Status | Quote, ...]:
    """Read one resolution set: a final word, or the price at a later date.

    An outcome is known at the end of its day. A market whose question was taken back has
    no value there and is void.

    Raises:
        ArenaError: `venue.data`.
    """
    facts: list[Status | Quote] = []
    for row in _rows(payload, "resolutions", where):
        name = row.market()
        if name is None or row.fields.get("direction") is not None:
            continue
        value, day = row.price("resolved_to"), row.date("resolution_date")
        if row.truth("resolved"):
            facts.append(Status(name, State.RESOLVED, day + A_DAY, Outcome(value)))
        elif value is not None:
            facts.append(Quote(name, bid=value, ask=value, at=day + A_DAY))
    return tuple(facts)


def assemble(
    rounds: Iterable[QuestionRound],
    facts: Iterable[Status | Quote],
    events: Mapping[MarketId, EventId] = MappingProxyType({}),
) -> Recording:
    """Join rounds with what became of their markets.

    A round's markets are listed from its due date until the next round's. Those that `events`
    does not name have the event of their question's family.
    """
    ordered = sorted(rounds, key=lambda each: each.due)
    listings = tuple(_listings(_with_events(ordered, events)))
    quotes = [quote for each in ordered for quote in each.quotes]
    final: dict[MarketId, list[Status]] = {}
    for fact in facts:
        if isinstance(fact, Quote):
            quotes.append(fact)
        else:
            final.setdefault(fact.market, []).append(fact)
    lives = tuple(_lives(listings, final))
    return Recording(listings, tuple(dict.fromkeys(quotes)), lives)


def _with_events(
    rounds: Sequence[QuestionRound], event_by_market: Mapping[MarketId, EventId]
) -> Sequence[QuestionRound]:
    questions = (_asked_question(market) for each in rounds for market in each.markets)
    guessed = question_families(questions)

    def placed(market: Market) -> Market:
        event = event_by_market.get(market.id) or EventId(guessed[market.id])
        return replace(market, event=event)

    return [replace(each, markets=tuple(map(placed, each.markets))) for each in rounds]


def _asked_question(market: Market) -> AskedQuestion:
    """Give what a question's family is guessed from; Polymarket's addresses name its events."""
    page = _EVENT_PAGE.match(market.url)
    closes = f"{market.closes_at:%Y-%m-%d}" if market.closes_at else ""
    group = page[1] if page else ""
    return AskedQuestion(market.id, market.category, market.question, closes, group)


def _market(row: _Row, name: MarketId, venue: VenueId) -> Market:
    url, criteria = row.text("url"), row.fields.get("market_info_resolution_criteria")
    about = (
        row.text("background"),
        criteria if isinstance(criteria, str) else "",
        row.text("resolution_criteria"),
    )
    return Market(
        id=name,
        venue=venue,
        event=EventId(name),
        question=row.text("question"),
        closes_at=row.moment("market_info_close_datetime"),
        opens_at=row.moment("market_info_open_datetime"),
        rules="\n\n".join(part for part in about if part not in NOTHING),
        category=row.text("source"),
        url=url if url.startswith("https://") else "",
    )


def _listings(ordered: Sequence[QuestionRound]) -> Iterator[Listing]:
    if not ordered:
        return
    ends = [later.due for _, later in pairwise(ordered)]
    ends.append(ordered[-1].due + LAST_ROUND)
    for each, until in zip(ordered, ends, strict=True):
        for market in each.markets:
            yield Listing(market, each.due, until)


def _lives(
    listings: Iterable[Listing], final: Mapping[MarketId, Sequence[Status]]
) -> Iterator[Status]:
    """Tell each market's states: open, closed when its time is up, and then its outcome.

    A venue's final word stands: a later round that still asks the question changes nothing.
    """
    listings_by_market: dict[MarketId, list[Listing]] = {}
    for listing in listings:
        listings_by_market.setdefault(listing.market.id, []).append(listing)
    for name, its in listings_by_market.items():
        final_statuses = dict.fromkeys(final.get(name, ()))  # by every round that asked
        outcomes = sorted(final_statuses, key=lambda status: status.at)
        for status in _before_outcome(its):
            if not outcomes or status.at < outcomes[0].at:
                yield status
        yield from outcomes


def _before_outcome(its: Sequence[Listing]) -> Iterator[Status]:
    """One market's states as its listings tell them; a new listing may move its close."""
    for n, listing in enumerate(its):
        name, closes = listing.market.id, listing.market.closes_at
        if closes is None or listing.from_ < closes:
            yield Status(name, State.OPEN, listing.from_)
        if closes is not None and all(closes < later.from_ for later in its[n + 1 :]):
            yield Status(name, State.CLOSED_PENDING, max(closes, listing.from_))


def _read(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    except OSError as error:
        raise _bad(path, f"it cannot be read: {error.strerror}") from error
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise _bad(path, f"it is not JSON that can be read: {error}") from error


def _rows(payload: object, key: str, where: str) -> Iterator[_Row]:
    rows = _mapping(payload, where).get(key)
    if not isinstance(rows, list):
        raise _bad(where, f"{key} is not a list")
    for n, row in enumerate(rows, start=1):
        place = f"{where}, {key} row {n}"
        yield _Row(place, _mapping(row, place))


def _mapping(value: object, where: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise _bad(where, "it is not a JSON object")
    return value


def _shortened(value: object) -> str:
    return ascii(value)[:40]


def _bad(where: Path | str, what: str) -> ArenaError:
    return ArenaError("venue.data", f"{where}: {what}", hint=HINT)
