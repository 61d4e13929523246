"""Asks each venue's server a few questions, and compares its answers with recorded ones."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import click

from arena import plugins
from arena.cli.say import MISSING, as_plain, one_line, usage_error
from arena.errors import ArenaError, nearest
from arena.ports import Clock, Live, Venue
from arena.records.answer import Payload
from arena.records.market import (
    Catalogue,
    LeftOut,
    Market,
    MarketId,
    PricePoint,
    Quote,
    State,
    Status,
    VenueId,
)
from arena.records.money import Price
from arena.records.settings import VenueSettings
from arena.secrets import Secrets
from arena.venues.reading import Origin, Read

LONGEST_NAME = 80  # characters of a name that is shown
MOST = 50  # names of one kind that are shown


@dataclass(frozen=True, slots=True)
class ObjectKind:
    """One kind of object in a venue's answers.

    `path` is a pattern for the end of an address, `rows` the names that lead from the answer
    down to the objects, through any lists on the way. `needed` fields carry what the arena
    reads, `seen` ones have been there before.
    """

    name: str
    path: str
    rows: tuple[str, ...]
    needed: frozenset[str]
    seen: frozenset[str]


@dataclass(frozen=True, slots=True)
class Drift:
    """How objects of a kind differ from what they were: fields that are new, and gone."""

    kind: str
    objects: int
    new: tuple[str, ...]
    gone: tuple[str, ...]


def drifts(adapter: str, payloads: Iterable[Payload]) -> tuple[Drift, ...]:
    """Compare the good answers of a venue's server with the recorded ones, kind by kind.

    A needed field is gone where no object of its kind has it; a kind of which there was no
    object is left out, and a venue of which nothing is recorded has no kinds.
    """
    answers = [p for p in payloads if p.status == HTTPStatus.OK]
    by_kind = (_drift(kind, answers) for kind in known_kinds().get(adapter, ()))
    return tuple(drift for drift in by_kind if drift.objects)


@cache
def known_kinds() -> Mapping[str, tuple[ObjectKind, ...]]:
    """Read what is recorded of each venue's answers."""
    text = files("arena.venues").joinpath("keys.json").read_text(encoding="utf-8")
    return {
        venue: tuple(
            ObjectKind(
                name,
                kind["path"],
                tuple(kind["rows"]),
                frozenset(kind["needed"]),
                frozenset(kind["seen"]),
            )
            for name, kind in kinds.items()
        )
        for venue, kinds in json.loads(text).items()
    }


def objects_at(payload: object, rows: Sequence[str]) -> list[Mapping[str, object]]:
    """Find the objects that names lead to, through any lists on the way.

    >>> objects_at({"events": [{"markets": [{"a": 1}]}, {}]}, ["events", "markets"])
    [{'a': 1}]
    """
    here = [payload]
    for name in rows:
        here = [node.get(name) for node in _flat(here) if isinstance(node, dict)]
    return [node for node in _flat(here) if isinstance(node, dict)]


def _drift(kind: ObjectKind, answers: Iterable[Payload]) -> Drift:
    objects = [
        record
        for answer in answers
        if re.search(kind.path, urlsplit(answer.url).path)
        for record in objects_at(_payload(answer), kind.rows)
    ]
    names = {str(name)[:LONGEST_NAME] for record in objects for name in record}
    new = sorted(names - kind.seen)[:MOST]
    gone = sorted(kind.needed - names)
    return Drift(kind.name, len(objects), tuple(new), tuple(gone))


def _payload(answer: Payload) -> object:
    try:
        return json.loads(answer.body)
    except (ValueError, RecursionError):
        return None


def _flat(values: Iterable[object]) -> list[object]:
    return [
        element
        for value in values
        for element in (value if isinstance(value, list) else [value])
    ]


FEW = 3  # markets that prices and states are asked for
SPAN = timedelta(days=2)  # of history

History = Callable[[MarketId, datetime, datetime], Awaitable[Sequence[PricePoint]]]

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ProbeCall:
    """One question: what came of it in a few words, and how many answers that took.

    `wrong` is True where an answer came, but not the one that it should be; `broken` is why
    none came.
    """

    name: str
    gave: str
    answers: int
    wrong: bool = False
    broken: ArenaError | None = None


@dataclass(frozen=True, slots=True)
class VenueCheck:
    """The results of checking a venue."""

    settings: VenueSettings
    calls: tuple[ProbeCall, ...]
    left_out: tuple[LeftOut, ...]
    drifts: tuple[Drift, ...]
    answers: int

    @property
    def cannot_be_read(self) -> bool:
        """Whether not even its list of markets came."""
        return self.calls[0].broken is not None

    @property
    def is_partly_broken(self) -> bool:
        """Whether any question was not answered."""
        return any(call.broken is not None for call in self.calls)

    @property
    def has_findings(self) -> bool:
        """Whether anything should be looked at: what is merely new is only told."""
        malformed = any(left.malformed for left in self.left_out)
        gone = any(drift.gone for drift in self.drifts)
        return malformed or gone or any(call.wrong for call in self.calls)


