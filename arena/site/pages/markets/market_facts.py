"""The facts of a market from its venue: words, books and resolutions."""

from collections.abc import Sequence
from decimal import Decimal

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.market import FeeKind, FeeModel, Market, MarketId, State, Unit
from arena.records.money import Usd
from arena.site.pages.markets.view import PriceNow, QuoteRow, WordRow
from arena.site.pages.parts.parts import Cell, Fact, Link
from arena.site.reading import LABEL, QUESTION, Reading, outcome_words, shown_moment
from arena.site.sanitize import one_line
from arena.store.pages.cards import Seen
from arena.store.pages.market_views import Booked, SqliteOpinions, Word

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
    bid, ask, mid = (
        Cell(METRICS["price"].shown(price), "", price)
        for price in (quote.bid, quote.ask, quote.mid)
    )
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


def _booked(booking: Booked) -> WordRow:
    words = (
        f"booked {outcome_words(booking.outcome)}"
        if booking.outcome
        else "resolution taken back"
    )
    return WordRow(shown_moment(booking.at), "arena", words, f"revision {booking.revision}")
