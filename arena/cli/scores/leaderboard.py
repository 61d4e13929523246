"""`arena leaderboard`: print the table, with what is sure of its order."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from arena.cli.options import database_option, existing, json_option, known
from arena.cli.say import MISSING, between, one_line, percent, say_json, score
from arena.cli.scores.evidence import after_cutoff_option, grader, settings_of
from arena.cli.tables import (
    AS_IT_IS,
    Columns,
    TableLayout,
    is_utf8,
    refuse_unknown,
    table,
    table_options,
)
from arena.clock import SystemClock
from arena.metrics import figures
from arena.records.cohort import ContestantId, RankBy
from arena.records.grade import Board, Standing
from arena.records.settings import Edition, Settings

USUAL: Final = 8  # the first of them


def by_name(board: Board) -> Board:
    """The same lines in alphabetical order: the books alone rank nobody."""
    return replace(board, standings=tuple(sorted(board.standings, key=lambda s: s.contestant)))


def remarks(board: Board) -> Iterator[str]:
    """What the columns need said."""
    if not board.standings:
        yield "The leaderboard is empty: no cohort has started."
        return
    unpriced = sum(1 for s in board.standings if s.unpriced)
    if unpriced:
        yield (
            f"{unpriced} hold positions that have no price: their return is not known, and "
            "their P/L lies between what it is if those end worthless and if they all win. At "
            "last prices each counts at the last one that it had, the oldest of them so old."
        )
    yield "A higher rank does not show a better contestant. `arena compare` tests differences."


def _at_last_prices(s: Standing) -> str:
    age = "" if s.price_age is None else f" ({figures.span(s.price_age)} old)"
    return percent(s.returned_last, signed=True) + age


def _dollars(s: Standing) -> str:
    if s.pnl is not None:
        return figures.number(s.pnl, 2, signed=True)
    low, high = (figures.number(edge, 0, signed=True) for edge in (s.pnl_low, s.pnl_high))
    return f"{low} to {high}"


# The books of a contestant: columns with their cells.
BOOKS: Final[Columns[Standing]] = {
    "contestant": lambda s: s.contestant,
    "return": lambda s: percent(s.returned, signed=True),
    "P/L $": _dollars,
    "Brier forecasts": lambda s: score(s.forecast),
    "n forecasts": lambda s: str(s.forecast.n),
    "failed": lambda s: f"{s.turns_failed}/{s.turns_ok + s.turns_failed}",
    "cost $": lambda s: figures.spent(s.cost, s.cost_known, lambda cost: f"{cost:.2f}"),
    "at last prices": _at_last_prices,
    "Brier stated": lambda s: score(s.stated),
    "kelly": lambda s: score(s.kelly),
    "linear": lambda s: score(s.linear),
    "resolved": lambda s: str(s.linear.n),
    "won": lambda s: percent(s.win_rate.value),
    "open": lambda s: f"{s.open}" if not s.unpriced else f"{s.open} ({s.unpriced} unpriced)",
}
HEAD: Final = tuple(BOOKS)


def board_rows(board: Board) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """The head and a row for each contestant, in the order of the board: without ranks."""
    return HEAD, [[cell(s) for cell in BOOKS.values()] for s in board.standings]


if TYPE_CHECKING:
    from arena.records.estimate import Estimate
    from arena.site.overview.records import Overview, RankPlace
    from arena.store import Store

WIDTH: Final = 17
MARKET: Final = "the market's price"
BOOKED: Final = ("return", "cost $")  # of the books, what is shown unless more is asked for


@click.command()
@click.option("--cohort", help="Only this cohort; all of them together if left out.")
@click.option(
    "--rank-by",
    type=click.Choice([r.value for r in RankBy]),
    help="Order by a number of the books, without intervals.",
)
@click.option("--fast", is_flag=True, help="The books alone: no intervals and no rank ranges.")
@after_cutoff_option
@table_options
@database_option
@json_option
@click.pass_context
def leaderboard(  # noqa: PLR0913  each is an option
    context: click.Context,
    *,
    cohort: str | None,
    rank_by: str | None,
    fast: bool,
    after_cutoff: bool,
    layout: TableLayout,
    database: Path | None,
    as_json: bool,
) -> None:
    """Print the leaderboard: who beats the market, who leads, and the books.

    The order and the first sentence are those of the site; each contestant has the ranks that
    tests of all pairs leave possible. --cohort and --fast give the books alone, which rank
    nobody: in alphabetical order, or with --rank-by in that of a number. `arena leaderboard
    --sort -return --limit 5` is a table of your own.
    """
    from arena.config import load_settings
    from arena.steps.seal import evidence_of

    by = RankBy(rank_by) if rank_by else None
    plainly = fast or bool(cohort or rank_by)
    if after_cutoff and plainly:
        raise click.UsageError(
            "--after-cutoff chooses forecasts, and the books are of all bets"
        )
    settings = settings_of(context.obj.config, database)
    if settings is None and after_cutoff:
        settings = load_settings(context.obj.config)  # the cut-offs of whoever asks
    with existing(context.obj.config, database) as store:
        only = known(store, cohort)
        boards = store.boards
        board = boards.of_cohort(only, by) if only else boards.overall(by)
        shown = evidence_of(store, only, grader(settings))
        sure, news = None, ""
        notice = settings.publishing.notice if settings else ""
        if not plainly:
            sure, news = sure_of(store, board, settings, after_cutoff=after_cutoff)
    if as_json:
        overview = document(sure, news)
        say_json(leaderboard=board, evidence=shown, overview=overview, demonstration=notice)
        return
    say_standing(board if by else by_name(board), sure, news, layout)
    if after_cutoff and sure:
        gone = ", ".join(f"{n} {why}" for why, n in sure.left_out.items())
        click.echo(
            f"after the cut-offs alone; left out: {gone or 'none'}; the books are of all"
        )
    if notice:
        click.echo(notice)
    if board.standings:
        click.echo(one_line(shown.words))


def sure_of(
    store: "Store", board: Board, settings: Settings | None, *, after_cutoff: bool = False
) -> "tuple[Overview | None, str]":
    """The estimates of all contestants, and the first sentence of the front page.

    With `after_cutoff` they are of what was asked after the contestants' cut-offs.
    Of a file without settings contestants have no labels, and those that are called like a
    baseline are one. It is None where nothing has started or resolved yet.
    """
    from arena.site.overview.kept import known_overview
    from arena.site.overview.read import read_overview
    from arena.site.pages.leaderboard.headline import headline
    from arena.site.reading import Reading
    from arena.store.pages.showcase import Showcase
    from arena.wiring import cast, cast_by_name

    if not board.standings:
        return None, ""
    at = board.as_of or SystemClock().now()
    if settings is None:
        names = (line.contestant for line in board.standings)
        edition = Edition(cast_by_name(names))
        overview = read_overview(store, edition.cast)
    else:
        edition = Edition(cast(settings), settings.publishing, settings.season)
        overview = (
            read_overview(store, edition.cast, settings.season, after_cutoff=True)
            if after_cutoff
            else known_overview(store, edition, Path(settings.templates), Path(settings.site))
        )
    if not overview.headline:
        return None, ""
    reading = Reading(store, Showcase(store.db), edition, at, overview)
    return overview, headline(reading).whole


def document(sure: "Overview | None", news: str) -> dict[str, object] | None:
    """What is sure of the order, as JSON has it."""
    from arena.site.pages.leaderboard.evidence import may_rank

    if sure is None:
        return None
    return {
        "headline": sure.headline,
        "ranked_by": sure.order_by,
        "level": sure.level,
        "as_of": sure.as_of,
        "sentence": news,
        "ranked": may_rank(sure),
        "tied": sure.tied,
        **{verdict: _shown_to_be(sure, verdict) for verdict in ("better", "worse")},
        "market": sure.market_place,
        "places": [
            {
                "contestant": name,
                "rank": place.rank,
                "low": place.low if place.rank else None,
                "high": place.high if place.rank else None,
                "value": sure.profiles[name].scores.get(sure.order_by),
            }
            for name in _in_order(sure)
            for place in (sure.profiles[name].place,)
        ],
    }


def _shown_to_be(sure: "Overview", verdict: str) -> list[str]:
    """Those who are shown to be better, or worse, than the market's price."""
    from arena.site.pages.leaderboard.evidence import may_rank

    tests = sure.against.tests if sure.against and may_rank(sure) else ()
    return [test.contestant for test in tests if test.verdict == verdict]


