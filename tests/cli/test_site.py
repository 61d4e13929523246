import fcntl
import json
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest

from arena.cli.pages.site import SHOWN_FINDINGS
from arena.site.site_checks import PAGE_BYTES
from tests.cli.inside import Capsys, here, strict
from tests.cli.project import Project
from tests.cli.shell import Done, interrupted, killed, running
from tests.hangs import HANG, wait_until


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def made(ticked: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project after its first tick, whose files tests may add to."""
    return ticked.copy(tmp_path_factory.mktemp("made") / "arena")


def test_the_site_built_whole_is_the_one_that_ticks_wrote(
    made: Project, tmp_path: Path
) -> None:
    done = made.run("site", "build", "--json", "--out", tmp_path / "whole")
    site = bytes_of(made.folder / "site")
    assert (done.code, done.err) == (0, "")
    said = done.document
    assert len(said["changed"]) == len(site) - 2  # less what was written, and the heads
    assert said["site"] == str(tmp_path / "whole" / "index.html")
    assert {line["name"] for line in said["budget"]} >= {"largest page", "first view"}
    assert bytes_of(tmp_path / "whole") == site


def test_a_site_that_is_as_it_should_be_is_left_alone(made: Project) -> None:
    made.run("site", "build")
    done = made.run("site", "build", "--json")
    assert (done.document["changed"], done.document["removed"]) == ([], [])
    assert made.run("site", "build", "--check").code == 0


def test_a_check_says_what_would_change_and_changes_nothing(made: Project) -> None:
    index = made.folder / "site" / "index.html"
    before = index.read_bytes()
    index.write_bytes(b"something else")
    done = made.run("site", "build", "--check")
    kept = index.read_bytes()
    index.write_bytes(before)
    assert (done.code, kept) == (3, b"something else")
    assert "index.html\n" in done.out
    assert done.out.endswith("1 files would be written, 0 removed\n")


@pytest.mark.parametrize("moment", ["new-*", "new-*/index.html"], ids=["early", "late"])
def test_a_build_that_is_killed_leaves_no_process_behind(
    made: Project, tmp_path: Path, moment: str
) -> None:
    out, beside = tmp_path / "site", tmp_path / ".site.cache"
    words = ("site", "build", "--force", "--jobs", "2", "--out", out)
    with running(*words, cwd=made.folder) as process:
        wait_until(lambda: list(beside.glob(moment)))
        done = killed(process)  # waits until nobody has its output open any more
    assert done.code == -signal.SIGKILL


def test_before_any_tick_there_is_nothing_to_build(fresh: Project) -> None:
    done = fresh.run("site", "build")
    assert (done.code, "error[store.none]" in done.err) == (2, True)
    assert not (fresh.folder / "site").exists()


@pytest.mark.parametrize("folder", [".", "data"])
def test_a_folder_of_the_arena_s_own_is_not_made_a_site(fresh: Project, folder: str) -> None:
    done = fresh.run("site", "build", "--out", folder)
    assert (done.code, "error[site.folder]" in done.err) == (2, True)


def test_a_folder_that_is_a_file_is_named(made: Project, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = made.run("-q", "site", "build", "--out", tmp_path / "file" / "site")
    assert (done.code, done.crashed) == (1, False)
    assert done.err.startswith("error[")
    assert str(tmp_path / "file") in done.err


def test_an_address_that_is_none_is_refused(made: Project) -> None:
    done = made.run("site", "build", "--base-url", "example.org")
    assert done.code == 2
    assert "--base-url" in done.err


def test_the_old_name_of_the_command_leads_to_the_new(made: Project) -> None:
    done = made.run("publish")
    assert (done.code, "site build" in done.err) == (2, True)


def test_who_builds_while_another_does_leaves_it_the_work(made: Project) -> None:
    with (made.folder / ".site.cache" / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = made.run("-q", "site", "build", "--json")
    assert done.code == 0
    assert "another process is building" in done.document["busy"]


def test_a_built_site_is_checked(made: Project) -> None:
    done = made.run("site", "check", "--json")
    assert done.document["findings"] == []
    assert done.document["pages"] > 5


def test_a_site_is_held_against_its_limits(
    made: Project, tmp_path: Path, capsys: Capsys
) -> None:
    shutil.copytree(made.folder / "site", tmp_path / "site")
    words = ("site", "budget", tmp_path / "site")
    assert here(capsys, *words).code == 0
    (tmp_path / "site" / "large.html").write_text("<p>" + "x" * PAGE_BYTES)
    lines = here(capsys, *words, "--json").document["budget"]
    assert lines[0]["where"] == "large.html"
    done = here(capsys, *words, "--limit", "1", "--columns", "measure,where,over")
    assert (done.code, done.out.splitlines()[1].split()) == (
        3,
        ["largest", "page", "large.html", "OVER"],
    )


def test_a_site_with_a_key_on_it_is_a_finding(made: Project, tmp_path: Path) -> None:
    shutil.copytree(made.folder / "site", tmp_path / "site")
    (tmp_path / "site" / "notes.txt").write_text("AKIA" + 16 * "A")
    done = made.run("-q", "site", "check", tmp_path / "site")
    assert (done.code, "notes.txt: secret: a key of Amazon" in done.out) == (3, True)


def test_findings_that_are_not_listed_are_counted(tmp_path: Path, capsys: Capsys) -> None:
    for name in ("index.html", *(f"{number}.xml" for number in range(SHOWN_FINDINGS))):
        (tmp_path / name).write_text("<feed>", encoding="utf-8")
    lines = here(capsys, "site", "check", tmp_path).out.splitlines()
    every = strict(here(capsys, "site", "check", tmp_path, "--json"))["findings"]
    assert sum(": xml: " in line for line in lines) == SHOWN_FINDINGS
    assert f"... and {len(every) - SHOWN_FINDINGS} more" in lines


def test_what_differs_between_two_sites_is_named(made: Project, tmp_path: Path) -> None:
    site = made.folder / "site"
    shutil.copytree(site, tmp_path / "new")
    assert made.run("site", "diff", site, tmp_path / "new").code == 0
    twin = tmp_path / "new" / "index.json"
    twin.write_text(json.dumps(json.loads(twin.read_text()) | {"schema_version": 99}))
    done = made.run("site", "diff", site, tmp_path / "new")
    assert (done.code, "    schema_version: 1 -> 99\n" in done.out) == (3, True)


def test_a_file_s_name_commands_no_terminal(tmp_path: Path, capsys: Capsys) -> None:
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").write_text("<p>", encoding="utf-8")
    (tmp_path / "new" / "\x1b[2J\nrain.html").write_text("<p>", encoding="utf-8")
    done = here(capsys, "site", "diff", tmp_path / "old", tmp_path / "new")
    assert (done.code, done.out.splitlines()[0]) == (3, "+ [2J rain.html")
    said = here(capsys, "site", "check", tmp_path / "new").out
    assert ("[2J rain.html: " in said, "\x1b" in said) == (True, False)


def test_there_is_nothing_to_check_where_there_is_no_site(made: Project) -> None:
    done = made.run("site", "check", ".")
    assert (done.code, "error[site.none]" in done.err) == (2, True)


LONG = f"/arena/{'x' * 3000}"


def test_a_site_is_served_below_a_path_and_ends_quietly(made: Project) -> None:
    words = ("site", "serve", "--port", "0", "--base", "arena")
    (made.folder / "site" / "out.yaml").symlink_to(made.folder / "config.yaml")
    (made.folder / "site" / "round.html").symlink_to("round.html")
    (made.folder / "site" / "in.json").symlink_to("index.json")
    with running(*words, cwd=made.folder, PYTHONUNBUFFERED="1") as process:
        assert process.stdout
        line = process.stdout.readline()
        port = int(line.partition("127.0.0.1:")[2].partition("/")[0])
        answers = {
            way: asked(port, way)
            for way in (
                "/arena/",
                "/arena",
                "/",
                "/arena/cohorts",
                "/arena/.arena-site.json",
                "/arena/../config.yaml",
                "/arena/index.json",
                "/arena/in.json",
                "/arena/out.yaml",
                "/arena/round.html",
                LONG,
            )
        }
        done = interrupted(process)
    for name in ("out.yaml", "round.html", "in.json"):
        (made.folder / "site" / name).unlink()
    assert (done.code, done.crashed) == (0, False)
    assert {way: status for way, (status, _) in answers.items()} == {
        "/arena/": 200,
        "/arena": 301,
        "/": 404,
        "/arena/cohorts": 404,
        "/arena/.arena-site.json": 404,
        "/arena/../config.yaml": 404,
        "/arena/index.json": 200,
        "/arena/in.json": 200,
        "/arena/out.yaml": 404,
        "/arena/round.html": 404,
        LONG: 404,
    }
    assert done.err.strip() == ""
    assert answers["/arena/"][1] == "text/html; charset=utf-8"
    assert answers["/arena/index.json"][1] == "application/json"


def asked(port: int, way: str) -> tuple[int, str | None]:
    connection = HTTPConnection("127.0.0.1", port, timeout=HANG)
    connection.request("GET", way)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, answer.getheader("Content-Type")


def test_a_build_that_is_interrupted_leaves_the_old_site_whole(
    made: Project, tmp_path: Path
) -> None:
    copy = made.copy(tmp_path / "arena")
    before = bytes_of(copy.folder / "site")
    cache = copy.folder / ".site.cache"
    with running("-q", "site", "build", "--force", cwd=copy.folder) as process:
        wait_until(lambda: process.poll() is not None or list(cache.glob("new-*")))
        done = interrupted(process)
    assert (done.code in {0, 130}, done.crashed) == (True, False)
    assert bytes_of(copy.folder / "site") == before
    assert not list(cache.glob("new-*"))


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
    assert first.startswith(f"failed: the site: cannot write {made.folder}/")
    assert first.endswith(": No space left on device")
    advice = "check the folder's rights and free space; `arena site build` completes the site"
    assert hint == f"  hint: {advice}"


def test_a_full_disk_under_the_site_costs_the_books_nothing(full: tuple[Project, Done]) -> None:
    assert full[0].rows("SELECT count(*) FROM rounds WHERE closed") == [(2,)]
    assert full[0].is_sound


def test_with_more_space_the_site_is_completed(full: tuple[Project, Done]) -> None:
    made = full[0]
    done = made.tick(hours=24)
    assert done.code == 0
    made.run("site", "build", "--out", "whole")
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
