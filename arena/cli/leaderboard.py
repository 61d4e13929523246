"""`arena leaderboard`: print the table, with what is sure of its order."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from arena.cli import later
from arena.cli.evidence import grader, settings_of
from arena.cli.options import database_option, json_option
from arena.cli.say import MISSING, between, one_line, say_json
from arena.cli.tables import AS_IT_IS, Look, is_utf8, refuse_unknown, table, table_options
from arena.clock import SystemClock
from arena.records.cohort import ContestantId, RankBy
from arena.records.entrant import Edition
from arena.records.grade import Board
from arena.records.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arena.records.estimate import Estimate
    from arena.site.overview import Overview, Place
    from arena.store import Store

WIDTH: Final = 17
MARKET: Final = "the market's price"


@dataclass(frozen=True, slots=True)
class Pen:
    """The letters that an interval is drawn with."""

    bar: str
    value: str


@click.command()
@click.option("--cohort", help="Only this cohort; all of them together if left out.")
@click.option(
    "--rank-by",
    type=click.Choice([r.value for r in RankBy]),
    help="Order by a number of the books, without intervals.",
)
@click.option("--fast", is_flag=True, help="The books alone: no intervals and no rank ranges.")
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
    look: Look,
    database: Path | None,
    as_json: bool,
) -> None:
    """Print the leaderboard: who beats the market, who leads, and the books.

    The order and the first sentence are those of the site; each contestant has the ranks that
    tests of all pairs leave possible. With --cohort, --rank-by or --fast the order is that of
    the books alone. `arena leaderboard --sort -return --limit 5` is a table of your own.
    """
    by = RankBy(rank_by) if rank_by else None
    plainly = fast or bool(cohort or rank_by)
    settings = settings_of(context.obj.config, database)
    with later.database.existing(context.obj.config, database) as store:
        only = later.database.known(store, cohort)
        boards = store.boards
        board = boards.of_cohort(only, by) if only else boards.overall(by)
        shown = later.seal.evidence_of(store, only, grader(settings))
        sure, news = None, ""
        notice = settings.publishing.notice if settings else ""
        if board.standings and not plainly:
            sure, news = sure_of(store, board, settings)
    if as_json:
        told = sure and _document(sure, news)
        say_json(leaderboard=board, evidence=shown, overview=told, demonstration=notice)
        return
    if sure:
        say_ranked(board, sure, news, look)
    elif board.standings:
        table(*later.board.board_rows(board), look)
    for line in later.board.remarks(board):
        click.echo(line)
    if notice:
        click.echo(notice)
    if board.standings:
        click.echo(one_line(shown.words))


def sure_of(
    store: "Store", board: Board, settings: Settings | None
) -> "tuple[Overview | None, str]":
    """What is estimated of everybody, and the front page's first sentence.

    Of a file without settings contestants have no labels, and those that are called like a
    baseline are one. It is None where nothing has resolved yet.
    """
    at = board.as_of or SystemClock().now()
    if settings is None:
        names = (line.contestant for line in board.standings)
        edition = Edition(later.wiring.cast_by_name(names))
        found = later.overview.read_overview(store, edition.cast)
    else:
        edition = Edition(later.wiring.cast(settings), settings.publishing, settings.season)
        source = later.work.Source(store, Path(settings.templates), edition, at)
        found = later.work.known_overview(source, Path(settings.site))
    if not found.headline:
        return None, ""
    reading = later.reading.Reading(
        store, later.showcase.Showcase(store.db), edition, at, found
    )
    return found, later.headline.headline(reading).whole


def _document(sure: "Overview", news: str) -> dict[str, object]:
    return {
        "headline": sure.headline,
        "ranked_by": sure.order_by,
        "level": sure.level,
        "as_of": sure.as_of,
        "sentence": news,
        "ranked": later.evidence.may_rank(sure),
        "tied": sure.tied,
        **{said: _shown_to_be(sure, said) for said in ("better", "worse")},
        "market": sure.market_place,
        "places": [
            {
                "contestant": name,
                "rank": sure.profiles[name].place.rank,
                "low": sure.profiles[name].place.low,
                "high": sure.profiles[name].place.high,
                "value": sure.profiles[name].scores.get(sure.order_by),
            }
            for name in _in_order(sure)
        ],
    }


def _shown_to_be(sure: "Overview", verdict: str) -> list[str]:
    """Those who are shown to be better, or worse, than the market's price."""
    tests = sure.against.tests if sure.against and later.evidence.may_rank(sure) else ()
    return [one.contestant for one in tests if one.verdict == verdict]