def say_standing(
    board: Board, sure: "Overview | None", news: str, layout: TableLayout = AS_IT_IS
) -> None:
    """Print a board, ranked where that is sure enough to be said, and what needs saying of it.

    `news` is the sentence that stands above them.
    """
    if sure:
        _say_ranked(board, sure, news, layout)
    elif board.standings:
        table(*board_rows(board), replace(layout, usual=USUAL), names=1)
    for line in remarks(board):
        click.echo(line)


def _say_ranked(board: Board, sure: "Overview", news: str, layout: TableLayout) -> None:
    """Print everybody in the order of the site: ranks, what is sure of them, the books.

    The market's price has a line of the same ranking; baselines stand last, without a rank.
    """
    from arena.metrics.registry import METRICS
    from arena.site.pages.leaderboard.evidence import may_rank

    metric = METRICS[sure.order_by]
    head, rows = board_rows(board)
    books = {row[0]: row for row in rows}
    span = _span(_value(sure, name) for name in sure.order)
    ranked = may_rank(sure)
    lines = []
    for name in _in_order(sure):
        value = _value(sure, name)
        lines.append(
            [
                *_ranks(sure.profiles[name].place if ranked else None, name),
                metric.shown(value.value if value else None),
                between(value.interval if value else None, metric),
                str(value.events if value else 0),
                *_usual_first(books.get(name, [MISSING] * len(head))),
                str(sure.profiles[name].questions or 0) if value else MISSING,
                str(value.n if value else 0),
                _whisker(value, span),
            ]
        )
    if metric.signed:
        cells = [*_ranks(sure.market_place if ranked else None, MARKET), metric.shown(0.0)]
        blank = ["", "", *[MISSING] * (len(head) - 1), "", "", " " * WIDTH]
        lines.insert(_market_at(sure), [*cells, *blank])
    share = f"{100 * sure.level:g}%"
    named = ("rank", "contestant", "ranks", metric.short, f"{share} interval", "events")
    columns = (*named, *_usual_first(head), "questions", "forecasts", "drawn")
    refuse_unknown(columns, layout)
    click.echo(one_line(news))
    table(columns, lines, replace(layout, usual=len(named) + len(BOOKED)))
    if ranked:
        click.echo(
            f"ranks: possible ranks by {metric.spoken}, a {share} confidence set from tests of "
            "all pairs. If a range starts at 1, no contestant is shown to be better. "
            "Overlapping ranges do not mean that two contestants are equal."
        )
    else:
        click.echo("too few events to rank anybody")


