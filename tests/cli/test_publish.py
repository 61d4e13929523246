import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.project import Project
from tests.cli.shell import Done


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_site_published_whole_is_the_one_that_ticks_wrote(
    ticked: Project, tmp_path: Path
) -> None:
    done = ticked.run("publish", "--json", "--out", tmp_path / "whole")
    site = bytes_of(ticked.folder / "site")
    assert (done.code, done.err) == (0, "")
    assert done.document == {
        "schema_version": 1,
        "pages": len(site) - 1,  # the note of what was written is no page
        "site": str(tmp_path / "whole" / "index.html"),
    }
    assert bytes_of(tmp_path / "whole") == site


def test_before_any_tick_there_is_nothing_to_publish(fresh: Project) -> None:
    done = fresh.run("publish")
    assert (done.code, "error[store.none]" in done.err) == (2, True)
    assert not (fresh.folder / "site").exists()


def test_a_folder_that_is_a_file_is_named(ticked: Project, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = ticked.run("publish", "--out", tmp_path / "file" / "site")
    assert (done.code, done.crashed) == (1, False)
    assert done.err.startswith("error[")
    assert str(tmp_path / "file") in done.err


@pytest.fixture(scope="module")
def full(ticked: Project, tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Done]:
    """A tick whose site lies on a disk that was too small."""
    made = ticked.copy(tmp_path_factory.mktemp("full") / "arena")
    shutil.rmtree(made.folder / "site")
    with small_disk(made.folder / "site"):
        return made, made.tick(hours=24)


def test_a_full_disk_under_the_site_is_one_clear_line(full: tuple[Project, Done]) -> None:
    made, done = full
    first, hint = done.err.splitlines()
    assert (done.code, done.crashed) == (6, False)
    assert first.startswith(f"failed: the site: cannot write {made.folder / 'site'}/")
    assert first.endswith(": No space left on device")
    assert hint == (
        "  hint: check the folder's rights and free space; `arena publish` completes the site"
    )


def test_a_full_disk_under_the_site_costs_the_books_nothing(
    full: tuple[Project, Done],
) -> None:
    assert full[0].rows("SELECT count(*) FROM rounds WHERE closed") == [(2,)]
    assert full[0].is_sound


def test_with_more_space_the_site_is_completed(full: tuple[Project, Done]) -> None:
    made = full[0]
    done = made.tick(hours=24)
    assert (done.code, made.run("publish", "--out", "whole").code) == (0, 0)
    assert bytes_of(made.folder / "site") == bytes_of(made.folder / "whole")


@contextmanager
def small_disk(at: Path) -> Iterator[None]:
    """Put a disk of 64 kB there, where this user may."""
    at.mkdir()
    mount, umount = shutil.which("mount"), shutil.which("umount")
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=64k", "none", str(at)]
    if not (mount and umount) or subprocess.run(command, check=False).returncode:  # noqa: S603
        pytest.skip("this user cannot mount a small disk")
    try:
        yield
    finally:
        subprocess.run([umount, at], check=True)  # noqa: S603  what was mounted above
