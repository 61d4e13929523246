"""When Kalshi trades: always, but for two hours of every Thursday, in New York's time.

Source: https://docs.kalshi.com/api-reference/exchange/get-exchange-schedule.
"""

from datetime import UTC, date, datetime, time, timedelta

from tests.standins.venues.dialect import iso

PAUSE_DAY = 3  # Thursday
PAUSE_FROM, PAUSE_UNTIL = time(3), time(5)
WINTER, SUMMER = timedelta(hours=-5), timedelta(hours=-4)
SUNDAY = 6


def exchange_status(at: datetime) -> dict[str, object]:
    """Say whether there is trading; prices stand still in the pause, and books stay."""
    resumes = resumes_at(at)
    trading = resumes is None
    return {
        "exchange_active": True,
        "exchange_estimated_resume_time": None if resumes is None else iso(resumes),
        "exchange_index_statuses": [
            {
                "description": "Default",
                "exchange_active": True,
                "exchange_index": 0,
                "intra_exchange_transfers_active": True,
                "trading_active": trading,
            }
        ],
        "intra_exchange_transfers_active": True,
        "trading_active": trading,
    }


def resumes_at(at: datetime) -> datetime | None:
    """Give the end of the pause that a moment falls into; None while there is trading."""
    offset = _offset(at)
    local = (at + offset).astimezone(UTC)  # its fields read as New York's clock
    if local.weekday() != PAUSE_DAY or not PAUSE_FROM <= local.time() < PAUSE_UNTIL:
        return None
    return datetime.combine(local.date(), PAUSE_UNTIL, UTC) - offset


def _offset(at: datetime) -> timedelta:
    """Summer is from the second Sunday of March to the first of November, at 2 o'clock."""
    starts = datetime.combine(_sunday(at.year, 3, 2), time(2), UTC) - WINTER
    ends = datetime.combine(_sunday(at.year, 11, 1), time(2), UTC) - SUMMER
    return SUMMER if starts <= at < ends else WINTER


def _sunday(year: int, month: int, nth: int) -> date:
    first = date(year, month, 1)
    return first + timedelta(days=(SUNDAY - first.weekday()) % 7 + 7 * (nth - 1))
