"""Where each page lives: paths below the site's folder, and the way between them."""

from collections.abc import Iterable, Iterator

from arena.records.cohort import CohortId, ContestantId
from arena.records.market import MarketId
from arena.site.pages.parts import Link, Pager
from arena.site.sanitize import file_name, folder_name, tail

STYLE = "a/v1/site.css"
FRONT_STYLE = "a/v1/front.css"
SCRIPT = "a/v1/site.js"
THEME = "a/v1/theme.js"
VERIFY = "a/v1/verify.js"
PREVIEW = "a/preview.png"
INDEX = "index.html"
METHODOLOGY = "methodology.html"
CALIBRATION = "calibration.html"
COMPARE = "compare.html"
INSIGHTS = "insights.html"
COSTS = "costs.html"
DATA = "data.html"
CHANGES = "changes.html"
AUDIT = "audit.html"
STATUS = "status.html"
NOT_FOUND = "404.html"
COHORTS = "cohorts/index.html"
CONTESTANTS = "contestants/index.html"
PROVIDERS = "providers/index.html"
MARKETS = "markets/index.html"
FOLDERS = (
    "cohorts", "contestants", "providers", "markets", "decisions", "compare", "blobs", "cards",
    "data", "leaderboard", "windows",
)  # fmt: skip


def board_view(key: str) -> str:
    """The leaderboard by other columns, such as `returns`."""
    return f"leaderboard/{key}.html"


def window(key: str) -> str:
    """The leaderboard of a part of the evidence, such as the last 90 days."""
    return f"windows/{folder_name(key)}.html"


def comes_and_goes(path: str) -> bool:
    """Whether a page is a window's or a pair's: they come and go with what they show."""
    return path.startswith(("windows/", "compare/"))


def cohort(name: CohortId) -> str:
    """A cohort's own page."""
    return f"cohorts/{folder_name(name)}/index.html"


def contestant(name: ContestantId) -> str:
    """A contestant's own page."""
    return f"contestants/{folder_name(name)}/index.html"


def seat(name: ContestantId, of: CohortId) -> str:
    """The page of a contestant in one cohort."""
    return f"cohorts/{folder_name(of)}/{folder_name(name)}/index.html"


def provider(name: str) -> str:
    """The page of a provider of models."""
    return f"providers/{folder_name(name)}/index.html"


def market(name: MarketId) -> str:
    """A market's own page, in one of 256 folders."""
    return f"markets/{tail(name)[:2]}/{file_name(name)}.html"


def decision(cohort: CohortId, number: int, name: ContestantId) -> str:
    """The page of one turn, in a folder of its cohort and contestant."""
    return f"decisions/{folder_name(cohort)}/{folder_name(name)}/{number}.html"


def blob(digest: str) -> str:
    """A prompt or a reply as text, under its digest."""
    return f"blobs/{digest[:2]}/{digest}.txt"


def pair(first: ContestantId, second: ContestantId) -> str:
    """The page of two contestants side by side, in the order of their ids.

    >>> pair("b", "a"), pair("a", "b--c") == pair("a--b", "c")
    ('compare/a--b.html', False)
    """
    ids = sorted((first, second))
    names = "--".join(map(folder_name, ids))
    return f"compare/{names if names.count('--') == 1 else file_name(' '.join(ids))}.html"


def card(name: ContestantId) -> str:
    """The card of a contestant that other pages can embed."""
    return f"cards/{folder_name(name)}.html"


def badge(name: ContestantId) -> str:
    """The badge of a contestant: an image of one line."""
    return f"cards/{folder_name(name)}.svg"


def list_page(folder: str, page: int) -> str:
    """A page of a long list. Page 1 is the oldest, so that a full page stays as it is."""
    return f"{folder}/page-{page}.html"


def twin(path: str) -> str:
    """Where the same numbers stand for machines.

    >>> twin("cohorts/c/index.html")
    'cohorts/c/index.json'
    """
    return path.removesuffix(".html") + ".json"


def figure(path: str, key: str, kind: str) -> str:
    """Where a figure of a page stands as a file of its own: its `svg`, or its `csv`.

    >>> figure("cohorts/c/index.html", "equity", "svg")
    'cohorts/c/index.equity.svg'
    """
    return f"{path.removesuffix('.html')}.{key}.{kind}"


def root_of(path: str) -> str:
    """The way from a page up to the site's folder.

    >>> root_of("index.html"), root_of("markets/4e/rain.html")
    ('', '../../')
    """
    return "../" * path.count("/")


# Long lists in pages of a hundred.
#
# They are counted from the oldest, so that a full page stays as it is; what is ranked is
# counted from the best.

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
            Link(f"page {page}", list_page(folder, page).removeprefix(f"{folder}/"))
            for page in pages
        ),
    )


def ranked_page(page: int) -> str:
    """A page of the list of contestants, of which the folder's own has the best.

    >>> ranked_page(1), ranked_page(2)
    ('contestants/index.html', 'contestants/page-2.html')
    """
    return CONTESTANTS if page == 1 else list_page("contestants", page)


def ranked_pager(page: int, count: int) -> Pager:
    """The way to the other pages of that list; nowhere where it has one page."""
    last = page_of(max(1, count))
    if last == 1:
        return Pager("", ())
    first, end = numbers_on(page)
    links = (
        Link(f"page {n}", ranked_page(n).removeprefix("contestants/"))
        for n in range(1, last + 1)
        if n != page
    )
    return Pager(f"Numbers {first} to {min(end, count)} of {count}", tuple(links))
