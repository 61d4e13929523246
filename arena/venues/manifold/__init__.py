"""Manifold (https://manifold.markets): questions of its users, bet on with play money.

`curve` turns the pool of its market maker into a book, `venue` asks its server and reads
markets, probabilities and bets. It needs no key.
"""

from arena.venues.manifold.venue import KINDS, ManifoldVenue, from_settings

__all__ = ["KINDS", "ManifoldVenue", "from_settings"]
