"""`arena leaderboard`: print the table."""

from pathlib import Path

import click

from arena.cli import say
from arena.cli.database import existing, known
from arena.cli.options import database_option, json_option
from arena.records.cohort import RankBy
from arena.steps.seal import evidence_of


@click.command()
@click.option("--cohort", help="Only this cohort; all of them together if left out.")
@click.option(
    "--rank-by",
    type=click.Choice([r.value for r in RankBy]),
    help="The order; the newest cohort's own rule if left out.",
)
@database_option
@json_option
@click.pass_context
def leaderboard(
    context: click.Context,
    cohort: str | None,
    rank_by: str | None,
    database: Path | None,
    *,
    as_json: bool,
) -> None:
    """Print the leaderboard: returns, Brier scores of each mapping, win rates, cost."""
    by = RankBy(rank_by) if rank_by else None
    with existing(context.obj.config, database) as store:
        only = known(store, cohort)
        boards = store.boards
        board = boards.of_cohort(only, by) if only else boards.overall(by)
        shown = evidence_of(store, only)
    if as_json:
        say.say_json(leaderboard=board, evidence=shown)
    else:
        say.leaderboard(board)
        if board.standings:
            click.echo(say.one_line(shown.words))
