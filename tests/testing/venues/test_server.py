import time
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import pytest

from arena.clock import HandClock
from tests.hangs import HANG
from tests.standins.venues import DIALECTS
from tests.standins.venues.faults import IN_FIELDS, Fault, Faults
from tests.standins.venues.server import KALSHI, MANIFOLD, POLYMARKET, VenueServer
from tests.testing.bare import Heard
from tests.testing.venues.moments import AT, OPEN, TWO_SIDED, WORLD

LIST = "/gamma/markets/keyset?limit=20"
MARKET = f"/gamma/markets/{TWO_SIDED.number}"


def get(server: VenueServer, path: str, body: bytes | None = None) -> Heard:
    home = urlsplit(server.base_url)
    connection = HTTPConnection(home.hostname or "", home.port, timeout=HANG)
    try:
        connection.request("GET" if body is None else "POST", path, body)
        answer = connection.getresponse()
        return Heard(answer.status, tuple(answer.getheaders()), answer.read())
    finally:
        connection.close()


def serve(faults: Faults | None = None, *, seed: int = 1) -> VenueServer:
    return VenueServer(WORLD, HandClock(AT), DIALECTS, faults, seed=seed)


@pytest.fixture(scope="module")
def shared() -> Iterator[VenueServer]:
    with serve() as server:
        yield server


def meet(server: VenueServer, fault: Fault, path: str) -> Heard:
    """Ask once with a fault."""
    server.faults = Faults.only(fault)
    try:
        return get(server, path)
    finally:
        server.faults = Faults()


def test_adapters_are_sent_to_every_service(shared: VenueServer) -> None:
    assert shared.options(MANIFOLD) == {"base_url": f"{shared.base_url}/manifold/v0"}
    assert shared.options(KALSHI)["fallback_url"] == ""
    assert set(shared.options(POLYMARKET)) == {"gamma", "clob", "data"}


def test_what_was_asked_is_recorded_with_its_moment_and_its_answer() -> None:
    with serve() as server:
        get(server, f"{LIST}&id=1&id=2")
        time.sleep(0.02)
        get(server, "/gamma/markets/1")
    first, second = server.requests
    assert (first.method, first.path, first.status) == ("GET", "/gamma/markets/keyset", 200)
    assert first.query == (("limit", "20"), ("id", "1"), ("id", "2"))
    assert (first.one("limit"), first.one("cursor")) == ("20", None)
    assert second.status == 404
    assert second.at - first.at >= 0.02


def test_the_same_seed_gives_the_same_answers_in_any_order() -> None:
    paths = [f"/gamma/markets/{m.number}" for m in OPEN[:30]]
    faults = Faults(tuple((fault, 0.08) for fault in IN_FIELDS), most=3)
    with serve(faults, seed=5) as one, serve(faults, seed=5) as two, serve(faults) as three:
        there = {path: get(one, path).body for path in paths}
        back = {path: get(two, path).body for path in reversed(paths)}
        other = {path: get(three, path).body for path in paths}
    assert there == back != other


def different(server: VenueServer, fault: Fault, path: str) -> bool:
    honest = get(server, path)
    return meet(server, fault, path).body != honest.body


def test_a_fault_that_changes_nothing_is_not_recorded(shared: VenueServer) -> None:
    assert not different(shared, Fault.GHOST_BOOK, MARKET)
    assert shared.requests[-1].fault is None


@pytest.mark.parametrize(
    "path", [LIST, "/kalshi/trade-api/v2/markets?limit=20", "/manifold/v0/markets?limit=20"]
)
def test_every_venue_survives_every_fault(shared: VenueServer, path: str) -> None:
    quick = set(Fault) - {Fault.CUT, Fault.TRUNCATED, Fault.OVERSIZED, Fault.SLOW}
    statuses: Mapping[Fault, Any] = {f: meet(shared, f, path).status for f in sorted(quick)}
    assert {statuses[fault] for fault in IN_FIELDS} == {200}
