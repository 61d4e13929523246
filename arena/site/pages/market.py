"""The pages of markets."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from statistics import fmean

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.cohort import ContestantId
from arena.records.market import FeeKind, FeeModel, Market, MarketId, Outcome, Side, State, Unit
from arena.records.money import Usd
from arena.site import Document, Page, places
from arena.site.charts.prices import prices, stated
from arena.site.charts.subjects import BetMark, Curve, Flag, Point, Stated, Words
from arena.site.estimates import brier_cell, metric_cell
from arena.site.pages.contestants.holdings import implied
from arena.site.pages.decisions.decision import decision_href
from arena.site.pages.parts import Cell, Fact, Figure, Head, Link, Moment, Pager
from arena.site.places import PER_PAGE, front_pager, numbers_on, page_of, pager
from arena.site.reading import (
    LABEL,
    QUESTION,
    Reading,
    cohort_link,
    outcome_words,
    shown_moment,
)
from arena.site.sanitize import address, host_of, one_line, shorten, tail, visible
from arena.store.journal.books import Ruling
from arena.store.pages.cards import Deal, MarketCard, Seen
from arena.store.pages.market_views import Brought, Opinion, SqliteOpinions, Word


@dataclass(frozen=True, slots=True)
class MarketRow:
    """A market in a list."""

    market: Link
    category: str
    venue: str
    state: str
    closes: Moment | None


@dataclass(frozen=True, slots=True)
class MarketListPage:
    """templates/site/markets.html.

    `words` says which markets stand here. Where `shards` is not 0 the list can be searched:
    so many files of the index are there.
    """

    head: Head
    title: str
    words: str
    rows: tuple[MarketRow, ...]
    pager: Pager
    facets: tuple[Link, ...] = ()
    shards: int = 0


@dataclass(frozen=True, slots=True)
class PriceNow:
    """The newest price of YES, its bid and ask in words, and when it was read."""

    text: str
    words: str
    read: Moment


@dataclass(frozen=True, slots=True)
class QuoteRow:
    """A book as it was read; `volume` and `liquidity` are in the market's own unit."""

    name: str
    read: Moment
    bid: Cell
    ask: Cell
    mid: Cell
    volume: Cell
    liquidity: Cell
    age: str


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """A contestant on a market: what it said, how that was scored, and what it brought."""

    contestant: Link
    count: int
    last: Cell
    seen: Cell
    last_brier: Cell
    mean: Cell
    mean_brier: Cell
    result: Cell
    at: Moment | None
    decision: str


@dataclass(frozen=True, slots=True)
class DealRow:
    """A fill or a sale; `decision` leads to the turn it was decided in, where it has a page."""

    at: Moment
    decision: str
    contestant: Link
    cohort: Link
    deed: str
    price: Cell
    amount: Cell
    confidence: Cell
    implied: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class WordRow:
    """What the venue said of the market, or what the books made of it, and when."""

    at: Moment
    who: str
    words: str
    note: str


@dataclass(frozen=True, slots=True)
class MarketPage:
    """templates/site/market.html. `tone` is done once it resolved, part if it was undone."""

    head: Head
    id: str
    question: str
    rules: str
    facts: tuple[Fact, ...]
    closes: Moment | None
    link: Link | None
    state: str
    tone: str
    resolved: Moment | None
    price: PriceNow | None
    quotes: tuple[QuoteRow, ...]
    chart: Figure | None
    strip: Figure | None
    players: tuple[PlayerRow, ...]
    players_note: str
    trades: tuple[DealRow, ...]
    trades_note: str
    history: tuple[WordRow, ...]
    history_note: str
    siblings: tuple[Link, ...]


MOST_PLAYERS = 100
MOST_DRAWN = 24  # contestants in the figure of forecasts


