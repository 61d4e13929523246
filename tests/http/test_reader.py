"""A venue's key goes with the request, and into nothing that is kept or said."""

import asyncio
import dataclasses
import gzip
import json
import zlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.http import JsonReply, ListPage, Manners, PoliteReader, VenueKey, walk
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


def test_a_question_may_go_in_the_body() -> None:
    desk = Desk()
    with Says(well(b"[]")) as server:
        page = asyncio.run(desk.reader.post(f"{server.home}/books", {"tokens": ["1"]}))
    asked = server.requests[0]
    assert (page.payload, asked.method, asked.body) == ([], "POST", {"tokens": ["1"]})
    assert asked.headers["content-type"] == "application/json"
    assert desk.drawer.kept[0].method == "POST"
    assert desk.drawer.kept[0].asked == b'{"tokens":["1"]}'


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


AGAIN = {
    **{str(n): says(n) for n in (408, 425, 429, 500, 502, 503, 504, 520, 524)},
    "dropped": DROPS,
    "truncated": dataclasses.replace(well(b'{"a": 1234567890}'), delivery=Delivery(cut=5)),
    "no http": dataclasses.replace(well(), delivery=Delivery(raw=b"SSH-2.0-OpenSSH_9.6\r\n")),
}


@pytest.mark.parametrize("said", AGAIN.values(), ids=AGAIN)
def test_these_statuses_and_what_breaks_off_are_asked_again(said: Misbehaviour) -> None:
    desk = Desk()
    with Says(said, well()) as server:
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


def test_a_body_that_is_no_json_is_another_format() -> None:
    with Says(well(b"{")) as server:
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


Shelf = Mapping[str | None, tuple[Sequence[str], str | None]]


@dataclass(slots=True)
class Book:
    """A list in pages: for each cursor its ids and the next cursor."""

    shelf: Shelf
    asked: list[str | None] = field(default_factory=list)

    async def fetch(self, cursor: str | None) -> ListPage:
        self.asked.append(cursor)
        ids, following = self.shelf.get(cursor, ((), None))
        return ListPage(ids, following)


def read(fetch: Callable[[str | None], Awaitable[ListPage]], most: int = 50) -> list[list[str]]:
    leaves = asyncio.run(_walk(fetch, most))
    return [list(leaf.ids) for leaf in leaves]


async def _walk(
    fetch: Callable[[str | None], Awaitable[ListPage]], most: int
) -> list[ListPage]:
    return await walk(fetch, most=most, what="agora: rows")


def stuck(shelf: Shelf) -> Book:
    book = Book(shelf)
    error = failure(walk(book.fetch, most=50, what="agora: rows"))
    assert error.code == "venue.format"
    assert error.message.startswith("agora: rows")
    return book


@pytest.mark.parametrize("end", [None, "", "LTE="])
def test_a_list_ends_with_its_cursor(end: str | None) -> None:
    book = Book({None: (["1", "2"], "a"), "a": (["3"], end)})
    assert read(book.fetch) == [["1", "2"], ["3"]]
    assert book.asked == [None, "a"]


def test_a_list_ends_with_a_page_of_nothing() -> None:
    book = Book({None: (["1"], "a"), "a": ([], "b"), "b": (["2"], None)})
    assert read(book.fetch) == [["1"]]


def test_a_page_that_moved_on_by_some_rows_is_fine() -> None:
    book = Book({None: (["1", "2"], "a"), "a": (["2", "3"], None)})
    assert read(book.fetch) == [["1", "2"], ["2", "3"]]


def test_the_same_page_again_is_a_circle() -> None:
    book = stuck({None: (["1", "2"], "a"), "a": (["2", "1"], "b")})
    assert book.asked == [None, "a"]


def test_the_same_cursor_again_is_a_circle() -> None:
    book = stuck({None: (["1"], "a"), "a": (["2"], "a")})
    assert book.asked == [None, "a"]


@pytest.mark.parametrize("cursor", ["a" * 5_000, "a\nb", "\ud800", "é"])
def test_a_cursor_that_cannot_be_sent_back_is_another_format(cursor: str) -> None:
    assert stuck({None: (["1"], cursor)}).asked == [None]


ROWS = st.lists(st.text("abcdef", min_size=1, max_size=2), max_size=4)
CURSORS = st.none() | st.sampled_from(["", "LTE=", *"pqrstuvw"])


