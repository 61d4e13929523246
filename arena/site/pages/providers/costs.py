"""The page of costs: what was spent on whom, when, where and for what."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import reduce
from operator import add
from typing import Final

from arena.llms.tariff import Row, as_of, listed, seller_of, taken
from arena.metrics import figures
from arena.metrics.metric import BetterDirection
from arena.metrics.registry import METRICS
from arena.records.cohort import CohortId, ContestantId
from arena.records.estimate import Estimate
from arena.records.money import ZERO_USD
from arena.records.settings import Entrant
from arena.site import Document, Page, places
from arena.site.charts.plane import plane
from arena.site.charts.subjects import Curve, Point, Scale, Spot, Words, ends
from arena.site.charts.timed import curves
from arena.site.estimates import count_cell, counted_n, estimated, head_of, metric_cell
from arena.site.pages.parts import Cell, Column, Fact, Figure, Head, Link, Moment
from arena.site.reading import LABEL, Reading, cohort_link, shown_moment
from arena.site.sanitize import one_line
from arena.stats.mean_intervals import interval
from arena.store.pages.costs import (
    By,
    CostLine,
    Crossed,
    Spend,
    SqliteSpending,
    Tokens,
    grouped,
)


@dataclass(frozen=True, slots=True)
class CostRow:
    """What something took; `made_by` says what it ran on, where it is a contestant."""

    about: Link
    made_by: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class CostTable:
    """A table of costs: `key` is its id on the page, `words` stand above it."""

    key: str
    title: str
    words: str
    about: str
    columns: tuple[Column, ...]
    rows: tuple[CostRow, ...]
    made_by: bool = False


@dataclass(frozen=True, slots=True)
class PriceRow:
    """What a contestant's model is charged at, in dollars a million tokens."""

    contestant: Link
    model: str
    asked: Cell
    answered: Cell
    source: str
    charged: str


@dataclass(frozen=True, slots=True)
class CostsPage:
    """templates/site/costs.html. `others` are rows that only the twin has room for."""

    head: Head
    since: Moment | None
    facts: tuple[Fact, ...]
    plane: Figure | None
    plane_note: str
    days: Figure | None
    tables: tuple[CostTable, ...]
    others: tuple[CostTable, ...]
    others_note: str
    prices: tuple[PriceRow, ...]
    taken: str


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


DAYS: Final = 60
COHORTS: Final = 30
MOST_ROWS: Final = 40

_INSTEAD: Final = "brier_index"  # of a headline that is better when lower: up is good
_SPEND = ("cost", "cost_turn", "cost_per_forecast", "tokens", "unknown_cost")
_CALLS = ("cost", "calls", "tokens", "cached_share", "maybe_billed", "unknown_cost")
_BY_COHORT = ("cost", "turns", "tokens", "unknown_cost")


@dataclass(frozen=True, slots=True)
class _Read:
    """What was asked of the store: all time, newest cohorts, calls of the newest days."""

    since: datetime | None
    totals: Mapping[ContestantId, Spend]
    cohorts: Mapping[CohortId, Mapping[ContestantId, Spend]]
    calls: Sequence[Crossed]


def pages(reading: Reading) -> Iterator[Page | Document]:
    """The page of costs."""
    yield Page(places.COSTS, "costs.html", costs_page(reading))


def costs_page(reading: Reading) -> CostsPage:
    """Costs: all-time totals from stored sums, everything else from the newest days."""
    read = _read(reading)
    turns = {name: _of_a_turn(name, read) for name in read.totals}
    tables = _tables(reading, read, turns)
    as_of = reading.store.boards.as_of()
    drawn, left = _plane(reading, read, turns)
    return CostsPage(
        head=Head(
            "Costs",
            places.root_of(places.COSTS),
            "costs",
            "What the answers cost: dollars, tokens and attempts, and what the money bought.",
            shown_moment(as_of) if as_of else None,
        ),
        since=shown_moment(read.since) if read.since else None,
        facts=_facts(read),
        plane=drawn,
        plane_note=left,
        days=_days(read.calls),
        tables=tuple(replace(table, rows=table.rows[:MOST_ROWS]) for table in tables),
        others=tuple(
            replace(table, rows=table.rows[MOST_ROWS:])
            for table in tables
            if table.rows[MOST_ROWS:]
        ),
        others_note=_left_out_note(tables),
        prices=price_rows(reading, grouped(read.calls, By.CONTESTANT), as_of)[:MOST_ROWS],
        taken=taken(),
    )


def _read(reading: Reading) -> _Read:
    spending = SqliteSpending(reading.store.db)
    newest, count = reading.store.boards.as_of(), reading.show.cohort_count()
    cards = reading.show.cohorts(count - COHORTS + 1, count)
    if newest is None:
        return _Read(None, spending.totals(), {}, ())
    day = newest.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    since = day - timedelta(days=DAYS - 1)
    return _Read(
        since,
        spending.totals(),
        spending.of_cohorts(card.id for card in cards),
        spending.calls(since),
    )


