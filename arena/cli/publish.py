"""`arena publish`: the site again, whole."""

from pathlib import Path

import click

from arena.cli.database import existing
from arena.cli.say import say_json
from arena.clock import SystemClock
from arena.config import load_settings
from arena.site.build import MANIFEST
from arena.wiring import publisher


@click.command()
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Another folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.pass_context
def publish(context: click.Context, out: Path | None, *, as_json: bool) -> None:
    """Build every page of the site from the database, also those that have not changed."""
    settings = load_settings(context.obj.config)
    folder = Path(out or settings.site)
    with existing(context.obj.config, None) as store:
        (folder / MANIFEST).unlink(missing_ok=True)
        at = store.boards.as_of() or SystemClock().now()
        pages = publisher(store, settings, folder)(at)
    if as_json:
        say_json(pages=pages, site=str(folder / "index.html"))
    else:
        click.echo(f"{pages} files written; open {folder / 'index.html'}")
