"""`arena tape`: what venues said, weighed, written out, shown, and thinned."""

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli import CommandGroup
from arena.cli.options import (
    FOLDER,
    database_option,
    existing,
    json_option,
    make_sure,
    yes_option,
)
from arena.cli.say import MISSING, one_line, plain, say_json, usage_error, utc
from arena.cli.tables import TableLayout, table, table_options
from arena.clock import SystemClock
from arena.records.market import VenueId

if TYPE_CHECKING:
    from arena.store import Store
    from arena.store.tape.payloads import StoredPayload
    from arena.store.tape.prune import Pruned, Sizes

SHORTEST = 8  # letters of a digest that name a body
LONGEST = 110  # letters of an address that are shown; --json has all of it
HEAD = ("time", "digest", "status", "bytes", "asked")
HEX = frozenset("0123456789abcdef")


@click.group(cls=CommandGroup)
def tape() -> None:
    """Look after the tape: what venues said, prices and raw answers alike."""


@tape.command()
@table_options
@database_option
@json_option
@click.pass_context
def size(
    context: click.Context, database: Path | None, *, layout: TableLayout, as_json: bool
) -> None:
    """Say how much the tape holds, by table and venue, and what a price takes."""
    from arena.store.tape.prune import sizes

    with existing(context.obj.config, database) as store:
        tape_sizes = sizes(store.db)
    if as_json:
        say_json(tape=tape_sizes)
    else:
        _say_sizes(tape_sizes, layout)


def _say_sizes(tape_sizes: "Sizes", layout: TableLayout) -> None:
    rows = [
        [line.table, line.venue or "", str(line.rows), f"{line.bytes:,}"]
        for line in tape_sizes.tables
        if line.rows
    ]
    table(("table", "venue", "rows", "bytes"), rows, layout)
    click.echo(
        f"the whole file: {tape_sizes.file:,} bytes, the journal and the caches among them"
    )
    if tape_sizes.quote is not None:
        click.echo(
            f"{tape_sizes.readings} readings of prices, {tape_sizes.quote:.1f} bytes a quote"
        )
    if tape_sizes.answers:
        click.echo(f"raw answers: {tape_sizes.answers:,} bytes before they were packed")


@tape.command()
@click.option("--out", type=FOLDER, required=True, help="The folder for the files.")
@click.option("--venue", help="Only this venue; all of them if left out.")
@click.option("--since", metavar="DAY", help="From the month of this day (UTC) on.")
@click.option("--until", metavar="DAY", help="Up to before this day, its month whole.")
@database_option
@json_option
@click.pass_context
def export(  # noqa: PLR0913  one for each option
    context: click.Context,
    *,
    out: Path,
    venue: str | None,
    since: str | None,
    until: str | None,
    database: Path | None,
    as_json: bool,
) -> None:
    """Write the tape as Parquet: quotes, statuses, facts, polls and the index of raw answers.

    With the journal's entries of rounds and ticks it is what `arena replay` plays.

    A file a venue and month; an older one is replaced once the new one was read back. Prices
    are DECIMAL(9,6), times TIMESTAMP in UTC. It needs `pip install 'paper-arena[duckdb]'`.
    """
    from arena.store.exports.tape_export import export as export_tape

    first, last = day(since), day(until)
    with existing(context.obj.config, database) as store:
        _refuse_unknown_venue(store, venue)
        only = VenueId(venue) if venue else None
        written = list(export_tape(store.db, out, venue=only, since=first, until=last))
    if as_json:
        say_json(files=written)
        return
    rows = [[w.table, w.venue, w.month, str(w.rows), w.file] for w in written]
    if rows:
        table(("table", "venue", "month", "rows", "file"), rows)
    else:
        click.echo("nothing of that is on the tape: no file was written")


