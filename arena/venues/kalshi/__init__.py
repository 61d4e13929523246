"""Kalshi: a regulated exchange of yes/no contracts, read without an account."""

from arena.venues.kalshi.venue import KINDS, KalshiVenue, from_settings

__all__ = ["KINDS", "KalshiVenue", "from_settings"]
