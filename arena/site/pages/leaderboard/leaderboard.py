"""The front page: the leaderboard, how sure it is, and how to check it; and its other views."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Final

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.picture import MOST as MOST_PICTURED
from arena.picture import PictureRow, preview
from arena.records.cohort import ContestantId
from arena.records.grade import Board
from arena.site import Document, Page, places
from arena.site.charts.axis import Axis, axis, even
from arena.site.charts.plane import plane
from arena.site.charts.subjects import Curve, LineWeight, Point, Scale, Spot, Words, ends
from arena.site.charts.tiles import (
    BAR,
    EDGE,
    TileMark,
    axis_head,
    bar_axis,
    base_bar,
    interval_bar,
    sparkline,
)
from arena.site.charts.timed import curves
from arena.site.estimates import head_of, metric_cell
from arena.site.overview.records import ContestantProfile, RankPlace, Window, Worth
from arena.site.pages.leaderboard.evidence import may_rank
from arena.site.pages.leaderboard.headline import headline, leaders, ranked, verdicts
from arena.site.pages.leaderboard.leaderboard_columns import (
    GAINS,
    VIEWS,
    ColumnView,
    LeaderboardLine,
    cells_of,
    columns_of,
    estimate_of,
    summary,
    window_view,
)
from arena.site.pages.leaderboard.standings import (
    BoardPage,
    Chips,
    IndexPage,
    RankingRow,
    RankingTable,
)
from arena.site.pages.leaderboard.sureness import changed, checks, sure
from arena.site.pages.parts import Cell, Drawing, Figure, Head, Link
from arena.site.reading import LABEL, Reading, shown_moment
from arena.site.sanitize import folder_name, one_line
from arena.store.pages.turns import SqliteConduct

MOST: Final = 20  # contestants of a page; the others stand in the list of all
MOST_BASELINES: Final = 8
MARKET: Final = "market"  # the agent that says the price itself
SAYS: Final = {
    "better": "shown to be better than the market",
    "worse": "shown to be worse than the market",
    "": "not shown to differ from the market",
}
_MOST_DAYS = 120  # that a drawing in a line has room for
_ANSWERED = 0.995  # from which share on all is said to be answered
_TICKS = 6
TAGS: Final = {
    "ensemble": "ensemble",
    "blend": "blend with the price",
    "recalibrated": "recalibrated",
    "submitted": "person or outside system",
}


@dataclass(frozen=True, slots=True)
class _RankingTable:
    """What all rows of a table share.

    `whole` is false for a part of the evidence, of which nothing is claimed. `reach` is the
    scale of everybody's equity, `verdicts` and `leaders` are what is shown of contestants.
    """

    reading: Reading
    view: ColumnView
    root: str
    axis: Axis | None
    whole: bool = True
    reach: tuple[float, float] | None = None
    verdicts: Mapping[ContestantId, str] = field(default_factory=dict)
    leaders: tuple[ContestantId, ...] = ()

    @property
    def headline(self) -> str:
        """What contestants are ranked by; a window is not adjusted for who answered what."""
        overview = self.reading.overview
        return overview.order_by if self.whole else overview.headline

    @property
    def ranked(self) -> bool:
        """Whether ranks are shown."""
        return self.whole and bool(self.headline) and may_rank(self.reading.overview)

    @property
    def base(self) -> float | None:
        """The value of the headline that all are compared with."""
        return 0.0 if self.headline and METRICS[self.headline].signed else None


def lines_of(board: Board, reading: Reading) -> tuple[LeaderboardLine, ...]:
    """Everybody, in the one order of all lists."""
    conduct = {totals.contestant: totals for totals in SqliteConduct(reading.store.db).totals()}
    lines = {
        standing.contestant: LeaderboardLine(
            standing,
            reading.entrant(standing.contestant),
            reading.profile(standing.contestant),
            conduct.get(standing.contestant),
        )
        for standing in board.standings
    }
    return tuple(lines[name] for name in reading.in_order(lines))


def ranking(
    lines: Sequence[LeaderboardLine], view: ColumnView, reading: Reading, root: str
) -> RankingTable:
    """The table of everybody, by the columns of a view; intervals are drawn in the summary."""
    playing = [line for line in lines if not line.entrant.reference]
    headline, first = reading.overview.order_by, view.key == "summary"
    made = _RankingTable(reading, view, root, _axis_of(headline, playing) if first else None)
    return _ranking(made, lines)


def window_ranking(
    window: Window, lines: Sequence[LeaderboardLine], reading: Reading
) -> RankingTable:
    """The table of a part of the evidence, in its own order, without claims."""
    lines_by_name = {line.id: line for line in lines}
    window_lines = [
        replace(
            lines_by_name[name],
            profile=ContestantProfile(
                name,
                RankPlace(None, 1, 1),
                window.lines[name].scores,
                questions=window.lines[name].questions,
            ),
        )
        for name in window.order
        if name in lines_by_name and name in window.lines
    ]
    headline = reading.overview.headline
    playing = [line for line in window_lines if not line.entrant.reference]
    view = window_view(headline)
    made = _RankingTable(reading, view, "../", _axis_of(headline, playing), whole=False)
    window_lines.sort(key=lambda line: line.entrant.reference)
    return _ranking(made, window_lines)


def _ranking(table: _RankingTable, lines: Sequence[LeaderboardLine]) -> RankingTable:
    reading = table.reading
    playing = [line for line in lines if not line.entrant.reference]
    baselines = [line for line in lines if line.entrant.reference]
    prices = [line for line in baselines if line.entrant.agent == MARKET]
    others = [line for line in baselines if line not in prices[:1]][:MOST_BASELINES]
    shown = playing[:MOST]
    if table.whole:
        reach = _reach([*shown, *others]) if table.view.key == "summary" else None
        verdict_by_contestant, first = verdicts(reading), leaders(reading)
        table = replace(table, reach=reach, verdicts=verdict_by_contestant, leaders=first)
    rows = [_row(table, line) for line in shown]
    if table.headline in GAINS:
        rows.insert(_market_at(table, playing), _market_row(table, prices))
    return RankingTable(
        view=table.view.key,
        rank=head_of("rank_range", table.root) if table.ranked else None,
        columns=columns_of(table.view, table.root),
        axis=Drawing(axis_head(table.axis), "Interval") if table.axis else None,
        shapes=table.reach is not None,
        rows=(*rows, *(_row(table, line) for line in others)),
        notes=tuple(_notes(table)),
        left_out=len(playing) - len(shown),
    )


def _row(table: _RankingTable, line: LeaderboardLine) -> RankingRow:
    name, entrant = line.id, line.entrant
    ranked = table.ranked and not entrant.reference
    return RankingRow(
        slug=folder_name(name),
        kind="ref" if entrant.reference else "",
        ranks=_ranks(line.profile.place) if ranked else Cell(""),
        contestant=table.reading.contestant(name, table.root),
        about=", ".join(_about(line, table)),
        provider=one_line(entrant.provider, LABEL) if entrant.provider else "",
        verdict=table.verdicts.get(name, ""),
        leads=name in table.leaders,
        cells=cells_of(line, table.view),
        interval=_interval(table, line),
        shape=_shape(line.profile, table.reach) if table.reach else None,
    )


def _about(line: LeaderboardLine, table: _RankingTable) -> Iterable[str]:
    """The provider of a contestant, and its tags."""
    entrant = line.entrant
    if entrant.provider:
        yield one_line(entrant.provider, LABEL)
    if entrant.reference:
        yield "baseline"
    if entrant.agent in TAGS:
        yield TAGS[entrant.agent]
    if entrant.price_blind:
        yield "does not see prices"
    if entrant.copy_of:
        yield f"copy of {one_line(entrant.copy_of, LABEL)}"
    coverage = line.profile.coverage
    if coverage is not None and coverage < _ANSWERED:
        yield f"answered {figures.percent(coverage, 0)}"
    value = estimate_of(table.headline, line) if table.headline else None
    if table.headline and (value is None or value.value is None):
        yield "no resolved forecast"


def _ranks(place: RankPlace) -> Cell:
    """From the lowest to the highest rank that tests leave open."""
    return Cell(figures.MISSING if place.rank is None else place.span(), value=place.rank)


def _market_at(table: _RankingTable, playing: Sequence[LeaderboardLine]) -> int:
    """The number of contestants above the market's price."""
    place = table.reading.overview.market_place
    if table.whole and place and place.rank:
        return min(place.rank - 1, MOST)
    estimates = (estimate_of(table.headline, line) for line in playing[:MOST])
    return sum(
        estimate is not None and estimate.value is not None and estimate.value > 0
        for estimate in estimates
    )