@tape.command()
@click.option(
    "--older-than", "age", metavar="AGE", required=True, help="How old, such as 90d or 36h."
)
@click.option("--at", metavar="TIME", help="Count from this moment; now if left out.")
@click.option("--dry-run", is_flag=True, help="Say what would be deleted, and delete nothing.")
@click.option(
    "--vacuum", is_flag=True, help="Give the space back to the disk: it takes a copy."
)
@yes_option
@database_option
@json_option
@click.pass_context
def prune(  # noqa: PLR0913  one for each option
    context: click.Context,
    *,
    age: str,
    at: str | None,
    dry_run: bool,
    vacuum: bool,
    is_sure: bool,
    database: Path | None,
    as_json: bool,
) -> None:
    """Delete what is old and what nothing stands on.

    Bodies of raw answers go, except those that a round was laid out on or an outcome was read
    from; the index of answers stays. Prices go of markets that were settled that long ago,
    except those that rounds, marks, scores, closing lines and pages use. Books, leaderboard
    and pages come out as they were.
    """
    from arena.cli.play.tick import moment

    before = (SystemClock().now() if at is None else moment(at)) - _age(age)
    with existing(context.obj.config, database) as store:
        if not dry_run:
            make_sure(
                f"What nothing stands on from before {utc(before)} is deleted from "
                f"{store.db.path} for good (--dry-run says how much).",
                is_sure=is_sure,
                as_json=as_json,
            )
        done, given_back = _prune(store, before, dry=dry_run, vacuum=vacuum and not dry_run)
    if as_json:
        say_json(dry_run=dry_run, before=before, pruned=done, given_back=given_back)
    else:
        _say_pruned(done, given_back, dry=dry_run)


def _prune(
    store: "Store", before: datetime, *, dry: bool, vacuum: bool
) -> "tuple[Pruned, int | None]":

    from arena.site.pages.market import MOST_BOOKS
    from arena.store import locked
    from arena.store.tape.prune import prune as prune_tape
    from arena.store.tape.prune import vacuum as vacuum_file

    if store.db.path is None:
        raise click.UsageError("a database in memory cannot be pruned")
    with locked(store.db.path) as store.db.lease:
        done = prune_tape(store.db, before, shown=MOST_BOOKS, dry=dry)
        return done, vacuum_file(store.db) if vacuum else None


@tape.command()
@click.option("--older-than", "age", metavar="AGE", default="90d", help="How old.")
@click.option("--at", metavar="TIME", help="Count from this moment; now if left out.")
@click.option("--dry-run", is_flag=True, help="Say what would be moved, and move nothing.")
@click.option(
    "--vacuum", is_flag=True, help="Give the space back to the disk: it takes a copy."
)
@database_option
@json_option
@click.pass_context
def archive(  # noqa: PLR0913  one for each option
    context: click.Context,
    *,
    age: str,
    at: str | None,
    dry_run: bool,
    vacuum: bool,
    database: Path | None,
    as_json: bool,
) -> None:
    """Move prompts and replies of months that are over into a file a month.

    The files stand in a folder beside the database, DATABASE-texts, as Parquet. Whoever reads
    a text still finds it, and backups take the files along. A text that was used again in a
    later month stays as long as that one. It needs `pip install 'paper-arena[duckdb]'`.
    """
    from arena.cli.play.tick import moment
    from arena.store import locked
    from arena.store.tape.prune import vacuum as vacuum_file
    from arena.store.tape.volumes import move_texts

    before = (SystemClock().now() if at is None else moment(at)) - _age(age)
    with existing(context.obj.config, database) as store:
        if store.db.path is None:
            raise click.UsageError("a database in memory has no folder for files")
        with locked(store.db.path) as store.db.lease:
            volumes = tuple(move_texts(store.db, before, dry=dry_run))
            given_back = vacuum_file(store.db) if vacuum and not dry_run else None
    if as_json:
        say_json(dry_run=dry_run, before=before, volumes=volumes, given_back=given_back)
        return
    verb = "would be moved" if dry_run else "moved"
    for volume in volumes:
        click.echo(
            f"{verb}: {volume.texts} texts of {volume.month}, {volume.bytes:,} bytes, "
            f"to {volume.file}"
        )
    if not volumes:
        click.echo(f"no text of a month that was over at {utc(before)} is left to move")
    if given_back is not None:
        click.echo(f"given back to the disk: {given_back:,} bytes")


