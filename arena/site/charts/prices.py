"""A price over time, with bets on it."""

from collections.abc import Sequence

from arena.site.charts.subjects import BetMark, Curve, Flag, Words
from arena.site.views.parts import Figure, Grid


def prices(
    words: Words, price: Curve, bets: Sequence[BetMark], ruled: Flag | None = None
) -> Figure | None:
    """Draw the price of YES as steps, and bets where they traded.

    None where there is nothing to draw.
    """
    return Figure(words.key, words.title, words.caption, "", "", Grid((), ()))