def say_ranked(board: Board, sure: "Overview", news: str, look: Look = AS_IT_IS) -> None:
    """Print everybody in the order of the site: ranks, what is sure of them, the books.

    The market's price has a line of the same ranking; baselines stand last, without a rank.
    `news` is the sentence that stands above them.
    """
    metric = later.registry.METRICS[sure.order_by]
    head, rows = later.board.board_rows(board)
    books = {row[1]: row[2:] for row in rows}
    span, pen = _span(_value(sure, name) for name in sure.order), _pen()
    ranked = later.evidence.may_rank(sure)
    lines = []
    for name in _in_order(sure):
        value = _value(sure, name)
        place = sure.profiles[name].place if ranked else None
        lines.append(
            [
                _ranks(place),
                name,
                metric.shown(value.value if value else None),
                _whisker(value, span, pen),
                between(value.interval if value else None, metric),
                str(value.n if value else 0),
                *books.get(name, [MISSING] * (len(head) - 2)),
            ]
        )
    if metric.signed:
        blank = [MISSING] * (len(head) - 2)
        at = _market_at(sure)
        place = sure.market_place if ranked else None
        lines.insert(
            at, [_ranks(place), MARKET, metric.shown(0.0), " " * WIDTH, "", "", *blank]
        )
    share = f"{100 * sure.level:g}%"
    named = ("ranks", "contestant", metric.short, "drawn", f"{share} interval", "n")
    whole = (*named, *head[2:])
    refuse_unknown(whole, look)
    click.echo(one_line(news))
    table(whole, lines, look)
    if ranked:
        click.echo(
            f"ranks: possible ranks by {metric.spoken}, a {share} confidence set from tests of "
            "all pairs; from 1 on nobody is shown to be better; overlap is no tie"
        )


def _in_order(sure: "Overview") -> list[ContestantId]:
    """Those who have a rank, best first, then everybody else."""
    return sorted(sure.order, key=lambda name: sure.profiles[name].place.rank is None)


def _value(sure: "Overview", name: ContestantId) -> "Estimate | None":
    return sure.profiles[name].scores.get(sure.order_by)


def _market_at(sure: "Overview") -> int:
    """After how many of those who have a rank the market's price stands."""
    if sure.market_place and sure.market_place.rank:
        return sure.market_place.rank - 1
    values = (_value(sure, name) for name in sure.order if sure.profiles[name].place.rank)
    return sum(one is not None and (one.value or 0.0) > 0 for one in values)


def _ranks(place: "Place | None") -> str:
    if place is None or place.rank is None:
        return MISSING
    return f"{place.low}-{place.high}" if place.low != place.high else str(place.low)


def _pen() -> Pen:
    """Plain letters where the output has no others."""
    return Pen("\u2500", "\u25cf") if is_utf8() else Pen("-", "o")


def _span(values: "Iterable[Estimate | None]") -> tuple[float, float] | None:
    """From the lowest to the highest end of all intervals; None where there is none."""
    found = [value.interval for value in values if value and value.interval]
    if not found:
        return None
    return min(one.low for one in found), max(one.high for one in found)


def _whisker(value: "Estimate | None", span: tuple[float, float] | None, pen: Pen) -> str:
    """Draw an interval on the line that all of them share."""
    if value is None or value.value is None or value.interval is None or span is None:
        return " " * WIDTH
    low, high = span
    reach = (high - low) or 1.0

    def at(number: float) -> int:
        return round((WIDTH - 1) * (min(max(number, low), high) - low) / reach)

    first, last, middle = at(value.interval.low), at(value.interval.high), at(value.value)
    letters = [pen.bar if first <= n <= last else " " for n in range(WIDTH)]
    letters[middle] = pen.value
    return "".join(letters)
