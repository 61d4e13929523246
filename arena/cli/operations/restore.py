"""`arena restore`: bring a database back from a backup, or prove that it could be."""

from datetime import datetime, timedelta
from glob import escape
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from arena.cli import FINDINGS, say
from arena.cli.operations.backup import address_of, described
from arena.cli.options import NEW_FILE, json_option
from arena.cli.say import usage_error
from arena.records.operations import Backup, Drill, Rewound

if TYPE_CHECKING:
    from arena.records.settings import Settings
    from arena.store import Store
    from arena.store.backups import BackupFolder

LAST_DAY = timedelta(days=1)  # the turns that a drill works out again
NAMED = 3  # moments that a line names


@click.command()
@click.argument("file", required=False)
@click.option("--from", "target", help="The folder or address of the backups.")
@click.option(
    "--at", "entry", type=click.IntRange(1), help="Put the books back to this entry's state."
)
@click.option(
    "--into", type=NEW_FILE, help="Write the database here, and leave the arena's as it is."
)
@click.option("--drill", is_flag=True, help="Restore into a folder of its own, and check.")
@json_option
@click.pass_context
def restore(  # noqa: PLR0913  a command's options are its arguments
    context: click.Context,
    *,
    file: str | None,
    target: str | None,
    entry: int | None,
    into: Path | None,
    drill: bool,
    as_json: bool,
) -> None:
    """Put a backup in the place of the database; the file that was there is kept beside it.

    FILE is a backup's path, address or name; without it, the newest of the folder is used.
    After that the site shows more than the journal holds: the next tick says so and stops,
    until it is run with --accept-rollback.

    With --drill nothing is replaced: the backup is restored into a folder of its own, all laws
    are proved over it, the turns of its last day are worked out again from the tape, and the
    ticks that the arena would lose are named. Exits with 3 where something is wrong.
    """
    from arena.clock import SystemClock
    from arena.config import load_settings
    from arena.store.backups import BackupFolder, found_backup

    if drill and (entry or into):
        raise click.UsageError("--drill replaces nothing: leave --at and --into out.")
    settings = load_settings(context.obj.config)
    at = SystemClock().now().replace(microsecond=0)
    folder, backup = (
        found_backup(file, target or settings.backups.folder)
        if file
        else _newest(BackupFolder(address_of(target, settings.backups)), at)
    )
    if drill:
        found = drilled(folder, backup, settings, at)
        _say_drill(found, as_json=as_json)
        context.exit(0 if found.ok else FINDINGS)
    restored = into or Path(settings.database)
    aside, rewound = _restored(folder, backup, restored, entry, at)
    if as_json:
        kept = None if aside is None else str(aside)
        say.say_json(backup=backup, database=str(restored), aside=kept, rewound=rewound)
        return
    click.echo(f"restored {restored}: {described(backup)}")
    if rewound:
        click.echo(f"put back to entry {entry}: {rewound.entries} entries later are not in it,")
        click.echo(f"nor {rewound.answers} answers of models to rounds that came later")
    if aside:
        click.echo(f"the file that was there is {aside}")
    if into is None:
        click.echo("the next tick needs --accept-rollback if the site shows what is gone now")


def _newest(folder: "BackupFolder", at: datetime) -> tuple["BackupFolder", Backup]:
    newest = folder.newest(at)
    if newest is None:
        raise usage_error(
            "backup.none",
            f"there is no backup in {folder.address}",
            hint="`arena backup` makes one",
        )
    return folder, newest


def _restored(
    folder: "BackupFolder", backup: Backup, into: Path, entry: int | None, at: datetime
) -> tuple[Path | None, Rewound | None]:
    """Unpack beside the place, put the books back if that is wanted, and move into it."""
    from arena.store import open_store
    from arena.store.backups import put_in_place, rewind

    into.parent.mkdir(parents=True, exist_ok=True)
    start = f".{into.name}.draft-"
    for left in into.parent.glob(f"{escape(start)}*"):  # by one that was killed
        rmtree(left, ignore_errors=True)
    with TemporaryDirectory(dir=into.parent, prefix=start) as draft:
        unpacked = Path(draft) / "restored.db"
        folder.unpack(backup, unpacked)
        rewound = None
        with open_store(unpacked) as store:  # it gets the newest schema
            if entry is not None:
                rewound = rewind(store.db, entry)
            store.db.raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return put_in_place(unpacked, into, at), rewound