class Players:
    """Everybody who spoke of a market or held a position in it."""

    def __init__(
        self,
        opinions: Sequence[Opinion],
        brought: Mapping[ContestantId, Brought],
        outcome: Outcome | None,
    ) -> None:
        """Sort opinions, of which the newest come first, by contestant."""
        self._truth = None if outcome is None else outcome.truth
        self._brought = brought
        self._said: dict[ContestantId, list[Opinion]] = {}
        for opinion in opinions:
            self._said.setdefault(opinion.contestant, []).append(opinion)
        self.names = sorted({*self._said, *brought}, key=self._order)

    def rows(self, reading: Reading, root: str) -> tuple[PlayerRow, ...]:
        """A line each: the highest last forecast first; without one by name, at the end."""
        return tuple(self._row(who, reading, root) for who in self.names[:MOST_PLAYERS])

    def stated(self, reading: Reading) -> list[Stated]:
        """The last forecast of each, beside the price at the decision."""
        return [
            Stated(
                reading.label(who),
                last.at,
                last.probability,
                last.mid,
                reading.weight(who),
            )
            for who in self.names
            if who in self._said
            for last in (self._said[who][0],)
        ][:MOST_DRAWN]

    def _row(self, who: ContestantId, reading: Reading, root: str) -> PlayerRow:
        opinions = self._said.get(who, [])
        last = opinions[0] if opinions else None
        mean = fmean(opinion.probability for opinion in opinions) if opinions else None
        return PlayerRow(
            reading.contestant(who, root),
            len(opinions),
            metric_cell("stated_p", last.probability if last else None),
            metric_cell("price", last.mid if last else None),
            self._brier(last.probability if last else None),
            metric_cell("stated_p", mean),
            self._brier(mean),
            _result(self._brought.get(who)),
            shown_moment(last.at) if last else None,
            decision_href(reading, last.cohort, last.round, who, root) if last else "",
        )

    def _brier(self, probability: float | None) -> Cell:
        return brier_cell(probability, self._truth)

    def _order(self, who: ContestantId) -> tuple[float, str]:
        opinions = self._said.get(who)
        return (-opinions[0].probability if opinions else 1.0), who


def deal_rows(deals: Sequence[Deal], reading: Reading, root: str) -> tuple[DealRow, ...]:
    """Fills and sales in one market."""
    return tuple(_deal_row(deal, reading, root) for deal in deals)


def bet_marks(deals: Sequence[Deal], reading: Reading, market: MarketId) -> list[BetMark]:
    """Bets at the price of YES that they paid for, oldest first."""
    settled = reading.outcome(market) is not None
    return [
        BetMark(
            deal.at,
            deal.side is Side.YES,
            float(deal.price if deal.side is Side.YES else 1 - deal.price),
            float(deal.dollars),
            settled,
            reading.label(deal.contestant),
        )
        for deal in reversed(deals)
        if not deal.sold
    ]


def _deal_row(deal: Deal, reading: Reading, root: str) -> DealRow:
    outcome = reading.outcome(deal.market)
    shares = f"{METRICS['shares'].shown(deal.shares)} shares"
    fee = f", fee {METRICS['fees'].shown(deal.fee)}" if deal.fee else ""
    amount = METRICS["amount"].shown(deal.dollars)
    return DealRow(
        shown_moment(deal.at),
        decision_href(reading, deal.cohort, deal.round, deal.contestant, root),
        reading.contestant(deal.contestant, root),
        cohort_link(deal.cohort, root),
        f"{'sold' if deal.sold else 'bought'} {deal.side.value}",
        metric_cell("price", deal.price),
        Cell(amount, shares + fee, deal.dollars),
        metric_cell("confidence", deal.confidence),
        (
            implied("stated_p", deal.stated, outcome),
            implied("kelly_p", deal.kelly, outcome),
            implied("linear_p", deal.linear, outcome),
        ),
    )


def _result(brought: Brought | None) -> Cell:
    if brought is None:
        return Cell("no position")
    if brought.open == brought.held:
        return Cell("open")
    note = f"{brought.open} open" if brought.open else ""
    return metric_cell("realised", brought.realised, note)


