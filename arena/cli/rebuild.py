"""`arena rebuild`: the caches anew."""

from pathlib import Path

import click

from arena.cli import later
from arena.cli.options import database_option, json_option
from arena.cli.say import say_json


@click.command()
@database_option
@json_option
@click.pass_context
def rebuild(context: click.Context, database: Path | None, *, as_json: bool) -> None:
    """Drop every cache and make it again from the journal and the tape.

    The result is the same to the byte, unless a cache had been damaged: then it says which.
    """
    with later.database.existing(context.obj.config, database) as store:
        if store.db.path is None:
            raise click.UsageError("a database in memory cannot be rebuilt")
        with later.store.locked(store.db.path) as store.db.lease:
            made = later.rebuild.rebuild(store.db)
    if as_json:
        say_json(rebuilt=made)
        return
    click.echo(f"{made.entries} entries replayed, caches {made.digest}")
    if made.changed:
        click.echo(f"mended: {', '.join(made.changed)}")
    else:
        click.echo("every cache came out as it was")
