"""What Kalshi says about itself: whether it trades, its hours, its archive, its series.

Source:
    https://docs.kalshi.com/api-reference/exchange and
    https://docs.kalshi.com/getting_started/historical_data.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from arena.venues.kalshi.fees import KalshiFeeTerms, series_terms
from arena.venues.kalshi.fields import (
    Row,
    broken,
    mapping,
    read_list,
    read_one,
    read_rows,
    ticker,
    within,
)
from arena.venues.reading import flag, moment, text
from arena.venues.rows import Origin, Read, unreadable

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@dataclass(frozen=True, slots=True)
class Exchange:
    """Whether the exchange trades now, and when it says that it will again."""

    trading: bool
    resumes_at: datetime | None


@dataclass(frozen=True, slots=True)
class Hours:
    """A stretch of a weekday in which there is trading, in the exchange's own time."""

    day: str
    opens: str
    closes: str


@dataclass(frozen=True, slots=True)
class Cutoff:
    """Markets settled, and trades made, before these moments are in the archive alone."""

    markets_settled: datetime
    trades_made: datetime | None


@dataclass(frozen=True, slots=True)
class Series:
    """A family of events that are asked about again and again."""

    ticker: str
    title: str
    category: str
    terms: KalshiFeeTerms


def exchange_status(payload: object, origin: Origin) -> Read[Exchange]:  # noqa: ARG001
    """Read `GET /exchange/status`."""

    def parse() -> Exchange:
        row = mapping(payload)
        exchange, trading = flag(row.get("exchange_active")), flag(row.get("trading_active"))
        if exchange is None or trading is None:
            raise broken("no exchange_active" if exchange is None else "no trading_active")
        resumes = moment(row.get("exchange_estimated_resume_time"))
        return Exchange(exchange and trading, resumes)

    return read_one("exchange", parse)


def exchange_schedule(payload: object, origin: Origin) -> Read[Hours]:  # noqa: ARG001
    """Read the weekly hours of `GET /exchange/schedule`; what is between them is a pause."""
    standard = mapping(mapping(payload).get("schedule")).get("standard_hours")
    if not isinstance(standard, list):
        return Read(left_out=(unreadable("schedule", "no standard_hours"),))
    read: Read[Hours] = Read()
    for week in standard:
        if not isinstance(week, dict):
            read += Read(left_out=(unreadable("a week", "this is not an object"),))
            continue
        for day in DAYS:
            read += read_list(week, day, "", partial(_hours, day))
    return read


def historical_cutoff(payload: object, origin: Origin) -> Read[Cutoff]:  # noqa: ARG001
    """Read `GET /historical/cutoff`."""

    def parse() -> Cutoff:
        row = mapping(payload)
        settled = moment(row.get("market_settled_ts"))
        if settled is None:
            raise broken("no market_settled_ts")
        return Cutoff(settled, moment(row.get("trades_created_ts")))

    return read_one("cutoff", parse)


def series(payload: object, origin: Origin) -> Read[Series]:  # noqa: ARG001
    """Read `GET /series/{series_ticker}` or the list of `GET /series`."""
    held = mapping(payload).get("series")
    if isinstance(held, list):
        return read_rows(held, "series", "ticker", _series)
    return read_one("series", lambda: _series(within(payload, "series"))[1])


def _series(row: Row) -> tuple[str, Series]:
    own = ticker(row, "ticker")
    title, category = text(row.get("title")), text(row.get("category"))
    return own, Series(own, title, category, series_terms(row))


def _hours(day: str, row: Row) -> tuple[str, Hours]:
    opens, closes = text(row.get("open_time")), text(row.get("close_time"))
    if not opens or not closes:
        raise broken("no open_time" if not opens else "no close_time")
    return f"{opens}-{closes}", Hours(day, opens, closes)
