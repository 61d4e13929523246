"""`arena rebuild`: the caches anew."""

from pathlib import Path

import click

from arena.cli.options import NEW_FILE, database_option, existing, json_option
from arena.cli.say import say_json


@click.command()
@click.option(
    "--into", type=NEW_FILE, help="Leave the database as it is, and write a new one here."
)
@database_option
@json_option
@click.pass_context
def rebuild(
    context: click.Context, into: Path | None, database: Path | None, *, as_json: bool
) -> None:
    """Drop every cache and make it again from the journal and the tape.

    The result is the same to the byte, unless a cache had been damaged: then it says which.
    Where the file itself is damaged, --into copies the journal and the tape into a new one and
    makes the caches there: put that in the place of the old one.
    """
    from arena.store import locked
    from arena.store.exports.public import rescue
    from arena.store.journal.packed import rebuild as rebuild_caches

    with existing(context.obj.config, database) as store:
        if store.db.path is None:
            raise click.UsageError("a database in memory cannot be rebuilt")
        with locked(store.db.path) as store.db.lease:
            made = rescue(store.db, into) if into else rebuild_caches(store.db)
    if as_json:
        say_json(rebuilt=made)
        return
    click.echo(f"{made.entries} entries replayed, caches {made.digest}")
    if into:
        click.echo(f"written to {into}: put it in the place of the database")
    elif made.changed:
        click.echo(f"mended: {', '.join(made.changed)}")
    else:
        click.echo("every cache came out as it was")
