import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.http import JsonReply, ListPage, Manners, walk
from tests.http.asking import Desk, Says, failure, well

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


def test_an_empty_list_has_no_page() -> None:
    assert read(Book({}).fetch) == []


def test_no_more_pages_are_read_than_wanted() -> None:
    book = Book({None: (["1"], "a"), "a": (["2"], "b"), "b": (["3"], None)})
    assert read(book.fetch, most=2) == [["1"], ["2"]]
    assert book.asked == [None, "a"]


def test_a_short_page_is_no_end() -> None:
    book = Book({None: (["1", "2", "3"], "a"), "a": (["4"], "b"), "b": (["5"], None)})
    assert read(book.fetch) == [["1", "2", "3"], ["4"], ["5"]]


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


def test_pages_come_from_a_server() -> None:
    desk = Desk(Manners(per_second=1_000))

    def leaf(page: JsonReply) -> ListPage:
        rows = page.payload
        assert isinstance(rows, list)
        return ListPage([str(row) for row in rows], "more" if len(rows) > 1 else None)

    with Says(well(b"[1, 2]"), well(b"[3]")) as server:

        async def fetch(cursor: str | None) -> ListPage:
            query = [("cursor", cursor)] if cursor else []
            return leaf(await desk.reader.get(f"{server.home}/rows", query))

        assert read(fetch) == [["1", "2"], ["3"]]
    assert [asked.path for asked in server.requests] == ["/rows", "/rows?cursor=more"]


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
    assert read(Book(shelf).fetch, most) == pages[:most]


@given(st.dictionaries(st.none() | st.sampled_from("pqrstuvw"), st.tuples(ROWS, CURSORS)))
def test_no_list_is_endless_and_no_cursor_is_sent_twice(shelf: Shelf) -> None:
    book = Book(shelf)

    async def ends() -> None:
        await asyncio.gather(_walk(book.fetch, 1_000), return_exceptions=True)

    asyncio.run(ends())
    assert len(book.asked) == len(set(book.asked)) <= 9


@given(st.dictionaries(st.none() | st.sampled_from("pqrstuvw"), st.tuples(ROWS, CURSORS)))
def test_a_list_is_read_whole_or_not_at_all(shelf: Shelf) -> None:
    book = Book(shelf)

    async def outcome() -> list[ListPage] | BaseException:
        [found] = await asyncio.gather(_walk(book.fetch, 1_000), return_exceptions=True)
        return found

    found = asyncio.run(outcome())
    new = [set(shelf.get(cursor, ((), None))[0]) for cursor in book.asked]
    if isinstance(found, list):
        assert [set(leaf.ids) for leaf in found] == [ids for ids in new if ids]
