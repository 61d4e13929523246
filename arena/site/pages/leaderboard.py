"""The front page: the leaderboard, whether it is real, and how to check it."""

from collections.abc import Iterator
from datetime import timedelta

from arena.site import places
from arena.site.page import Document, Page
from arena.site.pages import verdict
from arena.site.pages.front_figures import front_figures
from arena.site.pages.ranking import lines_of, ranking
from arena.site.pages.standings import (
    KEYS,
    board_view,
    cells,
    columns,
    facts,
)
from arena.site.reading import Reading, shown_moment
from arena.site.views.leaderboard import IndexPage
from arena.site.views.parts import Head

__all__ = ["KEYS", "board_view", "cells", "columns", "facts", "pages"]


def pages(reading: Reading) -> Iterator[Page | Document]:
    """The front page."""
    yield Page(places.INDEX, "index.html", index_page(reading))


def index_page(reading: Reading) -> IndexPage:
    """What the front page shows of the books and of what is estimated from them."""
    board = reading.store.boards.overall()
    lines = lines_of(board, reading)
    drawn = front_figures(lines, reading)
    said = verdict.news(board, lines, reading) if lines else ""
    as_of = shown_moment(board.as_of) if board.as_of else None
    twin = places.twin(places.INDEX)
    stale = reading.edition.site.stale_after // timedelta(hours=1)
    return IndexPage(
        head=Head("Leaderboard", "", "leaderboard", said, as_of, twin, stale),
        news=said,
        more=verdict.more(lines, reading),
        kpis=verdict.kpis(lines, reading) if lines else (),
        as_of=as_of,
        ranking=ranking(board, lines, reading),
        equity=drawn.equity,
        ranks=drawn.ranks,
        plane=drawn.plane,
        flip=verdict.flip(reading),
        checks=verdict.checks(lines, reading) if lines else (),
        twin=twin,
    )
