"""Polymarket, Kalshi and Manifold on this machine, speaking from one simulated world.

`python -m tests.standins.venues` serves in a terminal. In a test:

    clock = HandClock(datetime(2026, 11, 5, 10, tzinfo=UTC))
    with VenueServer(StandInWorld(seed=1), clock, DIALECTS) as server:
        ...  # options={**server.options(KALSHI)} sends the arena's adapter there

`world` is what happens, `dialect` what a venue's speaker is asked, `polymarket`, `kalshi` and
`manifold` how each speaks, `faults` and `spoil` what goes wrong, `server` puts them together.
"""

from collections.abc import Mapping

from tests.standins.venues.dialect import Answer, Asked, Dialect, Quirks
from tests.standins.venues.faults import Fault, Faults
from tests.standins.venues.kalshi import KalshiDialect
from tests.standins.venues.manifold import ManifoldDialect
from tests.standins.venues.polymarket import PolymarketDialect
from tests.standins.venues.server import (
    KALSHI,
    MANIFOLD,
    POLYMARKET,
    Heard,
    VenueServer,
    options_at,
)
from tests.standins.venues.world import Stage, StandInWorld, WorldMarket, WorldView

__all__ = [
    "DIALECTS",
    "KALSHI",
    "MANIFOLD",
    "POLYMARKET",
    "Answer",
    "Asked",
    "Dialect",
    "Fault",
    "Faults",
    "Heard",
    "KalshiDialect",
    "ManifoldDialect",
    "PolymarketDialect",
    "Quirks",
    "Stage",
    "StandInWorld",
    "VenueServer",
    "WorldMarket",
    "WorldView",
    "options_at",
]

DIALECTS: Mapping[str, Dialect] = {
    POLYMARKET: PolymarketDialect(),
    KALSHI: KalshiDialect(),
    MANIFOLD: ManifoldDialect(),
}
"""How each venue speaks, by its name."""
