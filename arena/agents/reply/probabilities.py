"""Reads the probabilities that a reply states.

Each market is on its own: a probability without a reading is left out and noted, and the
others stand. None is ever mended by its size: 62 is not 0.62.
"""

from collections.abc import Iterator, Mapping
from decimal import Decimal

from arena.agents.reply.amounts import number_of
from arena.agents.reply.statement import FORECAST, letters_of, market_of, named, unpacked
from arena.agents.reply.words import Knot, Notes, UnreadableError, shown
from arena.records.decision import Forecast
from arena.records.market import MarketId


def forecasts_of(
    stated: object, markets: Mapping[str, MarketId], notes: Notes
) -> tuple[Forecast, ...]:
    """Read probabilities: a list of market_id and p_yes, or an object of one by the other.

    Null is no forecast. Where a market is given two different values, neither counts.

    Args:
        stated: What the reply says under `forecasts`.
        markets: What may be named, and which market each name is.
        notes: Takes what was mended and what was left out; its knots among these are untied.
    """
    settled: set[int] = set()
    probabilities: dict[MarketId, float | None] = {}
    for name, value in _pairs(unpacked(stated, notes), markets, notes):
        settled |= {id(part) for part in (name, value) if isinstance(part, Knot)}
        market = market_of(name, markets, notes)
        if market is None:
            notes.mend(f"forecasts: {shown(name)} is not on offer")
        elif value is not None:
            p = _probability(name, value, notes)
            if market in probabilities and probabilities[market] != p:
                notes.mend(f"forecasts: {shown(name)} has two different values: none counts")
                p = None
            probabilities[market] = p
    notes.knots = [knot for knot in notes.knots if id(knot) not in settled]
    return tuple(Forecast(market, p) for market, p in probabilities.items() if p is not None)


def _pairs(
    stated: object, markets: Mapping[str, MarketId], notes: Notes
) -> Iterator[tuple[object, object]]:
    if stated is None:
        return
    if isinstance(stated, list):
        for n, entry in enumerate(stated, start=1):
            yield from _entry(entry, f"forecast {n}: ", notes)
    elif not isinstance(stated, dict):
        notes.mend(f"forecasts is a list of market_id and p_yes, not {shown(stated)}")
    elif "pyes" in map(letters_of, stated) and markets.keys().isdisjoint(stated):
        notes.mend("forecasts is a list, also of one")
        yield from _entry(stated, "forecast 1: ", notes)
    else:
        yield from stated.items()


def _entry(entry: object, where: str, notes: Notes) -> Iterator[tuple[object, object]]:
    if not isinstance(entry, dict):
        notes.mend(f"{where}{shown(entry)} is not an object with market_id and p_yes")
        return
    try:
        fields = named(entry, FORECAST, notes, where)
    except UnreadableError as error:
        notes.mend(f"{error.reason}: it does not count")
        return
    if missing := [key for key in ("market_id", "p_yes") if key not in fields]:
        notes.mend(f"{where}it has no {' and no '.join(missing)}")
        return
    yield fields["market_id"], fields["p_yes"]


def _probability(name: object, value: object, notes: Notes) -> float | None:
    exact = number_of(value, notes) if isinstance(value, str) else value
    if isinstance(exact, Decimal) and 0 <= exact <= 1:
        return float(exact) + 0.0  # without the sign of -0
    why = f"needs a number from 0 to 1, not {shown(value)}"
    notes.mend(f"forecasts: {shown(name)} {why}: it does not count")
    return None