def _market_row(table: _RankingTable, prices: Sequence[LeaderboardLine]) -> RankingRow:
    """The market's own price: the base that everybody is compared with."""
    place = table.reading.overview.market_place
    ranked = table.ranked and place is not None
    line = prices[0] if prices else None
    columns = table.view.columns
    own = cells_of(line, table.view) if line else [Cell("")] * len(columns)
    cells = [
        metric_cell(shown.key, 0.0)
        if shown.key in GAINS
        else _of_market(shown.key, cell, table)
        for shown, cell in zip(columns, own, strict=True)
    ]
    name = line.id if line else None
    href = table.root + places.contestant(name) if name else ""
    return RankingRow(
        slug=folder_name(name) if name else "market-price",
        kind="market",
        ranks=_ranks(place) if ranked and place else Cell(""),
        contestant=Link("Market price", href),
        about="",
        provider="",
        verdict="",
        leads=False,
        cells=tuple(cells),
        interval=Drawing(base_bar(table.axis, 0.0), "") if table.axis else None,
        shape=Drawing("", "") if table.reach else None,
    )


def _of_market(key: str, cell: Cell, table: _RankingTable) -> Cell:
    """A price neither bets nor costs: the first view has no room for cells that say so."""
    kept = table.view.key != "summary" or key == "events"
    return cell if kept else Cell("")


