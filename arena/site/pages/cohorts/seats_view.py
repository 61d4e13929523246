"""What the page of a contestant in one cohort shows."""

from dataclasses import dataclass

from arena.site.pages.parts.parts import Fact, Figure, Head, Kpi, Link
from arena.site.pages.parts.tables import Table


@dataclass(frozen=True, slots=True)
class SeatPage:
    """templates/site/seat.html."""

    head: Head
    contestant: Link
    cohort: Link
    title: str
    state: str
    kpis: tuple[Kpi, ...]
    equity: Figure | None
    positions: Table | None
    positions_note: str
    decisions: Table | None
    decisions_note: str
    forecasts: Table | None
    forecasts_note: str
    refusals: Table | None
    totals: tuple[Fact, ...]
    others: tuple[Link, ...]
