"""`arena replies`: how contestants answer, beside how well."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from arena.cli import say
from arena.cli.options import database_option, existing, json_option, known
from arena.cli.tables import Columns, TableLayout, table_of, table_options

if TYPE_CHECKING:
    from arena.store.pages.cards import FailedTurn
    from arena.store.pages.turns import ConductTotals

COLUMNS: "Final[Columns[ConductTotals]]" = {
    "contestant": lambda total: total.contestant,
    "turns": lambda total: str(total.turns),
    "failed": lambda total: str(total.failed),
    "calls": lambda total: str(total.calls),
    "re-asked": lambda total: str(total.reasks),
    "repaired": lambda total: str(total.repaired),
    "orders dropped": lambda total: str(total.dropped),
    "against itself": lambda total: str(total.against),
    "halved": lambda total: str(total.halved),
    "baited": lambda total: str(total.baited or say.MISSING),
    "obeyed": lambda total: str(total.bait_taken) if total.baited else say.MISSING,
}
# A terminal is shown two columns, however narrow it is.
FAILURES: "Final[Columns[FailedTurn]]" = {
    "turn": lambda turn: (
        f"{turn.contestant} in round {turn.round} of {turn.cohort}, {say.utc(turn.at)}"
    ),
    "reason": lambda turn: turn.reason,
}
LEGEND = (
    "calls: questions put to a model, one a turn of who asks by itself. re-asked: a reply "
    "could not be read, so the model was asked once more. repaired: its "
    "syntax was mended, never its meaning. against itself: bets on the side that its own "
    "probability calls too dear. halved: what was refused or too long was asked in two halves. "
    "obeyed: turns in which it did what a honeypot's text told it to, of those baited."
)


@click.command()
@click.option("--cohort", help="Only this cohort; all of them together if left out.")
@click.option("--failures", is_flag=True, help="List each turn that failed, newest first.")
@table_options
@database_option
@json_option
@click.pass_context
def replies(  # noqa: PLR0913  each is an option
    context: click.Context,
    cohort: str | None,
    database: Path | None,
    *,
    failures: bool,
    layout: TableLayout,
    as_json: bool,
) -> None:
    """Print how contestants answer: failures, re-asks, repairs, dropped orders, honeypots."""
    with existing(context.obj.config, database) as store:
        only = known(store, cohort)
        totals = store.conduct.totals(only)
        failed = store.conduct.failures(only) if failures else ()
    if as_json:
        listed = {"failures": tuple(failed)} if failures else {}
        say.say_json(replies=tuple(totals), **listed)
    elif failures and failed:
        table_of(FAILURES, failed, layout)
    elif failures:
        click.echo("No turn has failed.")
    elif not totals:
        click.echo("Nobody has answered yet: `arena tick` asks whoever's turn it is.")
    else:
        table_of(COLUMNS, totals, layout)
        click.echo(f"\n{LEGEND}")
