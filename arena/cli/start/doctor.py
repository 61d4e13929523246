"""`arena doctor`: look into everything, and say what is amiss."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from arena.cli import FINDINGS
from arena.cli.options import json_option
from arena.cli.say import one_line, say_json
from arena.clock import SystemClock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from arena.cli.start.checks import Finding

COLOURS: Final = {"ok": "green", "warn": "yellow", "fail": "red"}


@click.command()
@click.option("--offline", is_flag=True, help="Ask no server.")
@json_option
@click.pass_context
def doctor(context: click.Context, *, offline: bool, as_json: bool) -> None:
    """Look into everything that an arena needs, and say what is amiss and what to do.

    Python and what is installed, configuration, keys (whether their variables are set, never
    what is in them), clock, database, disk, folders, templates, schedule, site and servers.
    Exits with 3 when a finding is `fail`; a server that does not answer is a `warn`.
    """
    findings = tuple(_findings(context.obj.config, offline=offline))
    failed = sum(finding.state == "fail" for finding in findings)
    if as_json:
        say_json(ok=not failed, findings=findings)
    else:
        _say(findings)
    context.exit(FINDINGS if failed else 0)


def _findings(config: Path, *, offline: bool) -> "Iterator[Finding]":

    from arena.cli.start.checks import (
        of_configuration,
        of_database,
        of_folders,
        of_machine,
        of_network,
        of_templates,
    )

    now = SystemClock().now()
    yield from of_machine(now)
    settings, findings = of_configuration(config)
    yield from findings
    if settings is None:
        return
    yield from of_folders(settings)
    yield of_templates(settings)
    yield from of_database(settings, now)
    if not offline:
        yield from of_network(settings, SystemClock().now())


def _say(findings: "Sequence[Finding]") -> None:
    for finding in findings:
        mark = click.style(f"{finding.state:4}", fg=COLOURS[finding.state])
        click.echo(f"{mark}  {one_line(f'{finding.what}: {finding.detail}')}")
        if finding.hint and finding.state != "ok":
            click.echo(f"      {one_line(finding.hint)}")
    counts = {state: sum(finding.state == state for finding in findings) for state in COLOURS}
    click.echo(", ".join(f"{many} {state}" for state, many in counts.items()))
