"""Ranks, prizes and medals of a tournament."""

from collections.abc import Sequence
from enum import StrEnum
from math import isfinite
from typing import Final


class Medal(StrEnum):
    """What the best ranks get."""

    GOLD = "gold"
    SILVER = "silver"
    BRONZE = "bronze"


MEDALS: Final = ((Medal.GOLD, 1, 1), (Medal.SILVER, 2, 2), (Medal.BRONZE, 5, 3))
PEERS_NEEDED: Final = 30.0  # whose coverage a global peer score is divided by, at least
QUESTIONS_NEEDED_BEFORE_2024: Final = 40


def squared_take(score: float) -> float:
    """What a tournament score is worth in the division of the pool: its square above 0.

    It pays for volume: twice the score is four times the share. With few questions the best
    forecast is then not always the honest one.

    Source:
        Metaculus, scores FAQ.

    >>> squared_take(120.0), squared_take(-50.0)
    (14400.0, 0.0)
    """
    return max(score, 0.0) ** 2


def peer_global(total: float, coverage: float) -> float:
    """A sum of peer scores over a sum of coverage, which counts as 30 at least.

    Source:
        Metaculus, medals FAQ.

    >>> peer_global(600, 20)
    20.0
    """
    return total / max(PEERS_NEEDED, coverage)


def peer_global_before_2024(total: float, questions: int) -> float:
    """A sum of peer scores over the number of questions, which counts as 40 at least.

    Source:
        Metaculus, medals FAQ.

    >>> peer_global_before_2024(600, 20)
    15.0
    """
    return total / max(QUESTIONS_NEEDED_BEFORE_2024, questions)


def ranks(
    values: Sequence[float],
    included: Sequence[bool],
    *,
    relative: float = 1e-9,
    absolute: float = 0.0,
) -> tuple[int, ...]:
    """The rank of each entry of a list that is ordered from the best to the worst.

    Entries as good as the one before them share its rank, and the next rank is skipped. An
    entry that is not included has the rank that it would have, and takes none from others.

    Args:
        values: What is ranked by, not increasing.
        included: Which entries are ranked.
        relative: How far apart equal values may be, as a share of the better one.
        absolute: How far apart they may be besides.

    Raises:
        ValueError: The lists differ in length, or a value increases.

    >>> ranks([9, 7, 7, 5], [True] * 4)
    (1, 2, 2, 4)
    """
    places: list[int] = []
    before, ahead = 0.0, 0
    for value, counts in zip(values, included, strict=True):
        if places and value > before:
            raise ValueError("ranks are given from the best to the worst")
        tied = bool(places) and before - value <= absolute + relative * abs(before)
        places.append(places[-1] if tied else ahead + 1)
        before, ahead = value, ahead + counts
    return tuple(places)


def prize_shares(
    takes: Sequence[float], included: Sequence[bool] | None = None, *, minimum: float = 0.0
) -> tuple[float, ...] | None:
    """Which share of the pool each entry of a list gets, from the best to the worst.

    From the worst up, whoever would get less than the smallest prize gets nothing, and what
    they would have got goes to those above. None where nobody has taken anything: nothing
    over nothing is no share.

    Args:
        takes: What each puts into the division; less than 0 counts as nothing.
        included: Who is paid; all, if not given.
        minimum: The smallest prize as a share of the pool.

    Raises:
        ValueError: A take is not finite, the smallest prize is negative or not finite, or
            the lists differ in length.

    Source:
        Metaculus, open source of its leaderboards.

    >>> prize_shares([6.0, 3.0, 1.0], minimum=0.25)
    (0.6666666666666666, 0.3333333333333333, 0.0)
    """
    paid = [True] * len(takes) if included is None else included
    if not (all(isfinite(x) for x in (*takes, minimum)) and minimum >= 0):
        raise ValueError("takes and the smallest prize are finite, and that is not negative")
    running = [max(x, 0.0) if here else 0.0 for x, here in zip(takes, paid, strict=True)]
    left = sum(running)
    if left <= 0:
        return None
    kept = list(running)
    for n in reversed(range(len(running))):
        if left > 0 and running[n] / left < minimum:
            left -= running[n]
            kept[n] = 0.0
    total = sum(kept)
    return tuple(x / total if total > 0 else 0.0 for x in kept)


def medals(rank: Sequence[int], included: Sequence[bool]) -> tuple[Medal | None, ...]:
    """Gold for the best 1%, silver up to 2%, bronze up to 5% of those included.

    Percentages are rounded up; rank 1 has gold, rank 2 silver and rank 3 bronze at least.

    Raises:
        ValueError: The lists differ in length.

    Source:
        Metaculus, medals FAQ.

    >>> [m and m.value for m in medals([1, 2, 3, 4], [True] * 4)]
    ['gold', 'silver', 'bronze', None]
    """
    n = sum(included)
    limits = [(medal, max(-(-n * percent // 100), least)) for medal, percent, least in MEDALS]
    return tuple(
        next((medal for medal, limit in limits if here and r <= limit), None)
        for r, here in zip(rank, included, strict=True)
    )
