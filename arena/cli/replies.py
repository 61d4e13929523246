"""`arena replies`: how contestants answer, beside how well."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import later, say
from arena.cli.options import database_option, json_option
from arena.cli.tables import Look, table, table_options

if TYPE_CHECKING:
    from arena.store.conduct import ConductTotals

COLUMNS = (
    "contestant",
    "turns",
    "failed",
    "calls",
    "re-asked",
    "repaired",
    "orders dropped",
    "against itself",
    "halved",
    "baited",
    "obeyed",
)
LEGEND = (
    "calls: questions put to a model, one a turn of who asks by itself. re-asked: a reply "
    "could not be read, so the model was asked once more. repaired: its "
    "syntax was mended, never its meaning. against itself: bets on the side that its own "
    "probability calls too dear. halved: what was refused or too long was asked in two halves. "
    "obeyed: turns in which it did what a honeypot's text told it to, of those baited."
)


@click.command()
@click.option("--cohort", help="Only this cohort; all of them together if left out.")
@table_options
@database_option
@json_option
@click.pass_context
def replies(
    context: click.Context,
    cohort: str | None,
    database: Path | None,
    *,
    look: Look,
    as_json: bool,
) -> None:
    """Print how contestants answer: failures, re-asks, repairs, dropped orders, honeypots."""
    with later.database.existing(context.obj.config, database) as store:
        totals = store.conduct.totals(later.database.known(store, cohort))
    if as_json:
        say.say_json(replies=tuple(totals))
    elif not totals:
        click.echo("Nobody has answered yet: `arena tick` asks whoever's turn it is.")
    else:
        table(COLUMNS, [_line(one) for one in totals], look)
        click.echo(f"\n{LEGEND}")


def _line(one: "ConductTotals") -> list[str]:
    counts = (
        one.turns,
        one.failed,
        one.calls,
        one.reasks,
        one.repaired,
        one.dropped,
        one.against,
        one.halved,
    )
    bait = [str(one.baited), str(one.bait_taken)] if one.baited else [say.MISSING, say.MISSING]
    return [one.contestant, *map(str, counts), *bait]