class Collector:
    """Keeps answers in memory, for as long as somebody looks at them."""

    def __init__(self) -> None:
        self.payloads: list[Payload] = []

    def keep(self, payload: Payload) -> None:
        """Keep one answer."""
        self.payloads.append(payload)


@dataclass(slots=True)
class Probe:
    """A venue that is about to be asked."""

    settings: VenueSettings
    venue: Venue
    answers: Collector
    calls: list[ProbeCall]
    secrets: Secrets

    async def ask(
        self,
        name: str,
        question: Callable[[], Awaitable[_T]],
        describe: Callable[[_T], str],
        *,
        well: Callable[[_T], bool] = bool,
    ) -> _T | None:
        """Ask one question and note what came of it; None where no answer came."""
        before = len(self.answers.payloads)
        try:
            answer = await question()
        except ArenaError as raised:
            error = raised.reworded(self.secrets.text)
            answers = len(self.answers.payloads) - before
            why = error.message.removeprefix(f"{self.settings.id}: ")  # the heading names it
            self.calls.append(ProbeCall(name, why, answers, broken=error))
            return None
        answers = len(self.answers.payloads) - before
        self.calls.append(ProbeCall(name, describe(answer), answers, wrong=not well(answer)))
        return answer


def check_all(
    chosen: Sequence[VenueSettings], clock: Clock, secrets: Secrets | None = None
) -> list[VenueCheck]:
    """Ask each venue one of each question, all venues at once; no secret is told.

    Raises:
        ArenaError: A venue cannot be built, or asks no server.
    """
    probes = [probe_of(settings, clock, secrets) for settings in chosen]

    async def ask_all() -> list[VenueCheck]:
        return list(await asyncio.gather(*(_check(probe, clock) for probe in probes)))

    return asyncio.run(ask_all())


def probe_of(settings: VenueSettings, clock: Clock, secrets: Secrets | None = None) -> Probe:
    """Build a venue that reads one page of its list, and keeps its answers in memory.

    Raises:
        ArenaError: It cannot be built, or it is not live: it asks no server.
    """
    answers = Collector()
    build = plugins.load(plugins.VENUES, settings.adapter)
    # The options are judged as they are written.
    venue = plugins.built(f"the venue {settings.id}", lambda: build(settings, clock, answers))
    if isinstance(venue, ArenaError):
        if venue.code != "plugin.broken":
            raise venue
        raise ArenaError(
            venue.code,
            venue.message,
            hint=f"it may need options: set venues.{settings.id}.options in config.yaml, as an "
            "arena of `arena init --offline` has it; else repair its package",
        ) from venue
    options = dict(settings.options) | {"pages": 1}
    with suppress(ArenaError):  # it has no such option
        venue = build(replace(settings, options=tuple(options.items())), clock, answers)
    if not _is_live(venue):
        raise usage_error(
            "venue.not_live",
            f"{settings.id} asks no server: its adapter is {settings.adapter}",
            hint="only venues with servers can be checked",
        )
    return Probe(settings, venue, answers, [], secrets or Secrets())


def live(configured: Sequence[VenueSettings], clock: Clock) -> list[VenueSettings]:
    """Choose the venues that ask a server.

    Raises:
        ArenaError: One cannot be built.
    """
    return [
        settings
        for settings in configured
        if _is_live(
            plugins.load(plugins.VENUES, settings.adapter)(settings, clock, Collector())
        )
    ]


def _is_live(venue: Venue) -> bool:
    return isinstance(venue, Live) and venue.only_now


def history_of(venue: Venue) -> History | None:
    """Give the function that asks a venue for past prices; None where it has none."""
    history: History | None = getattr(venue, "history", None)
    return history


async def _check(probe: Probe, clock: Clock) -> VenueCheck:
    venue = probe.venue
    listed = await probe.ask("catalogue", venue.catalogue, _listed, well=_has_prices)
    markets = _busiest(listed) if listed is not None else ()
    ids = [market.id for market in markets]
    if markets:
        await probe.ask("details", lambda: venue.details(markets), _detailed)
        await probe.ask("quotes", lambda: venue.quotes(ids), _quoted)
        await probe.ask(
            "statuses",
            lambda: venue.statuses(ids),
            lambda statuses: _status_counts(ids, statuses),
            well=lambda statuses: _all_known(ids, statuses),
        )
        if (remember := history_of(venue)) is not None:
            now = clock.now()
            await probe.ask(
                "history",
                lambda: remember(ids[0], now - SPAN, now),
                _remembered,
                well=lambda _: True,  # it may be younger than that
            )
    drifted = drifts(probe.settings.adapter, probe.answers.payloads)
    unread: Callable[[], Awaitable[str]] | None = getattr(venue, "unread", None)
    if unread is not None:
        await probe.ask("unread", unread, str)
    return VenueCheck(
        probe.settings,
        tuple(probe.calls),
        () if listed is None else listed.left_out,
        drifted,
        len(probe.answers.payloads),
    )


