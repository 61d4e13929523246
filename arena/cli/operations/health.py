"""`arena health`: is the arena well, and who would be told if not?"""

from typing import TYPE_CHECKING

import click

from arena.cli import FINDINGS, say
from arena.cli.options import json_option
from arena.cli.say import usage_error
from arena.metrics.figures import many
from arena.records.operations import Condition, Growth, Health, Severity

if TYPE_CHECKING:
    from arena.records.report import Failure

MEGABYTE = 1_000_000
TEST = Condition("test", Severity.WARNING, "this is a test of the alarms", "nothing is wrong")


@click.command()
@click.option("--at", metavar="TIME", help="As of this moment; now if left out.")
@click.option("--alarm", is_flag=True, help="Tell the channels of what began and ended.")
@click.option("--test", is_flag=True, help="Send a test alarm to each channel, and its end.")
@json_option
@click.pass_context
def health(
    context: click.Context, at: str | None, *, alarm: bool, test: bool, as_json: bool
) -> None:
    """Say whether the arena runs as it should: ticks, venues, models, money, disk, backups.

    Nobody is asked and nothing is changed. Exits with 3 while something is an alarm. Run with
    --alarm by another schedule than the arena's, it tells of ticks that stopped.
    """
    from arena.cli.play.tick import moment
    from arena.clock import SystemClock
    from arena.config import load_settings
    from arena.watch.alarms import tell
    from arena.watch.conditions import health_of_arena

    settings = load_settings(context.obj.config)
    now = SystemClock().now().replace(microsecond=0) if at is None else moment(at)
    found = health_of_arena(settings, now)
    failures: tuple[Failure, ...] = ()
    if (alarm or test) and not settings.watch.alarms:
        raise usage_error(
            "watch.nobody",
            "nobody is configured to be told",
            hint="`watch: {alarms: [...]}` in config.yaml; docs/operations.md has the kinds",
        )
    if test:
        failures = tell(settings, (*found.conditions, TEST), now, ok=None)
    if alarm or test:
        failures += tell(settings, found.conditions, now, ok=None)
    if as_json:
        say.say_json(health=found, not_told=failures)
    else:
        _say(found)
        for failure in failures:
            click.echo(f"{failure.what}\n  hint: {failure.hint}", err=True)
    context.exit(0 if found.ok and not failures else FINDINGS)


def _say(found: Health) -> None:
    alarms = sum(c.severity is Severity.ALARM for c in found.conditions)
    warnings = len(found.conditions) - alarms
    found_well = "well" if found.ok else "NOT WELL"
    click.echo(f"{found_well}: {many(alarms, 'alarm')}, {many(warnings, 'warning')}")
    for condition in found.conditions:
        click.echo(f"{condition.severity}: {condition.what}")
        if condition.hint:
            click.echo(f"  hint: {condition.hint}")
    never = "never"
    click.echo(f"last tick: {say.utc(found.last_tick) if found.last_tick else never}")
    click.echo(f"next tick: {say.utc(found.next_tick) if found.next_tick else never}")
    if found.day_spent is not None:
        click.echo(f"budget of the day: {found.day_spent:.0%} spent")
    if found.newest_backup is not None:
        click.echo(f"newest backup: {say.utc(found.newest_backup)}")
    if found.growth is not None:
        for line in growth_lines(found.growth):
            click.echo(line)


def growth_lines(growth: Growth) -> list[str]:
    """How large the files are, and when they reach a limit."""
    sizes = f"database {_mb(growth.database)}, site {_mb(growth.site)}, free {_mb(growth.free)}"
    pace = "" if growth.daily is None else f"; {growth.daily / MEGABYTE:.2f} MB more a day"
    lines = [sizes + pace]
    for what, day in (
        ("the disk is full", growth.disk_full_on),
        (f"the site reaches its host's {_mb(growth.site_limit)}", growth.site_full_on),
    ):
        if day is not None:
            lines.append(f"at this pace {what} on {day:%Y-%m-%d}")
    return lines


def _mb(size: int) -> str:
    return f"{size / MEGABYTE:,.1f} MB"
