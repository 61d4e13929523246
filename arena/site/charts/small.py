"""Drawings that fit in a line of text or a cell of a table."""

from collections.abc import Sequence


def whisker(  # noqa: PLR0913
    value: float,
    low: float,
    high: float,
    *,
    least: float,
    most: float,
    base: float | None = None,
) -> str:
    """Draw a value as a dot on its interval, on an axis from `least` to `most`."""
    return ""


def sparkline(values: Sequence[float | None], base: float | None = None) -> str:  # noqa: ARG001
    """Draw the shape of a series."""
    return ""
