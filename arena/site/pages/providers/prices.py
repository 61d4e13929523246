"""What models are charged at: as configured, and as the table that comes with the arena."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from arena.llms.price_list import Row, as_of, listed, seller_of, taken
from arena.metrics import figures
from arena.records.entrant import Entrant
from arena.site.pages.parts.parts import Cell
from arena.site.pages.providers.costs_view import PriceRow
from arena.site.reading import LABEL, Reading
from arena.site.sanitize import one_line
from arena.store.pages.costs import CostLine

_CONFIGURED = "configured"


def price_rows(
    reading: Reading, charged: Mapping[tuple[str, ...], CostLine], at: datetime | None
) -> tuple[PriceRow, ...]:
    """Everybody that is a model, by name: its prices and where they are from.

    Args:
        reading: The arena.
        charged: By contestant, calls whose costs say where their prices were from.
        at: The day for which prices are looked up.
    """
    cast = reading.edition.cast
    return tuple(
        _row(reading, cast[name], charged.get((name,)), at)
        for name in sorted(cast)
        if cast[name].model
    )


def shipped() -> str:
    """The day of the table that comes with the arena."""
    return taken()


def _row(
    reading: Reading, who: Entrant, line: CostLine | None, at: datetime | None
) -> PriceRow:
    listed = _from_table(who, at)
    listed_in, listed_out = (Decimal(listed[p]) if p in listed else None for p in ("in", "out"))
    price_in = listed_in if who.price_in is None else who.price_in
    price_out = listed_out if who.price_out is None else who.price_out
    return PriceRow(
        reading.contestant(who.id, ""),
        one_line(" · ".join(part for part in (who.provider, who.model) if part), LABEL),
        _price(price_in),
        _price(price_out),
        _source(who, listed),
        one_line(", ".join(line.priced), LABEL) if line and line.priced else "nothing yet",
    )


def _from_table(who: Entrant, at: datetime | None) -> Row:
    seller = seller_of("", who.provider) if who.provider else None
    if seller is None or at is None:
        return {}
    return listed(seller, who.model, at.date(), "") or {}


def _source(who: Entrant, listed: Row) -> str:
    configured = [price for price in (who.price_in, who.price_out) if price is not None]
    parts = [_CONFIGURED] if configured else []
    if len(configured) < 2 and listed:  # noqa: PLR2004  a price of questions and one of answers
        parts.append(f"table {as_of(listed)}")
    return " and ".join(parts) or "unknown"


def _price(value: Decimal | None) -> Cell:
    if value is None:
        return Cell("unknown")
    return Cell(figures.dollars(value, 3), value=value)
