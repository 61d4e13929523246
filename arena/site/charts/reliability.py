"""Whether probabilities mean what they say."""

from collections.abc import Sequence

from arena.site.charts.subjects import ReliabilityBin, Words
from arena.site.views.parts import Figure, Grid


def reliability(
    words: Words, bins: Sequence[ReliabilityBin], *, small: bool = False
) -> Figure | None:
    """Draw frequency over forecast, with the band of a calibrated forecaster.

    None where there is nothing to draw.
    """
    return Figure(words.key, words.title, words.caption, "", "", Grid((), ()))
