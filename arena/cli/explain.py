"""`arena explain`: a published number, down to the rows it is made of."""

from typing import TYPE_CHECKING

import click

from arena.cli import say
from arena.cli.evidence import (
    Asked,
    complain_of_faults,
    file_option,
    gathered,
    json_option,
    level_option,
    source_options,
)

if TYPE_CHECKING:
    from arena.metrics.explain import Explained


@click.command()
@click.argument("contestant")
@click.argument("metric")
@file_option
@click.option(
    "--rows",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="How many rows are printed; --json has all of them.",
)
@level_option
@source_options
@json_option
@click.pass_context
def explain(  # noqa: PLR0913  a command's options are its arguments
    context: click.Context,
    contestant: str,
    metric: str,
    *,
    asked: Asked,
    rows: int,
    level: float,
    as_json: bool,
) -> int:
    """Show what CONTESTANT's METRIC is made of: formula, inputs, rows and a digest.

    METRIC is a key as `arena score --json` writes it: brier, log, alpha, mcb and so on.
    """
    from arena.metrics.explain import explain as explained  # noqa: PLC0415  brings numpy

    evidence = gathered(context, asked)
    found = explained(evidence.forecasts, contestant, metric, level=level)
    if as_json:
        say.say_json(
            where=evidence.where,
            standing=evidence.standing,
            words=evidence.words,
            explained=found,
        )
    else:
        _say(found, rows)
        click.echo(f"{evidence.words}.")
    return complain_of_faults(evidence)


def _say(found: "Explained", rows: int) -> None:
    metric = found.metric
    value, interval = say.with_interval(found.estimate, metric)
    click.echo(f"{metric.name} of {say.one_line(found.contestant)}: {value} ({interval})")
    for formula in metric.formulas:
        click.echo(f"  {formula}")
    click.echo(metric.words)
    for label, words in (
        ("interval", found.estimate.interval and found.estimate.interval.method),
        ("against", metric.reference),
        ("source", metric.source),
        ("caveat", metric.caveat),
    ):
        if words:
            click.echo(f"{label}: {words}")
    for name, number in found.inputs.items():
        click.echo(f"{name}: {number}")
    say.table(
        found.columns,
        [["n/a" if cell is None else str(cell) for cell in row] for row in found.rows[:rows]],
    )
    if len(found.rows) > rows:
        click.echo(f"({len(found.rows) - rows} more rows: --rows, or --json for all)")
    click.echo(f"rows  sha256 {found.digest}")
