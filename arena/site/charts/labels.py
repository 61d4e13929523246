"""Where labels stand so that none covers another."""

from collections.abc import Sequence

Spread = tuple[int, int, int, int]  # left, top, right, bottom


def apart(wanted: Sequence[int], gap: int, ends: tuple[int, int]) -> list[int]:
    """Move places as little as possible until they are `gap` apart, within `ends`.

    Their order stays; equal ones keep the order given. Where there is not enough room they
    stand closer.

    >>> apart([10, 12, 50], 10, (0, 100))
    [6, 16, 50]
    """
    if not wanted:
        return []
    low, high = ends
    gap = min(gap, (high - low) // max(1, len(wanted) - 1))
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    pools: list[list[float]] = []  # mean, how many
    for n, i in enumerate(order):
        pools.append([wanted[i] - n * gap, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, many = pools.pop()
            last = pools[-1]
            last[0] = (last[0] * last[1] + mean * many) / (last[1] + many)
            last[1] += many
    flat = [mean for mean, many in pools for _ in range(int(many))]
    most = high - (len(wanted) - 1) * gap
    found = [0] * len(wanted)
    for n, i in enumerate(order):
        found[i] = round(min(max(flat[n], low), most)) + n * gap
    return found


def free(spread: Spread, taken: Sequence[Spread], within: Spread) -> bool:
    """Whether a box lies within another and covers none of those taken."""
    left, top, right, bottom = spread
    if left < within[0] or top < within[1] or right > within[2] or bottom > within[3]:
        return False
    return all(right <= a or left >= c or bottom <= b or top >= d for a, b, c, d in taken)
