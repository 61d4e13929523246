"""The pages of markets."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from arena.metrics import figures
from arena.records.market import Market
from arena.site import places
from arena.site.charts.prices import prices
from arena.site.charts.stated import stated
from arena.site.charts.subjects import Curve, Flag, Point, Words
from arena.site.lists import PER_PAGE, front_pager, numbers_on, page_of, pager
from arena.site.page import Document, Page
from arena.site.pages.markets.market_facts import (
    facts_of,
    history,
    price_now,
    quote_rows,
    siblings,
)
from arena.site.pages.markets.market_index import shard
from arena.site.pages.markets.market_players import MOST_PLAYERS, Players, bet_marks, deal_rows
from arena.site.pages.markets.view import MarketListPage, MarketPage, MarketRow
from arena.site.pages.parts.parts import Figure, Head, Link, Moment
from arena.site.reading import LABEL, QUESTION, Reading, shown_moment
from arena.site.sanitize import address, host_of, one_line, shorten, tail, visible
from arena.store.journal.books import Ruling
from arena.store.pages.cards import Deal, MarketCard, Seen
from arena.store.pages.market_views import SqliteOpinions
from arena.store.tape.sqlite_tape import SqliteMarketLists

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
    lists = SqliteMarketLists(reading.show.db)
    still_open = lists.open_count()
    if path == OPEN:
        title, cards = "Open markets", lists.open(PER_PAGE)
        words = _newest(still_open, "not resolved", "last offered")
    elif path == RESOLVED:
        title, cards = "Resolved markets", lists.resolved(PER_PAGE)
        words = _newest(count - still_open, "resolved", "last resolved")
    else:
        title, cards = "Markets", reading.show.newest_markets(PER_PAGE)
        words = "Every market that was offered. What something happened to last stands first."
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
        "first, each beside the price that it was shown."
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