def _busiest(listed: Catalogue) -> Sequence[Market]:
    """Choose the few markets with a price that are traded most."""
    quoted = {quote.market: quote for quote in listed.quotes}
    quoted_markets = [market for market in listed.markets if market.id in quoted]
    quoted_markets.sort(key=lambda market: -(quoted[market.id].volume_24h or 0))
    return (quoted_markets or list(listed.markets))[:FEW]


def _has_prices(listed: Catalogue) -> bool:
    return bool(listed.markets) and bool(listed.quotes)


def _listed(listed: Catalogue) -> str:
    few = f"{len(listed.markets)} markets, {len(listed.quotes)} with a price"
    return f"{few}, {len(listed.left_out)} left out"


def _detailed(markets: Sequence[Market]) -> str:
    with_rules = sum(bool(market.rules) for market in markets)
    return f"{len(markets)} markets, {with_rules} with rules"


def _quoted(quotes: Mapping[MarketId, Quote]) -> str:
    spreads = [f"{_price(quote.bid)} to {_price(quote.ask)}" for quote in quotes.values()]
    levels = sum(len(quote.bids) + len(quote.asks) for quote in quotes.values())
    listing = f": {', '.join(spreads)}" if spreads else ""
    return f"{len(quotes)} quotes on {levels} levels{listing}"


def _price(price: Price | None) -> str:
    return "nobody" if price is None else f"{price.normalize():f}"


def _status_counts(ids: Sequence[MarketId], statuses: Mapping[MarketId, Status]) -> str:
    states = [status.state.value for status in statuses.values()]
    all_of = "" if len(states) == len(ids) else f" of {len(ids)} markets"
    return f"{len(states)} states{all_of}" + (f": {', '.join(states)}" if states else "")


def _all_known(ids: Sequence[MarketId], statuses: Mapping[MarketId, Status]) -> bool:
    """Whether each market that was just listed is known."""
    states = [statuses[market].state for market in ids if market in statuses]
    return len(states) == len(ids) and State.UNKNOWN not in states


def _remembered(points: Sequence[PricePoint]) -> str:
    days = SPAN // timedelta(days=1)
    return f"{len(points)} prices of the last {days} days"


Parser = Callable[[object, Origin], Read[Any]]


def read_file(venue: str, kind: str, file: Path, at: datetime) -> Read[Any]:
    """Read a payload of a venue as its adapter would at a moment.

    Raises:
        ArenaError: There is no such venue or kind (`venue.unknown`, `venue.kind`), or what
            is in the file is not JSON (`venue.format`).
    """
    parse = parser_of(venue, kind)
    with click.open_file(str(file), "rb") as stream:
        body: bytes = stream.read()
    try:
        payload = json.loads(body, parse_float=Decimal, parse_constant=lambda _: None)
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise ArenaError(
            "venue.format",
            f"{file} holds no JSON",
            hint="FILE is the body of an answer, as the server sent it",
        ) from error
    return parse(payload, Origin(VenueId(venue), at))


def parser_of(venue: str, kind: str) -> Parser:
    """Find what reads a kind of payload; only the venue's own package is imported.

    Raises:
        ArenaError: There is no such venue or kind; the hint names those that there are.
    """
    venues = plugins.names(plugins.VENUES)
    if venue not in venues:
        raise _unknown("venue.unknown", f"there is no venue {one_line(venue)!r}", venues, venue)
    kinds: Mapping[str, Parser] = plugins.kinds_of(venue)
    if not kinds:
        raise usage_error(
            "venue.kind",
            f"no payloads of {venue} can be read",
            hint="its package has to hold KINDS beside its factory: docs/venues.md",
        )
    if kind not in kinds:
        raise _unknown(
            "venue.kind", f"{venue} has no payloads of the kind {one_line(kind)!r}", kinds, kind
        )
    return kinds[kind]


def _unknown(
    code: str, message: str, names: Mapping[str, object] | tuple[str, ...], name: str
) -> ArenaError:
    near = nearest(name, names)
    there_are = f"there are: {', '.join(names)}"
    hint = f"did you mean {near}? {there_are}" if near else there_are
    return usage_error(code, message, hint=hint)


