"""An invented world of prediction markets, for demonstrations, tests and trying things out.

Nothing in it comes from outside: questions, prices, books, disputes and outcomes all follow
from a seed and a date. Its prices are fair, but for the few events that end in a split
payout: on average no strategy gains from prices alone. What a contestant could know beyond
them is a number that this world can give, see `SimulatedVenue.signal`. So the true skill of
a contestant can be set in advance, and whether the arena finds it can be checked.

`world` moves prices, says what befalls an event, asks its question and turns a price into a
quote; `venue` shows what is known now.
"""

from arena.venues.simulated.venue import SimulatedVenue, from_settings

__all__ = ["SimulatedVenue", "from_settings"]