def _axis_of(key: str, lines: Iterable[LeaderboardLine]) -> Axis | None:
    """An axis for the intervals of a metric, over the range where most of them are.

    What lies beyond the quartiles by more than three times their distance ends in an arrow.
    """
    if not key:
        return None
    estimates = [estimate for line in lines if (estimate := estimate_of(key, line))]
    values = sorted(estimate.value for estimate in estimates if estimate.value is not None)
    ends = [
        end
        for estimate in estimates
        if estimate.interval
        for end in (estimate.interval.low, estimate.interval.high)
    ]
    if not values or not ends:
        return None
    low, high = values[len(values) // 4], values[-1 - len(values) // 4]
    room = 3 * (high - low) or max(ends) - min(ends)
    base = [0.0] if METRICS[key].signed else []
    least = min([max(min(ends), low - room), *base])
    most = max([min(max(ends), high + room), *base])
    scale = Scale(METRICS[key].short, _tick, low=least, high=most)
    ticks = axis(scale, base, (EDGE, BAR - EDGE), _TICKS).ticks
    return bar_axis(least, most, [(at, "market" if base and not at else t) for at, t in ticks])


def _tick(value: float) -> str:
    """A value at an axis: short, with its sign, without a zero before the point."""
    digits = f"{abs(value):.4f}".rstrip("0").rstrip(".").removeprefix("0") or "0"
    return digits if not value else f"{figures.MINUS if value < 0 else '+'}{digits}"


def _interval(table: _RankingTable, line: LeaderboardLine) -> Drawing | None:
    """The interval of the headline metric, and the verdict against the market."""
    if table.axis is None:
        return None
    verdict = table.verdicts.get(line.id, "")
    compared = table.whole and table.base is not None and not line.entrant.reference
    words = SAYS[verdict] if compared else ""
    estimate = estimate_of(table.headline, line)
    if estimate is None or estimate.value is None or not estimate.interval:
        return Drawing("", words if estimate and estimate.value is not None else "")
    mark = TileMark(verdict) if verdict else TileMark.OPEN
    span = (estimate.value, estimate.interval.low, estimate.interval.high)
    drawn = interval_bar(span, table.axis, base=table.base, mark=mark)
    return Drawing(drawn, words)


def _worths(profile: ContestantProfile) -> list[float | None]:
    """Equity day by day, as a multiple of the capital put in so far."""
    days = profile.days[-_MOST_DAYS:]
    return [None if d.worth is None or not d.capital else d.worth / d.capital for d in days]


def _reach(lines: Sequence[LeaderboardLine]) -> tuple[float, float] | None:
    """The least and the most of everybody's equity: the scale that all share."""
    worths = [worth for line in lines for worth in _worths(line.profile) if worth is not None]
    return (min([*worths, 1.0]), max([*worths, 1.0])) if worths else None


def _shape(profile: ContestantProfile, reach: tuple[float, float]) -> Drawing:
    drawn = sparkline(_worths(profile), 1.0, reach)
    return Drawing(drawn, "" if drawn else figures.MISSING)


def _notes(table: _RankingTable) -> Iterable[str]:
    """The notes below the table that explain its columns."""
    level = figures.percent(table.reading.overview.level, 0)
    if table.ranked:
        yield (
            "If possible ranks start at 1, no contestant is shown to be better. Overlapping "
            "ranges do not mean that two contestants are equal. A contestant's page lists whom "
            "it is shown to be better than."
        )
    if table.axis and table.whole and table.base is not None:
        yield (
            "\N{BLACK UP-POINTING TRIANGLE} shown to be better than the market, "
            "\N{BLACK DOWN-POINTING TRIANGLE} shown to be worse, \N{WHITE CIRCLE} neither."
        )
    if table.axis:
        yield f"Bars are {level} intervals. An arrow marks an interval that leaves the scale."
    if table.reach:
        low, high = (figures.percent(worth - 1, 0, signed=True) for worth in table.reach)
        scale = f", on one scale from {low} to {high} for all" * (low != high)
        yield (
            "Realised return counts closed positions less all fees. Equity counts open "
            f"positions at their sale price{scale}."
        )
    if table.view.note:
        yield table.view.note


COLOURED = 5  # contestants whose lines are coloured; the others stay grey until pointed at
MOMENTS = 16  # of each line, so that the front page does not grow with time
LINES = 12  # that are drawn, so that it does not grow with contestants


def front_figures(
    lines: Sequence[LeaderboardLine], reading: Reading
) -> tuple[Figure | None, Figure | None]:
    """The equity of the first contestants, and their cost against skill.

    The very first are in colour; baselines are not drawn. None where there is nothing to draw.
    """
    playing = [line for line in lines if not line.entrant.reference]
    names = [line.id for line in playing]
    weights = dict.fromkeys(names, LineWeight.QUIET)
    weights |= dict.fromkeys(names[:COLOURED], LineWeight.MAIN)
    group = _Group(playing[:LINES], weights, len(playing))
    return _equity(group, reading), _cost(group, reading)


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
            reading.label(line.id),
            tuple(_worth_points(days)),
            weights[line.id],
            days[-2].at,
            places.contestant(line.id),
            reading.tone(line.id),
        )
        for line in lines
        if len(days := [day for day in line.profile.days if day.at in kept]) > 1
    ]
    if not drawn:
        return None
    caption = (
        f"{group.words(len(drawn))}: equity less the capital put in so far, as a share of it, "
        f"on at most {MOMENTS} days{_until(reading)}. {_how(lines)}"
    )
    scale = Scale("Return", METRICS["returned"].shown, base=0.0)
    return curves(Words("equity", "Equity over time", caption), drawn, scale)


