"""The front page: the leaderboard, how sure it is, and how to check it; and its other views."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.picture import MOST, PictureRow, preview
from arena.records.cohort import ContestantId
from arena.records.grade import Board
from arena.site import places
from arena.site.charts.parts.axis import even
from arena.site.charts.parts.plane import plane
from arena.site.charts.subjects import Curve, LineWeight, Point, Scale, Spot, Words
from arena.site.charts.timed import curves
from arena.site.overview import Window, Worth
from arena.site.page import Document, Page
from arena.site.pages.leaderboard.headline import headline, ranked, verdicts
from arena.site.pages.leaderboard.leaderboard_columns import (
    VIEWS,
    ColumnView,
    LeaderboardLine,
    estimate_of,
    summary,
)
from arena.site.pages.leaderboard.ranking import lines_of, name_of, ranking, window_ranking
from arena.site.pages.leaderboard.standings import KEYS, board_view, cells, columns, facts
from arena.site.pages.leaderboard.sureness import changed, checks, sure
from arena.site.pages.leaderboard.view import BoardPage, Chips, IndexPage
from arena.site.pages.parts import Figure, Head, Link
from arena.site.reading import Reading, shown_moment

COLOURED = 5  # contestants whose lines are coloured; the others stay grey until pointed at
MOMENTS = 16  # of each line, so that the front page does not grow with time
LINES = 12  # that are drawn, so that it does not grow with contestants


@dataclass(frozen=True, slots=True)
class Figures:
    """What the front page draws, None for what there is nothing to draw of."""

    equity: Figure | None
    plane: Figure | None


def front_figures(lines: Sequence[LeaderboardLine], reading: Reading) -> Figures:
    """Draw the first contestants, the very first of them in colour; baselines are not drawn."""
    playing = [
        line for line in lines if not reading.entrant(line.standing.contestant).reference
    ]
    names = [line.standing.contestant for line in playing]
    weights = dict.fromkeys(names, LineWeight.QUIET)
    weights |= dict.fromkeys(names[:COLOURED], LineWeight.MAIN)
    group = _Group(playing[:LINES], weights, len(playing))
    return Figures(_equity(group, reading), _cost(group, reading))


@dataclass(frozen=True, slots=True)
class _Group:
    """Who is drawn, how much of the eye each may claim, and how many there are in all."""

    lines: Sequence[LeaderboardLine]
    weights: Mapping[ContestantId, LineWeight]
    everybody: int

    def words(self, drawn: int) -> str:
        """How many of how many are drawn."""
        if self.everybody == len(self.lines):
            return figures.many(drawn, "contestant")
        return f"{figures.count(drawn)} of {figures.many(self.everybody, 'contestant')}"


def _equity(group: _Group, reading: Reading) -> Figure | None:
    lines, weights = group.lines, group.weights
    kept = thinned({day.at for line in lines for day in line.profile.days})
    drawn = [
        Curve(
            reading.label(line.standing.contestant),
            tuple(_worth_points(days)),
            weights[line.standing.contestant],
            days[-2].at,
            places.contestant(line.standing.contestant),
            reading.tone(line.standing.contestant),
        )
        for line in lines
        if len(days := [day for day in line.profile.days if day.at in kept]) > 1
    ]
    if not drawn:
        return None
    caption = (
        f"{group.words(len(drawn))}: equity less the capital put in so far, as a share of it, "
        f"day by day{_until(reading)}. {_how(lines)}"
    )
    scale = Scale("Return", METRICS["returned"].shown, base=0.0)
    return curves(Words("equity", "Equity over time", caption), drawn, scale)


def _how(lines: Sequence[LeaderboardLine]) -> str:
    """What is solid, and what is dashed where a position is open."""
    if not any(line.standing.open for line in lines):
        return "Realised: no position is open."
    return (
        "Solid: realised. The dashed step at the end adds open positions at what they could "
        "be sold for (mark-to-market)."
    )


def thinned(moments: set[datetime]) -> set[datetime]:
    """So many moments as a small drawing has room for: the last, and evenly in time before."""
    every = sorted(moments)
    return {*even(every[:-1], MOMENTS - 1), *every[-1:]}


def _worth_points(days: Sequence[Worth]) -> Sequence[Point]:
    """Settled returns, and last the one with open positions at their marks."""
    settled = [Point(day.at, _share(day.settled, day.capital)) for day in days[:-1]]
    last = days[-1]
    worth = None if last.worth is None else _share(last.worth, last.capital)
    return (*settled, Point(last.at, worth))


def _share(worth: float, capital: float) -> float | None:
    return worth / capital - 1 if capital else None


def _cost(group: _Group, reading: Reading) -> Figure | None:
    lines, weights = group.lines, group.weights
    headline = reading.overview.headline
    spots = []
    for line in lines:
        estimate, cost = estimate_of(headline, line), line.standing.cost
        if estimate is None or estimate.value is None or cost is None:
            continue
        who, interval = line.standing.contestant, estimate.interval
        spot = Spot(
            reading.label(who),
            float(cost),
            estimate.value,
            weights[who],
            y_low=interval.low if interval else None,
            y_high=interval.high if interval else None,
            href=places.contestant(who),
            tone=reading.tone(who),
        )
        spots.append(spot)
    if len(spots) < 2 or not any(spot.x for spot in spots):  # noqa: PLR2004  # it compares
        return None
    metric, left_out = METRICS[headline], len(lines) - len(spots)
    caption = (
        f"{group.words(len(spots))}: what their answers cost, and their {metric.spoken} with "
        f"intervals{_until(reading)}."
    )
    if left_out:
        without = figures.many(left_out, "contestant")
        caption += f" Left out: {without} without a score or a known cost."
    across = Scale("Cost", METRICS["cost"].shown, low=0.0)
    up = Scale(metric.name, metric.shown, base=0.0 if metric.signed else None)
    return plane(Words("cost-skill", "Cost against skill", caption), spots, across, up)


def _until(reading: Reading) -> str:
    as_of = reading.overview.as_of
    return f", data to {figures.moment(as_of)}" if as_of else ""


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
    since = f", from {figures.day(window.since)} on" if window.since else ""
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
