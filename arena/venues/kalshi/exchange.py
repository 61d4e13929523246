"""What Kalshi says about itself: whether it trades, its hours, its archive, its series.

Source:
    https://docs.kalshi.com/api-reference/exchange and
    https://docs.kalshi.com/getting_started/historical_data.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import partial

from arena.records.market import FeeKind, FeeModel
from arena.records.money import usd
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
from arena.venues.reading import Origin, Read, flag, moment, number, text, unreadable

# What Kalshi charges a taker in a market: its series' terms, as its event changes them.
#
# Source:
#     https://kalshi.com/docs/kalshi-fee-schedule.pdf and the fields of
#     https://docs.kalshi.com/python-sdk/models/Series: a taker pays 0.07 x multiplier x
#     contracts x price x (1 - price).

GENERAL_RATE = Decimal("0.07")
# A fee is a multiple of 0.0001, and then the balance of whoever trades through a broker is
# brought to a cent (https://docs.kalshi.com/getting_started/fee_rounding): the dearer of two.
STEP = usd("0.01")
MOST = 100  # times the general rate: beyond it no multiplier is meant
FREE = FeeModel()
NOT_KNOWN = FeeModel(FeeKind.UNKNOWN)


@dataclass(frozen=True, slots=True)
class KalshiFeeTerms:
    """How a fee is counted; None is what this series, or this event, says nothing about."""

    kind: str | None = None
    multiplier: Decimal | None = None

    def changed_by(self, other: "KalshiFeeTerms") -> "KalshiFeeTerms":
        """Give these terms with what others say in their place."""
        return KalshiFeeTerms(
            self.kind if other.kind is None else other.kind,
            self.multiplier if other.multiplier is None else other.multiplier,
        )

    @property
    def model(self) -> FeeModel:
        """The fee, where it is of the one form that is known: quadratic in the price."""
        kind, times = self.kind or "", self.multiplier
        if kind != "quadratic" and not kind.startswith("quadratic_with_"):
            return NOT_KNOWN
        if times is None or not 0 <= times <= MOST:
            return NOT_KNOWN
        return FeeModel(FeeKind.QUADRATIC, GENERAL_RATE * times, step=STEP) if times else FREE


NOTHING_SAID = KalshiFeeTerms()


def series_terms(series: Row) -> KalshiFeeTerms:
    """Read the terms of a series."""
    return _terms(series.get("fee_type"), series.get("fee_multiplier"))


def event_terms(event: Row) -> KalshiFeeTerms:
    """Read what an event changes about the terms of its series."""
    return _terms(event.get("fee_type_override"), event.get("fee_multiplier_override"))


def fee_of(market: Row, terms: KalshiFeeTerms, origin: Origin) -> FeeModel:
    """Give a market's fee at the origin's moment: there is none while it is waived."""
    waived = moment(market.get("fee_waiver_expiration_time"))
    return FREE if waived is not None and waived > origin.at else terms.model


def _terms(kind: object, multiplier: object) -> KalshiFeeTerms:
    return KalshiFeeTerms(text(kind) or None, number(multiplier))


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
