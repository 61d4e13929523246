"""The front page: the leaderboard, how sure it is, and how to check it; and its other views."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.picture import MOST, PictureRow, preview
from arena.records.grade import Board
from arena.site import places
from arena.site.dates import day_words
from arena.site.overview import Window
from arena.site.page import Document, Page
from arena.site.pages.leaderboard.front_figures import front_figures
from arena.site.pages.leaderboard.headline import headline, ranked, verdicts
from arena.site.pages.leaderboard.leaderboard_columns import (
    VIEWS,
    ColumnView,
    LeaderboardLine,
    summary,
)
from arena.site.pages.leaderboard.ranking import lines_of, name_of, ranking, window_ranking
from arena.site.pages.leaderboard.standings import KEYS, board_view, cells, columns, facts
from arena.site.pages.leaderboard.sureness import changed, checks, sure
from arena.site.pages.leaderboard.view import BoardPage, Chips, IndexPage
from arena.site.pages.parts.parts import Head, Link
from arena.site.reading import Reading, shown_moment

__all__ = ["KEYS", "board_view", "cells", "columns", "facts", "pages"]

_ROOT = "../"
EXPLORATORY = "Exploratory: a part of the evidence, chosen after the fact. Nothing is claimed."


def pages(reading: Reading) -> Iterator[Page | Document]:
    """The other views and the windows, then the front page."""
    board = reading.store.boards.overall()
    lines = lines_of(board, reading)
    if lines:
        for view in VIEWS:
            path = places.board_view(view.key)
            yield Page(path, "board.html", view_page(view, board, lines, reading))
        for window in reading.overview.windows:
            path = places.window(window.key)
            yield Page(path, "board.html", window_page(window, board, lines, reading))
    front = front_of(board, reading)
    site = reading.edition.site
    drawn = preview(
        site.name, " ".join(front.claims), *_preview_rows(reading), notice=site.notice
    )
    if drawn is not None:
        yield Document(places.PREVIEW, "", drawn)
    yield Page(places.INDEX, "index.html", front)


def _preview_rows(reading: Reading) -> tuple[str, list[PictureRow]]:
    """The preview's caption and rows: the first contestants by the headline metric."""
    overview = reading.overview
    if not overview.headline:
        return "", []
    metric, rows, verdict_by_contestant = METRICS[overview.order_by], [], verdicts(reading)
    for who in ranked(reading)[:MOST]:
        estimate = reading.profile(who).scores[metric.key]
        low, high = (
            (estimate.interval.low, estimate.interval.high)
            if estimate.interval
            else (None, None)
        )
        text = metric.shown(estimate.value)
        rows.append(
            PictureRow(
                reading.label(who),
                text,
                estimate.value,
                low,
                high,
                verdict_by_contestant.get(who, ""),
            )
        )
    return f"{metric.name}, {figures.percent(overview.level, 0)} intervals", rows


def front_of(board: Board, reading: Reading) -> IndexPage:
    """What the front page shows of a board."""
    lines = lines_of(board, reading)
    drawn = front_figures(lines, reading)
    lead = headline(reading)
    names = ranked(reading) or tuple(map(name_of, lines))
    return IndexPage(
        head=_head(lead.whole, places.INDEX, "Leaderboard", board, reading),
        claims=lead.claims,
        evidence=lead.evidence,
        sure=sure(reading),
        checks=checks(names, reading) if lines else (),
        chips=_chips(reading, "", view="summary"),
        ranking=ranking(lines, summary(reading.overview.order_by), reading, ""),
        changed=changed(reading),
        equity=drawn.equity,
        plane=drawn.plane,
        twin=_twin(places.INDEX),
    )


def view_page(
    view: ColumnView, board: Board, lines: Sequence[LeaderboardLine], reading: Reading
) -> BoardPage:
    """The same board by other columns."""
    lead = headline(reading)
    path = places.board_view(view.key)
    return BoardPage(
        head=_head(lead.whole, path, f"{view.label} of everybody", board, reading),
        title=view.label,
        words=lead.whole,
        chips=_chips(reading, _ROOT, view=view.key),
        ranking=ranking(lines, view, reading, _ROOT),
        twin=_twin(path),
    )


def window_page(
    window: Window, board: Board, lines: Sequence[LeaderboardLine], reading: Reading
) -> BoardPage:
    """A part of the evidence by itself."""
    since = f", from {day_words(window.since)} on" if window.since else ""
    counts = (
        figures.many(window.events, "event"),
        figures.many(window.markets, "market"),
        figures.many(window.forecasts, "forecast"),
    )
    path = places.window(window.key)
    words = f"{EXPLORATORY} {', '.join(counts)}{since}."
    return BoardPage(
        head=_head(words, path, window.label, board, reading),
        title=window.label,
        words=words,
        chips=_chips(reading, _ROOT, window=window.key),
        ranking=window_ranking(window, lines, reading),
        twin=_twin(path),
    )


def _head(words: str, path: str, title: str, board: Board, reading: Reading) -> Head:
    as_of = shown_moment(board.as_of) if board.as_of else None
    stale = reading.edition.site.stale_after // timedelta(hours=1)
    return Head(title, places.root_of(path), "leaderboard", words, as_of, _twin(path), stale)


def _twin(path: str) -> str:
    return places.twin(path).rpartition("/")[2]


def _chips(reading: Reading, root: str, *, view: str = "", window: str = "") -> Chips:
    """Links to parts of the evidence and to other columns; the open one has no link."""
    all_time = Link("All time", "" if view == "summary" else root + places.INDEX)
    parts = [
        (part.since is None, Link(part.label, "" if part.key == window else _to(part, root)))
        for part in reading.overview.windows
    ]
    shown = [Link("Summary", "" if view == "summary" else root + places.INDEX)]
    shown += [
        Link(other.label, "" if other.key == view else root + places.board_view(other.key))
        for other in VIEWS
    ]
    return Chips(
        windows=(all_time, *(link for category, link in parts if not category)),
        categories=tuple(link for category, link in parts if category),
        views=tuple(shown) if view else (),
    )


def _to(window: Window, root: str) -> str:
    return root + places.window(window.key)