MOST_REASONS = 8
LONGEST = 400
OF_A_POLL = "nothing of this poll"  # how hints begin that are for a tick


def say_read(read: Read[Any]) -> None:
    """Print records, one block each, and what was left out."""
    for row in read.rows:
        click.echo(type(row).__name__)
        for name, value in fields_of(row):
            click.echo(f"  {name:24} {one_line(value)}")
    for left in read.left_out:
        word = "MALFORMED" if left.malformed else "left out"
        click.echo(one_line(f"{word}: {left.what}: {left.why}"))
    bad = sum(left.malformed for left in read.left_out)
    click.echo(f"{len(read.rows)} read, {len(read.left_out)} left out, {bad} malformed.")


def fields_of(row: object) -> Iterator[tuple[str, str]]:
    """Name every field of a record, those of records inside it with dots, and its value."""
    yield from _fields("", as_plain(row))


def _fields(name: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _fields(f"{name}.{key}" if name else str(key), inner)
    elif isinstance(value, list) and value and all(_is_level(element) for element in value):
        yield name, ", ".join(f"{element['shares']} at {element['price']}" for element in value)
    elif isinstance(value, list) and any(isinstance(element, dict) for element in value):
        for n, inner in enumerate(value):
            yield from _fields(f"{name}[{n}]", inner)
    else:
        yield name, _words_of(value)


def _is_level(value: object) -> bool:
    return isinstance(value, dict) and set(value) == {"price", "shares"}


def _words_of(value: object) -> str:
    if value is None or value == "":
        return MISSING
    if isinstance(value, list):
        return ", ".join(_words_of(element) for element in value) or MISSING
    return str(value)


def say_check(checked: VenueCheck) -> None:
    """Print what is known of a venue after a check."""
    click.echo(one_line(f"{checked.settings.id}: {_verdict(checked)}"))
    for name, words in _lines(checked):
        click.echo(f"  {name:10} {one_line(words)[:LONGEST]}")


def _verdict(checked: VenueCheck) -> str:
    if checked.cannot_be_read:
        return "CANNOT BE READ"
    if checked.is_partly_broken:
        return "ANSWERS IN PART"
    return "FINDINGS" if checked.has_findings else "well"


def _lines(checked: VenueCheck) -> Iterator[tuple[str, str]]:
    yield from ((call.name, _call_outcome(call)) for call in checked.calls)
    for malformed in (True, False):
        some = [left for left in checked.left_out if left.malformed is malformed]
        yield from _reasons("MALFORMED" if malformed else "left out", some)
    for drift in checked.drifts:
        gone, new = ", ".join(drift.gone), ", ".join(drift.new)
        if gone:
            yield "GONE", f"{drift.kind}: none of {drift.objects} has {gone}"
        if new:
            yield "new", f"{drift.kind}: {new}"
    yield from (("hint", hint) for hint in dict.fromkeys(_hints(checked)))
    if not checked.answers:
        return
    many = f"{len(checked.drifts)} kinds of object"
    yield "fields", f"{many} compared with what such answers used to hold"
    yield "answers", f"{checked.answers} of its server in all"


def _hints(checked: VenueCheck) -> Iterator[str]:
    for call in checked.calls:
        hint = call.broken.hint if call.broken is not None else None
        if hint and not hint.startswith(OF_A_POLL):
            yield hint


def _call_outcome(call: ProbeCall) -> str:
    if call.broken is not None:
        return f"FAILED: {call.gave}"
    word = "LOOK AT THIS: " if call.wrong else ""
    return f"{word}{call.gave} ({call.answers} answer{'' if call.answers == 1 else 's'})"


def _reasons(name: str, left_out: list[LeftOut]) -> Iterator[tuple[str, str]]:
    counted = Counter(left.why for left in left_out)
    for why, many in counted.most_common(MOST_REASONS):
        yield name, f"{many}: {why}"
    others = len(counted) - MOST_REASONS
    if others > 0:
        yield name, f"and {others} more reasons"


def plain_check(checked: VenueCheck) -> Mapping[str, object]:
    """Give the results of a check as JSON."""
    reasons = Counter((left.why, left.malformed) for left in checked.left_out)
    return {
        "venue": checked.settings.id,
        "adapter": checked.settings.adapter,
        "readable": not checked.cannot_be_read,
        "findings": checked.has_findings,
        "answers": checked.answers,
        "calls": [
            {
                "name": call.name,
                "gave": call.gave,
                "answers": call.answers,
                "wrong": call.wrong,
                "error": None if call.broken is None else call.broken.code,
            }
            for call in checked.calls
        ],
        "left_out": [
            {"why": why, "malformed": malformed, "rows": many}
            for (why, malformed), many in reasons.most_common()
        ],
        "fields": checked.drifts,
    }
