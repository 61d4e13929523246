"""Backups of an arena's file: packed, with a digest, in a folder or an object store.

The only module that imports fsspec. Keys of an object store stand in the environment.
"""

import gzip
import json
import os
import re
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import sha256
from pathlib import Path, PurePath
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import IO, Final

from arena import __version__
from arena.errors import ArenaError, ForeignError, foreign
from arena.records.operations import Backup, Rewound
from arena.records.settings import BackupSettings
from arena.store.codec import UNREADABLE, from_plain, read_moment, to_plain
from arena.store.journal.pieces import GENESIS, cut, register
from arena.store.sqlite import PRIVATE, Connection, locked, read_only, version_of
from arena.store.texts import folder_of, proved

START: Final = "arena-"
PACKED, NOTE = ".db.gz", ".json"
LAST: Final = "~"  # sorts after every name of a moment
VOLUMES: Final = "texts"
BLOCK: Final = 1 << 20  # bytes that are read at a time
LEVEL: Final = 6  # of gzip
DRILL: Final = "last-drill.json"
OBJECT_STORES: Final = ("s3://", "gs://", "az://")
_CREDENTIALS: Final = re.compile(r"://[^/@]*:[^/@]*@")


class BackupFolder:
    """A folder of backups, on this machine or wherever fsspec reaches."""

    def __init__(self, address: str) -> None:
        """Name the folder: a path, or an address such as `s3://bucket/arena`.

        Raises:
            ArenaError: The package for this kind of address is not installed, or the address
                holds a password.
        """
        from fsspec.core import url_to_fs  # noqa: PLC0415  a tenth of a second of every tick

        if _CREDENTIALS.search(address):
            raise ArenaError(
                "backup.secret",
                "the address of the backups holds a password",
                hint="keys of a store stand in the environment, such as AWS_SECRET_ACCESS_KEY",
                status=2,
            )
        self.address = address
        with _in_words(address):
            if address.startswith(OBJECT_STORES):
                _register(address.partition("://")[0])
            self.files, self.root = url_to_fs(address)

    def backups(self, errors: list[ArenaError] | None = None) -> Sequence[Backup]:
        """Every complete backup, oldest first; what cannot be read is raised or in `errors`."""
        there = []
        with _in_words(self.address):
            for name in self._notes():
                try:
                    there.append(self._described(name))
                except ArenaError as error:
                    if errors is None:
                        raise
                    errors.append(error)
        return there

    def named(self, stem: str) -> Backup | None:
        """The backup of a name, whatever is beside it; None where there is none."""
        with _in_words(self.address):
            return self._described(stem + NOTE) if stem + NOTE in self._notes() else None

    def newest(self, at: datetime) -> Backup | None:
        """The last backup of a moment and before; else the last one, by a clock that was ahead.

        Its description alone is read.
        """
        with _in_words(self.address):
            notes = self._notes()
            past = [name for name in notes if name <= _start_of(at) + LAST]
            return next(map(self._described, reversed(past or notes)), None)

    def add(self, database: PurePath, at: datetime) -> Backup:
        """Copy a database while it may be written to, pack it, and read the copy back.

        Raises:
            ArenaError: The database or the folder cannot be read or written, or what was
                read back is not what was written: then no backup is left behind.
        """
        with TemporaryDirectory() as folder:
            copy = Path(folder) / "copy.db"
            schema, entries, head, moment = _copied(database, copy)
            name = f"{_start_of(at)}-{entries:09d}{PACKED}"
            volumes = _volumes(copy, database)
            with _in_words(self.address):
                self.files.makedirs(self.root, exist_ok=True)
                for file in volumes:
                    self._add_volume(file)
                try:
                    digest, packed = self._pack(copy, name)
                except OSError:
                    with suppress(OSError):  # what is cut off is no backup
                        self.files.rm_file(self._path(name))
                    raise
                if "file" in self.files.protocol:  # on this machine
                    Path(self._path(name)).chmod(PRIVATE)
                backup = Backup(
                    name=name,
                    at=at,
                    moment=moment,
                    entries=entries,
                    head=head,
                    schema=schema,
                    size=copy.stat().st_size,
                    packed=packed,
                    digest=digest,
                    version=__version__,
                    volumes=tuple(file.name for file in volumes),
                )
                try:
                    self._unpack(backup, None)
                except ArenaError:
                    self.files.rm_file(self._path(name))
                    raise
                note = json.dumps(to_plain(backup), indent=2).encode()
                self._write(name.removesuffix(PACKED) + NOTE, note)
        return backup

    def rotate(self, settings: BackupSettings, at: datetime) -> tuple[str, ...]:
        """Delete backups that no day, week or month keeps; the newest always stays."""
        there = self.backups()
        kept = kept_names(there, settings, at)
        gone = [backup.name for backup in there if backup.name not in kept]
        with _in_words(self.address):
            for name in gone:
                self.files.rm_file(self._path(name))
                self.files.rm_file(self._path(name.removesuffix(PACKED) + NOTE))
            named = {volume for b in there if b.name in kept for volume in b.volumes}
            for volume in {v for b in there for v in b.volumes} - named:
                self.files.rm_file(self._path(f"{VOLUMES}/{volume}"))
        return tuple(gone)

    def unpack(self, backup: Backup, into: Path) -> None:
        """Write a backup's database to a new file.

        Raises:
            ArenaError: It is not what was packed then (`backup.damaged`), or cannot be read.
        """
        with _in_words(self.address):
            self._unpack(backup, into)
            for volume in backup.volumes:
                file = folder_of(into) / volume
                file.parent.mkdir(exist_ok=True)
                file.write_bytes(self._read(f"{VOLUMES}/{volume}"))
                file.chmod(PRIVATE)
        into.chmod(PRIVATE)
        with closing(sqlite3.connect(into)) as raw:
            register(raw)
            entries, head, _ = _newest_entry(raw)
            if (entries, head) != (backup.entries, backup.head):
                raise _damaged(backup, f"it ends at entry {entries}, not {backup.entries}")

    def last_drill(self) -> datetime | None:
        """When a drill last succeeded here."""
        with _in_words(self.address):
            if not self.files.exists(self._path(DRILL)):
                return None
            try:
                return read_moment(json.loads(self._read(DRILL))["at"])
            except UNREADABLE:
                return None

    def note_drill(self, backup: Backup, at: datetime) -> None:
        """Write down that a drill from a backup succeeded."""
        with _in_words(self.address):
            drill = {"at": at.astimezone(UTC).isoformat(), "backup": backup.name}
            self._write(DRILL, json.dumps(drill).encode())

    def _notes(self) -> Sequence[str]:
        """The names of the descriptions that have a backup, which sort by its moment."""
        if not self.files.exists(self.root):
            return ()
        self.files.invalidate_cache()
        names = {Path(name).name for name in self.files.ls(self.root, detail=False)}
        notes = {name.removesuffix(PACKED) + NOTE for name in names if name.endswith(PACKED)}
        return sorted(name for name in names & notes if name.startswith(START))

    def _described(self, name: str) -> Backup:
        content = self._read(name)
        try:
            backup: Backup = from_plain(Backup, json.loads(content))
        except UNREADABLE as error:
            raise ArenaError(
                "backup.note",
                f"{self.address}/{name} is not the description of a backup",
                hint="move it away: the backup beside it cannot be used without",
            ) from error
        return backup

    def _add_volume(self, file: Path) -> None:
        """Copy a file of moved texts, unless it is here; its name is of what it holds."""
        path = self._path(f"{VOLUMES}/{file.name}")
        if not (self.files.exists(path) and self.files.size(path) == file.stat().st_size):
            self.files.makedirs(self._path(VOLUMES), exist_ok=True)
            self._write(f"{VOLUMES}/{file.name}", file.read_bytes())

    def _path(self, name: str) -> str:
        return f"{self.root.rstrip('/')}/{name}"

    def _read(self, name: str) -> bytes:
        content: bytes = self.files.cat_file(self._path(name))
        return content

    def _write(self, name: str, content: bytes) -> None:
        with self.files.transaction, self.files.open(self._path(name), "wb") as file:
            file.write(content)

    def _pack(self, copy: Path, name: str) -> tuple[str, int]:
        """The digest and the size of the packed file; it gets its name when it is whole."""
        with self.files.transaction, self.files.open(self._path(name), "wb") as file:
            counted = _Digesting(file)
            with (
                copy.open("rb") as plain,
                gzip.GzipFile("", "wb", LEVEL, counted, mtime=0) as packing,
            ):
                copyfileobj(plain, packing, BLOCK)
        return counted.sha.hexdigest(), counted.size

    def _unpack(self, backup: Backup, into: Path | None) -> None:
        """Read a backup through, and write its database where `into` is named."""
        sha, unpacking, size = sha256(), zlib.decompressobj(wbits=31), 0
        try:
            with (
                self.files.open(self._path(backup.name), "rb") as file,
                Path(into or os.devnull).open("wb") as plain,
            ):
                while block := file.read(BLOCK):
                    sha.update(block)
                    size += plain.write(unpacking.decompress(block))
        except zlib.error as error:
            raise _damaged(backup, str(error)) from error
        if sha.hexdigest() != backup.digest or size != backup.size or not unpacking.eof:
            raise _damaged(backup, f"its digest is {sha.hexdigest()[:12]}, {size:,} bytes")


