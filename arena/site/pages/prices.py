"""What models are charged at: as configured, and as the table that comes with the arena."""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal

from arena.llms.price_list import listed, seller_of, taken
from arena.metrics import figures
from arena.records.entrant import Entrant
from arena.site.hostile import one_line
from arena.site.reading import LABEL, Reading
from arena.site.views.costs import PriceRow
from arena.site.views.parts import Cell
from arena.store.costs import CostLine

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
    asked = who.price_in if who.price_in is not None else found.get("in")
    answered = who.price_out if who.price_out is not None else found.get("out")
    return PriceRow(
        reading.contestant(who.id, ""),
        one_line(" · ".join(part for part in (who.provider, who.model) if part), LABEL),
        _price(asked),
        _price(answered),
        _source(who, found),
        one_line(", ".join(line.priced), LABEL) if line and line.priced else "nothing yet",
    )


def _from_table(who: Entrant, at: datetime | None) -> Mapping[str, Decimal]:
    seller = seller_of("", who.provider) if who.provider else None
    if seller is None or at is None:
        return {}
    row = listed(seller, who.model, at.date(), "") or {}
    return {part: Decimal(row[part]) for part in ("in", "out") if part in row}


def _source(who: Entrant, found: Mapping[str, Decimal]) -> str:
    said = [price for price in (who.price_in, who.price_out) if price is not None]
    table = f"table {taken()}" if found else ""
    parts = [_CONFIGURED] if said else []
    if len(said) < 2 and table:  # noqa: PLR2004  a price of questions and one of answers
        parts.append(table)
    return " and ".join(parts) or "unknown"


def _price(value: Decimal | None) -> Cell:
    if value is None:
        return Cell("unknown")
    return Cell(figures.dollars(value, 3), value=value)
