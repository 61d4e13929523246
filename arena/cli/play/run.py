"""`arena run`: tick on schedule until stopped."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import click

from arena.cli.options import host_and_port, remembered
from arena.cli.say import note, report_line, say_line, usage_error
from arena.clock import SystemClock
from arena.errors import ArenaError

ENDING = "asked to end: the tick under way is finished first; asked again, it stops at once"


@click.command()
@click.option(
    "--jsonl",
    "as_lines",
    is_flag=True,
    is_eager=True,
    callback=remembered,
    help="Print one JSON document a tick, each in a line of its own.",
)
@click.option(
    "--listen",
    metavar="HOST:PORT",
    help="Answer GET /healthz here: 200 while the arena is well, else 503.",
)
@click.pass_context
def run(context: click.Context, *, listen: str | None, as_lines: bool) -> None:
    """Keep playing: tick now, and then whenever the schedule rings, until stopped.

    Stop it with Ctrl-C: what was done is kept, and the next start goes on from there. Asked
    to end by SIGTERM, it finishes the tick that is under way first; asked again, it stops at
    once. With --jsonl a line is what `arena tick --json` prints, and a tick that fails is a
    line on standard error.
    """
    from arena.cli.play.tick import complain, left_to_another, tick_once
    from arena.cli.say import explain
    from arena.config import load_settings
    from arena.tick_timer import next_ring, ring
    from arena.wiring import secrets_of

    config = context.obj.config
    settings = load_settings(config)
    if next_ring(settings.schedule.ring, SystemClock().now()) is None:
        raise usage_error(
            "schedule.never",
            f"there is no day on which {settings.schedule.ring!r} rings",
            hint="name another day or month under schedule.ring in config.yaml",
        )
    note(f"ticking at {settings.schedule.ring} (UTC); stop with Ctrl-C")

    def job() -> None:
        try:
            report = tick_once(config, None)
        except (ArenaError, OSError) as error:
            if not left_to_another(error, as_json=as_lines):
                explain(error, context.obj)
            return
        if as_lines:
            say_line(report=report)
            return
        click.echo(report_line(report))
        complain(report)

    def ending() -> None:
        if not context.obj.quiet:  # the words of this thread may be half said
            Thread(target=click.echo, args=(ENDING,), kwargs={"err": True}).start()

    with _health_served(config, listen):
        ring(settings.schedule.ring, job, ending, secrets_of(settings))
    note("ended as asked: what was done is kept")


@contextmanager
def _health_served(config: Path, listen: str | None) -> Iterator[None]:
    """Answer probes while the arena runs, where that is wanted."""
    from arena.config import load_settings
    from arena.watch.conditions import health_of_arena
    from arena.watch.healthz import serving_health

    if listen is None:
        yield
        return
    host, port = host_and_port(listen, "--listen")
    clock = SystemClock()
    with serving_health(
        host, port, lambda: health_of_arena(load_settings(config), clock.now())
    ) as chosen:
        where = f"[{host}]" if ":" in host else host
        note(f"health at http://{where}:{chosen}/healthz")
        yield
