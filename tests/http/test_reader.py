import asyncio
import dataclasses
import gzip
import json
import zlib
from datetime import timedelta
from decimal import Decimal
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.http import JsonReply, Manners, PoliteReader
from tests.http.asking import T0, VENUE, Desk, Says, failure, page_of_a_guard, says, well
from tests.http.test_door import closed_port
from tests.standins.misbehaviour import DROPS, HANGS, Delivery, Misbehaviour

ONCE = Manners(tries=1)


# What comes back


def test_an_answer_is_read_with_its_numbers_as_they_were_written() -> None:
    with Says(well(b'{"mid": 0.10, "volume": NaN}')) as server:
        page = Desk().get(server)
        url = f"{server.home}/rows"
    assert page == JsonReply(
        url, 200, {"mid": Decimal("0.10"), "volume": None}, T0, timedelta()
    )


def test_what_is_said_twice_and_not_the_same_is_not_said() -> None:
    said = b'[{"won": "yes", "id": 1, "won": "no", "id": 1}, {"won": "no"}]'
    with Says(well(said)) as server:
        assert Desk().get(server).payload == [{"id": 1}, {"won": "no"}]


def test_names_of_a_query_may_come_twice_and_are_quoted() -> None:
    query = [("id", "a&b"), ("id", "c d"), ("tag", "é,=/")]
    with Says(well()) as server:
        page = asyncio.run(Desk().reader.get(f"{server.home}/rows", query))
    assert parse_qsl(urlsplit(server.requests[0].path).query) == query
    assert page.url.startswith(f"{server.home}/rows?id=a%26b&id=c+d&")


def test_a_query_is_added_to_one_that_is_there() -> None:
    with Says(well()) as server:
        asyncio.run(Desk().reader.get(f"{server.home}/rows?a=1", [("b", "2")]))
    assert server.requests[0].path == "/rows?a=1&b=2"


def test_json_is_asked_for_in_our_name() -> None:
    with Says(well()) as server:
        Desk().get(server)
    headers = server.requests[0].headers
    assert headers["accept"] == "application/json"
    assert headers["user-agent"].startswith("paper-arena/")


def test_a_question_may_go_in_the_body() -> None:
    desk = Desk()
    with Says(well(b"[]")) as server:
        page = asyncio.run(desk.reader.post(f"{server.home}/books", {"tokens": ["1"]}))
    asked = server.requests[0]
    assert (page.payload, asked.method, asked.body) == ([], "POST", {"tokens": ["1"]})
    assert asked.headers["content-type"] == "application/json"
    assert (desk.drawer.kept[0].method, desk.drawer.kept[0].asked) == (
        "POST",
        b'{"tokens":["1"]}',
    )


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ("120", 120),
        (" 7 ", 7),
        ("0", 0),
        ("99999", 3600),
        ("-5", 0),
        ("1.5", 0),
        ("soon", 0),
        ("9" * 40, 0),
    ],
)
def test_how_old_an_answer_is_comes_from_its_header(told: str, seconds: int) -> None:
    with Says(well(Age=told)) as server:
        assert Desk().get(server).age == timedelta(seconds=seconds)


def test_a_page_that_may_be_missing_is_told_with_its_error() -> None:
    with Says(says(404, b'{"error": "id not found"}')) as server:
        page = asyncio.run(Desk().reader.get(server.home, may_miss=True))
    assert (page.status, page.payload) == (404, {"error": "id not found"})


def test_a_missing_page_in_html_has_no_payload() -> None:
    with Says(page_of_a_guard(404)) as server:
        page = asyncio.run(Desk().reader.get(server.home, may_miss=True))
    assert (page.status, page.payload) == (404, None)


# What is kept


def test_an_answer_is_kept_byte_for_byte_with_a_few_of_its_headers() -> None:
    desk = Desk()
    told = {
        "Age": "3",
        "Poly_RateLimit_Remaining": "9",
        "X_RateLimit_Reset": "5",
        "CF_Ray": "8c",
        "Set_Cookie": "who=ada",
        "Server": "nginx",
        "Retry_After": "x" * 2_000,
    }
    with Says(well(b'{"a": 1}\n', **told)) as server:
        desk.get(server, "/rows?limit=2")
        url = f"{server.home}/rows?limit=2"
    [kept] = desk.drawer.kept
    assert (kept.venue, kept.at, kept.method, kept.url) == (VENUE, T0, "GET", url)
    assert (kept.status, kept.body, kept.asked) == (200, b'{"a": 1}\n', b"")
    assert dict(kept.headers) == {
        "content-type": "application/json",
        "age": "3",
        "poly-ratelimit-remaining": "9",
        "x-ratelimit-reset": "5",
        "cf-ray": "8c",
        "retry-after": "x" * 500,
    }