def _usual_first(cells: "Sequence[str]") -> list[str]:
    """A line of the books without its name, and with those columns first that are shown."""
    first = [HEAD.index(name) for name in BOOKED]
    return [cells[n] for n in (*first, *(n for n in range(1, len(HEAD)) if n not in first))]


def _in_order(sure: "Overview") -> list[ContestantId]:
    """Those who have a rank, best first, then everybody else."""
    return sorted(sure.order, key=lambda name: sure.profiles[name].place.rank is None)


def _value(sure: "Overview", name: ContestantId) -> "Estimate | None":
    return sure.profiles[name].scores.get(sure.order_by)


def _market_at(sure: "Overview") -> int:
    """How many ranked contestants stand above the market's price."""
    if sure.market_place and sure.market_place.rank:
        return sure.market_place.rank - 1
    values = (_value(sure, name) for name in sure.order if sure.profiles[name].place.rank)
    return sum(value is not None and (value.value or 0.0) > 0 for value in values)


def _ranks(place: "RankPlace | None", name: str) -> tuple[str, str, str]:
    """The rank, the name, and the ranks that are possible."""
    if place is None or place.rank is None:
        return MISSING, name, MISSING
    span = f"{place.low}-{place.high}" if place.low != place.high else str(place.low)
    return str(place.rank), name, span


def _span(values: "Iterable[Estimate | None]") -> tuple[float, float] | None:
    """From the lowest to the highest end of all intervals; None where there is none."""
    intervals = [value.interval for value in values if value and value.interval]
    if not intervals:
        return None
    return min(each.low for each in intervals), max(each.high for each in intervals)


def _whisker(value: "Estimate | None", span: tuple[float, float] | None) -> str:
    """Draw an interval on the line that all share, plainly where the output is plain."""
    if value is None or value.value is None or value.interval is None or span is None:
        return " " * WIDTH
    low, high = span
    reach = (high - low) or 1.0

    def at(number: float) -> int:
        return round((WIDTH - 1) * (min(max(number, low), high) - low) / reach)

    first, last, middle = at(value.interval.low), at(value.interval.high), at(value.value)
    bar, dot = ("\u2500", "\u25cf") if is_utf8() else ("-", "o")
    letters = [bar if first <= n <= last else " " for n in range(WIDTH)]
    letters[middle] = dot
    return "".join(letters)
