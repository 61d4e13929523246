"""`arena calibration`: whether probabilities mean what they say."""

from typing import TYPE_CHECKING

import click

from arena.cli import say
from arena.cli.options import json_option
from arena.cli.scores.evidence import (
    ForecastSelection,
    complain_of_faults,
    file_option,
    gathered,
    level_option,
    source_options,
)
from arena.cli.tables import TableLayout, refuse_unknown, table, table_options
from arena.metrics.registry import METRICS

if TYPE_CHECKING:
    from arena.metrics.calibration import Reliability

BINS = ("forecast", "", "n", "mean", "came true", "band")


@click.command()
@click.argument("contestant", required=False)
@file_option
@level_option
@click.option(
    "--draws",
    type=click.IntRange(100, 100_000),
    default=2_000,
    help="How often events are resampled.",
)
@source_options
@table_options
@json_option
@click.pass_context
def calibration(  # noqa: PLR0913  a command's options are its arguments
    context: click.Context,
    contestant: str | None,
    *,
    selection: ForecastSelection,
    level: float,
    draws: int,
    layout: TableLayout,
    as_json: bool,
) -> int:
    """Compare forecasts with frequencies: bins, the CORP curve, bands and a test.

    Without CONTESTANT everybody is shown in turn. --columns, --sort and --limit shape the
    tables of bins.
    """
    from arena.metrics.calibration import reliabilities

    if not as_json:
        refuse_unknown(BINS, layout)
    evidence = gathered(context, selection)
    curves = reliabilities(evidence.forecasts, contestant, level=level, draws=draws)
    if as_json:
        say.say_json(
            **evidence.weighed("calibration"),
            left_out=dict(evidence.forecasts.left_out),
            draws=draws,
            contestants=curves,
        )
    else:
        for n, curve in enumerate(curves):
            if n:
                click.echo()
            _say(curve, layout)
        if not curves:
            click.echo("no forecast has resolved yet")
    return complain_of_faults(evidence)


def _say(curve: "Reliability", layout: TableLayout) -> None:
    share = f"{100 * curve.level:g} %"
    click.echo(
        f"{say.one_line(curve.contestant)}: {curve.n} forecasts of {curve.events} events"
    )
    table(
        ["", "", "value", f"{share} interval"],
        [
            [METRICS[key].short, METRICS[key].name, *say.with_interval(e, METRICS[key])]
            for key, e in curve.scores.items()
        ],
    )
    click.echo(
        "MCB, DSC, REL, RES and ECE are never below 0 and grow with noise: read the test of "
        "miscalibration"
    )
    bias = say.with_interval(curve.bias, METRICS["brier"])
    click.echo(f"mean forecast less frequency: {bias[0]} {bias[1]}")
    if curve.test.p is not None:
        click.echo(
            f"miscalibration beyond chance: p = {curve.test.p:.4f} "
            "(outcomes drawn from the forecasts, by event)"
        )
    if curve.few:
        click.echo("fewer than 20 forecasts: the curve follows the noise")
    click.echo(f"a calibrated contestant's frequency lies in the band with {share}:")
    table(
        BINS,
        [
            [
                f"{bin_.starts:g} to {bin_.ends:g}",
                "" if bin_.low <= bin_.frequency <= bin_.high else "outside",
                str(bin_.n),
                f"{bin_.mean_forecast:.3f}",
                f"{bin_.frequency:.3f}",
                f"{bin_.low:.3f} to {bin_.high:.3f}",
            ]
            for bin_ in curve.bins
        ],
        layout,
    )