@pytest.mark.parametrize(
    "said",
    [says(400), says(500), page_of_a_guard(), page_of_a_guard(200), well(b'{"a": ')],
    ids=["4xx", "5xx", "guard", "html", "torn"],
)
def test_an_answer_that_cannot_be_used_is_kept_too(said: Misbehaviour) -> None:
    desk = Desk(ONCE)
    with Says(said) as server:
        desk.fails(server)
    assert [(one.status, one.body) for one in desk.drawer.kept] == [(said.status, said.body)]


def test_every_try_is_kept() -> None:
    desk = Desk()
    with Says(says(502, b"a"), says(503, b"b"), well(b"[]")) as server:
        desk.get(server)
    assert [one.body for one in desk.drawer.kept] == [b"a", b"b", b"[]"]


def test_what_never_came_back_whole_is_not_kept() -> None:
    desk = Desk()
    with Says(DROPS, dataclasses.replace(well(), delivery=Delivery(cut=5)), well()) as server:
        desk.get(server)
    assert [one.status for one in desk.drawer.kept] == [200]


# What is asked again


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 520, 524])
def test_these_statuses_are_asked_again(status: int) -> None:
    desk = Desk()
    with Says(says(status), well()) as server:
        assert desk.get(server).status == 200
    assert desk.time.slept == [1.0]
    assert (desk.reader.requests, desk.reader.waited) == (2, 1.0)


@pytest.mark.parametrize(
    "status", [301, 307, 400, 401, 402, 403, 404, 405, 409, 410, 418, 422, 451, 501, 505]
)
def test_no_other_status_is(status: int) -> None:
    desk = Desk()
    with Says(says(status), well()) as server:
        error = desk.fails(server)
    assert error.code == "venue.refused"
    assert f"answered {status} to GET /rows: no" in error.message
    assert (desk.reader.requests, desk.time.slept) == (1, [])


@pytest.mark.parametrize(
    "said",
    [
        DROPS,
        dataclasses.replace(well(b'{"a": 1234567890}'), delivery=Delivery(cut=5)),
        dataclasses.replace(well(), delivery=Delivery(raw=b"SSH-2.0-OpenSSH_9.6\r\n")),
    ],
    ids=["dropped", "truncated", "no http"],
)
def test_a_connection_that_breaks_off_is_asked_again(said: Misbehaviour) -> None:
    desk = Desk()
    with Says(said, well()) as server:
        assert desk.get(server).status == 200
    assert desk.time.slept == [1.0]


@pytest.mark.parametrize(
    "said",
    [HANGS, dataclasses.replace(well(b"[" + b" " * 400 + b"]"), drip=0.05)],
    ids=["silent", "slow"],
)
def test_one_that_takes_too_long_is_asked_again(said: Misbehaviour) -> None:
    desk = Desk(Manners(seconds=0.2, tries=2))
    with Says(said) as server:
        error = desk.fails(server)
    assert error.code == "venue.silent"
    assert "did not answer within 0.2 s, asked GET /rows (asked 2 times)" in error.message


def test_nobody_listening_is_silence_after_all_tries() -> None:
    desk = Desk()
    error = failure(desk.reader.get(f"http://127.0.0.1:{closed_port()}/rows"))
    assert error.code == "venue.silent"
    assert "cannot be reached" in error.message
    assert (error.hint or "").startswith("is this machine online?")
    assert desk.time.slept == [1.0, 2.0, 4.0, 8.0, 16.0]
    assert desk.reader.requests == 6


def test_waits_are_up_to_half_longer_by_chance_and_never_too_long() -> None:
    desk = Desk(Manners(tries=4, longest_wait=5))
    longest = desk.time.pauses(jitter=1.0)
    desk.reader = PoliteReader(VENUE, desk.manners, desk.clock, desk.drawer, pauses=longest)
    with Says(says(500)) as server:
        desk.fails(server)
    assert desk.time.slept == [1.5, 3.0, 5.0]


def test_excuses_to_the_end_are_silence_that_says_the_last_of_them() -> None:
    desk = Desk(Manners(tries=2))
    with Says(says(503, b'{"error": {"message": "maintenance"}}')) as server:
        error = desk.fails(server)
    assert error.code == "venue.silent"
    assert error.message.endswith("answered 503 to GET /rows: maintenance (asked 2 times)")
    assert error.hint


# What cannot be read


