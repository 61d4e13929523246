"""A venue's key goes with the request, and into nothing that is kept or said."""

import gzip

import pytest

from arena.http import Manners, PoliteReader, VenueKey
from tests.http.asking import VENUE, Desk, Says, failure, says, well

KEY = "correct-horse-battery-9"
SET = {"EXCHANGE_KEY": KEY}
IN_QUERY = VenueKey("EXCHANGE_KEY", query="apiKey", variables=SET)
IN_HEADER = VenueKey("EXCHANGE_KEY", header="Authorization", prefix="Bearer ", variables=SET)


@pytest.fixture
def desk() -> Desk:
    return keyed(Desk(manners=Manners(tries=1)))


def keyed(desk: Desk, key: VenueKey = IN_QUERY) -> Desk:
    desk.reader = PoliteReader(
        VENUE, desk.manners, desk.clock, desk.drawer, pauses=desk.time.pauses(), key=key
    )
    return desk


def test_it_is_sent_in_the_query(desk: Desk) -> None:
    with Says(well()) as server:
        desk.get(server, "/rows")
        page = desk.get(server, "/rows?a=1")
    assert [r.path for r in server.requests] == [
        f"/rows?apiKey={KEY}",
        f"/rows?a=1&apiKey={KEY}",
    ]
    assert page.url == f"{server.home}/rows?a=1"


def test_it_is_sent_as_a_header(desk: Desk) -> None:
    with Says(well()) as server:
        keyed(desk, IN_HEADER).get(server)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("key", [IN_QUERY, IN_HEADER])
@pytest.mark.parametrize("packed", [False, True])
def test_what_is_kept_and_read_is_without_it(key: VenueKey, packed: bool, desk: Desk) -> None:  # noqa: FBT001
    body = f'{{"next": "/rows?apiKey={KEY}&page=2"}}'.encode()
    echo = well(gzip.compress(body), content_encoding="gzip") if packed else well(body)
    with Says(echo) as server:
        page = keyed(desk, key).get(server)
    (kept,) = desk.drawer.kept
    assert page.payload == {"next": "/rows?apiKey=[key]&page=2"}
    assert KEY not in repr(page) + repr(kept) + repr(kept.body) + repr(gone(kept.packed))


def gone(packed: bytes) -> bytes:
    return gzip.decompress(packed) if packed else b""


def test_what_goes_wrong_is_told_without_it(desk: Desk) -> None:
    echo = says(400, f'{{"error": "no such thing: /rows?apiKey={KEY}"}}'.encode())
    with Says(echo) as server:
        error = desk.fails(server)
    assert "[key]" in error.message
    assert KEY not in error.message + error.hint + repr(desk.drawer.kept[0])


def test_without_it_nobody_is_asked(desk: Desk) -> None:
    with Says(well()) as server:
        error = failure(keyed(desk, VenueKey("NO_SUCH_KEY", query="k")).reader.get(server.home))
    assert (error.code, error.status, server.requests) == ("credentials.missing", 4, [])
    assert "export NO_SUCH_KEY" in error.hint


def test_it_is_sent_in_one_place() -> None:
    with pytest.raises(ValueError, match="name one"):
        VenueKey("A")
    with pytest.raises(ValueError, match="name one"):
        VenueKey("A", header="x", query="y")
