"""`arena site`: the folder of pages, built, tried, checked and compared."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import FINDINGS, Group
from arena.cli.options import json_option, make_sure, yes_option
from arena.cli.say import in_steps, note, one_line, say_json
from arena.cli.site_check import budget, check, diff, say_budget
from arena.cli.site_serve import serve
from arena.clock import SystemClock
from arena.errors import ArenaError
from arena.records.entrant import Edition
from arena.records.settings import Pages, Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from arena.site.budget import Line
    from arena.site.build import Built, How

SHOWN = 20  # files that are named


@click.group(cls=Group)
def site() -> None:
    """Build the folder of pages, try it out, check it, compare two of it."""


site.add_command(serve)
site.add_command(check)
site.add_command(diff)
site.add_command(budget)


@site.command()
@click.option(
    "-o", "--out", type=click.Path(path_type=Path, file_okay=False), help="Another folder."
)
@click.option(
    "--pages",
    type=click.Choice([kind.value for kind in Pages]),
    help="Which decisions have pages; the configuration says it where this does not.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 64),
    help="Processes that make pages; as many as are worth it, at most 4, where left out.",
)
@click.option("--force", is_flag=True, help="Make every page again, also of old cohorts.")
@click.option("--check", "only_check", is_flag=True, help="Only say what would change.")
@click.option("--base-url", metavar="URL", help="Where the site will stand on the web.")
@yes_option
@json_option
@click.pass_context
def build(  # noqa: PLR0913  each is an option
    context: click.Context,
    *,
    out: Path | None,
    pages: str | None,
    jobs: int | None,
    force: bool,
    only_check: bool,
    base_url: str | None,
    is_sure: bool,
    as_json: bool,
) -> None:
    """Build the whole site from the database.

    What is there already as it should be is left alone. All else is made beside the folder,
    which is then exchanged at once; files in it that are not the arena's stay, but a front
    page that somebody else made is replaced, when you agree. Ends with 3
    where a page or the site is over its budget, and with --check where a file would change.
    """
    from arena.config import load_settings
    from arena.site.budget import budget, sizes_of
    from arena.site.build import How

    settings = _as_asked(load_settings(context.obj.config), pages, base_url)
    folder = Path(out or settings.site)
    if not only_check and _is_foreign(folder):
        make_sure(
            f"{folder} holds pages that no arena made: those of the same names are replaced.",
            is_sure=is_sure,
            as_json=as_json,
        )
    try:
        with in_steps("building", "tasks", quiet=as_json) as told:
            how = How(jobs, force=force, check=only_check, told=told)
            built = _built(context, settings, folder, how)
    except ArenaError as error:
        if error.code != "site.busy":
            raise
        _leave_it(error, as_json=as_json)
        return
    for words in built.notes:
        note(f"note: {words}")
    lines = () if only_check else budget(folder, sizes_of(built.entries))
    if as_json:
        _say_json(folder, built, lines)
    else:
        _say(folder, built, lines, only_check=only_check)
    over = any(line.over and not line.warning for line in lines)
    if over or (only_check and (built.changed or built.gone)):
        context.exit(FINDINGS)


def _is_foreign(folder: Path) -> bool:
    from arena.site.build import MANIFEST

    return (folder / "index.html").exists() and not (folder / MANIFEST).exists()


def _as_asked(settings: Settings, pages: str | None, base_url: str | None) -> Settings:
    site = settings.publishing
    if pages is not None:
        site = replace(site, pages=Pages(pages))
    if base_url is not None:
        if not base_url.startswith(("https://", "http://")):
            raise click.BadParameter(
                f"{base_url!r} is no address such as https://example.org/arena/",
                param_hint="'--base-url'",
            )
        site = replace(site, base_url=base_url.rstrip("/") + "/")
    return replace(settings, publishing=site)


def _built(context: click.Context, settings: Settings, folder: Path, how: "How") -> "Built":
    from arena.cli.database import existing
    from arena.site.build import Source, build
    from arena.wiring import cast

    with existing(context.obj.config, None) as store:
        at = store.boards.as_of() or SystemClock().now()
        edition = Edition(cast(settings), settings.publishing, settings.season)
        return build(Source(store, Path(settings.templates), edition, at), folder, how)


def _leave_it(error: ArenaError, *, as_json: bool) -> None:
    """Another process does the work already: that is no failure of this one."""
    if as_json:
        say_json(site=None, busy=error.message)
    else:
        click.echo(f"{one_line(error.message)}: nothing is left to do here")


def _say_json(folder: Path, built: "Built", lines: "Sequence[Line]") -> None:
    say_json(
        site=str(folder / "index.html"),
        changed=built.changed,
        removed=built.gone,
        pages=sum(entry.nodes > 0 for entry in built.entries),
        files=sum(len(entry.files) for entry in built.entries),
        frozen=built.frozen,
        notes=built.notes,
        budget=lines,
    )


def _say(folder: Path, built: "Built", lines: "Sequence[Line]", *, only_check: bool) -> None:
    changed, gone = len(built.changed), len(built.gone)
    if only_check:
        for path in (*built.changed, *built.gone)[:SHOWN]:
            click.echo(path)
        more = changed + gone - SHOWN
        click.echo(f"... and {more} more" if more > 0 else "", nl=more > 0)
        click.echo(f"{changed} files would be written, {gone} removed")
        return
    say_budget(lines)
    click.echo(f"{changed} files written, {gone} removed; open {folder / 'index.html'}")
