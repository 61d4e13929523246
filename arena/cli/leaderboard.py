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
from arena.records.cohort import RankBy
from arena.records.entrant import Edition
from arena.records.grade import Board
from arena.records.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from arena.records.estimate import Estimate
    from arena.site.overview import Overview, Place
    from arena.store import Store

WIDTH: Final = 17


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
    """Print the leaderboard: who leads, how sure that is, and the books.

    Ranks are those of the site: by skill where it can be told, each with the ranks that tests
    of all pairs leave open. With --cohort, --rank-by or --fast the order is that of the books
    alone. `arena leaderboard --sort -return --limit 5` is a table of your own.
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
        if board.standings and not plainly:
            sure, news = sure_of(store, board, settings)
    if as_json:
        told = sure and _document(sure, news)
        say_json(leaderboard=board, evidence=shown, overview=told)
        return
    if sure:
        say_ranked(board, sure, news, look)
    elif board.standings:
        table(*later.board.board_rows(board), look)
    for line in later.board.remarks(board):
        click.echo(line)
    if board.standings:
        click.echo(one_line(shown.words))


def sure_of(
    store: "Store", board: Board, settings: Settings | None
) -> "tuple[Overview | None, str]":
    """What is estimated of everybody, and the front page's first sentence.

    Another arena's file has no settings here, so contestants in it have no labels. It is None
    where nothing has come out yet.
    """
    at = board.as_of or SystemClock().now()
    if settings is None:
        edition = Edition({})
        found = later.overview.read_overview(store, edition.cast)
    else:
        edition = Edition(later.wiring.cast(settings), settings.publishing)
        source = later.work.Source(store, Path(settings.templates), edition, at)
        found = later.work.known_overview(source, Path(settings.site))
    if not found.headline:
        return None, ""
    reading = later.reading.Reading(
        store, later.showcase.Showcase(store.db), edition, at, found
    )
    return found, later.verdict.news(board, later.ranking.lines_of(board, reading), reading)


def _document(sure: "Overview", news: str) -> dict[str, object]:
    return {
        "headline": sure.headline,
        "level": sure.level,
        "as_of": sure.as_of,
        "sentence": news,
        "tied": sure.tied,
        "places": [
            {
                "contestant": name,
                "rank": sure.profiles[name].place.rank,
                "low": sure.profiles[name].place.low,
                "high": sure.profiles[name].place.high,
                "value": sure.profiles[name].scores.get(sure.headline),
            }
            for name in sure.order
        ],
    }


def say_ranked(board: Board, sure: "Overview", news: str, look: Look = AS_IT_IS) -> None:
    """Print everybody in the order of the site: ranks, what is sure of them, the books.

    `news` is the sentence that stands above them.
    """
    metric = later.registry.METRICS[sure.headline]
    head, rows = later.board.board_rows(board)
    books = {row[1]: row[2:] for row in rows}
    values = {name: sure.profiles[name].scores.get(sure.headline) for name in sure.order}
    span, pen = _span(values.values()), _pen()
    lines = []
    for name in sure.order:
        place, value = sure.profiles[name].place, values[name]
        interval = value.interval if value else None
        drawn = _whisker(value, span, pen)
        lines.append(
            [
                MISSING if place.rank is None else str(place.rank),
                name,
                _ranks(place),
                metric.shown(value.value if value else None),
                drawn,
                between(interval, metric),
                str(value.n if value else 0),
                *books.get(name, [MISSING] * (len(head) - 2)),
            ]
        )
    share = f"{100 * sure.level:g}%"
    named = ("rank", "contestant", "ranks", metric.short, "drawn", f"{share} interval", "n")
    whole = (*named, *head[2:])
    refuse_unknown(whole, look)
    click.echo(one_line(news))
    table(whole, lines, look)
    click.echo(f"ranks: by {metric.spoken}, and what tests of all pairs leave open, {share}")


def _ranks(place: "Place") -> str:
    if place.rank is None:
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
