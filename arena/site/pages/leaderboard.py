"""The front page: the leaderboard, whether it is real, and how to check it."""

from collections.abc import Iterator
from datetime import timedelta

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.picture import MOST, Row, preview
from arena.records.grade import Board
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
    view = index_page(reading)
    site = reading.edition.site
    drawn = preview(site.name, view.news, *_shown(reading), notice=site.notice)
    if drawn is not None:
        yield Document(places.PREVIEW, "", drawn)
    yield Page(places.INDEX, "index.html", view)


def _shown(reading: Reading) -> tuple[str, list[Row]]:
    """What the preview draws: the headline, and the first contestants by it."""
    overview = reading.overview
    if not overview.headline:
        return "", []
    metric, rows = METRICS[overview.headline], []
    for who in overview.order[:MOST]:
        found = reading.profile(who).scores.get(metric.key)
        if found is not None and found.value is not None:
            ends = (found.interval.low, found.interval.high) if found.interval else (None, None)
            rows.append(Row(reading.label(who), metric.shown(found.value), found.value, *ends))
    return f"{metric.name}, {figures.percent(overview.level, 0)} intervals", rows


def index_page(reading: Reading) -> IndexPage:
    """What the front page shows of the books and of what is estimated from them."""
    return front_of(reading.store.boards.overall(), reading)


def front_of(board: Board, reading: Reading) -> IndexPage:
    """What the front page shows of a board."""
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
        flip_href=verdict.flip_href(reading),
        checks=verdict.checks(lines, reading) if lines else (),
        twin=twin,
    )
