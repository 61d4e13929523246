"""`arena run`: tick on schedule until stopped."""

import click

from arena.cli.failure import complain_of, in_our_words
from arena.cli.say import report_line
from arena.cli.tick import complain, tick_once
from arena.config import load_settings
from arena.errors import ArenaError
from arena.schedule import ring


@click.command()
@click.pass_context
def run(context: click.Context) -> None:
    """Keep playing: tick now, and then whenever the schedule rings, until stopped.

    Stop it with Ctrl-C: what was done is kept, and the next start goes on from there.
    """
    config = context.obj.config
    settings = load_settings(config)
    click.echo(f"ticking at {settings.schedule.ring} (UTC); stop with Ctrl-C", err=True)

    def job() -> None:
        try:
            report = tick_once(config, None)
        except (ArenaError, OSError) as error:
            complain_of(in_our_words(error))
            return
        click.echo(report_line(report))
        complain(report)

    ring(settings.schedule.ring, job)
