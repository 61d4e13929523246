"""`arena costs`: what asking the models took."""

from contextlib import suppress
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from arena.cli.options import database_option, existing, json_option, known
from arena.cli.say import MISSING, one_line, say_json
from arena.cli.tables import Columns, TableLayout, table_of, table_options
from arena.clock import SystemClock
from arena.errors import ArenaError
from arena.records.settings import Budgets

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.steps.rounds.budget import BudgetPurse
    from arena.store.pages.costs import CostLine, DocumentCosts, Tokens

UNKNOWN = "unknown"
BY = ("day", "cohort", "contestant", "model", "provider")


@click.command()
@click.option(
    "--by", type=click.Choice(BY), default="contestant", help="What to add calls up by."
)
@click.option("--cohort", help="Only this cohort; all of them together if left out.")
@click.option("--since", metavar="DAY", help="Only what was asked from this day (UTC) on.")
@click.option("--at", metavar="TIME", help="Budgets as of this moment; now if left out.")
@table_options
@database_option
@json_option
@click.pass_context
def costs(  # noqa: PLR0913  each is an option of the command
    context: click.Context,
    *,
    by: str,
    cohort: str | None,
    since: str | None,
    at: str | None,
    layout: TableLayout,
    database: Path | None,
    as_json: bool,
) -> None:
    """Say what calls of models took: tokens, dollars, attempts, and what budgets have left.

    A cost that nobody knows is unknown, not 0.
    """
    from arena.cli.play.tick import moment
    from arena.config import load_settings
    from arena.steps.rounds.budget import Guard
    from arena.store.pages.costs import By, SqliteCosts

    start = None if since is None else _day(since)
    now = SystemClock().now() if at is None else moment(at)
    budgets = Budgets() if database else load_settings(context.obj.config).budgets
    with existing(context.obj.config, database) as store:
        only, spent = known(store, cohort), SqliteCosts(store.db)
        lines, total = spent.lines(By(by), only, start), spent.total(only, start)
        documents = spent.documents(only, start)
        running = [c.id for c in store.books.running()] if only is None else [only]
        purses = list(Guard(budgets, spent).purses(now, running))
    if as_json:
        left = [
            {"budget": p.what, "cap": p.cap, "spent": p.spent, "left": p.left} for p in purses
        ]
        say_json(by=by, lines=lines, total=total, budgets=left, documents=documents)
        return
    _say(by, lines, total, layout)
    if documents.rounds:
        click.echo(_documents(documents))
    for purse in purses:
        click.echo(_words(purse))
    if budgets == Budgets() and not database:
        click.echo("No budget is set: `budgets` in the configuration caps what may be spent.")


def _say(by: str, lines: "Sequence[CostLine]", total: "CostLine", layout: TableLayout) -> None:
    if not lines:
        click.echo("No model was asked: `arena tick` asks those of the contestants in play.")
        return
    table_of({by: lambda line: line.name or MISSING, **COLUMNS}, lines, layout, total=total)
    for what, number, words in (
        (
            "Of unknown cost",
            total.unknown_cost,
            "no usage came back, or their model has no price (price_in and price_out)",
        ),
        ("Never came back", total.unheard, "they may have been billed"),
        (
            "Failed attempts that may have been billed",
            total.maybe_billed,
            "budgets count the worst case",
        ),
    ):
        if number:
            click.echo(f"{what}: {number}; {words}.")
    if any("+" in cell(line) for line in lines for cell in COLUMNS.values()):
        click.echo("A number with + is at least that: some calls did not say.")


def _documents(costs: "DocumentCosts") -> str:
    known = UNKNOWN if costs.cost is None else f"${costs.cost:,.4f}"
    more = f", of {costs.unknown_cost} of them not known" if costs.unknown_cost else ""
    return (
        f"Documents of {costs.rounds} rounds: {costs.requests} requests, {known}{more}; "
        "no budget counts them."
    )


def _tokens(count: "Tokens") -> str:
    if count.known is None:
        return UNKNOWN
    return f"{count.known:,}{'+' if count.untold else ''}"


def _cost(line: "CostLine") -> str:
    if line.cost is None:
        return UNKNOWN
    return f"{line.cost:,.4f}{'+' if line.unknown_cost else ''}"


# A narrow terminal shows the first ones.
COLUMNS: "Final[Columns[CostLine]]" = {
    "calls": lambda line: str(line.calls),
    "cost $": _cost,
    "of unknown cost": lambda line: str(line.unknown_cost),
    "attempts": lambda line: str(line.attempts),
    "re-asks": lambda line: str(line.reasks),
    "tokens in": lambda line: _tokens(line.tokens_in),
    "cached": lambda line: _tokens(line.tokens_cached),
    "written": lambda line: _tokens(line.tokens_written),
    "out": lambda line: _tokens(line.tokens_out),
    "reasoning": lambda line: _tokens(line.tokens_reasoning),
    "failed": lambda line: str(line.failed),
    "maybe billed": lambda line: str(line.maybe_billed),
    "priced": lambda line: "; ".join(line.priced) or MISSING,
}


def _words(purse: "BudgetPurse") -> str:
    from arena.steps.rounds import budget

    dollars = budget.dollars
    heading = f"Budget of {dollars(purse.cap)} for {one_line(purse.what)}: "
    more = purse.spent.unknown
    uncounted = f", and {more} calls of unknown cost are not counted" if more else ""
    return (
        f"{heading}{dollars(purse.spent.counted)} spent, {dollars(purse.left)} left{uncounted}."
    )


def _day(text: str) -> datetime:
    """Read a day, or a moment with its zone."""
    from arena.cli.play.tick import moment

    stamp = text
    with suppress(ValueError):
        stamp = f"{date.fromisoformat(text).isoformat()}T00:00Z"
    try:
        return moment(stamp)
    except ArenaError as error:
        message = f"not a day, nor a moment with a time zone: {text!r}"
        hint = "write it like 2026-01-05 or 2026-01-05T09:00Z"
        raise ArenaError(error.code, message, hint=hint, status=error.status) from error
