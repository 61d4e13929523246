"""Values over time: equity, drawdown."""

from collections.abc import Sequence

from arena.site.charts.subjects import Curve, Flag, Scale, Words
from arena.site.views.parts import Figure, Grid


def curves(
    words: Words, lines: Sequence[Curve], scale: Scale, flags: Sequence[Flag] = ()
) -> Figure | None:
    """Draw lines over time.

    None where there is nothing to draw.
    """
    return Figure(words.key, words.title, words.caption, "", "", Grid((), ()))