@cache
def _register(scheme: str) -> None:
    """Let obstore read and write a kind of object store, where it is installed.

    It sends no key without encryption, unless AWS_ALLOW_HTTP says so; and it asks for no older
    version of Amazon's own library, as s3fs does.
    """
    try:
        from obstore.fsspec import register  # noqa: PLC0415  an extra
    except ImportError:
        return  # fsspec says what it would need
    register(scheme)


class _Digesting:
    """A file that is written to, with the digest and the number of the bytes so far."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.sha, self.size = file, sha256(), 0

    def write(self, content: bytes) -> int:
        self.file.write(content)
        self.sha.update(content)
        self.size += len(content)
        return len(content)

    def flush(self) -> None:
        self.file.flush()


def kept_names(
    backups: Sequence[Backup], settings: BackupSettings, at: datetime
) -> frozenset[str]:
    """The names of the backups that stay: the newest of each of the last periods that have one.

    One of after `at`, by a clock that was ahead, stays too, and keeps no other from its place.

    Args:
        backups: Oldest first.
        settings: How many days, weeks (of ISO 8601) and months, in UTC, keep one.
        at: The present moment.
    """
    past = [backup for backup in backups if backup.at <= at]
    kept = {backup.name for backup in backups if backup.at > at}
    kept.update(backup.name for backup in past[-1:])
    periods = (
        (settings.keep_daily, lambda at: at.date()),
        (settings.keep_weekly, lambda at: at.isocalendar()[:2]),
        (settings.keep_monthly, lambda at: (at.year, at.month)),
    )
    for number, period_of in periods:
        newest = {period_of(b.at.astimezone(UTC)): b.name for b in past}
        kept.update(newest[period] for period in sorted(newest, reverse=True)[:number])
    return frozenset(kept)


def _start_of(at: datetime) -> str:
    """How the names of backups of a moment begin."""
    return f"{START}{at.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def is_old(last: datetime | None, every: timedelta, at: datetime) -> bool:
    """Whether something was last done too long ago, never, or in the future."""
    return last is None or not timedelta(0) <= at - last < every


def found_backup(address: str, usual: str = "") -> tuple[BackupFolder, Backup]:
    """A backup by the path or the address of its file; a name alone is sought in `usual` too.

    Raises:
        ArenaError: It is not there, or not a backup.
    """
    where, slash, name = address.rpartition("/")
    places = (where or slash,) if slash else tuple(dict.fromkeys((".", usual or ".")))
    for folder in map(BackupFolder, places):
        if backup := folder.named(name.removesuffix(NOTE).removesuffix(PACKED)):
            return folder, backup
    raise ArenaError(
        "backup.none",
        f"there is no backup {name} in {' or '.join(places)}, with its description beside it",
        hint="`arena backup --list` names those that are there",
        status=2,
    )


def put_in_place(restored: Path, database: Path, at: datetime) -> Path | None:
    """Put a restored file in the place of an arena's database, which is kept beside it.

    Returns:
        Where the file that was there is now; None where there was none.

    Raises:
        ArenaError: Another process is ticking the arena.
    """
    with locked(database):
        for file in folder_of(restored).glob("*"):
            folder_of(database).mkdir(exist_ok=True)
            file.replace(folder_of(database) / file.name)
        aside = None
        if database.exists():
            log = sqlite3.connect(database, timeout=0)  # what a reader holds off goes along
            with suppress(sqlite3.DatabaseError), closing(log) as raw:
                raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # a damaged file stays as it is
            aside = database.with_name(f"{database.name}.before-{at:%Y%m%dT%H%M%SZ}")
            try:
                aside.hardlink_to(database)  # whoever comes now finds the old one, not none
            except OSError:  # a file system without links
                database.replace(aside)
        for ending in ("-wal", "-shm"):
            beside = database.with_name(database.name + ending)
            if aside and beside.exists():
                beside.replace(aside.with_name(aside.name + ending))
            beside.unlink(missing_ok=True)
        restored.replace(database)
    return aside


def _volumes(copy: Path, database: PurePath) -> tuple[Path, ...]:
    """The files of moved texts that a copy of a database names, beside the database.

    Raises:
        ArenaError: One is not there, or was changed.
    """
    with closing(sqlite3.connect(copy)) as raw:
        named = "SELECT 1 FROM sqlite_schema WHERE name = 'tape_volumes'"
        has_any = raw.execute(named).fetchone()  # an older file has not
        rows = raw.execute("SELECT month, digest FROM tape_volumes") if has_any else ()
        return tuple(proved(folder_of(database), month, digest) for month, digest in rows)


def _copied(database: PurePath, copy: Path) -> tuple[int, int, str, datetime | None]:
    """Copy a database in one read, and look it through."""
    with read_only(database) as raw, closing(sqlite3.connect(copy)) as fresh:
        register(fresh)
        try:
            raw.backup(fresh)
        except sqlite3.OperationalError as error:
            if "full" not in str(error):
                raise
            raise ArenaError(
                "backup.room",
                f"{copy.parent} is full: the database is copied there first",
                hint="set TMPDIR to a folder with room for the database",
            ) from error
        fresh.execute("PRAGMA journal_mode = DELETE")
        if (wrong := fresh.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise ArenaError(
                "backup.source",
                f"{database} is damaged and was not backed up: {wrong}",
                hint="`arena audit` says which tables; older backups are left as they are",
            )
        return version_of(fresh), *_newest_entry(fresh)


def _newest_entry(raw: sqlite3.Connection) -> tuple[int, str, datetime | None]:
    """How many entries a journal has, with the digest and the moment of the newest."""
    row = raw.execute("SELECT seq, digest, at FROM journal_entries ORDER BY seq DESC LIMIT 1")
    seq, digest, at = row.fetchone() or (0, GENESIS, None)
    return int(seq), str(digest), None if at is None else read_moment(at)


def _damaged(backup: Backup, what: str) -> ArenaError:
    return ArenaError(
        "backup.damaged",
        f"{backup.name} is not what was written on {backup.at:%Y-%m-%d %H:%M} UTC: {what}",
        hint="use another backup; `arena backup --list` names them",
    )


@contextmanager
def _in_words(address: str) -> Iterator[None]:
    """Turn a failure of a file system into one that a person can act on."""
    try:
        with foreign(ImportError):
            yield
    except ImportError as error:
        raise ArenaError(
            "backup.extra",
            f"{address} needs a package that is not here: {error}",
            hint="`pip install 'paper-arena[stores]'` has s3://, gs:// and az://",
            status=2,
        ) from error
    except ForeignError as error:  # every file system has failures of its own
        raise ArenaError(
            "backup.folder",
            f"{address} cannot be used: {error}",
            hint="check the address, the rights and the free space; nothing was deleted",
        ) from error


# Tables of what the world said, with the column of its moment.
_TAPED = {
    "tape_polls": "at",
    "tape_markets": "seen_at",
    "tape_quotes": "seen_at",
    "tape_statuses": "seen_at",
    "tape_repeats": "seen_at",
    "tape_contexts": "at",
    "tape_payloads": "at",
    "tape_submissions": "at",
    "tape_asks": "at",
    "tape_asked_again": "at",
    "tape_calls": "at",
    "tape_batched": "at",
}
# An answer that no turn stands on may have come later. Where it did not, what was paid for is
# among the calls still, and it is given again without asking.
_UNJUDGED = """
NOT EXISTS (SELECT 1 FROM turns WHERE turns.cohort = {0}.cohort
    AND turns.round = {0}.round AND turns.contestant = {0}.contestant)
