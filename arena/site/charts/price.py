"""Small drawings, in whole coordinates so that a rebuild draws the same bytes."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from arena.metrics.registry import METRICS
from arena.records.market import Side
from arena.records.money import ONE
from arena.site.reading import shown_moment
from arena.site.views.markets import Chart, Dot
from arena.store.cards import Deal, Seen

WIDTH, HEIGHT = 1440, 400

_Point = tuple[datetime, Decimal | None]


def price_chart(books: Sequence[Seen], deals: Sequence[Deal]) -> Chart | None:
    """Draw the middle of the book as steps, and the bets at what they paid for YES.

    Where a book had one side only, the line has a gap. None with fewer than two moments
    that had a price.
    """
    points: list[_Point] = [(book.at, book.quote.mid) for book in books]
    priced = [(at, mid) for at, mid in points if mid is not None]
    if len(priced) < 2 or points[0][0] == points[-1][0]:  # noqa: PLR2004  # a line has two ends
        return None
    first, last = points[0][0], points[-1][0]
    return Chart(
        WIDTH,
        HEIGHT,
        _steps(points, first, last),
        _dots(deals, first, last),
        _words([mid for _, mid in priced]),
        shown_moment(first),
        shown_moment(last),
    )


def _steps(points: Sequence[_Point], first: datetime, last: datetime) -> str:
    """Path data: each price holds until the next one; a missing one lifts the pen."""
    parts: list[str] = []
    drawing = False
    for at, mid in points:
        x = _x(at, first, last)
        if drawing:
            parts.append(f"H{x}")
        if mid is not None:
            parts.append(f"V{_y(mid)}" if drawing else f"M{x} {_y(mid)}")
        drawing = mid is not None
    return "".join(parts)


def _dots(deals: Sequence[Deal], first: datetime, last: datetime) -> tuple[Dot, ...]:
    bets = (deal for deal in deals if not deal.sold and first <= deal.at <= last)
    dots = (
        Dot(
            _x(bet.at, first, last),
            _y(bet.price if bet.side is Side.YES else ONE - bet.price),
            bet.side.lower(),
        )
        for bet in bets
    )
    return tuple(dict.fromkeys(dots))


def _words(mids: Sequence[Decimal]) -> str:
    shown = METRICS["price"].shown
    return (
        f"Middle of the book for YES: first {shown(mids[0])}, last {shown(mids[-1])}, "
        f"lowest {shown(min(mids))}, highest {shown(max(mids))}."
    )


def _x(at: datetime, first: datetime, last: datetime) -> int:
    return round((at - first).total_seconds() * WIDTH / (last - first).total_seconds())


def _y(price: Decimal) -> int:
    return round((1 - price) * HEIGHT)
