"""The folder of a site while it is built: one builder at a time, and nothing half done."""

import errno
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath

from arena.errors import ArenaError
from arena.site.engine.manifest import MANIFEST
from arena.store.lease import HeldError, Lease, leased

LOCK = "site.lock"
PATIENCE = 10.0  # seconds that another builder is waited for
FEW = 200  # files that are made to last one by one; more are with one call for all
_INSIDE = ".arena-site"  # where an earlier version kept what is beside
PRIVATE = 0o700  # what is not published is nobody else's

_OURS = re.compile(r"(new|old)-\d+")


@dataclass(frozen=True, slots=True)
class Ground:
    """A site's folder that this process alone builds, as long as it has the `lease`.

    `beside` holds what is no part of the site: the lock, the list of pages, what is cached,
    and a site that is being made. It is `.NAME.cache` next to the folder NAME, or next to the
    database where nothing can be written there.
    """

    out: Path
    beside: Path
    lease: Lease

    @property
    def swaps(self) -> bool:
        """Whether a new folder can take the place of the old one."""
        return self.beside.parent == self.out.parent and not os.path.ismount(self.out)

    def write(self, path: str, content: bytes) -> bool:
        """Write a file in place, whole or not at all; say whether its bytes are new."""
        file = self.out / path
        with in_words(file):
            if holds(str(file), content):
                return False
            self.lease.beat()
            write_whole(file, content)
        return True


@dataclass(slots=True)
class Stage:
    """Where files wait until all are made.

    `in_place` says why they were put into the site one by one; empty where the whole folder
    was exchanged.
    """

    ground: Ground
    folder: Path
    in_place: str = ""

    def write(self, path: str, content: bytes) -> None:
        """Make a file that the site shall have."""
        write_new(f"{self.folder}/{path}", content)

    def publish(self, order: Iterable[str], gone: Iterable[str]) -> None:
        """Bring the files that were made into the site, and take away what is gone.

        Files of others stay. After a kill at any moment the old site is whole, or the next
        build finds it; where the folder cannot be exchanged, some pages of it are new.

        Args:
            order: The files that were made, those first that others lead to.
            gone: Files that the site shall not have any more.
        """
        made, stale = list(dict.fromkeys(order)), list(gone)
        with in_words(self.folder):
            _make_last(self.folder, made)
            self.ground.lease.beat()
            if not self.ground.swaps:
                self.in_place = "the folder is a mount point, or its parent is not writable"
            elif not self._exchanged(set(stale)):
                self.in_place = "this file system cannot exchange the folder"
            if self.in_place:
                # until the new one stands, all is in doubt
                (self.ground.out / MANIFEST).unlink(missing_ok=True)
                self._move(made, stale)

    def put(self, order: Iterable[str], gone: Iterable[str]) -> None:
        """Bring the files that were made into a site that grows, one by one."""
        with in_words(self.folder):
            self.ground.lease.beat()
            self._move(order, gone)

    def _exchanged(self, stale: set[str]) -> bool:
        """Put a new folder in the place of the old one, with links to what stays."""
        out, old = self.ground.out, self.ground.beside / f"old-{os.getpid()}"
        try:
            if out.exists():
                _link_others(out, self.folder, stale)
                shutil.copymode(out, self.folder)
                out.rename(old)
        except OSError as error:
            if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.ENOTDIR}:
                raise
            return False
        self.folder.rename(out)
        shutil.rmtree(old, ignore_errors=True)
        return True

    def _move(self, made: Iterable[str], stale: Iterable[str]) -> None:
        out = self.ground.out
        for path in made:
            (out / path).parent.mkdir(parents=True, exist_ok=True)
            _bring(self.folder / path, out / path)
        for path in stale:
            (out / path).unlink(missing_ok=True)


@contextmanager
def ground(
    out: Path, *, wait: float = PATIENCE, database: PurePath | None = None
) -> Iterator[Ground]:
    """Be the only process that builds this site; another builder is waited for, in seconds.

    What an earlier build was killed in the middle of is put right. From one that has given
    no sign for long it is taken over.

    Raises:
        ArenaError: Another process builds it (`site.busy`), or the folder cannot be made.
    """
    out = out.resolve()
    with ExitStack() as until_done:
        with in_words(out):
            beside = _beside(out, database)
            lease = until_done.enter_context(_only_builder(out, beside, wait))
            _put_right(out, beside)
        yield Ground(out, beside, lease)


@contextmanager
def _only_builder(out: Path, beside: Path, wait: float) -> Iterator[Lease]:
    try:
        with leased(beside / LOCK, wait=wait) as lease:
            yield lease
    except HeldError as error:
        raise ArenaError(
            "site.busy",
            f"another process is building {out} ({error})",
            hint="wait until it is done; `arena site build` completes the site",
        ) from error


