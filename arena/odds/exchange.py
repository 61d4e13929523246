"""What a yes/no contract's quotes say about P(YES), and how surely."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from arena.odds.columns import Floats, alike, probabilities


@dataclass(frozen=True, slots=True, eq=False)
class ExchangeFair:
    """P(YES) as the market has it: `q`, and the `low` and `high` that its spread leaves open.

    `spread` is the width of the YES quote in dollars a share.
    """

    q: Floats
    low: Floats
    high: Floats
    spread: Floats

    @property
    def sigma(self) -> Floats:
        """The spread as a standard deviation: half of the open range."""
        return (self.high - self.low) / 2


def exchange_fair(
    yes_bid: ArrayLike,
    yes_ask: ArrayLike,
    no_bid: ArrayLike | None = None,
    no_ask: ArrayLike | None = None,
) -> ExchangeFair:
    """Scale the two mid prices to add up to 1: q = y / (y + n).

    Where the venue has one book for both sides, leave the NO quotes out: they are the
    complements of the YES quotes, and q is the YES mid. A yes/no book has no favourite-long
    shot margin to undo, so the power method is not for it.

    Args:
        yes_bid: Dollars offered for a YES share, in [0, 1], any shape.
        yes_ask: Dollars asked for it, not below the bid.
        no_bid: The same of a NO share, from its own book.
        no_ask: The same of a NO share.

    Raises:
        ValueError: A price outside [0, 1], a crossed book, one NO quote without the other,
            columns of unequal shape, or two mid prices of 0.

    >>> exchange_fair(0.40, 0.44).q.round(6).item()
    0.42
    """
    bid, ask = probabilities(yes_bid, "yes_bid"), probabilities(yes_ask, "yes_ask")
    if (no_bid is None) != (no_ask is None):
        raise ValueError("a NO book has a bid and an ask")
    other_bid = 1 - ask if no_bid is None else probabilities(no_bid, "no_bid")
    other_ask = 1 - bid if no_ask is None else probabilities(no_ask, "no_ask")
    alike(yes_bid=bid, yes_ask=ask, no_bid=other_bid, no_ask=other_ask)
    if (bid > ask).any() or (other_bid > other_ask).any():
        raise ValueError("a bid is above its ask")
    yes, no = (bid + ask) / 2, (other_bid + other_ask) / 2
    if not (yes + no > 0).all():
        raise ValueError("a market without a price says nothing")
    low, high = _share(bid, other_ask), _share(ask, other_bid)
    return ExchangeFair(_share(yes, no), low, high, ask - bid)


def _share(yes: Floats, no: Floats) -> Floats:
    """YES's part of the two prices; two prices of 0 leave it where YES is worthless."""
    total = yes + no
    return np.divide(yes, np.where(total > 0, total, 1.0))
