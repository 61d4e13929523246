import json
import time
from collections.abc import Iterator, Mapping
from datetime import timedelta
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

import pytest

from arena.clock import HandClock
from tests.hangs import HANG
from tests.standins.venues import DIALECTS
from tests.standins.venues.faults import IN_FIELDS, Fault, Faults
from tests.standins.venues.polymarket_ids import token_id
from tests.standins.venues.server import KALSHI, MANIFOLD, POLYMARKET, VenueServer
from tests.standins.venues.wire import OVERSIZE
from tests.testing.bare import Heard
from tests.testing.venues.moments import AT, HOUR, OPEN, RESOLVED, TWO_SIDED, WORLD

LIST = "/gamma/markets/keyset?limit=20"
MARKET = f"/gamma/markets/{TWO_SIDED.number}"
BOOK = f"/clob/book?token_id={token_id(TWO_SIDED.number, 0)}"


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


def test_the_first_part_of_a_path_says_who_is_asked(shared: VenueServer) -> None:
    paths = (LIST, BOOK, "/data/v2/resolutions?event_id=1")
    others = ("/kalshi/trade-api/v2/exchange/status", "/manifold/v0/search-markets?limit=1")
    assert [get(shared, path).status for path in (*paths, *others)] == [200] * 5
    assert [get(shared, path).status for path in ("/", "/gammas/x", "/kalshi/v1")] == [404] * 3


def test_adapters_are_sent_to_every_service(shared: VenueServer) -> None:
    assert shared.options(MANIFOLD) == {"base_url": f"{shared.base_url}/manifold/v0"}
    assert shared.options(KALSHI)["fallback_url"] == ""
    assert set(shared.options(POLYMARKET)) == {"gamma", "clob", "data"}


def test_it_says_json_of_what_its_dialect_says(shared: VenueServer) -> None:
    heard = get(shared, MARKET)
    assert heard.all("content-type") == ["application/json; charset=utf-8"]
    assert heard.json["id"] == str(TWO_SIDED.number)


def test_a_body_reaches_the_dialect(shared: VenueServer) -> None:
    body = json.dumps([{"token_id": token_id(TWO_SIDED.number, 0)}]).encode()
    assert len(get(shared, "/clob/books", body).json) == 1
    assert shared.requests[-1].body == body


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


def test_its_time_is_that_of_the_clock() -> None:
    clock = HandClock(TWO_SIDED.opens_at - HOUR)
    with VenueServer(WORLD, clock, DIALECTS) as server:
        before = get(server, MARKET).status
        clock.at = TWO_SIDED.opens_at
        assert (before, get(server, MARKET).status) == (404, 200)


def test_the_same_seed_gives_the_same_answers_in_any_order() -> None:
    paths = [f"/gamma/markets/{m.number}" for m in OPEN[:30]]
    faults = Faults(tuple((fault, 0.08) for fault in IN_FIELDS), most=3)
    with serve(faults, seed=5) as one, serve(faults, seed=5) as two, serve(faults) as three:
        there = {path: get(one, path).body for path in paths}
        back = {path: get(two, path).body for path in reversed(paths)}
        other = {path: get(three, path).body for path in paths}
    assert there == back != other


def test_asked_again_the_same_request_may_fare_better() -> None:
    with serve(Faults.only(Fault.BROKEN, most=2)) as server:
        assert [get(server, MARKET).status for _ in range(3)] == [500, 500, 200]
        assert get(server, LIST).status == 500
    assert [r.fault for r in server.requests] == [
        Fault.BROKEN,
        Fault.BROKEN,
        None,
        Fault.BROKEN,
    ]


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        (Fault.RESTARTING, 425),
        (Fault.LIMITED, 429),
        (Fault.BROKEN, 500),
        (Fault.UNAVAILABLE, 503),
    ],
)
def test_an_error_is_json(shared: VenueServer, fault: Fault, status: int) -> None:
    heard = meet(shared, fault, LIST)
    assert heard.status == status
    assert set(heard.json) == {"error"}
    assert heard.all("retry-after") == []


@pytest.mark.parametrize(("fault", "status"), [(Fault.BLOCKED, 403), (Fault.GATEWAY, 502)])
def test_a_guard_before_the_server_speaks_html(
    shared: VenueServer, fault: Fault, status: int
) -> None:
    heard = meet(shared, fault, LIST)
    assert heard.status == status
    assert heard.all("content-type")[0].startswith("text/html")
    assert heard.body.startswith(b"<")


def test_how_long_to_wait_is_said_in_seconds_or_as_a_date(shared: VenueServer) -> None:
    assert meet(shared, Fault.LIMITED_SECONDS, LIST).all("retry-after") == ["1"]
    (date,) = meet(shared, Fault.LIMITED_DATE, LIST).all("retry-after")
    assert parsedate_to_datetime(date) == AT + timedelta(seconds=1)


def test_a_connection_may_be_cut(shared: VenueServer) -> None:
    with pytest.raises((HTTPException, ConnectionError)):
        meet(shared, Fault.CUT, LIST)
    assert (shared.requests[-1].status, shared.requests[-1].fault) == (0, Fault.CUT)


