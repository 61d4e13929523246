"""The adapter: Polymarket behind the arena's port."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal

from arena.http import Manners, PoliteReader
from arena.http.retries import changed
from arena.ports import Clock, Payloads
from arena.records.market import (
    Catalogue,
    FeeKind,
    Market,
    MarketId,
    Outcome,
    PricePoint,
    Quote,
    State,
    Status,
    VenueId,
)
from arena.records.money import price
from arena.records.settings import VenueSettings
from arena.venues.polymarket.asking import PAGE, Asking, PolymarketOptions, options_of
from arena.venues.polymarket.clob import (
    ClobMarket,
    PolymarketFeeTerms,
    book_quote,
    is_ghost,
    is_wide,
    traded,
)
from arena.venues.polymarket.gamma import GammaMarket, for_us, why_not
from arena.venues.polymarket.outcome import (
    DISPUTED,
    FINAL,
    HALF,
    PROPOSED,
    Resolution,
    decide_outcome,
    decisive,
    own_number,
    paid_out,
    yes_index,
)
from arena.venues.reading import own_id

IN_DISPUTE = frozenset({DISPUTED, "challenged", "arbitration"})
IN_PROPOSAL = frozenset({PROPOSED, "reproposed"})
RESOLVED = "resolved"
A_DOLLAR = Decimal(1_000_000)  # of the millionths that payouts are told in
ONE, NOTHING = Decimal(1), Decimal(0)
SCALE = Decimal(10**18)  # of the oracle's own contract
ANSWERS = {ONE: ONE, HALF: HALF, NOTHING: NOTHING, SCALE: ONE, HALF * SCALE: HALF}


def needs_resolution(row: GammaMarket) -> bool:
    """Say whether the Data API is asked: for what has closed, or is about to."""
    return row.word.closed is True or row.word.oracle in (PROPOSED, DISPUTED)


def needs_winner(row: GammaMarket, resolution: Resolution | None) -> bool:
    """Say whether the CLOB is asked for its winner: where nobody else has the last word."""
    word = row.word
    silent = word.oracle not in FINAL and word.oracle != DISPUTED
    named = word.closed is True and decisive(word.payouts) is not None
    return (resolution is None or _names_none(resolution)) and silent and named


def status_of(
    row: GammaMarket,
    resolution: Resolution | None = None,
    winner: ClobMarket | None = None,
) -> Status:
    """Put together what is said of a market's life; where sources differ, nothing is final.

    Args:
        row: Gamma's word.
        resolution: The Data API's, which counts most; None where it has none.
        winner: The CLOB's, which counts where the Data API has no word.

    Source:
        Payouts of `/v2/resolutions`, else the rule of nautilus_trader's Polymarket adapter
        (https://github.com/nautechsystems/nautilus_trader): a payout vector that names one
        outcome, and the oracle or the CLOB's winner that confirms it.
    """
    state, outcome = _ending(row, resolution, winner)
    return Status(row.market.id, state, row.status.at, outcome, unconfirmed=True)


def _ending(
    row: GammaMarket, resolution: Resolution | None, winner: ClobMarket | None
) -> tuple[State, Outcome | None]:
    status = "" if resolution is None else resolution.status
    outdated = row.word.by_history and status == RESOLVED
    if status in IN_DISPUTE or (row.word.oracle == DISPUTED and not outdated):
        return State.DISPUTED, None
    if status in IN_PROPOSAL:
        return State.PROPOSED, None
    if row.word.closed is not True:
        over = status == RESOLVED
        return State.CLOSED_PENDING if over else row.status.state, None
    if resolution is not None and not _names_none(resolution):
        outcome = _paid(row, resolution) if status == RESOLVED else None
    elif winner is not None:
        outcome = decide_outcome(row.word, winner.word) if winner.word.closed else None
    else:
        outcome = decide_outcome(row.word)
    waits = State.PROPOSED if row.word.oracle == PROPOSED else State.CLOSED_PENDING
    return (State.RESOLVED, outcome) if outcome is not None else (waits, None)


def _names_none(resolution: Resolution) -> bool:
    """Say whether the Data API calls a market resolved, with no payouts and no price."""
    stated = resolution.payouts, resolution.answer
    return resolution.status == RESOLVED and stated == (None, None)


def _paid(row: GammaMarket, resolution: Resolution) -> Outcome | None:
    """Read the Data API's outcome; None where it tells none, or another source another one."""
    by_payouts, by_answer = _by_payouts(row, resolution), _by_answer(row, resolution)
    by_gamma = paid_out(row.word)
    if resolution.payouts is None:
        return by_answer if by_answer == by_gamma else None
    others = {other for other in (by_answer, by_gamma) if other is not None}
    return by_payouts if others <= {by_payouts} else None


def _by_payouts(row: GammaMarket, resolution: Resolution) -> Outcome | None:
    if resolution.payouts is None or sum(resolution.payouts) != A_DOLLAR:
        return None
    yes = yes_index(row.word.choices) or 0
    return Outcome(price(resolution.payouts[yes] / A_DOLLAR))


def _by_answer(row: GammaMarket, resolution: Resolution) -> Outcome | None:
    """Read the oracle's answer: how much the first outcome is paid."""
    answer = None if resolution.answer is None else ANSWERS.get(resolution.answer)
    if answer is None:
        return None
    return Outcome(price(1 - answer if yes_index(row.word.choices) else answer))


class PolymarketVenue:
    """Polymarket as a venue. It implements the `Venue` port, and `Historian` besides.

    Its catalogue is Gamma, its books are the CLOB's, and an outcome is what Gamma, the Data
    API and the CLOB say together.
    """

    only_now = True

    def __init__(
        self, venue: VenueId, options: PolymarketOptions, clock: Clock, reader: PoliteReader
    ) -> None:
        self._venue = venue
        self._depth = options.depth
        self._clock = clock
        self._ask = Asking(venue, options, reader)

    async def catalogue(self) -> Catalogue:
        """List the busiest open markets, with the best bid and ask that Gamma shows."""
        listed = await self._ask.open_list(self._clock.now())
        read = for_us(listed)
        quotes = tuple(row.quote for row in read.rows if row.quote is not None)
        if len(listed.rows) > 1 and all(row.idle for row in listed.rows):
            raise changed(self._venue, "none of its open markets takes orders")
        if len(read.rows) > 1 and not quotes:
            raise changed(self._venue, "none of its open markets has a price")
        return Catalogue(tuple(row.market for row in read.rows), quotes, read.left_out)

    async def unread(self) -> str:
        """Say how many open markets there are that nothing of the arena can read."""
        many = await self._ask.of_next_protocol()
        more = " or more" if many >= PAGE else ""
        return f"{many}{more} open markets are of protocol v2, which is not read"

    async def details(self, markets: Sequence[Market]) -> Sequence[Market]:
        """Read each market again, and its fee from the CLOB where Gamma states none."""
        rows = await self._rows(market.id for market in markets)
        fit = {own: row for own, row in rows.items() if row is not None and not why_not(row)}
        unstated = [r.condition for r in fit.values() if r.market.fee.kind is FeeKind.UNKNOWN]
        terms = await self._ask.terms(unstated)
        complete = {
            own: _on_terms(row, terms.get(row.condition))
            if row.condition in unstated
            else row.market
            for own, row in fit.items()
        }
        completed = (complete.get(market.id) for market in markets)
        return tuple(market for market in completed if market is not None)

    async def quotes(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Quote]:
        """Give the book of each market that takes orders; one that is not real is left out."""
        looked_up = (await self._rows(markets)).values()
        rows = {row.yes_token: row for row in looked_up if row is not None and not row.idle}
        quotes: dict[str, Quote] = {}
        for token, book in (await self._ask.books(list(rows))).items():
            row = rows.get(token)
            if row is None or book.condition not in ("", row.condition):
                continue
            quote = book_quote(book, row.market.id, row.turnover, self._depth)
            if quote is not None:
                quotes[token] = quote
        wide = [token for token, quote in quotes.items() if is_wide(quote)]
        mids = await self._ask.midpoints(wide)
        real = {
            token: quote
            for token, quote in quotes.items()
            if not is_ghost(quote, rows[token].quote, token, mids)
        }
        return {quote.market: quote for quote in real.values()}

    async def statuses(self, markets: Iterable[MarketId]) -> Mapping[MarketId, Status]:
        """Say where each market is in its life; UNKNOWN is one that Gamma has no more."""
        rows = await self._rows(markets)
        present = {market: row for market, row in rows.items() if row is not None}
        ending = [row.condition for row in present.values() if needs_resolution(row)]
        resolutions = await self._ask.resolutions(ending)
        winners = await self._ask.winners(
            row.condition
            for row in present.values()
            if needs_winner(row, resolutions.get(row.condition))
        )
        now = self._clock.now()
        return {
            market: Status(market, State.UNKNOWN, now, unconfirmed=True)
            if row is None
            else status_of(row, resolutions.get(row.condition), winners.get(row.condition))
            for market, row in rows.items()
        }

    async def history(
        self, market: MarketId, since: datetime, until: datetime
    ) -> Sequence[PricePoint]:
        """Give the hourly prices of a span of time, oldest first, from the first trade on."""
        row = (await self._rows([market])).get(market)
        if row is None or not row.yes_token:
            return ()
        until = min(until, self._clock.now())
        points = traded(await self._ask.past(row.yes_token, since, until))
        return tuple(point for point in points if since <= point.at <= until)

    async def _rows(self, markets: Iterable[MarketId]) -> Mapping[MarketId, GammaMarket | None]:
        """Look up what is of this venue; None is a market that it does not have."""
        named = {own_number(own_id(self._venue, market)): market for market in markets}
        named.pop("", None)
        row_by_id = await self._ask.markets(named)
        return {market: row_by_id[own] for own, market in named.items() if own in row_by_id}


def from_settings(settings: VenueSettings, clock: Clock, payloads: Payloads) -> PolymarketVenue:
    """Build Polymarket as a venue.

    Options: `gamma`, `clob` and `data` are the addresses of its services; `order` and `pages`
    (10 of 100 markets) of the list that markets are chosen from, `volume_num_min`,
    `liquidity_num_min` and `closes_within_days` to narrow it, `depth` (20 levels), and
    `per_second` (4 requests to each service).

    Raises:
        ArenaError: `venue.option`: an option is unknown or has a wrong value.
    """
    options = options_of(settings)
    manners = Manners(per_second=float(options.per_second))
    reader = PoliteReader(settings.id, manners, clock, payloads)
    return PolymarketVenue(settings.id, options, clock, reader)


def _on_terms(row: GammaMarket, terms: PolymarketFeeTerms | None) -> Market | None:
    """Add what the CLOB states; None where it has no such market that can be traded."""
    if terms is None or terms.accepting is False:
        return None
    if row.yes_token not in {token for token, _ in terms.tokens}:
        return None
    return replace(
        row.market,
        fee=terms.fee or row.market.fee,
        tick=row.market.tick or terms.tick,
        min_order=row.market.min_order or terms.min_order,
    )