def test_text_where_json_should_be_is_another_format() -> None:
    with Says(Misbehaviour(body=b"hello", content_type="text/plain")) as server:
        error = Desk().fails(server)
    assert error.code == "venue.format"
    assert "expected JSON, not text/plain, asked GET /rows" in error.message


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_packed_body_that_ends_too_soon_is_a_broken_connection(coding: str) -> None:
    body = b'{"rows": [' + b"1, " * 1_000 + b"1]}"
    packed = gzip.compress(body) if coding == "gzip" else zlib.compress(body)
    with Says(well(packed[:-9], Content_Encoding=coding), well()) as server:
        assert Desk().get(server).payload == {"rows": []}
    with Says(well(packed[:-9], Content_Encoding=coding)) as server:
        error = Desk(Manners(tries=2)).fails(server)
    assert error.code == "venue.silent"
    assert "broke off: it ends too soon" in error.message


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xff", b"[" * 50_000, b"1e" + b"9" * 30])
def test_a_body_that_is_no_json_is_another_format(body: bytes) -> None:
    with Says(well(body)) as server:
        error = Desk().fails(server)
    assert (error.code, error.message.count("the body is not JSON")) == ("venue.format", 1)


def test_an_answer_may_not_be_longer_than_agreed() -> None:
    with Says(well(b"[" + b" " * 98 + b"]")) as server:
        assert Desk(Manners(most=100)).get(server).payload == []
        error = Desk(Manners(most=99)).fails(server)
    assert error.code == "venue.format"
    assert "answered more than 99 bytes" in error.message


def test_an_answer_that_cannot_be_unpacked_is_another_format() -> None:
    with Says(well(b"no gzip", Content_Encoding="gzip")) as server:
        assert Desk().fails(server).code == "venue.format"


def test_a_packed_answer_is_kept_unpacked_and_as_it_came() -> None:
    desk = Desk()
    packed = dataclasses.replace(well(b'{"a": 1}'), delivery=Delivery(gzipped=True))
    with Says(packed) as server:
        desk.get(server)
    (kept,) = desk.drawer.kept
    assert (kept.body, gzip.decompress(kept.packed)) == (b'{"a": 1}', b'{"a": 1}')


# Our own mistakes


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/", "http://[::1/", "http://127.0.0.1:port/"])
def test_an_address_that_is_none_is_a_wrong_option(url: str) -> None:
    error = failure(Desk().reader.get(url))
    assert (error.code, error.status) == ("venue.option", 2)


def test_an_address_that_is_too_long_is_ours_to_mend() -> None:
    query = [("id", "0x" + "a" * 64)] * 200
    with pytest.raises(ValueError, match="too long to ask"):
        asyncio.run(Desk().reader.get("http://127.0.0.1/", query))


def test_an_error_shows_no_more_than_the_beginning_of_a_query() -> None:
    with Says(says(400, b"x" * 9_000)) as server:
        error = Desk().fails(server, "/rows?ids=" + "a" * 5_000)
    assert "GET /rows?ids=aaa" in error.message
    assert len(error.message) < 500


@pytest.mark.parametrize(
    "wrong",
    [
        {"per_second": 0},
        {"per_second": float("nan")},
        {"seconds": 0},
        {"at_once": 0},
        {"tries": 0},
        {"most": 0},
        {"longest_wait": -1},
        {"after_block": -1},
    ],
)
def test_manners_that_would_never_ask_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"a server is asked|negative"):
        dataclasses.replace(Manners(), **wrong)  # type: ignore[arg-type]


# Whatever it says


def told_by(desk: Desk, server: Says) -> ArenaError | None:
    try:
        desk.get(server)
    except ArenaError as error:
        return error
    return None


@settings(max_examples=60, deadline=None)
@given(
    status=st.sampled_from([200, 201, 204, 302, 400, 403, 404, 429, 500, 503, 999]),
    body=st.binary(max_size=300)
    | st.recursive(st.none() | st.text() | st.floats(), st.lists).map(
        lambda said: json.dumps(said).encode()
    )
    | st.dictionaries(
        st.sampled_from(["error", "message", "detail", "retry_after_seconds"]),
        st.none() | st.text() | st.integers() | st.lists(st.text()),
    ).map(lambda said: json.dumps(said).encode()),
    kind=st.sampled_from(["application/json", "text/html", "application/json; charset=x", ""]),
    header=st.sampled_from(["Retry-After", "Age", "Date", "X-RateLimit-Left"]),
    word=st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=30),
)
def test_whatever_it_says_is_kept_and_is_a_page_or_an_error_of_the_arena(
    status: int, body: bytes, kind: str, header: str, word: str
) -> None:
    desk = Desk(Manners(tries=2))
    said = Misbehaviour(status, ((header, word),), b"" if status == 204 else body, kind)
    with Says(said) as server:
        error = told_by(desk, server)
    if error is not None:
        assert error.code.startswith("venue.")
        assert error.message.isprintable()
        assert error.hint
    assert {one.body for one in desk.drawer.kept} == {said.body}
