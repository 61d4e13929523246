"""Kalshi: a regulated exchange of yes/no contracts, read without an account."""

from arena.venues.kalshi.kinds import KINDS
from arena.venues.kalshi.venue import KalshiVenue, from_settings

__all__ = ["KINDS", "KalshiVenue", "from_settings"]
