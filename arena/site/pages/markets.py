"""The pages of markets."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.market import Market, MarketId
from arena.site import places
from arena.site.charts.price import price_chart
from arena.site.hostile import address, host_of, one_line, shorten, tail, visible
from arena.site.lists import PER_PAGE, front_pager, numbers_on, pager
from arena.site.page import Document, Page
from arena.site.pages.deals import brier, deal_row
from arena.site.reading import LABEL, QUESTION, Reading, cohort_link, shown_moment
from arena.site.views.markets import MarketListPage, MarketPage, MarketRow, QuoteRow, SaidRow
from arena.site.views.parts import Fact, Head, Link, Moment
from arena.store.cards import Deal, MarketCard, Seen

MOST_BOOKS = 400
MOST_DEALS = 100
MOST_STATEMENTS = 2000
LONGEST_QUESTION = 400
LONGEST_RULES = 20000


def pages(card: MarketCard, reading: Reading) -> Iterator[Page | Document]:
    """A market's own page."""
    yield Page(places.market(card.id), "market.html", market_page(card, reading))


def fronts(reading: Reading) -> Iterator[Page | Document]:
    """The list of markets, those that something happened to last first."""
    yield Page(places.MARKETS, "markets.html", market_front(reading))


def market_page(card: MarketCard, reading: Reading) -> MarketPage:
    """One market: what was asked, what the price did, who bet what, who said what."""
    root = places.root_of(places.market(card.id))
    facts, ruling = reading.facts(card), reading.ruling(card.id)
    books = reading.show.books_of(card.id, MOST_BOOKS)
    deals = reading.show.deals_in(card.id, MOST_DEALS + 1)
    shown = deals[:MOST_DEALS]
    link = address(facts.url)
    return MarketPage(
        head=Head(_title(facts), root, "markets"),
        id=shorten(visible(card.id), QUESTION),
        question=shorten(visible(facts.question), LONGEST_QUESTION) or "(no words)",
        rules=shorten(visible(facts.rules[: 2 * LONGEST_RULES], lines=True), LONGEST_RULES),
        facts=_facts(facts),
        closes=_maybe(facts.closes_at),
        link=Link(host_of(link), link) if link else None,
        state=_sentence(reading.state(card.id)),
        resolved=shown_moment(ruling.at) if ruling and ruling.outcome else None,
        quotes=_quotes(card.id, books, reading),
        chart=price_chart(books, shown),
        trades=tuple(
            deal_row(deal, reading.contestant(deal.contestant, root), reading, root)
            for deal in shown
        ),
        trades_note=_note(deals),
        said=_said(card.id, reading, root),
    )


def market_list(page: int, reading: Reading) -> MarketListPage:
    """A page of markets by number."""
    path = places.list_page("markets", page)
    cards = reading.show.markets(*numbers_on(page))
    head = Head(f"Markets, page {page}", places.root_of(path), "markets")
    return MarketListPage(
        head, _rows(cards, reading, head.root), pager(page, reading.show.market_count())
    )


def market_front(reading: Reading) -> MarketListPage:
    """The markets that something happened to last, and the way to all of them."""
    head = Head("Markets", places.root_of(places.MARKETS), "markets")
    cards = reading.show.newest_markets(PER_PAGE)
    count = reading.show.market_count()
    return MarketListPage(head, _rows(cards, reading, head.root), front_pager("markets", count))


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


def _facts(facts: Market) -> tuple[Fact, ...]:
    shown = [
        Fact("venue", one_line(facts.venue, LABEL)),
        Fact("category", one_line(facts.category, LABEL) if facts.category else "none"),
        Fact("event", one_line(facts.event, QUESTION) if facts.event else "none"),
    ]
    sides = zip(("YES is", "NO is"), facts.labels, strict=False)
    shown += [Fact(side, one_line(label, LABEL)) for side, label in sides]
    if facts.exclusive:
        shown.append(Fact("of its event", "at most one market can be YES"))
    return tuple(shown)


def _quotes(market: MarketId, books: Sequence[Seen], reading: Reading) -> tuple[QuoteRow, ...]:
    if not books:
        return ()
    first = reading.show.first_book(market) if len(books) == MOST_BOOKS else books[0]
    rows = [("first", first or books[0])]
    if len(books) > 1:
        rows.append(("last", books[-1]))
    return tuple(_quote(name, book) for name, book in rows)


def _quote(name: str, book: Seen) -> QuoteRow:
    shown = METRICS["price"].shown
    quote = book.quote
    return QuoteRow(
        name,
        shown_moment(book.at),
        shown(quote.bid),
        shown(quote.ask),
        shown(quote.mid),
        figures.span(book.at - quote.at),
    )


def _said(market: MarketId, reading: Reading, root: str) -> tuple[SaidRow, ...]:
    outcome = reading.outcome(market)
    return tuple(
        SaidRow(
            reading.contestant(said.contestant, root),
            cohort_link(said.cohort, root),
            shown_moment(said.at),
            METRICS["stated_p"].shown(said.probability),
            brier(said.probability, outcome),
        )
        for said in reading.show.said_of(market, MOST_STATEMENTS)
    )


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _note(deals: Sequence[Deal]) -> str:
    return f"The newest {MOST_DEALS} are listed." if len(deals) > MOST_DEALS else ""


def _maybe(at: datetime | None) -> Moment | None:
    return shown_moment(at) if at else None