MOST_WORDS = 60
TIMES, MINUS = "\N{MULTIPLICATION SIGN}", figures.MINUS
MOST_SIBLINGS = 20

_SAID = {
    State.OPEN: "open",
    State.HALTED: "halted",
    State.CLOSED_PENDING: "closed",
    State.PROPOSED: "closed, an outcome is proposed",
    State.DISPUTED: "closed, the outcome is disputed",
    State.UNKNOWN: "not known to it",
}


def facts_of(facts: Market) -> tuple[Fact, ...]:
    """What is known of a market, by name; what its venue does not say is left out."""
    shown = [
        Fact("venue", one_line(facts.venue, LABEL)),
        Fact("category", one_line(facts.category, LABEL) if facts.category else "none"),
        Fact("event", one_line(facts.event, QUESTION) if facts.event else "none"),
    ]
    sides = zip(("YES is", "NO is"), facts.labels, strict=False)
    shown += [Fact(side, one_line(label, LABEL)) for side, label in sides]
    if facts.exclusive:
        shown.append(Fact("of its event", "at most one market can be YES"))
    if facts.opens_at:
        shown.append(Fact("opened", figures.moment(facts.opens_at)))
    shown.append(Fact("fee", fee_words(facts.fee)))
    if facts.tick is not None:
        shown.append(Fact("prices are multiples of", f"${facts.tick.normalize():f}"))
    if facts.min_order is not None:
        shown.append(Fact("smallest order", f"{facts.min_order.normalize():f} shares"))
    shown += [Fact(one_line(name, LABEL), one_line(ref, LABEL)) for name, ref in facts.refs[:6]]
    return tuple(shown)


def fee_words(fee: FeeModel) -> str:
    """A taker's fee in words."""
    rate = f"{fee.rate.normalize():f}"
    step = f", rounded up to ${fee.step.normalize():f}" if fee.step else ""
    if fee.kind is FeeKind.NOTIONAL:
        return f"{rate} of the dollars traded{step}"
    if fee.kind is FeeKind.QUADRATIC:
        power = "" if fee.exponent == 1 else f" to the power {fee.exponent}"
        return f"{rate} {TIMES} shares {TIMES} (price {TIMES} (1 {MINUS} price)){power}{step}"
    return "none" if fee.kind is FeeKind.NONE else "charged, in no form that is known"


def price_now(books: Sequence[Seen]) -> PriceNow | None:
    """The newest price that is known: the middle of the newest book with both sides."""
    for book in reversed(books):
        quote = book.quote
        if quote.mid is not None and quote.bid is not None and quote.ask is not None:
            mid, bid, ask = (_short(price) for price in (quote.mid, quote.bid, quote.ask))
            return PriceNow(mid, f"bid {bid}, ask {ask}", shown_moment(book.at))
    return None


def _short(price: Decimal) -> str:
    """A price in dollars with two decimals, or as many as it has."""
    return figures.dollars(price, max(2, -int(price.normalize().as_tuple().exponent)))


def quote_rows(books: Sequence[Seen], first: Seen | None, unit: Unit) -> tuple[QuoteRow, ...]:
    """The first and the last book of a market."""
    if not books:
        return ()
    rows = [("first", first or books[0])]
    if len(books) > 1:
        rows.append(("last", books[-1]))
    return tuple(_quote(name, book, unit) for name, book in rows)


def history(
    market: MarketId, reading: Reading, opinions: SqliteOpinions
) -> tuple[tuple[WordRow, ...], str]:
    """The venue's words and the booked resolutions, newest first, and a note on omissions."""
    words = opinions.words(market, MOST_WORDS + 1)
    ruling = reading.ruling(market)
    booked = list(opinions.booked(market, ruling.revision, MOST_WORDS)) if ruling else []
    rows = [(word.seen, 0, _word_row(word)) for word in words[:MOST_WORDS]]
    rows += [(booking.at, 1, _booked(booking)) for booking in booked]
    rows.sort(key=lambda row: row[:2], reverse=True)
    note = f"The newest {MOST_WORDS} words of the venue." if len(words) > MOST_WORDS else ""
    return tuple(row for _, _, row in rows), note