def drilled(
    folder: "BackupFolder", backup: Backup | None, settings: "Settings", at: datetime
) -> Drill:
    """Restore a backup into a folder of its own, check it, and say what it lacks.

    Raises:
        ArenaError: There is no backup, or it is not what was written.
    """
    from arena.store import open_store
    from arena.store.audit import audit

    backup = backup or _newest(folder, at)[1]
    with TemporaryDirectory() as draft:
        unpacked = Path(draft) / "drill.db"
        folder.unpack(backup, unpacked)
        with open_store(unpacked) as store:
            report = audit(store.db)
            findings = [f"{f.law}: {f.where}: {f.detail}" for f in report.findings]
            turns, wrong = _turns_again(store, backup)
            lost = _lost(Path(settings.database), backup)
    drill = Drill(backup, len(report.checked), turns, (*findings, *wrong), *lost)
    if drill.ok:
        folder.note_drill(backup, at)
    return drill


def _turns_again(store: "Store", backup: Backup) -> tuple[int, list[str]]:
    """Work every turn of the last day out again; how many there are, and which differ."""
    from arena.records.trade import Turn
    from arena.steps.verify import verify_decision
    from arena.store.codec import moment

    if backup.moment is None:
        return 0, []
    rows = store.db.rows(
        "SELECT id FROM journal_entries WHERE kind = 'turn' AND at > ? ORDER BY seq",
        moment(backup.moment - LAST_DAY),
    )
    wrong = []
    for row in rows:
        entry = store.journal.entry(row["id"])
        if entry is None or not isinstance(entry.event, Turn):
            wrong.append(f"{row['id']} cannot be read")
            continue
        if not (entry.cohort and entry.contestant):
            wrong.append(f"{row['id']} names nobody")
            continue
        number = entry.event.round
        checks = verify_decision(store, entry.cohort, number, entry.contestant)
        wrong += [f"{entry.id}: {c.what}: {c.detail}" for c in checks if not c.ok]
    return len(rows), wrong


def _lost(database: Path, backup: Backup) -> tuple[int, tuple[datetime, ...]]:
    """How many entries the arena's own file has beyond a backup, and their moments."""
    from arena.store.codec import read_moment
    from arena.store.sqlite import read_only

    if not database.exists():
        return 0, ()
    with read_only(database) as raw:
        rows = raw.execute(
            "SELECT at, count(*) FROM journal_entries WHERE seq > ? GROUP BY at ORDER BY at",
            (backup.entries,),
        ).fetchall()
    return sum(row[1] for row in rows), tuple(read_moment(row[0]) for row in rows)


def _say_drill(drill: Drill, *, as_json: bool) -> None:
    if as_json:
        say.say_json(ok=drill.ok, drill=drill)
        return
    click.echo(f"{drill.backup.name}: {described(drill.backup)}")
    click.echo(
        f"{drill.laws} laws proved, {drill.turns} turns of its last day worked out again"
    )
    for finding in drill.findings:
        click.echo(f"WRONG  {say.one_line(finding)}")
    if drill.lost_entries:
        named = ", ".join(say.utc(at) for at in drill.lost_moments[-NAMED:])
        ticks = len(drill.lost_moments)
        click.echo(
            f"the arena has {drill.lost_entries:,} entries of {ticks} tick"
            f"{'' if ticks == 1 else 's'} that it lacks: {named}"
        )
    else:
        click.echo("the arena has no entry that it lacks")
    if drill.ok:
        click.echo("it restores, and its books are sound")