def _facts(read: _Read) -> tuple[Fact, ...]:
    total = reduce(add, read.totals.values(), Spend())
    return (
        Fact("spent, all time", _dollars(total)),
        Fact("turns", figures.count(total.turns)),
        Fact("tokens asked", figures.count(total.tokens_in)),
        Fact("tokens answered", figures.count(total.tokens_out)),
    )


def _tables(
    reading: Reading, read: _Read, turns: Mapping[ContestantId, Estimate]
) -> tuple[CostTable, ...]:
    span, days = f"Calls asked in the newest {DAYS} days.", grouped(read.calls, By.DAY)
    return (
        CostTable(
            "contestants",
            "By contestant",
            f"All time. The cost of a turn is over the newest {COHORTS} cohorts.",
            "Contestant",
            tuple(head_of(key, "") for key in _SPEND),
            tuple(
                CostRow(
                    reading.contestant(name, ""),
                    _model_of(reading, name),
                    _spend_cells(read.totals[name], turns[name]),
                )
                for name in _ordered(reading, read.totals)
            ),
            made_by=True,
        ),
        _of_calls(
            "models", "By provider and model", span, grouped(read.calls, By.PROVIDER, By.MODEL)
        ),
        CostTable(
            "cohorts",
            "By cohort",
            f"The newest {COHORTS} cohorts, each as a whole.",
            "Cohort",
            tuple(head_of(key, "", "Turns" * (key == "turns")) for key in _BY_COHORT),
            tuple(
                CostRow(cohort_link(name, ""), "", _cohort_cells(seats.values()))
                for name, seats in read.cohorts.items()
            ),
        ),
        _of_calls("days", "By day", span, dict(sorted(days.items(), reverse=True))),
    )


def _ordered(reading: Reading, totals: Mapping[ContestantId, Spend]) -> Iterator[ContestantId]:
    """Contestants whose answers cost money or tokens: dearest first, then by rank."""
    place = {name: n for n, name in enumerate(reading.overview.order)}
    paid = [
        name
        for name, spend in totals.items()
        if spend.known or spend.unknown or spend.tokens_in
    ]
    yield from sorted(
        paid, key=lambda name: (-totals[name].known, place.get(name, len(place)), name)
    )


def _model_of(reading: Reading, name: ContestantId) -> str:
    who = reading.entrant(name)
    named = " · ".join(part for part in (who.provider, who.model) if part)
    return one_line(named, LABEL) if named else ""


def _dollars(spend: Spend) -> str:
    return figures.spent(spend.cost, spend.known, METRICS["cost"].shown)


def _cost(spend: Spend) -> Cell:
    return Cell(_dollars(spend), value=spend.cost)


def _spend_cells(spend: Spend, turn: Estimate) -> tuple[Cell, ...]:
    return (
        _cost(spend),
        estimated("cost_turn", turn),
        _of_a_forecast(spend),
        _token_cell(spend.tokens_in, spend.tokens_out),
        _unknown(spend.unknown, spend.turns, "turn"),
    )


def _cohort_cells(seats: Iterable[Spend]) -> tuple[Cell, ...]:
    spend = reduce(add, seats, Spend())
    return (
        _cost(spend),
        count_cell(spend.turns),
        _token_cell(spend.tokens_in, spend.tokens_out),
        _unknown(spend.unknown, spend.turns, "turn"),
    )


def _of_a_turn(name: ContestantId, read: _Read) -> Estimate:
    """What a turn cost on average, each cohort whose costs are all known counting once."""
    seats = [seats[name] for seats in read.cohorts.values() if name in seats]
    means = [float(s.known) / s.turns for s in seats if s.turns and not s.unknown]
    return interval(means, list(range(len(means))))


def _of_a_forecast(spend: Spend) -> Cell:
    if not spend.resolved:
        return Cell(figures.MISSING, "none resolved")
    metric, value = METRICS["cost_per_forecast"], spend.known / spend.resolved
    exact = None if spend.unknown else value
    text = figures.spent(exact, value, metric.shown)
    return Cell(text, "" if spend.unknown else counted_n(spend.resolved), exact)


def _token_cell(tokens_in: int | None, tokens_out: int | None) -> Cell:
    if tokens_in is None or tokens_out is None:
        return Cell("unknown")
    both = tokens_in + tokens_out
    return count_cell(both, f"{figures.count(tokens_out)} answered")


def _unknown(unknown: int, of: int, unit: str) -> Cell:
    note = f"of {figures.many(of, unit)}" if unknown else ""
    return count_cell(unknown, note)


