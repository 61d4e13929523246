"""How large may several stakes be, so that together they stay within the largest bet?"""

from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal

from arena.agents.reply.orders import CENT
from arena.records.money import ZERO_USD, Usd, usd


def whole_cents(amount: Decimal) -> Usd:
    """Round down to what an order can be written in: hundredths, of dollars or percent."""
    return usd(amount.quantize(CENT, rounding=ROUND_FLOOR))


def fitted(wishes: Sequence[Decimal], cap: Decimal, floor: Decimal) -> tuple[Usd, ...]:
    """Scale stakes down together until they fit.

    Stakes that fit stay as they are. Where scaling makes the smallest one less than `floor`,
    it is left out and the others are scaled anew; of equal ones the last is left out first.

    Args:
        wishes: Dollars, none below 0.
        cap: The most that all may come to.
        floor: The least that a scaled stake may be.

    Returns:
        A stake for each wish, rounded down to a cent; 0 where it is left out.

    >>> fitted([Decimal(300), Decimal(100)], cap=Decimal(200), floor=Decimal(50))
    (Decimal('150.000000'), Decimal('50.000000'))
    """
    kept = sorted(range(len(wishes)), key=lambda n: (-wishes[n], n))
    total = sum(wishes, Decimal(0))
    stakes = {n: whole_cents(wishes[n]) for n in kept}
    while kept and total > cap:
        stakes = {n: whole_cents(wishes[n] * cap / total) for n in kept}
        smallest = stakes[kept[-1]]
        if smallest >= floor and smallest > 0:
            break
        total -= wishes[kept.pop()]
        stakes = {n: whole_cents(wishes[n]) for n in kept}
    return tuple(stakes.get(n, ZERO_USD) for n in range(len(wishes)))