def siblings(
    facts: Market, reading: Reading, opinions: SqliteOpinions, root: str
) -> tuple[Link, ...]:
    """Markets of the same event that the last rounds offered beside this one."""
    if not facts.event:
        return ()
    beside = opinions.beside(facts.id)
    reading.learn(beside)
    cards = [card for name in beside if (card := reading.show.market(name))]
    same = [card.id for card in cards if reading.facts(card).event == facts.event]
    return tuple(reading.market(name, root) for name in sorted(same)[:MOST_SIBLINGS])


def _quote(name: str, book: Seen, unit: Unit) -> QuoteRow:
    quote = book.quote
    bid, ask, mid = (metric_cell("price", price) for price in (quote.bid, quote.ask, quote.mid))
    return QuoteRow(
        name,
        shown_moment(book.at),
        bid,
        ask,
        mid,
        _amount(quote.volume, unit),
        _amount(quote.liquidity, unit),
        figures.span(book.at - quote.at),
    )


def _amount(amount: Usd | None, unit: Unit) -> Cell:
    if amount is None:
        return Cell(figures.MISSING)
    if unit is Unit.USD:
        return Cell(figures.dollars(amount, 0), "", amount)
    return Cell(figures.number(amount, 0), unit.value, amount)


def _word_row(word: Word) -> WordRow:
    words = f"resolved {outcome_words(word.outcome)}" if word.outcome else _SAID[word.state]
    notes = []
    if word.outcome:
        notes.append("to be confirmed by a later read" if word.unconfirmed else "confirmed")
    if word.said != word.seen:
        notes.append(f"as of {figures.moment(word.said)}")
    return WordRow(shown_moment(word.seen), "venue", words, ", ".join(notes))


def _booked(booking: Ruling) -> WordRow:
    words = (
        f"booked {outcome_words(booking.outcome)}"
        if booking.outcome
        else "resolution taken back"
    )
    return WordRow(shown_moment(booking.at), "arena", words, f"revision {booking.revision}")


NAME = "markets"
_FOLDER = "markets/"
_ARMED = str.maketrans(
    {c: f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}  # none may end a script, or a line of it
)


def shard_path(page: int) -> str:
    """Where the part of the index stands that covers one page of the list."""
    return f"{_FOLDER}s/page-{page}.js"


