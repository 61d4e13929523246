"""`arena backup`: copy the database away, packed and checked."""

from datetime import datetime
from typing import TYPE_CHECKING, Final

import click

from arena.cli import FINDINGS, say
from arena.cli.options import json_option
from arena.cli.say import usage_error
from arena.cli.tables import Columns, table_of
from arena.errors import ArenaError
from arena.records.operations import Backup
from arena.records.report import Failure

if TYPE_CHECKING:
    from arena.records.settings import BackupSettings, Settings
    from arena.store.backups import BackupFolder

COLUMNS: Final[Columns[Backup]] = {
    "backup": lambda made: made.name,
    "newest entry": lambda made: say.MISSING if made.moment is None else say.utc(made.moment),
    "entries": lambda made: f"{made.entries:,}",
    "packed": lambda made: f"{made.packed:,}",
    "head": lambda made: made.head[:12],
}


@click.command()
@click.argument("target", required=False)
@click.option("--list", "listing", is_flag=True, help="Make none: list those that are there.")
@json_option
@click.pass_context
def backup(context: click.Context, target: str | None, *, listing: bool, as_json: bool) -> None:
    """Copy the database away, packed, and read the copy back.

    TARGET is a folder, or an address that fsspec knows, such as s3://bucket/arena: its keys
    stand in the environment. Without it, the folder of the configuration's `backup` is used,
    and older backups are deleted as that says. A tick may be under way.
    """
    from arena.clock import SystemClock
    from arena.config import load_settings
    from arena.store.backups import BackupFolder

    settings = load_settings(context.obj.config)
    folder = BackupFolder(address_of(target, settings.backups))
    if listing:
        context.exit(_list(folder, as_json=as_json))
    at = SystemClock().now().replace(microsecond=0)
    made = folder.add(settings.database, at)
    deleted = () if target else folder.rotate(settings.backups, at)
    if as_json:
        say.say_json(folder=folder.address, backup=made, deleted=deleted)
        return
    click.echo(f"{folder.address}/{made.name}")
    click.echo(f"{described(made)}, read back and found whole")
    for name in deleted:
        click.echo(f"deleted {name}")


def address_of(target: str | None, settings: "BackupSettings") -> str:
    """Where backups are: as named, or as configured.

    Raises:
        ArenaError: Neither is said.
    """
    if not (target or settings.folder):
        raise usage_error(
            "backup.unset",
            "where backups go is not said",
            hint="name a folder, or set `backup: {to: backups}` in config.yaml",
        )
    return (target or settings.folder).rstrip("/")


def described(made: Backup) -> str:
    """A backup in a line: what it holds, and how large it is."""
    newest = "no entry" if made.moment is None else f"{made.entries:,} entries"
    until = "" if made.moment is None else f" up to {say.utc(made.moment)}"
    return f"{newest}{until}, {made.packed:,} bytes packed of {made.size:,}"


def backups_due(
    settings: "Settings", at: datetime
) -> tuple[tuple[str, ...], tuple[Failure, ...]]:
    """Make the backup, and the drill, that the configuration says are due after a tick.

    Returns:
        What was done, a line each, and what went wrong: the tick stands all the same.
    """
    wanted = settings.backups
    if not wanted.folder:
        return (), ()
    from arena.cli.operations.restore import drilled
    from arena.store.backups import BackupFolder, is_old

    notes: list[str] = []
    try:
        folder = BackupFolder(wanted.folder)
        newest = folder.newest(at)
        if is_old(newest.at if newest else None, wanted.every, at):
            made = folder.add(settings.database, at)
            folder.rotate(wanted, at)
            notes.append(f"backup {made.name}: {described(made)}")
        if wanted.drill_every and is_old(folder.last_drill(), wanted.drill_every, at):
            drill = drilled(folder, folder.newest(at), settings, at)
            if not drill.ok:
                what = f"{drill.backup.name} does not restore: {'; '.join(drill.findings)}"
                hint = "`arena restore --drill` names everything; use an older one"
                return tuple(notes), (Failure(what, "the drill", hint),)
            notes.append(f"drill of {drill.backup.name}: it restores, and its books are sound")
    except ArenaError as error:
        return tuple(notes), (Failure(error.message, "the backup", error.hint),)
    return tuple(notes), ()


def _list(folder: "BackupFolder", *, as_json: bool) -> int:
    errors: list[ArenaError] = []
    backups = folder.backups(errors)
    unreadable = [f"{error.message}: {error.hint}" for error in errors]
    if as_json:
        say.say_json(folder=folder.address, backups=backups, unreadable=unreadable)
    elif backups:
        table_of(COLUMNS, backups)
    elif not errors:
        click.echo(f"no backup in {folder.address}")
    for line in () if as_json else unreadable:
        click.echo(line)
    return FINDINGS if errors else 0
