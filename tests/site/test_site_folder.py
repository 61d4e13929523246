import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.errors import ArenaError, StopError
from arena.site.engine.manifest import MANIFEST
from arena.site.engine.site_folder import LOCK, Ground, Stage, ground, staged, write_whole
from arena.store.lease import OVERDUE, leased
from tests.site.folders import files
from tests.sizes import size

ROOT = Path(__file__).parents[2]
NEW = {"index.html": b"new", "a/b.html": b"new", MANIFEST: b"{}"}
SWAP = """
import os, sys
from pathlib import Path
from arena.site.engine.site_folder import ground, staged
out, step = Path(sys.argv[1]), int(sys.argv[2])
calls = 0
def watch(event, args):
    global calls
    if event in {"os.rename", "os.link", "os.mkdir", "open"} and str(out.parent) in str(args):
        calls += 1
        if calls > step:
            os._exit(9)
sys.addaudithook(watch)
with ground(out) as own, staged(own) as stage:
    for path in ("a/b.html", "index.html", ".arena-site.json"):
        stage.write(path, b"new" if path != ".arena-site.json" else b"{}")
    stage.publish(["a/b.html", "index.html", ".arena-site.json"], ["gone.html"])
"""


def old_site(out: Path) -> dict[str, bytes]:
    (out / "a").mkdir(parents=True)
    for name in ("index.html", "a/b.html", "gone.html", "notes.txt"):
        (out / name).write_bytes(b"old")
    return files(out)


def put(own: Ground) -> Stage:
    with staged(own) as stage:
        for path, content in NEW.items():
            stage.write(path, content)
        stage.publish(NEW, ["gone.html"])
    return stage


WHOLE = NEW | {"notes.txt": b"old"}


def test_a_new_site_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    old_site(tmp_path / "out")
    with ground(tmp_path / "out") as own:
        assert put(own).in_place == ""
    assert files(tmp_path / "out") == WHOLE
    assert [path.name for path in (tmp_path / ".out.cache").iterdir()] == [LOCK]
    assert (tmp_path / ".out.cache").stat().st_mode & 0o777 == 0o700


def test_where_a_folder_cannot_be_exchanged_files_are_put_in_one_by_one(tmp_path: Path) -> None:
    old_site(tmp_path / "out")
    elsewhere = tmp_path / "data" / ".out.cache"
    elsewhere.mkdir(parents=True)
    with leased(elsewhere / LOCK, wait=0) as lease:
        stage = put(Ground(tmp_path / "out", elsewhere, lease))
    assert "mount point" in stage.in_place
    assert files(tmp_path / "out") == WHOLE


def test_what_an_earlier_version_kept_inside_the_site_is_not_published(tmp_path: Path) -> None:
    old_site(tmp_path / "out")
    inside = tmp_path / "out" / ".arena-site"
    inside.mkdir()
    (inside / "pages.tsv").write_text("")
    with ground(tmp_path / "out") as own:
        put(own)
    assert files(tmp_path / "out") == WHOLE


def test_a_builder_that_was_taken_over_from_writes_nothing(tmp_path: Path) -> None:
    old = old_site(tmp_path / "out")
    lock = tmp_path / ".out.cache" / LOCK
    with ground(tmp_path / "out") as own, staged(own) as stage:
        stage.write("index.html", b"new")
        long_ago = lock.stat().st_mtime - 2 * OVERDUE.total_seconds()
        os.utime(lock, (long_ago, long_ago))
        with leased(lock, wait=0):
            for late in (
                lambda: own.write("index.html", b"new"),
                lambda: stage.put(["index.html"], []),
                lambda: stage.publish(["index.html"], []),
            ):
                with pytest.raises(StopError):
                    late()
    assert files(tmp_path / "out") == old


@pytest.mark.parametrize("step", [*range(0, 24, size(4, 2)), 40])
def test_after_a_kill_at_any_step_the_old_site_is_whole_or_the_new_one(
    tmp_path: Path, step: int
) -> None:
    out = tmp_path / "out"
    before = old_site(out)
    command = [sys.executable, "-c", SWAP, str(out), str(step)]
    subprocess.run(command, check=False, cwd=ROOT)  # noqa: S603  our own
    with ground(out):
        assert files(out) in (before, WHOLE)


def test_a_site_that_was_taken_away_for_a_new_one_is_given_back(tmp_path: Path) -> None:
    before = old_site(tmp_path / "out")
    beside = tmp_path / ".out.cache"
    beside.mkdir()
    (tmp_path / "out").rename(beside / "old-123")
    (beside / "new-123").mkdir()
    with ground(tmp_path / "out"):
        assert files(tmp_path / "out") == before
    assert [path.name for path in beside.iterdir()] == [LOCK]


def test_two_builds_never_write_at_once(tmp_path: Path) -> None:
    beside = tmp_path / ".out.cache"
    beside.mkdir()
    with (beside / LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(ArenaError, match="another process is building") as caught:
            ground(tmp_path / "out", wait=0.1).__enter__()
    assert caught.value.code == "site.busy"


def test_a_link_to_a_folder_is_followed(tmp_path: Path) -> None:
    old_site(tmp_path / "releases" / "one")
    (tmp_path / "out").symlink_to(tmp_path / "releases" / "one")
    with ground(tmp_path / "out") as own:
        put(own)
    assert (tmp_path / "out").is_symlink()
    assert files(tmp_path / "releases" / "one") == WHOLE


def test_a_file_that_cannot_take_its_place_leaves_no_draft(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path / "folder", b"")
    assert [file.name for file in tmp_path.iterdir()] == ["folder"]