@given(st.lists(st.lists(st.integers(), min_size=1, max_size=4), max_size=8), st.integers(1, 9))
def test_what_is_listed_once_is_read_once_and_in_order(
    sizes: list[list[int]], most: int
) -> None:
    numbers = iter(range(100))
    pages = [[str(next(numbers)) for _ in size] for size in sizes]
    names = [None, *(f"c{n}" for n in range(1, len(pages)))]
    following = [*names[1:], None]
    shelf = {n: (p, f) for n, p, f in zip(names, pages, following, strict=False)}
    book = Book(shelf)
    assert read(book.fetch, most) == pages[:most]
    assert book.asked == names[:most]


@given(st.dictionaries(st.none() | st.sampled_from("pqrstuvw"), st.tuples(ROWS, CURSORS)))
def test_a_list_is_read_whole_or_not_at_all_and_no_cursor_is_sent_twice(shelf: Shelf) -> None:
    book = Book(shelf)

    async def outcome() -> list[ListPage] | BaseException:
        [found] = await asyncio.gather(_walk(book.fetch, 1_000), return_exceptions=True)
        return found

    found = asyncio.run(outcome())
    new = [set(shelf.get(cursor, ((), None))[0]) for cursor in book.asked]
    assert len(book.asked) == len(set(book.asked)) <= 9
    if isinstance(found, list):
        assert [set(leaf.ids) for leaf in found] == [ids for ids in new if ids]


KEY = "correct-horse-battery-9"
SET = {"EXCHANGE_KEY": KEY}
IN_QUERY = VenueKey("EXCHANGE_KEY", query="apiKey", variables=SET)
IN_HEADER = VenueKey("EXCHANGE_KEY", header="Authorization", prefix="Bearer ", variables=SET)


@pytest.fixture
def keyed_desk() -> Desk:
    return keyed(Desk(manners=Manners(tries=1)))


def keyed(keyed_desk: Desk, key: VenueKey = IN_QUERY) -> Desk:
    keyed_desk.reader = PoliteReader(
        VENUE,
        keyed_desk.manners,
        keyed_desk.clock,
        keyed_desk.drawer,
        pauses=keyed_desk.time.pauses(),
        key=key,
    )
    return keyed_desk


def test_it_is_sent_in_the_query(keyed_desk: Desk) -> None:
    with Says(well()) as server:
        keyed_desk.get(server, "/rows")
        page = keyed_desk.get(server, "/rows?a=1")
    assert [r.path for r in server.requests] == [
        f"/rows?apiKey={KEY}",
        f"/rows?a=1&apiKey={KEY}",
    ]
    assert page.url == f"{server.home}/rows?a=1"


def test_it_is_sent_as_a_header(keyed_desk: Desk) -> None:
    with Says(well()) as server:
        keyed(keyed_desk, IN_HEADER).get(server)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("key", [IN_QUERY, IN_HEADER])
@pytest.mark.parametrize("packed", [False, True])
def test_what_is_kept_and_read_is_without_it(
    key: VenueKey,
    packed: bool,  # noqa: FBT001
    keyed_desk: Desk,
) -> None:
    body = f'{{"next": "/rows?apiKey={KEY}&page=2"}}'.encode()
    echo = well(gzip.compress(body), content_encoding="gzip") if packed else well(body)
    with Says(echo) as server:
        page = keyed(keyed_desk, key).get(server)
    (kept,) = keyed_desk.drawer.kept
    assert page.payload == {"next": "/rows?apiKey=[key]&page=2"}
    assert KEY not in repr(page) + repr(kept) + repr(kept.body) + repr(
        kept.packed and gzip.decompress(kept.packed)
    )


def test_what_goes_wrong_is_told_without_it(keyed_desk: Desk) -> None:
    echo = says(400, f'{{"error": "no such thing: /rows?apiKey={KEY}"}}'.encode())
    with Says(echo) as server:
        error = keyed_desk.fails(server)
    assert "[key]" in error.message
    assert KEY not in error.message + error.hint + repr(keyed_desk.drawer.kept[0])


def test_without_it_nobody_is_asked(keyed_desk: Desk) -> None:
    with Says(well()) as server:
        error = failure(
            keyed(keyed_desk, VenueKey("NO_SUCH_KEY", query="k")).reader.get(server.home)
        )
    assert (error.code, error.status, server.requests) == ("credentials.missing", 4, [])
    assert "export NO_SUCH_KEY" in error.hint


def test_it_is_sent_in_one_place() -> None:
    with pytest.raises(ValueError, match="name one"):
        VenueKey("A")
    with pytest.raises(ValueError, match="name one"):
        VenueKey("A", header="x", query="y")
