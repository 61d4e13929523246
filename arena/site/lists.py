"""Long lists in pages of a hundred, counted from the oldest: a full page stays as it is."""

from collections.abc import Iterable, Iterator

from arena.site import places
from arena.site.views.parts import Link, Pager

PER_PAGE = 100
NEIGHBOURS = 5  # newest pages that the list's first page links to


def page_of(number: int) -> int:
    """The page on which the thing of a number stands; both count from 1."""
    return (number - 1) // PER_PAGE + 1


def numbers_on(page: int) -> tuple[int, int]:
    """The first and the last number on a page."""
    return (page - 1) * PER_PAGE + 1, page * PER_PAGE


def pages_with(numbers: Iterable[int]) -> Iterator[int]:
    """The pages that show the numbers, and those before them, which link to them."""
    shown = {page_of(number) for number in numbers}
    yield from sorted(shown | {page - 1 for page in shown if page > 1})


def pager(page: int, count: int) -> Pager:
    """The way from one page to its neighbours.

    It does not say how many pages there are: a full page would have to be written anew.
    """
    links = [Link("newest first", "index.html")]
    if page < page_of(count):
        links.append(Link(f"newer: page {page + 1}", f"page-{page + 1}.html"))
    if page > 1:
        links.append(Link(f"older: page {page - 1}", f"page-{page - 1}.html"))
    first, last = numbers_on(page)
    return Pager(f"Page {page}: numbers {first} to {min(last, count)}", tuple(links))


def front_pager(folder: str, count: int) -> Pager:
    """The way from a list's front to its pages: the newest few, and the oldest."""
    if not count:
        return Pager("", ())
    newest = page_of(count)
    pages = list(range(newest, max(0, newest - NEIGHBOURS), -1))
    if pages[-1] > 1:
        pages.append(1)
    return Pager(
        f"{count} in all, in the order they began",
        tuple(
            Link(f"page {page}", places.list_page(folder, page).removeprefix(f"{folder}/"))
            for page in pages
        ),
    )
