"""Which values can be drawn."""

import math


def finite(value: float | None) -> float | None:
    """The value, or None where it is missing or no number."""
    return value if value is not None and math.isfinite(value) else None
