"""What an author of a venue, a model or an agent tests it with; we use it too."""

from arena.testing.venue_suite import VenueSuite

__all__ = ["VenueSuite"]