def test_a_body_may_be_shorter_than_it_says(shared: VenueServer) -> None:
    with pytest.raises(HTTPException):
        meet(shared, Fault.TRUNCATED, LIST)


def test_a_body_may_be_enormous(shared: VenueServer) -> None:
    heard = meet(shared, Fault.OVERSIZED, MARKET)
    assert len(heard.body) > OVERSIZE
    assert heard.json["id"] == str(TWO_SIDED.number)


def test_a_body_may_be_slow_and_still_whole(shared: VenueServer) -> None:
    start = time.monotonic()
    assert meet(shared, Fault.SLOW, MARKET).json == get(shared, MARKET).json
    assert time.monotonic() - start > 0.2


def test_a_content_type_may_be_a_lie(shared: VenueServer) -> None:
    heard = meet(shared, Fault.NOT_JSON, MARKET)
    assert heard.all("content-type") == ["application/json"]
    with pytest.raises(ValueError, match="Expecting value"):
        heard.json  # noqa: B018
    heard = meet(shared, Fault.HTML_TYPE, MARKET)
    assert heard.all("content-type")[0].startswith("text/html")
    assert heard.json == get(shared, MARKET).json


@pytest.mark.parametrize("fault", IN_FIELDS)
def test_a_field_goes_wrong(shared: VenueServer, fault: Fault) -> None:
    assert different(shared, fault, LIST)


@pytest.mark.parametrize(
    ("fault", "path"),
    [
        (Fault.DUPLICATES, LIST),
        (Fault.EMPTY_PAGE, LIST),
        (Fault.TEXT_SORTED, f"{LIST}&order=volumeNum&ascending=false"),
        (Fault.GHOST_BOOK, BOOK),
        (Fault.CROSSED_BOOK, BOOK),
        (Fault.EMPTY_BOOK, BOOK),
        (Fault.ONE_SIDED_BOOK, BOOK),
        (Fault.CROSSED_BOOK, MARKET),
        (Fault.LAGGING, LIST),
    ],
)
def test_an_answer_goes_wrong(shared: VenueServer, fault: Fault, path: str) -> None:
    assert different(shared, fault, path)
    assert shared.requests[-1].fault is fault


def different(server: VenueServer, fault: Fault, path: str) -> bool:
    honest = get(server, path)
    return meet(server, fault, path).body != honest.body


def test_a_fault_that_changes_nothing_is_not_recorded(shared: VenueServer) -> None:
    assert not different(shared, Fault.GHOST_BOOK, MARKET)
    assert shared.requests[-1].fault is None


def test_a_page_may_come_again_whatever_the_cursor(shared: VenueServer) -> None:
    first = get(shared, LIST)
    after = f"{LIST}&after_cursor={first.json['next_cursor']}"
    assert get(shared, after).json["markets"] != first.json["markets"]
    assert ids(meet(shared, Fault.SAME_PAGE, after)) == ids(first)


def ids(heard: Heard) -> list[str]:
    return [row["id"] for row in heard.json["markets"]]


def test_what_lags_says_how_old_it_is(shared: VenueServer) -> None:
    fresh, late = get(shared, LIST), meet(shared, Fault.LAGGING, LIST)
    age = int(fresh.all("age")[0])
    assert 55 * 60 <= int(late.all("age")[0]) <= 3600
    assert 0 <= age <= 300
    assert get(shared, BOOK).all("age") == []


def test_a_young_market_is_not_found_by_its_id() -> None:
    clock = HandClock(TWO_SIDED.opens_at + HOUR)
    with VenueServer(WORLD, clock, DIALECTS) as server:
        assert get(server, BOOK).status == 200
        assert meet(server, Fault.HYDRATION, BOOK).status == 404
        clock.at += HOUR
        assert meet(server, Fault.HYDRATION, BOOK).status == 200


def test_a_state_flickers_once_and_is_then_right_again() -> None:
    market = next(m for m in RESOLVED if m.siblings == 1)
    path = f"/data/v2/resolutions?event_id={market.event_number}"
    start = market.closed_at or AT
    clock = HandClock(start)
    wrong = []
    with VenueServer(WORLD, clock, DIALECTS, Faults.only(Fault.FLICKER)) as server:
        for hours in range(24 * 3):
            clock.at = start + hours * HOUR
            get(server, path)
            wrong.append(server.requests[-1].fault is Fault.FLICKER)
    assert sum(wrong) == 1


@pytest.mark.parametrize(
    "path", [LIST, "/kalshi/trade-api/v2/markets?limit=20", "/manifold/v0/markets?limit=20"]
)
def test_every_venue_survives_every_fault(shared: VenueServer, path: str) -> None:
    quick = set(Fault) - {Fault.CUT, Fault.TRUNCATED, Fault.OVERSIZED, Fault.SLOW}
    statuses: Mapping[Fault, Any] = {f: meet(shared, f, path).status for f in sorted(quick)}
    assert {statuses[fault] for fault in IN_FIELDS} == {200}


def test_a_port_that_is_taken_is_an_error() -> None:
    with serve() as one:
        port = int(one.base_url.rpartition(":")[2])
        taken = VenueServer(WORLD, HandClock(AT), DIALECTS, port=port)
        with pytest.raises(OSError, match="in use"), taken:
            pass
