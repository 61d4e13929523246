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
    found = _from_table(who, at)
    listed_in, listed_out = (Decimal(found[p]) if p in found else None for p in ("in", "out"))
    asked = listed_in if who.price_in is None else who.price_in
    answered = listed_out if who.price_out is None else who.price_out
    return PriceRow(
        reading.contestant(who.id, ""),
        one_line(" · ".join(part for part in (who.provider, who.model) if part), LABEL),
        _price(asked),
        _price(answered),
        _source(who, found),
        one_line(", ".join(line.priced), LABEL) if line and line.priced else "nothing yet",
    )


def _from_table(who: Entrant, at: datetime | None) -> Row:
    seller = seller_of("", who.provider) if who.provider else None
    if seller is None or at is None:
        return {}
    return listed(seller, who.model, at.date(), "") or {}


def _source(who: Entrant, found: Row) -> str:
    said = [price for price in (who.price_in, who.price_out) if price is not None]
    parts = [_CONFIGURED] if said else []
    if len(said) < 2 and found:  # noqa: PLR2004  a price of questions and one of answers
        parts.append(f"table {as_of(found)}")
    return " and ".join(parts) or "unknown"


def _price(value: Decimal | None) -> Cell:
    if value is None:
        return Cell("unknown")
    return Cell(figures.dollars(value, 3), value=value)
