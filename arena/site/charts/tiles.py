"""A grid of tinted squares: closing line value."""

from collections.abc import Sequence

from arena.site.charts.subjects import Scale, Tile, Words
from arena.site.views.parts import Figure, Grid


def tiles(words: Words, squares: Sequence[Tile], scale: Scale) -> Figure | None:  # noqa: ARG001
    """Draw a grid of values.

    None where there is nothing to draw.
    """
    return Figure(words.key, words.title, words.caption, "", "", Grid((), ()))
