"""Long lists in pages of a hundred.

They are counted from the oldest, so that a full page stays as it is; what is ranked is counted
from the best.
"""

from collections.abc import Iterable, Iterator

from arena.site import places
from arena.site.pages.parts import Link, Pager

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


def ranked_page(folder: str, page: int) -> str:
    """A page of a list whose first page, the folder's own, has the best.

    >>> ranked_page("contestants", 1), ranked_page("contestants", 2)
    ('contestants/index.html', 'contestants/page-2.html')
    """
    return f"{folder}/{places.INDEX}" if page == 1 else places.list_page(folder, page)


def ranked_pager(folder: str, page: int, count: int) -> Pager:
    """The way to the other pages of such a list; nowhere where it has one page."""
    last = page_of(max(1, count))
    if last == 1:
        return Pager("", ())
    first, end = numbers_on(page)
    links = (
        Link(f"page {n}", ranked_page(folder, n).removeprefix(f"{folder}/"))
        for n in range(1, last + 1)
        if n != page
    )
    return Pager(f"Numbers {first} to {min(end, count)} of {count}", tuple(links))
