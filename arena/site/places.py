"""Where each page lives: paths below the site's folder, and the way between them."""

from arena.records.cohort import CohortId, ContestantId
from arena.records.market import MarketId
from arena.site.hostile import file_name, folder_name, tail

INDEX = "index.html"
LEADERBOARD_JSON = "leaderboard.json"
METHODOLOGY = "methodology.html"
NOT_FOUND = "404.html"
COHORTS = "cohorts/index.html"
CONTESTANTS = "contestants/index.html"
MARKETS = "markets/index.html"
FOLDERS = ("cohorts", "contestants", "markets")


def cohort(name: CohortId) -> str:
    """A cohort's own page."""
    return f"cohorts/{folder_name(name)}/index.html"


def contestant(name: ContestantId) -> str:
    """A contestant's own page."""
    return f"contestants/{folder_name(name)}/index.html"


def market(name: MarketId) -> str:
    """A market's own page, in one of 256 folders."""
    return f"markets/{tail(name)[:2]}/{file_name(name)}.html"


def list_page(folder: str, page: int) -> str:
    """A page of a long list. Page 1 is the oldest, so that a full page stays as it is."""
    return f"{folder}/page-{page}.html"


def root_of(path: str) -> str:
    """The way from a page up to the site's folder.

    >>> root_of("index.html"), root_of("markets/4e/rain.html")
    ('', '../../')
    """
    return "../" * path.count("/")
