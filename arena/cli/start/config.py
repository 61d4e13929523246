"""The commands that look at the configuration without running anything."""

import json
from pathlib import Path

import click
from click.core import ParameterSource

from arena.cli import CommandGroup, Globals
from arena.cli.options import json_option
from arena.cli.say import note, one_line, say_json
from arena.metrics.figures import many

INVALID = 2
_ORIGINS = {
    ParameterSource.COMMANDLINE: "flag",
    ParameterSource.ENVIRONMENT: "variable",
    ParameterSource.DEFAULT: "default",
}


@click.group(cls=CommandGroup)
def config() -> None:
    """Check the configuration, show it, or describe it to an editor."""


@config.command()
@json_option
@click.pass_context
def check(context: click.Context, *, as_json: bool) -> None:
    """Read the configuration and all cohorts, and list everything that is wrong.

    Where the files are right, every plugin is asked whether it takes its options; nothing is
    asked of a server, and no key is read. Exits with 0 when all is well and with 2 when
    anything is not.
    """
    from arena import plugins
    from arena.cli.start.checks import UNCHECKED, refusals
    from arena.config import check as check_config
    from arena.config import load_settings

    given: Globals = context.obj
    groups: tuple[str, ...] = (plugins.VENUES, plugins.LLMS, plugins.AGENTS, plugins.CONTEXTS)
    problems = check_config(given.config, {group: plugins.names(group) for group in groups})
    refused = [] if problems else list(refusals(load_settings(given.config)))
    lines = [str(problem) for problem in (*problems, *refused)]
    if as_json:
        refused_texts = [str(problem) for problem in refused]
        say_json(ok=not lines, problems=problems, refused=refused_texts, unchecked=UNCHECKED)
    elif lines:
        click.echo("\n".join(one_line(line) for line in lines))
        note(many(len(lines), "problem"))
    else:
        click.echo(_all_well(given.config))
        for line in UNCHECKED:
            note(f"not looked into: {line}")
    context.exit(INVALID if lines else 0)


@config.command()
@click.option("--origin", is_flag=True, help="Say where each value is from.")
@json_option
@click.pass_context
def show(context: click.Context, *, origin: bool, as_json: bool) -> None:
    """Print every setting in force: global options, and each key of the configuration.

    A flag goes before a variable, a variable before the file, and the file before the
    default. Keys of services are never shown: the file has only their variables' names.
    """
    from arena.config import listed, load_settings

    given: Globals = context.obj
    load_settings(given.config)  # says what is wrong, if anything is
    settings = _options(context)
    settings += [
        (
            setting.key,
            setting.value,
            f"{given.config}:{setting.line}" if setting.line else "default",
        )
        for setting in listed(given.config)
    ]
    if as_json:
        say_json(settings=[{"key": k, "value": v, "origin": where} for k, v, where in settings])
        return
    for key, value, where in settings:
        line = f"{key} = {json.dumps(value, ensure_ascii=False)}"
        click.echo(one_line(f"{line}  # {where}" if origin else line))


def _options(context: click.Context) -> list[tuple[str, object, str]]:
    """The global options with their values, and where those are from."""
    top = context.find_root()
    settings = []
    for parameter in top.command.params:
        if parameter.name is None or parameter.name not in top.params:
            continue
        value = top.params[parameter.name]
        source = top.get_parameter_source(parameter.name)
        plain = str(value) if isinstance(value, Path) else value
        origin = _ORIGINS[source] if source else ""
        if source is ParameterSource.ENVIRONMENT:
            origin += f" {parameter.envvar}"
        settings.append((f"--{parameter.name.replace('_', '-')}", plain, origin))
    return settings


@config.command()
@click.option(
    "--kind",
    type=click.Choice(["config", "cohort"]),
    default="config",
    help="Which kind of file.",
)
def schema(kind: str) -> None:
    """Print the JSON schema of config.yaml or of a cohort file.

    `arena schema` has those of what commands print.
    """
    from arena.config import FileKind
    from arena.config import schema as config_schema

    click.echo(json.dumps(config_schema(FileKind(kind)), indent=2))


def _all_well(file: Path) -> str:
    from arena.config import load_settings

    settings = load_settings(file)
    cohorts = many(len(settings.cohorts), "cohort")
    contestants = many(len(settings.contestants), "contestant")
    return f"{file}: ok, {cohorts}, {contestants}"
