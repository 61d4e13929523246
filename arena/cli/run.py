"""`arena run`: tick on schedule until stopped."""

import click

from arena.cli import later
from arena.cli.options import remembered
from arena.cli.say import note, report_line, say_line
from arena.errors import ArenaError


@click.command()
@click.option(
    "--jsonl",
    "as_lines",
    is_flag=True,
    is_eager=True,
    callback=remembered,
    help="Print one JSON document a tick, each in a line of its own.",
)
@click.pass_context
def run(context: click.Context, *, as_lines: bool) -> None:
    """Keep playing: tick now, and then whenever the schedule rings, until stopped.

    Stop it with Ctrl-C: what was done is kept, and the next start goes on from there. With
    --jsonl a line is what `arena tick --json` prints, and a tick that fails is a line on
    standard error.
    """
    config = context.obj.config
    settings = later.config.load_settings(config)
    note(f"ticking at {settings.schedule.ring} (UTC); stop with Ctrl-C")

    def job() -> None:
        try:
            report = later.tick.tick_once(config, None)
        except (ArenaError, OSError) as error:
            later.failure.explain(error, context.obj)
            return
        if as_lines:
            say_line(report=report)
            return
        click.echo(report_line(report))
        later.tick.complain(report)

    later.schedule.ring(settings.schedule.ring, job, later.wiring.secrets_of(settings))