def shard(page: int, rows: Sequence[MarketRow]) -> Document:
    """Write a part of the index: a column of each thing that is shown or searched.

    It is a script that hands its data to `A`, because pages that were opened as files may
    load nothing else.
    """
    columns = {
        "path": [row.market.href.rpartition(_FOLDER)[2] for row in rows],
        "text": [row.market.text for row in rows],
        "venue": [row.venue for row in rows],
        "category": [row.category for row in rows],
        "state": [row.state for row in rows],
        "closes": [row.closes.iso[:10] if row.closes else "" for row in rows],
    }
    json_text = json.dumps(columns, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    text = json_text.encode("utf-8", "replace").decode().translate(_ARMED)
    return Document(shard_path(page), f'A("{NAME}/{page}",{text});\n')


MOST_BOOKS = 240
MOST_DEALS = 60
MOST_STATEMENTS = 2000
MOST_POSITIONS = 5000
LONGEST_QUESTION = 400
LONGEST_RULES = 12_000
OPEN, RESOLVED = "markets/open.html", "markets/resolved.html"


def pages(card: MarketCard, reading: Reading) -> Iterator[Page | Document]:
    """A market's own page."""
    view = market_page(card, reading)
    is_over = reading.outcome(card.id) is not None
    yield Page(places.market(card.id), "market.html", view, final=is_over)


def fronts(reading: Reading) -> Iterator[Page | Document]:
    """The lists of the newest markets: by what happened last, those open, those resolved."""
    for path in (places.MARKETS, OPEN, RESOLVED):
        yield Page(path, "markets.html", _front(path, reading))


def list_pages(page: int, reading: Reading) -> Iterator[Page | Document]:
    """A page of markets by number, and the part of the search index that covers it."""
    view = market_list(page, reading)
    yield shard(page, view.rows)
    yield Page(places.list_page("markets", page), "markets.html", view)


def market_page(card: MarketCard, reading: Reading) -> MarketPage:
    """One market: its question, price history, bets and forecasts."""
    path = places.market(card.id)
    root = places.root_of(path)
    opinions = SqliteOpinions(reading.show.db)
    facts, ruling = reading.facts(card), reading.ruling(card.id)
    outcome = ruling.outcome if ruling else None
    books = reading.show.books_of(card.id, MOST_BOOKS)
    first = reading.show.first_book(card.id) if len(books) == MOST_BOOKS else None
    deals = reading.show.deals_in(card.id, MOST_DEALS + 1)
    forecasts = opinions.stated(card.id, MOST_STATEMENTS)
    players = Players(forecasts, opinions.brought(card.id, MOST_POSITIONS), outcome)
    words, words_note = history(card.id, reading, opinions)
    link = address(facts.url)
    question = shorten(visible(facts.question), LONGEST_QUESTION) or "(no words)"
    return MarketPage(
        head=Head(
            _title(facts),
            root,
            "markets",
            f"{one_line(facts.question, QUESTION)} {_sentence(reading.state(card.id))}.",
            _as_of(books, ruling),
        ),
        id=shorten(visible(card.id), QUESTION),
        question=question,
        rules=shorten(visible(facts.rules[: 2 * LONGEST_RULES], lines=True), LONGEST_RULES),
        facts=facts_of(facts),
        closes=_maybe(facts.closes_at),
        link=Link(host_of(link), link) if link else None,
        state=_sentence(reading.state(card.id)),
        tone="done" if outcome else "part" if ruling else "idle",
        resolved=shown_moment(ruling.at) if ruling and outcome else None,
        price=price_now(books),
        quotes=quote_rows(books, first, facts.unit),
        chart=_chart(card, books, deals, ruling, reading),
        strip=_strip(players, ruling, reading),
        players=players.rows(reading, root),
        players_note=_players_note(len(players.names), len(forecasts)),
        trades=deal_rows(deals[:MOST_DEALS], reading, root),
        trades_note=f"The newest {MOST_DEALS} are listed." if len(deals) > MOST_DEALS else "",
        history=words,
        history_note=words_note,
        siblings=siblings(facts, reading, opinions, root),
    )


def market_list(page: int, reading: Reading) -> MarketListPage:
    """A page of markets by number."""
    path = places.list_page("markets", page)
    cards = reading.show.markets(*numbers_on(page))
    head = Head(f"Markets, page {page}", places.root_of(path), "markets")
    return MarketListPage(
        head=head,
        title=head.title,
        words="Markets in the order they were first offered, the last of them first.",
        rows=_rows(cards, reading, head.root),
        pager=pager(page, reading.show.market_count()),
    )


def _front(path: str, reading: Reading) -> MarketListPage:
    """The newest markets of a kind, and the way to all of them."""
    root, count = places.root_of(path), reading.show.market_count()
    still_open = reading.show.open_market_count()
    if path == OPEN:
        title, cards = "Open markets", reading.show.open_markets(PER_PAGE)
        words = _newest(still_open, "not resolved", "last offered")
    elif path == RESOLVED:
        title, cards = "Resolved markets", reading.show.resolved_markets(PER_PAGE)
        words = _newest(count - still_open, "resolved", "last resolved")
    else:
        title, cards = "Markets", reading.show.newest_markets(PER_PAGE)
        words = "Every market that was offered. The market with the latest change is first."
    kinds = (
        (f"All {count:,}", places.MARKETS),
        (f"Open {still_open:,}", OPEN),
        (f"Resolved {count - still_open:,}", RESOLVED),
    )
    return MarketListPage(
        head=Head(title, root, "markets", words),
        title=title,
        words=words,
        rows=_rows(cards, reading, root),
        pager=front_pager("markets", count),
        facets=tuple(Link(name, "" if to == path else root + to) for name, to in kinds),
        shards=page_of(count) if count else 0,
    )


def _newest(count: int, what: str, which: str) -> str:
    """Count the markets of a kind, and say which of them stand on the page."""
    listed = f" The {PER_PAGE} {which} stand here." if count > PER_PAGE else ""
    return f"{figures.many(count, 'market')}, {what}.{listed}"


def _rows(cards: Sequence[MarketCard], reading: Reading, root: str) -> tuple[MarketRow, ...]:
    reading.learn(card.id for card in cards)
    return tuple(_row(card, reading, root) for card in cards)


def _row(card: MarketCard, reading: Reading, root: str) -> MarketRow:
    facts = reading.facts(card)
    return MarketRow(
        market=reading.market(card.id, root),
        category=one_line(facts.category, LABEL) if facts.category else "",
        venue=one_line(card.venue, LABEL),
        state=reading.state(card.id),
        closes=_maybe(facts.closes_at),
    )


def _title(facts: Market) -> str:
    """A title that no other page has: two markets may ask the same."""
    name = visible(facts.id)
    if name != facts.id or len(name) > LABEL:
        name = f"{shorten(name, LABEL)} {tail(facts.id)}"
    return f"{one_line(facts.question, LABEL)} (market {name})"


def _chart(
    card: MarketCard,
    books: Sequence[Seen],
    deals: Sequence[Deal],
    ruling: Ruling | None,
    reading: Reading,
) -> Figure | None:
    """The middle of the book with its bid and ask and the bets; a gap where one was missing."""
    points = tuple(_priced(book) for book in books)
    if sum(point.value is not None for point in points) < 2:  # noqa: PLR2004  # a line's ends
        return None
    marks = bet_marks(deals[:MOST_DEALS], reading, card.id)
    ruled = Flag(ruling.at, reading.state(card.id)) if ruling and ruling.outcome else None
    caption = (
        f"The middle between bid and ask in {figures.many(len(points), 'reading')} to "
        f"{figures.moment(points[-1].at)}, and {figures.many(len(marks), 'bet')} at the price "
        "of YES that each paid for."
    )
    words = Words("prices", "Price and bets", caption)
    return prices(words, Curve("Middle of the book", points), marks, ruled)


def _priced(book: Seen) -> Point:
    quote = book.quote
    if quote.mid is None or quote.bid is None or quote.ask is None:
        return Point(book.at, None)
    return Point(book.at, float(quote.mid), float(quote.bid), float(quote.ask))


def _strip(players: Players, ruling: Ruling | None, reading: Reading) -> Figure | None:
    forecasts = players.stated(reading)
    if not forecasts:
        return None
    outcome = ruling.outcome if ruling else None
    caption = (
        f"The last forecast of {figures.many(len(forecasts), 'contestant')}, the highest "
        "first, each beside the price at the decision."
    )
    words = Words("stated", "Last forecasts against the price", caption)
    return stated(words, forecasts, outcome.truth if outcome else None)


def _players_note(players: int, statements: int) -> str:
    notes = []
    if players > MOST_PLAYERS:
        notes.append(f"The first {MOST_PLAYERS} of {players:,} are listed.")
    if statements == MOST_STATEMENTS:
        notes.append(f"Means are over the newest {MOST_STATEMENTS:,} forecasts.")
    return " ".join(notes)


def _as_of(books: Sequence[Seen], ruling: Ruling | None) -> Moment | None:
    """The newest of what is told: a book, or a ruling."""
    moments = [book.at for book in books[-1:]] + ([ruling.at] if ruling else [])
    return shown_moment(max(moments)) if moments else None


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _maybe(at: datetime | None) -> Moment | None:
    return shown_moment(at) if at else None
