"""Every estimate that pages show, computed once from all forecasts and bets of a store."""

from arena.site.overview.kept import Patience, cached_overview
from arena.site.overview.read import overview_key, read_overview, today_of
from arena.site.overview.records import (
    LEVEL,
    Basis,
    ContestantProfile,
    Flip,
    Overview,
    Part,
    RankPlace,
    RanksAt,
    Window,
    Worth,
)

__all__ = [
    "LEVEL",
    "Basis",
    "ContestantProfile",
    "Flip",
    "Overview",
    "Part",
    "Patience",
    "RankPlace",
    "RanksAt",
    "Window",
    "Worth",
    "cached_overview",
    "overview_key",
    "read_overview",
    "today_of",
]
