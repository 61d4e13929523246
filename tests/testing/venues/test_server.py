from datetime import UTC, datetime
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from arena.clock import HandClock
from tests.hangs import HANG
from tests.standins.venues import DIALECTS, Fault, Faults, StandInWorld, VenueServer
from tests.standins.venues.faults import IN_FIELDS

AT = datetime(2026, 11, 5, 10, 20, tzinfo=UTC)


def status(url: str) -> int:
    try:
        with urlopen(url, timeout=HANG) as answer:  # noqa: S310  this machine
            return int(answer.status)
    except HTTPError as error:
        return error.code


@pytest.mark.parametrize(
    "path",
    ["gamma/markets/keyset?limit=20", "kalshi/trade-api/v2/markets", "manifold/v0/markets"],
)
def test_every_venue_survives_every_fault(path: str) -> None:
    slow = {Fault.CUT, Fault.TRUNCATED, Fault.OVERSIZED, Fault.SLOW}
    with VenueServer(StandInWorld(seed=1, events_per_day=8), HandClock(AT), DIALECTS) as server:
        found = {}
        for fault in sorted(set(Fault) - slow):
            server.faults = Faults.only(fault)
            found[fault] = status(f"{server.base_url}/{path}")
    assert {found[fault] for fault in IN_FIELDS} == {200}
