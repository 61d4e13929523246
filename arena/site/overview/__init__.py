"""Every estimate that pages show, computed once from all forecasts and bets of a store."""

from arena.site.overview.kept import Patience, cached_overview
from arena.site.overview.newest import overview_key
from arena.site.overview.read import read_overview, today_of
from arena.site.overview.records import (
    LEVEL,
    Basis,
    Flip,
    Overview,
    Part,
    Place,
    Profile,
    RanksAt,
    Window,
    Worth,
)

__all__ = [
    "LEVEL",
    "Basis",
    "Flip",
    "Overview",
    "Part",
    "Patience",
    "Place",
    "Profile",
    "RanksAt",
    "Window",
    "Worth",
    "cached_overview",
    "overview_key",
    "read_overview",
    "today_of",
]