def _say_pruned(done: "Pruned", given_back: int | None, *, dry: bool) -> None:
    verb = "would be deleted" if dry else "deleted"
    click.echo(
        f"{verb}: {done.answers} raw answers, {done.quotes} quotes, {done.repeats} repeats; "
        f"{done.freed:,} bytes freed"
    )
    if given_back is not None:
        click.echo(f"given back to the disk: {given_back:,} bytes")
    elif done.freed and not dry:
        click.echo("the file will fill the space again; --vacuum gives it back to the disk")


@tape.command()
@click.argument("digest")
@database_option
@click.pass_context
def show(context: click.Context, digest: str, database: Path | None) -> None:
    """Print a raw answer, byte for byte, by its DIGEST or the beginning of it.

    `arena tape show DIGEST | arena venue parse VENUE KIND -` says what the arena makes of it.
    """
    with existing(context.obj.config, database) as store:
        body = store.payloads.body(_complete_digest(store, digest))
    if body is None:
        raise AssertionError("a digest was just found")
    if sys.stdout.isatty():
        click.echo(plain(body.decode("utf-8", "replace")))
    else:
        sys.stdout.buffer.write(body)


def _complete_digest(store: "Store", beginning: str) -> str:
    """Complete a digest; refuse what names none, or several."""
    prefix = beginning.lower()
    is_digest = len(prefix) >= SHORTEST and set(prefix) <= HEX
    digests = store.payloads.digests(prefix) if is_digest else []
    if len(digests) == 1:
        return digests[0]
    raise usage_error(
        "tape.payload",
        f"{'several raw answers begin' if digests else 'no raw answer begins'} "
        f"with {one_line(beginning[:80])!r}",
        hint=f"give {SHORTEST} letters or more of a digest that `arena tape list` shows; "
        "what was pruned is gone",
    )


@tape.command("list")
@click.option("--venue", required=True, help="Whose answers.")
@click.option("--last", "most", type=click.IntRange(1, 100_000), default=20)
@database_option
@json_option
@click.pass_context
def list_(
    context: click.Context, *, venue: str, most: int, database: Path | None, as_json: bool
) -> None:
    """List a venue's last raw answers, the newest first.

    `arena tape show DIGEST` prints one of them.
    """
    with existing(context.obj.config, database) as store:
        _refuse_unknown_venue(store, venue)
        payloads = store.payloads.newest(VenueId(venue), most)
    if as_json:
        say_json(payloads=payloads)
    elif payloads:
        for line in (HEAD, *map(_line, payloads)):
            click.echo("{:19}  {:16}  {:>6}  {:>10}  {}".format(*line))
    else:
        click.echo(f"no raw answer of {venue} is on the tape")


def _line(kept: "StoredPayload") -> tuple[str, ...]:
    request = one_line(f"{kept.method} {kept.url}")
    return (
        f"{kept.at:%Y-%m-%d %H:%M:%S}",
        kept.digest[:16],
        str(kept.status) if kept.status else MISSING,
        f"{kept.size:,}",
        request if len(request) <= LONGEST else f"{request[: LONGEST - 3]}...",
    )


def _refuse_unknown_venue(store: "Store", venue: str | None) -> None:
    if venue is None:
        return
    seen = store.db.value("SELECT 1 FROM tape_polls WHERE venue = ? LIMIT 1", venue)
    if not seen and not store.payloads.newest(VenueId(venue), 1):
        raise usage_error(
            "tape.venue",
            f"this arena never asked a venue {one_line(venue)}",
            hint="`arena status` lists those that it asked",
        )


def day(text: str | None) -> datetime | None:
    """Read a day, or a month as its first; None stays None.

    Raises:
        ArenaError: It is neither.
    """
    if text is None:
        return None
    for form in ("%Y-%m-%d", "%Y-%m"):
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    raise usage_error("usage.time", f"not a day: {text!r}", hint="write it like 2026-01-31")


def _age(text: str) -> timedelta:
    from arena.config.document import WrongError
    from arena.config.kinds import duration

    try:
        return duration(text)
    except WrongError as wrong:
        raise usage_error("usage.age", f"--older-than: {wrong}") from wrong
