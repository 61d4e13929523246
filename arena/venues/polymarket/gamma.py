"""What Gamma, Polymarket's catalogue, says: markets, one by one, in lists and in events.

Source: https://docs.polymarket.com/api-reference (Gamma).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from arena.records.market import FeeModel, LeftOut, MarketId, State, Status
from arena.venues.polymarket.facts import (
    PolymarketFacts,
    Turnover,
    list_quote,
    market_record,
    stated_fee,
    told,
    turnover,
)
from arena.venues.polymarket.fit import idle, unfit, wrong_shape
from arena.venues.polymarket.outcome import (
    DISPUTED,
    PROPOSED,
    LastWord,
    decide_outcome,
)
from arena.venues.reading import (
    Listed,
    Origin,
    Read,
    json_list,
    mappings,
    number,
    text,
    unreadable,
)

KNOWN_VERSIONS = ("", "v1")
SIDES = 2
NO_PRICE = (None, "")
NO_TOKENS: tuple[object, ...] = (None, "", [], "[]")
SPOKEN = {DISPUTED: State.DISPUTED, PROPOSED: State.PROPOSED}
MOST_RISES = 0.05


@dataclass(frozen=True, slots=True)
class GammaMarket(Listed):
    """A market of Gamma's: besides what every list shows, what only Polymarket says.

    `own` is its id there. `status` is by Gamma's word alone. `idle` says why it takes no
    orders now, and `unfit` why it is not for the arena at all; each is empty where there is
    no reason. `fee` is None where nothing is said of one.
    """

    own: str
    word: LastWord
    condition: str
    yes_token: str
    turnover: Turnover
    fee: FeeModel | None
    idle: str
    unfit: str


def markets(payload: object, origin: Origin) -> Read[GammaMarket]:
    """Read a page of `/markets/keyset`, or a bare list of markets.

    Every market of two outcomes is in it, closed ones and those that are unfit as well.
    """
    rows = payload.get("markets") if isinstance(payload, dict) else payload
    if not isinstance(rows, list):
        return Read((), (wrong_shape(payload, "list of markets"),))
    return _read(rows, origin)


def open_markets(payload: object, origin: Origin) -> Read[GammaMarket]:
    """Read a page of open markets; those that cannot be traded, or are unfit, are left out."""
    return for_us(markets(payload, origin))


def market(payload: object, origin: Origin) -> Read[GammaMarket]:
    """Read the answer to `/markets/{id}`: a market without any wrapping."""
    if not isinstance(payload, dict) or "id" not in payload:
        return Read((), (wrong_shape(payload, "market"),))
    return _read([payload], origin)


def event(payload: object, origin: Origin) -> Read[GammaMarket]:
    """Read the markets that are nested in the answer to `/events/{id}`."""
    if not isinstance(payload, dict) or not isinstance(payload.get("markets"), list):
        return Read((), (wrong_shape(payload, "event with markets"),))
    around = {key: value for key, value in payload.items() if key != "markets"}
    rows = [
        {"events": [around], **row} if isinstance(row, dict) else row
        for row in json_list(payload.get("markets"))
    ]
    return _read(rows, origin)


def falls(payload: object, key: str) -> bool | None:
    """Say whether a page of markets is in falling order of a field, as it was asked for.

    A value here or there may have changed since it was sorted; numbers that were sorted as
    text are out of order all over. None where no row has the field.
    """
    rows = mappings(payload.get("markets") if isinstance(payload, dict) else payload)
    numbers = [read for row in rows if (read := number(row.get(key))) is not None]
    rises = sum(after > before for before, after in pairwise(numbers))
    return rises <= max(1, MOST_RISES * len(numbers)) if numbers else None


def for_us(read: Read[GammaMarket]) -> Read[GammaMarket]:
    """Leave out, as sound, what is not open or not for the arena."""
    kept = tuple(row for row in read.rows if not why_not(row))
    left = (LeftOut(row.own, why) for row in read.rows if (why := why_not(row)))
    return Read(kept, read.left_out + tuple(left))


def why_not(row: GammaMarket) -> str:
    """Say why a market is not offered; "" where it can be."""
    state = row.status.state
    return row.unfit or row.idle or ("" if state is State.OPEN else f"it is {state}")


def _read(rows: Iterable[object], origin: Origin) -> Read[GammaMarket]:
    kept: dict[MarketId, GammaMarket] = {}
    left: list[LeftOut] = []
    for row in rows:
        if not isinstance(row, dict):
            left.append(unreadable("a market", "it is no object"))
            continue
        parsed = told(row)
        if (complaint := _complaint(parsed)) is not None:
            left.append(complaint)
            continue
        gamma_market = _gamma_market(parsed, origin)
        if gamma_market.market.id in kept:
            left.append(unreadable(gamma_market.own, "id comes a second time"))
        kept.setdefault(gamma_market.market.id, gamma_market)
    return Read(tuple(kept.values()), tuple(left))


def _complaint(parsed: PolymarketFacts) -> LeftOut | None:
    """Say why a row cannot be read, or is no market with two sides."""
    row, own = parsed.row, parsed.own
    if not own:
        return unreadable(text(row.get("id"))[:80] or "a market", "id is no number in text")
    version = row.get("version")
    if version is not None and version not in KNOWN_VERSIONS:
        return LeftOut(own, f"it is of protocol version {text(version)[:20] or '?'}")
    if parsed.names and parsed.names != SIDES:
        return LeftOut(own, f"it has {parsed.names} outcomes, not {SIDES}")
    if row.get("conditionId") == "" and row.get("active") is False:
        return LeftOut(own, "it is a placeholder that is not on the chain yet")
    bad = _unread(parsed)
    return unreadable(own, f"{bad} is missing or cannot be read") if bad else None


def _unread(parsed: PolymarketFacts) -> str:
    """Name the first field that is needed and cannot be read; "" where all can."""
    if not parsed.question:
        return "question"
    if not parsed.condition:
        return "conditionId"
    if parsed.word.closed is None:
        return "closed"
    if not _has_two_names(parsed):
        return "outcomes"
    if not _has_two_tokens_or_none(parsed):
        return "clobTokenIds"
    if parsed.bid is None and parsed.row.get("bestBid") not in NO_PRICE:
        return "bestBid"
    return "bestAsk" if parsed.ask is None and parsed.row.get("bestAsk") not in NO_PRICE else ""


def _has_two_names(parsed: PolymarketFacts) -> bool:
    listed = parsed.word.choices
    if not len(listed) == parsed.names == SIDES:
        return False
    return listed[0].name.casefold() != listed[1].name.casefold()


def _has_two_tokens_or_none(parsed: PolymarketFacts) -> bool:
    """Token ids are missing for minutes after a market's creation; a single one is odd."""
    ids = parsed.row.get("clobTokenIds")
    if ids in NO_TOKENS:
        return True
    return len(json_list(ids)) == len({*parsed.tokens} - {""}) == SIDES


def _gamma_market(parsed: PolymarketFacts, origin: Origin) -> GammaMarket:
    row, word = parsed.row, parsed.word
    fee, traded, why_idle = stated_fee(row), turnover(row), idle(row)
    market = market_record(parsed, origin, fee)
    return GammaMarket(
        market,
        None if word.closed else list_quote(parsed, market.id, origin.at, traded),
        _status(market.id, origin, word, is_idle=bool(why_idle)),
        parsed.own,
        word,
        parsed.condition,
        parsed.tokens[parsed.yes],
        traded,
        fee,
        why_idle,
        unfit(row, parsed.event, parsed.slugs),
    )


def _status(market: MarketId, origin: Origin, word: LastWord, *, is_idle: bool) -> Status:
    outcome = decide_outcome(word)
    if outcome is not None:
        return Status(market, State.RESOLVED, origin.at, outcome, unconfirmed=True)
    spoken = SPOKEN.get(word.oracle)
    silent = State.CLOSED_PENDING if word.closed else State.HALTED if is_idle else State.OPEN
    return Status(market, spoken or silent, origin.at, unconfirmed=True)
