"""`arena status`: how things stand."""

from collections.abc import Sequence
from typing import Final

import click

from arena.cli.options import existing, json_option
from arena.cli.say import one_line, say_json, utc
from arena.cli.tables import Columns, TableLayout, refuse_unknown, table_of, table_options
from arena.clock import SystemClock
from arena.records.report import CohortStatus, Status

COHORTS: Final[Columns[CohortStatus]] = {
    "cohort": lambda c: c.cohort,
    "started": lambda c: f"{c.started_at:%Y-%m-%d %H:%M}",
    "rounds": lambda c: (
        f"{c.rounds_played}/{c.rounds_planned}"
        + (f" ({c.rounds_missed} missed)" if c.rounds_missed else "")
    ),
    "next round": lambda c: f"{c.next_round:%Y-%m-%d %H:%M}" if c.next_round else "over",
    "open positions": lambda c: str(c.open_positions),
}


@click.command()
@click.option("--at", metavar="TIME", help="As of this moment; now if left out.")
@table_options
@json_option
@click.pass_context
def status(
    context: click.Context, at: str | None, *, layout: TableLayout, as_json: bool
) -> None:
    """Say what ran, what is due, what is stuck and how old the prices are.

    --columns, --sort and --limit shape the table of running cohorts.
    """
    from arena.cli.operations.health import growth_lines
    from arena.cli.play.tick import moment
    from arena.config import load_settings
    from arena.steps.status import status as arena_status
    from arena.watch.conditions import growth_of

    refuse_unknown([*COHORTS], layout)
    settings = load_settings(context.obj.config)
    now = SystemClock().now() if at is None else moment(at)
    with existing(context.obj.config, None) as store:
        current = arena_status(store, settings.cohorts, settings.schedule, now, settings.models)
        growth = growth_of(store, settings, now)
    if as_json:
        say_json(status=current, growth=growth)
    else:
        _say(current, growth_lines(growth), layout)


def _say(current: Status, growth: Sequence[str], layout: TableLayout) -> None:
    last = utc(current.last_tick) if current.last_tick else "never"
    click.echo(f"last poll: {last}")
    for name, lines in (("due", current.due), ("stuck", current.stuck)):
        click.echo(f"{name}: {'nothing' if not lines else ''}".rstrip())
        for line in lines:
            click.echo(f"  {one_line(line)}")
    for line in (*current.waiting, *current.retiring):
        click.echo(one_line(line))
    for venue in current.venues:
        age = venue.oldest_price_age
        answered = (
            f"last answered {utc(venue.last_poll)}" if venue.last_poll else "never answered"
        )
        price = (
            "no price in use"
            if age is None
            else f"oldest price in use {f'{age}'.partition('.')[0]} old"
        )
        held = f"{venue.held_markets} market{'s' * (venue.held_markets != 1)} held"
        click.echo(f"venue {one_line(venue.venue)}: {answered}, {price}, {held}")
    for line in growth:
        click.echo(line)
    if current.cohorts:
        table_of(COHORTS, current.cohorts, layout)
    else:
        click.echo("no cohort is running")
