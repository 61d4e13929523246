"""The commands that look at the configuration without running anything."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Protocol

import click

from arena import plugins
from arena.cli import Group
from arena.cli.options import json_option
from arena.config import Kind, Plugins, load_settings
from arena.config import check as problems_of
from arena.config import schema as schema_of

INVALID = 2


class Globals(Protocol):
    """What the command's global options say."""

    @property
    def config(self) -> Path:
        """The configuration file."""


@click.group(cls=Group)
def config() -> None:
    """Check the configuration, or describe it to an editor."""


@config.command()
@json_option
@click.pass_context
def check(context: click.Context, *, as_json: bool) -> None:
    """Read the configuration and all cohorts, and list everything that is wrong.

    Exits with 0 when all is well and with 2 when anything is not.
    """
    given: Globals = context.obj
    problems = problems_of(given.config, _plugins())
    if as_json:
        listed = [asdict(problem) for problem in problems]
        click.echo(json.dumps({"schema_version": 1, "ok": not listed, "problems": listed}))
    elif problems:
        click.echo("\n".join(str(problem) for problem in problems))
        click.echo(_count(len(problems), "problem"), err=True)
    else:
        click.echo(_all_well(given.config))
    context.exit(INVALID if problems else 0)


@config.command()
@click.option(
    "--kind",
    type=click.Choice(["config", "cohort"]),
    default="config",
    show_default=True,
    help="Which kind of file.",
)
def schema(kind: str) -> None:
    """Print the JSON schema of config.yaml or of a cohort file."""
    click.echo(json.dumps(schema_of(Kind(kind)), indent=2))


def _plugins() -> Plugins:

    return Plugins(
        venues=plugins.names(plugins.VENUES),
        llms=plugins.names(plugins.LLMS),
        agents=plugins.names(plugins.AGENTS),
    )


def _all_well(file: Path) -> str:

    settings = load_settings(file)
    cohorts = _count(len(settings.cohorts), "cohort")
    contestants = _count(len(settings.contestants), "contestant")
    return f"{file}: ok, {cohorts}, {contestants}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")