"""
_NOT_CALLED = """
NOT EXISTS (SELECT 1 FROM tape_calls WHERE tape_calls.cohort = {0}.cohort
    AND tape_calls.round = {0}.round AND tape_calls.contestant = {0}.contestant
    AND tape_calls.call = {0}.call)
"""


def rewind(db: Connection, entry: int) -> Rewound:
    """Take every entry after one out of the journal, and what is on the tape from later.

    The caches are made anew. This is for a copy of a file, never for the one that is played.

    Raises:
        ArenaError: There is no such entry.
    """
    from arena.store.journal.packed import rebuild  # noqa: PLC0415  it reads the journal through

    at = db.value("SELECT at FROM journal_entries WHERE seq = ?", entry)
    last = db.value("SELECT max(seq) FROM journal_entries")
    if at is None:
        raise ArenaError(
            "backup.entry",
            f"there is no entry {entry}: the backup has 1 to {last}",
            hint="leave --at out for all of it",
            status=2,
        )
    with db.write():
        cut(db.raw, entry)
        for table, column in _TAPED.items():
            last_kept = int(read_moment(at).timestamp()) if table == "tape_repeats" else at
            db.run(f"DELETE FROM {table} WHERE {column} > ?", last_kept)  # noqa: S608
    rebuild(db)
    answers, attempts = "tape_answers", "tape_attempts"
    without_turn, without_call = _UNJUDGED.format(attempts), _NOT_CALLED.format(attempts)
    with db.write():
        gone = db.run(f"DELETE FROM {answers} WHERE {_UNJUDGED.format(answers)}").rowcount  # noqa: S608
        db.run(f"DELETE FROM {attempts} WHERE {without_turn} AND {without_call}")  # noqa: S608
    return Rewound(entries=last - entry, answers=gone)