@contextmanager
def staged(ground: Ground) -> Iterator[Stage]:
    """Make room for a site to be made in; it is cleared away in the end."""
    folder = ground.beside / f"new-{os.getpid()}"
    try:
        with in_words(folder):
            folder.mkdir(parents=True)
        yield Stage(ground, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write_whole(file: Path, content: bytes) -> None:
    """Write a file whole or not at all, in the place of an older one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with _draft_of(file) as draft:
        draft.write_bytes(content)


@contextmanager
def _draft_of(file: Path) -> Iterator[Path]:
    """A place beside a file, from which what is written there takes the file's place."""
    draft = file.with_name(f".{file.name}.tmp")
    try:
        yield draft
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


def write_new(file: str, content: bytes) -> None:
    """Write a file that nobody reads yet."""
    with in_words(file):
        try:
            _write(file, content)
        except FileNotFoundError:
            Path(file).parent.mkdir(parents=True, exist_ok=True)
            _write(file, content)


def _write(file: str, content: bytes) -> None:
    """Write a file by its bare name: hundreds of thousands are written at once."""
    number = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
    try:
        left = content
        while left:
            left = left[os.write(number, left) :]
    finally:
        os.close(number)


def holds(file: str, content: bytes) -> bool:
    """Whether a file is there with these bytes."""
    try:
        size = os.stat(file).st_size  # noqa: PTH116  a Path takes thrice as long
        return size == len(content) and Path(file).read_bytes() == content
    except (FileNotFoundError, NotADirectoryError):
        return False


@contextmanager
def in_words(path: Path | str) -> Iterator[None]:
    """Turn a failure of the disk into one that a person can act on."""
    try:
        yield
    except OSError as error:
        raise ArenaError(
            "site.write",
            f"cannot write {error.filename or path}: {error.strerror}",
            hint="check the folder's rights and free space; "
            "`arena site build` completes the site",
        ) from error


def places_beside(out: Path, database: PurePath | None) -> list[Path]:
    """Where what is no part of the site may be: next to its folder, or to the database."""
    name = f".{out.name}.cache"
    return [out.with_name(name), *([Path(database).with_name(name)] if database else [])]


def _beside(out: Path, database: PurePath | None) -> Path:
    """The first of these places that can be made; none of it is ever inside the site."""
    *others, last = places_beside(out, database)
    for beside in others:
        try:
            beside.mkdir(PRIVATE, parents=True, exist_ok=True)
        except OSError as error:
            if error.errno not in {errno.EACCES, errno.EPERM, errno.EROFS}:
                raise
        else:
            return beside
    last.mkdir(PRIVATE, parents=True, exist_ok=True)
    return last


def _put_right(out: Path, beside: Path) -> None:
    """Give a site back that was taken away for a new one, and clear what is left over."""
    shutil.rmtree(out / _INSIDE, ignore_errors=True)
    for left in sorted(beside.iterdir(), key=lambda path: path.name, reverse=True):
        if not _OURS.fullmatch(left.name):
            continue
        if left.name.startswith("old-") and not out.exists():
            left.rename(out)
        else:
            for folder, _, _ in os.walk(left):
                Path(folder).chmod(PRIVATE)  # of a site that was not to be written to
            shutil.rmtree(left)


def _make_last(folder: Path, made: list[str]) -> None:
    """Wait until the files are on the disk."""
    if len(made) > FEW:
        os.sync()
        return
    for path in made:
        with (folder / path).open("rb") as file:
            os.fsync(file.fileno())


def _link_others(out: Path, folder: Path, stale: set[str]) -> None:
    """Link what was not made anew, also what is not ours."""
    for place, folders, files in os.walk(out):
        here = Path(place).relative_to(out)
        (folder / here).mkdir(exist_ok=True)
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        for name in (*files, *links):
            path = here / name
            target = folder / path
            if path.as_posix() in stale or target.is_file() or _is_draft(target):
                continue
            if target.is_dir():
                raise NotADirectoryError(
                    errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(out / path)
                )
            os.link(out / path, target, follow_symlinks=False)


def _is_draft(target: Path) -> bool:
    """Whether a file is what a kill has left of one of ours."""
    name = target.name
    ours = target.with_name(name.removeprefix(".").removesuffix(".tmp"))
    return name.startswith(".") and name.endswith(".tmp") and ours.is_file()


def _bring(made: Path, target: Path) -> None:
    try:
        made.replace(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with _draft_of(target) as draft:
            shutil.copyfile(made, draft)