def _how(lines: Sequence[LeaderboardLine]) -> str:
    """What is solid, and what is dashed where a position is open."""
    if not any(line.standing.open for line in lines):
        return "Realised: no position is open."
    return (
        "The solid line is realised. The dashed step at the end adds open positions at their "
        "sale price (mark-to-market)."
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
    headline = reading.overview.order_by
    spots = []
    for line in lines:
        estimate, cost = estimate_of(headline, line), line.standing.cost
        who, is_alone = line.id, not line.entrant.of  # what members cost is counted as theirs
        if estimate is None or estimate.value is None or cost is None or not is_alone:
            continue
        low, high = ends(estimate.interval)
        spot = Spot(
            reading.label(who),
            float(cost),
            estimate.value,
            weights[who],
            y_low=low,
            y_high=high,
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
    without = figures.many(left_out, "contestant")
    further = figures.many(group.everybody - len(lines), "contestant")
    if left_out:
        caption += f" Not drawn: {without} without a score or a known cost of their own."
    if group.everybody > len(lines):
        caption += f" The chart does not show {further} further down the table."
    across = Scale("Cost", METRICS["cost"].shown, low=0.0)
    up = Scale(metric.name, metric.shown, base=0.0 if metric.signed else None)
    return plane(Words("cost-skill", "Cost against skill", caption), spots, across, up)


def _until(reading: Reading) -> str:
    as_of = reading.overview.as_of
    return f", data to {figures.moment(as_of)}" if as_of else ""


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
    for who in ranked(reading)[:MOST_PICTURED]:
        estimate = reading.profile(who).scores[metric.key]
        text, verdict = metric.shown(estimate.value), verdict_by_contestant.get(who, "")
        span = ends(estimate.interval)
        rows.append(PictureRow(reading.label(who), text, estimate.value, *span, verdict))
    return f"{metric.name}, {figures.percent(overview.level, 0)} intervals", rows


def front_of(board: Board, reading: Reading) -> IndexPage:
    """What the front page shows of a board."""
    lines = lines_of(board, reading)
    equity, cost = front_figures(lines, reading)
    lead = headline(reading)
    names = ranked(reading) or tuple(line.id for line in lines)
    return IndexPage(
        head=_head(lead.whole, places.INDEX, "Leaderboard", board, reading),
        claims=lead.claims,
        evidence=lead.evidence,
        sure=sure(reading),
        checks=checks(names, reading) if lines else (),
        chips=_chips(reading, "", view="summary"),
        ranking=ranking(lines, summary(reading.overview.order_by), reading, ""),
        changed=changed(reading),
        equity=equity,
        plane=cost,
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
        (
            part.since is None,
            Link(part.label, "" if part.key == window else root + places.window(part.key)),
        )
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
