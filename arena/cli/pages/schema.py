"""`arena schema`: what commands print with --json."""

import json

import click

from arena.errors import ArenaError, did_you_mean


@click.command()
@click.argument("command", nargs=-1)
def schema(command: tuple[str, ...]) -> None:
    """Print the JSON schema of what COMMAND prints with --json, such as `tape size`.

    `error` is the document that goes to standard error when a command fails. Without COMMAND
    those that there are are listed. `arena config schema` is that of the files you write.
    """
    from arena.cli.pages.documents import DOCUMENTS
    from arena.cli.pages.shapes import error_schema, schema_of

    name = " ".join(command)
    if not name:
        click.echo("\n".join([*DOCUMENTS, "error"]))
    elif name == "error":
        click.echo(json.dumps(error_schema(), indent=2))
    elif name in DOCUMENTS:
        click.echo(json.dumps(schema_of(name, DOCUMENTS[name]), indent=2))
    else:
        raise _unknown(name, tuple(DOCUMENTS))


def _unknown(name: str, commands: tuple[str, ...]) -> ArenaError:
    return ArenaError(
        "schema.unknown",
        f"{name!r} prints no JSON document",
        hint=did_you_mean(name, commands),
        status=2,
    )
