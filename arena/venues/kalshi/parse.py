"""What Kalshi's lists of series, events and markets say, and what their fees are.

Each row is read whole, or left out with the reason. Every function of a payload is pure and
takes what JSON gave; none of them raises. Prices are read from the `*_dollars` fields alone:
the whole cents beside them are gone since March 2026.

Source:
    https://docs.kalshi.com/api-reference, version 3.34.0.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from itertools import chain
from typing import TypeVar

from arena.records.market import (
    NO_WINS,
    YES_WINS,
    EventId,
    FeeKind,
    FeeModel,
    LeftOut,
    Level,
    Market,
    MarketId,
    Outcome,
    Quote,
    Source,
    State,
    Status,
    Unit,
)
from arena.records.money import ONE, ZERO_USD, Price, usd
from arena.venues.reading import (
    Listed,
    Origin,
    Read,
    Row,
    SkipError,
    broken,
    count,
    dollars,
    mapping,
    market_id,
    moment,
    number,
    read_one,
    read_rows,
    text,
    unit_price,
    unreadable,
)

_TICKER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}", re.ASCII)

_T = TypeVar("_T")


def is_ticker(value: object) -> bool:
    """Say whether something can be a ticker: what stands in no address as anything else."""
    return isinstance(value, str) and _TICKER.fullmatch(value) is not None


def ticker(row: Row, key: str) -> str:
    """Give a ticker that a row must have.

    Raises:
        SkipError: It has none.
    """
    value = row.get(key)
    if not isinstance(value, str) or not is_ticker(value):
        raise broken(f"no {key}")
    return value


def word(row: Row, key: str) -> str:
    """Give a text that a row must have.

    Raises:
        SkipError: It has none.
    """
    cell = text(row.get(key))
    if not cell:
        raise broken(f"no {key}")
    return cell


def price_text(value: object) -> Price | None:
    """Read a price of a `*_dollars` field: text in [0, 1], never a number of cents."""
    return unit_price(value) if isinstance(value, str) else None


def price_of(row: Row, key: str) -> Price:
    """Give a price that a row must have.

    Raises:
        SkipError: It has none.
    """
    price = price_text(row.get(key))
    if price is None:
        raise broken(f"no {key}")
    return price


def offered(price: Price) -> Price | None:
    """Give the price that somebody stands at; 0 and 1 are how an empty side is written."""
    return price if ZERO_USD < price < ONE else None


def within(payload: object, key: str) -> Row:
    """Give the object that a payload must hold.

    Raises:
        SkipError: It holds none.
    """
    inner = mapping(payload).get(key)
    if not isinstance(inner, dict):
        raise broken(f"no {key}")
    return inner


def read_list(
    payload: object, key: str, named_by: str, parse: Callable[[Row], tuple[str, _T]]
) -> Read[_T]:
    """Read the list that a payload must hold under a key."""
    body = mapping(payload)
    if key not in body:
        return Read(left_out=(unreadable("payload", f"no {key}"),))
    return read_rows(filled(body[key]), key, named_by, parse)


def filled(rows: object) -> object:
    """Give a list as it is; None is an empty one, as Kalshi may write it."""
    return [] if rows is None else rows


def holds_list(payload: object, key: str) -> bool:
    """Say whether a payload has a list under a key; None is an empty one."""
    body = mapping(payload)
    return key in body and isinstance(body[key], list | None)


def objects(value: object) -> list[Row]:
    """Give the objects of a list, and nothing where there is none."""
    return [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []


# What Kalshi charges a taker in a market: its series' terms, as its event changes them.
#
# Source:
#     https://kalshi.com/docs/kalshi-fee-schedule.pdf and the fields of
#     https://docs.kalshi.com/python-sdk/models/Series: a taker pays 0.07 x multiplier x
#     contracts x price x (1 - price).

GENERAL_RATE = Decimal("0.07")
# A fee is a multiple of 0.0001, and then the balance of whoever trades through a broker is
# brought to a cent (https://docs.kalshi.com/getting_started/fee_rounding): the dearer of two.
STEP = usd("0.01")
MOST_TIMES = 100  # of the general rate: beyond it no multiplier is meant
FREE = FeeModel()
NOT_KNOWN = FeeModel(FeeKind.UNKNOWN)


@dataclass(frozen=True, slots=True)
class KalshiFeeTerms:
    """How a fee is counted; None is what this series, or this event, says nothing about."""

    kind: str | None = None
    multiplier: Decimal | None = None

    def changed_by(self, other: "KalshiFeeTerms") -> "KalshiFeeTerms":
        """Give these terms with what others say in their place."""
        return KalshiFeeTerms(
            self.kind if other.kind is None else other.kind,
            self.multiplier if other.multiplier is None else other.multiplier,
        )

    @property
    def model(self) -> FeeModel:
        """The fee, where it is of the one form that is known: quadratic in the price."""
        kind, times = self.kind or "", self.multiplier
        if kind != "quadratic" and not kind.startswith("quadratic_with_"):
            return NOT_KNOWN
        if times is None or not 0 <= times <= MOST_TIMES:
            return NOT_KNOWN
        return FeeModel(FeeKind.QUADRATIC, GENERAL_RATE * times, step=STEP) if times else FREE


NOTHING_SAID = KalshiFeeTerms()


def fee_of(market: Row, terms: KalshiFeeTerms, origin: Origin) -> FeeModel:
    """Give a market's fee at the origin's moment: there is none while it is waived."""
    waived = moment(market.get("fee_waiver_expiration_time"))
    return FREE if waived is not None and waived > origin.at else terms.model


def _terms(kind: object, multiplier: object) -> KalshiFeeTerms:
    return KalshiFeeTerms(text(kind) or None, number(multiplier))


@dataclass(frozen=True, slots=True)
class Series:
    """A family of events that are asked about again and again."""

    ticker: str
    title: str
    category: str
    terms: KalshiFeeTerms


def series(payload: object, origin: Origin) -> Read[Series]:  # noqa: ARG001
    """Read `GET /series/{series_ticker}` or the list of `GET /series`."""
    held = mapping(payload).get("series")
    if isinstance(held, list):
        return read_rows(held, "series", "ticker", _series)
    return read_one("series", lambda: _series(within(payload, "series"))[1])


def _series(row: Row) -> tuple[str, Series]:
    own = ticker(row, "ticker")
    terms = _terms(row.get("fee_type"), row.get("fee_multiplier"))
    return own, Series(own, text(row.get("title")), text(row.get("category")), terms)


WHEN_KNOWN = ("expected_expiration_time", "expected_settlement_time", "close_time")
MIDNIGHT = "12:00 AM +1400"  # where a day begins first

_SCHEDULED = re.compile(
    r"scheduled for (?P<month>[A-Z]{3})[a-z]*\.? (?P<day>\d{1,2}), (?P<year>\d{4})"
    r"(?: at (?P<hour>\d{1,2}:\d{2} [AP]M) (?P<zone>[A-Z]{2,4}))?",
    re.IGNORECASE | re.ASCII,
)
# Where it is not said whether clocks are forward, the earlier moment is taken.
_ZONES = {
    "UTC": "+0000",
    "GMT": "+0000",
    "EDT": "-0400",
    "ET": "-0400",
    "EST": "-0500",
    "CDT": "-0500",
    "CT": "-0500",
    "CST": "-0600",
    "MDT": "-0600",
    "MT": "-0600",
    "MST": "-0700",
    "PDT": "-0700",
    "PT": "-0700",
    "PST": "-0800",
}


def closes_at(row: Row, at: datetime, *, is_open: bool) -> datetime | None:
    """Read when the answer should be known; `close_time` may be years later, and moves.

    Of an open market what is past by `at` says nothing.
    """
    moments = (moment(row.get(key)) for key in WHEN_KNOWN)
    return next((when for when in moments if when and (not is_open or when > at)), None)


def starts_at(row: Row, category: str) -> datetime | None:
    """Read when a game begins: as its field says or its rules do, whichever is earlier.

    Where the rules name a day and no hour, the day may begin anywhere on earth.
    """
    is_game = category.casefold() == "sports"
    field = moment(row.get("occurrence_datetime")) if is_game else None
    starts = (field, _scheduled(text(row.get("rules_primary"))))
    return min((when for when in starts if when), default=None)


def _scheduled(rules: str) -> datetime | None:
    match = _SCHEDULED.search(rules)
    if match is None:
        return None
    zone = _ZONES.get((match["zone"] or "").upper())
    hour = f"{match['hour']} {zone}" if zone else MIDNIGHT
    day = f"{match['month']} {match['day']} {match['year']}"
    try:
        return datetime.strptime(f"{day} {hour}", "%b %d %Y %I:%M %p %z").astimezone(UTC)
    except (ValueError, OverflowError):  # such as 31 June
        return None


LADDERS = {  # https://docs.kalshi.com/getting_started/fixed_point_migration
    "linear_cent": Price(Decimal("0.01")),
    "deci_cent": Price(Decimal("0.001")),
}


def top_of_book(row: Row, market: MarketId, origin: Origin, source: Source) -> Quote | None:
    """Read a market row's best prices; None where nobody stands on either side.

    An empty side is written as a bid of "0.0000", or as an ask of "1.0000" or "0.0000".

    Raises:
        SkipError: One of the prices is missing, or is none.
    """
    bid = offered(price_of(row, "yes_bid_dollars"))
    ask = offered(price_of(row, "yes_ask_dollars"))
    if bid is None and ask is None:
        return None
    return Quote(
        market=market,
        bid=bid,
        ask=ask,
        at=origin.at,
        volume=dollars(row.get("volume_fp")),
        bids=_level(bid, row.get("yes_bid_size_fp")),
        asks=_level(ask, row.get("yes_ask_size_fp")),
        volume_24h=dollars(row.get("volume_24h_fp")),
        source=source,
    )


def tick_of(row: Row, quote: Quote | None) -> Price | None:
    """Read how far apart prices are where the market stands; None where that is not clear.

    A ladder may be finer near 0 and 1: then both best prices have to lie in parts of it that
    have the same step.
    """
    ranges = objects(row.get("price_ranges"))
    if not ranges:
        structure = row.get("price_level_structure")
        return LADDERS.get(structure) if isinstance(structure, str) else None
    here = () if quote is None else tuple(p for p in (quote.bid, quote.ask) if p is not None)
    at_hand = chain.from_iterable(_around(ranges, p) for p in here) if here else iter(ranges)
    steps = {price_text(part.get("step")) for part in at_hand}
    step = steps.pop() if len(steps) == 1 else None
    return step or None


def _around(ranges: list[Row], at: Price) -> list[Row]:
    """Give the parts of a ladder that a price lies in, both of them where they meet."""
    parts: list[Row] = []
    for part in ranges:
        start, end = price_text(part.get("start")), price_text(part.get("end"))
        if start is not None and end is not None and start <= at <= end:
            parts.append(part)
    return parts


def _level(price: Price | None, size: object) -> tuple[Level, ...]:
    shares = count(size)
    return (Level(price, shares),) if price is not None and shares else ()


FINAL = "finalized"
HAS_A_RESULT = frozenset({"determined", "amended"})
RESULTS = frozenset({"yes", "no", "scalar"})

_STATES = {
    "initialized": State.HALTED,
    "inactive": State.HALTED,
    "paused": State.HALTED,
    "active": State.OPEN,
    "closed": State.CLOSED_PENDING,
    "determined": State.CLOSED_PENDING,
    "amended": State.CLOSED_PENDING,
    "disputed": State.DISPUTED,
}


def status_of(row: Row, market: MarketId, origin: Origin) -> Status:
    """Read a market's state and, where it is final, its outcome.

    A finalized market whose result and value are missing or disagree is closed and waits. One
    that has a result which is not final yet has a proposed outcome.

    Raises:
        SkipError: It has no status.
    """
    status = word(row, "status")
    if status == FINAL:
        outcome = outcome_of(row)
        state = State.CLOSED_PENDING if outcome is None else State.RESOLVED
        return Status(market, state, origin.at, outcome, unconfirmed=True)
    state = _STATES.get(status, State.UNKNOWN)
    if status in HAS_A_RESULT and text(row.get("result")) in RESULTS:
        state = State.PROPOSED
    return Status(market, state, origin.at, unconfirmed=True)


def outcome_of(row: Row) -> Outcome | None:
    """Read what a finalized market pays; None where its fields do not agree.

    The result alone is not enough: with a settlement floor the losing side is paid too.
    """
    result, value = row.get("result"), price_text(row.get("settlement_value_dollars"))
    if value is None or not isinstance(result, str) or result not in RESULTS:
        return None
    if result == "scalar" or Decimal(0) < value < Decimal(1):
        return Outcome(Price(value))
    agreed = YES_WINS if value else NO_WINS
    return agreed if (result == "yes") == (agreed is YES_WINS) else None


COMBINATIONS = "KXMVE"  # how the tickers of what is made of other markets begin
SITE = "https://kalshi.com/markets"
NAMED_BY = "ticker"
SAME = "another market of its event asks the same, and no label tells them apart"

_OTHERS = re.compile(r"\s*(,|/|&|or\b|and\b|vs?\b|at\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Parent:
    """What an event says about its markets; a page of bare markets has nothing of it.

    `rows` are its markets, as JSON gave them.
    """

    ticker: str = ""
    rows: object = None
    series: str = ""
    title: str = ""
    category: str = ""
    exclusive: bool = False
    sources: str = ""
    terms: KalshiFeeTerms = NOTHING_SAID


def events(payload: object, origin: Origin) -> Read[Listed]:
    """Read `GET /events?with_nested_markets=true`: the markets of all its events, in order."""
    read = read_list(payload, "events", "event_ticker", _parent)
    return once(read.left_out, (_members(parent, origin) for parent in read.rows))


def event(payload: object, origin: Origin, series: Series | None = None) -> Read[Listed]:
    """Read `GET /events/{event_ticker}`, with its markets inside the event or beside it.

    Args:
        payload: What JSON gave.
        origin: Whose it is.
        series: The event's series, where it is known: it says what fee is charged.
    """

    def parse() -> Parent:
        event_row, beside = within(payload, "event"), mapping(payload)
        if "markets" in beside and "markets" not in event_row:
            event_row = {**event_row, "markets": beside["markets"]}
        return _parent(event_row)[1]

    read = read_one("event", parse)
    parents = (_of_series(parent, series) for parent in read.rows)
    return once(read.left_out, (_members(parent, origin) for parent in parents))


def markets(payload: object, origin: Origin) -> Read[Listed]:
    """Read `GET /markets`: what its rows say without their events."""
    several = _several(mapping(payload).get("markets"))
    return told_apart(
        read_list(
            payload,
            "markets",
            NAMED_BY,
            lambda row: _listed(row, Parent(), origin, several=several),
        )
    )


def market(payload: object, origin: Origin) -> Read[Listed]:
    """Read `GET /markets/{ticker}` or `GET /historical/markets/{ticker}`."""

    def parse() -> Listed:
        return _listed(within(payload, "market"), Parent(), origin, several=frozenset())[1]

    return read_one("market", parse)


def quotes(payload: object, origin: Origin) -> Read[Quote]:
    """Read the best prices of `GET /markets?tickers=`; only an active market has any."""

    def parse(row: Row) -> tuple[str, Quote]:
        own = ticker(row, NAMED_BY)
        name = market_id(origin.venue, own)
        if status_of(row, name, origin).state is not State.OPEN:
            raise SkipError(f"it is {text(row.get('status'))[:40]}")
        quote = top_of_book(row, name, origin, Source.BOOK)
        if quote is None:
            raise SkipError("nobody bids and nobody asks")
        return own, quote

    return read_list(payload, "markets", NAMED_BY, parse)


def statuses(payload: object, origin: Origin) -> Read[Status]:
    """Read the states of `GET /markets` or `/markets/{ticker}`, of any kind of market."""

    def parse(row: Row) -> tuple[str, Status]:
        own = ticker(row, NAMED_BY)
        return own, status_of(row, market_id(origin.venue, own), origin)

    if "market" in mapping(payload):
        return read_one("market", lambda: parse(within(payload, "market"))[1])
    return read_list(payload, "markets", NAMED_BY, parse)


def tradable(read: Read[Listed]) -> Read[Listed]:
    """Keep what can be traded now: a list of open markets also holds halted ones.

    One whose status is a word that is not known here is left out as malformed.
    """
    kept = tuple(row for row in read.rows if row.status.state is State.OPEN)
    shut = (row for row in read.rows if row.status.state is not State.OPEN)
    return Read(kept, read.left_out + tuple(_shut(row) for row in shut))


def _shut(row: Listed) -> LeftOut:
    state = row.status.state
    if state is State.UNKNOWN:
        return unreadable(row.market.id, "its status is a word that is not known")
    return LeftOut(row.market.id, f"it is {state.value}")


def once(
    left_out: Iterable[LeftOut], parts: Iterable[Read[Listed]], *, overlap: bool = False
) -> Read[Listed]:
    """Join what several lists say; the first counts where a market is in two, as in pages."""
    rows: dict[MarketId, Listed] = {}
    left = list(left_out)
    for part in parts:
        again = [row for row in part.rows if rows.setdefault(row.market.id, row) is not row]
        left += [unreadable(row.market.id, "it comes twice") for row in again if not overlap]
        left += part.left_out
    return Read(tuple(rows.values()), tuple(left))


def told_apart(read: Read[Listed]) -> Read[Listed]:
    """Leave out markets of an event that ask the same: nobody could say what they bet on."""
    questions = Counter(map(_event_question_labels, read.rows))
    kept = tuple(row for row in read.rows if questions[_event_question_labels(row)] == 1)
    same = (row.market.id for row in read.rows if questions[_event_question_labels(row)] > 1)
    return Read(kept, read.left_out + tuple(unreadable(name, SAME) for name in same))


def _event_question_labels(row: Listed) -> tuple[EventId, str, tuple[str, ...]]:
    return row.market.event, row.market.question, row.market.labels


def event_tickers(payload: object) -> list[str]:
    """Name the events of a page, for paging."""
    rows = objects(mapping(payload).get("events"))
    return [text(row.get("event_ticker")) for row in rows]


def event_of(payload: object) -> str | None:
    """Give the event ticker that `GET /markets/{ticker}` names."""
    return _named(payload, "market", "event_ticker")


def series_of(payload: object) -> str | None:
    """Give the series ticker that `GET /events/{event_ticker}` names."""
    return _named(payload, "event", "series_ticker")


def _named(payload: object, key: str, name: str) -> str | None:
    try:
        return ticker(within(payload, key), name)
    except SkipError:
        return None


def _parent(row: Row) -> tuple[str, Parent]:
    own = ticker(row, "event_ticker")
    if "markets" not in row:
        raise broken("no markets")
    series = row.get("series_ticker")
    sources = (_plain(source.get("name")) for source in objects(row.get("settlement_sources")))
    return own, Parent(
        ticker=own,
        rows=row["markets"],
        series=series if isinstance(series, str) and is_ticker(series) else "",
        title=_plain(row.get("title")),
        category=text(row.get("category")),
        exclusive=row.get("mutually_exclusive") is True,
        sources=", ".join(filter(None, sources)),
        terms=_terms(row.get("fee_type_override"), row.get("fee_multiplier_override")),
    )


def _of_series(parent: Parent, series: Series | None) -> Parent:
    if series is None or series.ticker != parent.series:
        return parent
    category = parent.category or series.category
    return replace(parent, category=category, terms=series.terms.changed_by(parent.terms))


def _members(parent: Parent, origin: Origin) -> Read[Listed]:
    several = _several(parent.rows)

    def parse(row: Row) -> tuple[str, Listed]:
        if row.get("event_ticker") not in (None, parent.ticker):
            raise broken("its event_ticker is of another event")
        full_row = row if "event_ticker" in row else {**row, "event_ticker": parent.ticker}
        return _listed(full_row, parent, origin, several=several)

    return told_apart(
        read_rows(filled(parent.rows), f"markets of {parent.ticker}", NAMED_BY, parse)
    )


def _several(rows: object) -> frozenset[object]:
    """Name the events that have more than one market in a list."""
    named = Counter(text(row.get("event_ticker")) for row in objects(rows))
    return frozenset(name for name, times in named.items() if times > 1)


def _listed(
    row: Row, parent: Parent, origin: Origin, *, several: frozenset[object]
) -> tuple[str, Listed]:
    own, event_ticker = ticker(row, NAMED_BY), ticker(row, "event_ticker")
    _refuse(row, own, event_ticker)
    name = market_id(origin.venue, own)
    status = status_of(row, name, origin)
    is_open = status.state is State.OPEN
    quote = top_of_book(row, name, origin, Source.LIST) if is_open else None
    refs = (("series", parent.series), ("event", event_ticker))
    label = "" if own == event_ticker and event_ticker not in several else _label(row)
    market = Market(
        id=name,
        venue=origin.venue,
        event=EventId(market_id(origin.venue, event_ticker)),
        question=_question(row, parent, label),
        closes_at=closes_at(row, origin.at, is_open=is_open),
        opens_at=moment(row.get("open_time")) or moment(row.get("created_time")),
        exclusive=parent.exclusive,
        rules=_rules(row, parent),
        category=parent.category,
        url=f"{SITE}/{parent.series.lower()}/{event_ticker.lower()}" if parent.series else "",
        fee=fee_of(row, parent.terms, origin),
        labels=(label, f"not {label}") if label else (),
        refs=tuple(ref for ref in refs if ref[1]),
        tick=tick_of(row, quote),
        unit=Unit.CONTRACTS,
        starts_at=starts_at(row, parent.category),
    )
    return own, Listed(market, quote, status)


def _refuse(row: Row, own: str, event_ticker: str) -> None:
    """Leave out what is no plain question with the answers yes and no.

    Raises:
        SkipError: It is not.
    """
    combined = own.startswith(COMBINATIONS) or event_ticker.startswith(COMBINATIONS)
    if combined or row.get("mve_collection_ticker"):
        raise SkipError("it is a combination of other markets")
    if row.get("is_provisional") is True:
        raise SkipError("it is provisional: it may be deleted")
    if word(row, "market_type") != "binary":
        raise SkipError("its market_type is not binary")
    strike = row.get("strike_type") == "functional" or row.get("functional_strike")
    if strike or row.get("settlement_bounds_type") == "floor":
        raise SkipError("it pays by a number, not by yes or no")
    pays = row.get("notional_value_dollars")
    if pays is not None and price_text(pays) != ONE:
        raise SkipError("a contract does not pay 1 dollar")


def _label(row: Row) -> str:
    """Name what a market of several says Yes to; "" where it is called nothing but Yes."""
    label = _plain(row.get("yes_sub_title"))
    return "" if label.casefold() == "yes" else label


def _question(row: Row, parent: Parent, label: str) -> str:
    """Add the label to the title, unless the title names it and no other one."""
    title = _plain(row.get("title")) or parent.title
    if not title:
        raise broken("no title")
    about = re.fullmatch(rf"will (the )?{re.escape(label)}\b(?P<rest>.*)", title, re.IGNORECASE)
    title_is_enough = not label or (about and not _OTHERS.match(about["rest"]))
    return title if title_is_enough else f"{title} ({label})"


def _plain(value: object) -> str:
    """Give a text without its markup, in one line."""
    return " ".join(text(value).replace("**", "").split())


def _rules(row: Row, parent: Parent) -> str:
    sources = f"Settlement sources: {parent.sources}" if parent.sources else ""
    parts = (text(row.get("rules_primary")), text(row.get("rules_secondary")), sources)
    return "\n\n".join(part for part in parts if part)