def _of_calls(
    key: str, title: str, words: str, lines: Mapping[tuple[str, ...], CostLine]
) -> CostTable:
    return CostTable(
        key,
        title,
        words,
        "Day" if key == "days" else "Provider and model",
        tuple(head_of(name, "") for name in _CALLS),
        tuple(
            CostRow(Link(_named(names)), "", _call_cells(line)) for names, line in lines.items()
        ),
    )


def _named(names: Sequence[str]) -> str:
    return one_line(" · ".join(name for name in names if name) or "not said", LABEL)


def _call_cells(line: CostLine) -> tuple[Cell, ...]:
    cost = None if line.unknown_cost else line.cost
    again = line.attempts - line.calls
    tries = [f"{figures.many(again, 'more attempt')}"] if again > 0 else []
    tries += [figures.many(line.reasks, "re-ask")] if line.reasks else []
    return (
        Cell(figures.spent(cost, line.cost or ZERO_USD, METRICS["cost"].shown), value=cost),
        count_cell(line.calls, ", ".join(tries)),
        _token_cell(line.tokens_in.known, line.tokens_out.known),
        _cached(line.tokens_cached, line.tokens_in),
        _perhaps(line),
        _unknown(line.unknown_cost, line.calls, "call"),
    )


def _cached(cached: Tokens, tokens_in: Tokens) -> Cell:
    if cached.known is None or not tokens_in.known:
        return Cell("unknown")
    share = cached.known / tokens_in.known
    untold = f"{figures.many(cached.untold, 'call')} did not say" if cached.untold else ""
    return metric_cell("cached_share", share, untold)


def _perhaps(line: CostLine) -> Cell:
    unheard = f"{figures.count(line.unheard)} never heard of" if line.unheard else ""
    both = line.maybe_billed + line.unheard
    return count_cell(both, unheard)


def _plane(
    reading: Reading, read: _Read, turns: Mapping[ContestantId, Estimate]
) -> tuple[Figure | None, str]:
    """Skill against the cost of a turn, and a note on the contestants left out."""
    key = reading.overview.order_by
    if not key:
        return None, ""
    metric = METRICS[key if METRICS[key].better is BetterDirection.HIGHER else _INSTEAD]
    contestants = list(_ordered(reading, read.totals))
    spots = [
        spot for name in contestants if (spot := _spot(reading, name, turns[name], metric.key))
    ]
    if not spots:
        return None, ""
    shown = METRICS["cost_turn"].shown
    words = Words(
        "plane",
        f"{metric.name} and the cost of a turn",
        f"{figures.many(len(spots), 'contestant')}, with the intervals of both values. For a "
        "contestant on the line, nobody else has a lower cost and a higher score. These are "
        "point estimates and are not tested. "
        f"{metric.better.value.capitalize()}.",
    )
    drawn = plane(
        words,
        spots,
        Scale("cost of a turn, dollars (log scale)", shown, log=True),
        Scale(metric.name, metric.shown),
    )
    left = len(contestants) - len(spots)
    who = figures.many(left, "contestant")
    note = f"Not drawn: {who} without a score or a known cost above 0."
    return drawn, note if left else ""


def _spot(reading: Reading, name: ContestantId, turn: Estimate, key: str) -> Spot | None:
    score = reading.profile(name).scores.get(key)
    if score is None or score.value is None or not turn.value:
        return None
    x_low, x_high = ends(turn.interval if turn.interval and turn.interval.low > 0 else None)
    y_low, y_high = ends(score.interval)
    return Spot(
        reading.label(name),
        turn.value,
        score.value,
        reading.weight(name),
        x_low,
        x_high,
        y_low,
        y_high,
        reading.contestant(name, "").href,
        reading.tone(name),
    )


def _days(calls: Sequence[Crossed]) -> Figure | None:
    """What each day cost, as far as it is known."""
    lines = grouped(calls, By.DAY)
    points = tuple(
        Point(
            datetime.fromisoformat(day).replace(tzinfo=UTC),
            None if line.cost is None else float(line.cost),
        )
        for (day,), line in lines.items()
    )
    if len(points) < 2 or not any(point.value for point in points):  # noqa: PLR2004  a line
        return None
    words = Words(
        "by-day",
        "Dollars a day",
        f"What calls asked on each of the newest {DAYS} days cost, as far as it is known.",
    )
    shown = METRICS["cost"].shown
    return curves(words, [Curve("all", points)], Scale("dollars", shown, low=0.0, base=0.0))


def _left_out_note(tables: Iterable[CostTable]) -> str:
    if all(len(table.rows) <= MOST_ROWS for table in tables):
        return ""
    return f"Tables show their first {MOST_ROWS} rows; all are in the JSON file."
