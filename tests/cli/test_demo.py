import hashlib
import json
import re
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.store.migrations import CACHES, TRUTHS
from tests.cli.conftest import THREE_DAYS, Played
from tests.cli.shell import Done, arena, killed, running
from tests.hangs import wait_until
from tests.once import copied

SHORT = ("--days", "1", "--contestants", "0")


@dataclass(frozen=True, slots=True)
class Again:
    """A demo in a folder where there is one already."""

    folder: Path
    done: Done


def journal(done: Done) -> str:
    found = re.search(r"^journal ([0-9a-f]{64})$", done.out, re.MULTILINE)
    assert found, done.err
    return found[1]


def pages(folder: Path) -> dict[str, str]:
    """Every file of a site, and the digest of its bytes."""
    site = folder / "site"
    files = sorted(path for path in site.rglob("*") if path.is_file())
    return {
        path.relative_to(site).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def tables(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row that a play has left in the database."""
    with closing(sqlite3.connect(folder / "arena.db")) as db:
        return {
            name: sorted(db.execute(f"SELECT * FROM {name}"), key=repr)  # noqa: S608  ours
            for name in TRUTHS + CACHES
        }


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Again:
    """The same demo in another zone, with other hashes and in JSON."""
    home = tmp_path_factory.mktemp("elsewhere")
    done = arena(
        *(*THREE_DAYS, "--out", "there", "--json"),
        cwd=home,
        TZ="Asia/Tokyo",
        PYTHONHASHSEED="1",
        LC_ALL="C",
    )
    return Again(home / "there", done)


@pytest.fixture(scope="module")
def again(demo: Played, tmp_path_factory: pytest.TempPathFactory) -> Again:
    """The same demo once more in a copy of its folder."""
    home = tmp_path_factory.mktemp("again")
    copied(demo.folder, home / "here")
    return Again(home / "here", arena(*THREE_DAYS, "--out", "here", cwd=home))


@pytest.fixture(scope="module")
def shorter(demo: Played, tmp_path_factory: pytest.TempPathFactory) -> Again:
    """A demo of other numbers in a copy of its folder."""
    home = tmp_path_factory.mktemp("shorter")
    copied(demo.folder, home / "here")
    done = arena("demo", *SHORT, "--out", "here", "--yes", cwd=home)
    return Again(home / "here", done)


def test_a_demo_prints_its_table(demo: Played) -> None:
    lines = demo.done.out.splitlines()
    assert demo.done.code == 0
    assert lines[1].split()[:2] == ["rank", "contestant"]
    assert {"northwind-large-2", "halcyon-pro-3-1", "tessera-2", "northwind-large-1"} <= {
        line.split()[1] for line in lines[2:13]
    }


def test_a_demo_ranks_as_its_front_page_does(demo: Played) -> None:
    front = json.loads((demo.folder / "site" / "index.json").read_text())
    lines = demo.done.out.splitlines()
    rows = [row for row in front["ranking"]["rows"] if not row["kind"]]
    assert lines[0] == " ".join([*front["claims"], front["evidence"]])
    told = [line.split()[:2] for line in lines[2:]]
    said = [[row["ranks"]["text"].replace("\u2013", "-") or "n/a", row["slug"]] for row in rows]
    assert [line for line in told if line in said] == said


def test_a_demo_says_where_its_site_is(demo: Played) -> None:
    found = re.search(r"^site    file://(\S+)$", demo.done.out, re.MULTILINE)
    assert found
    assert Path(found[1]) == demo.folder / "site" / "index.html"
    assert Path(found[1]).is_file()


def test_a_demo_run_again_is_the_same(demo: Played, again: Again) -> None:
    assert (again.done.code, again.done.out.partition("site ")[0]) == (
        0,
        demo.done.out.partition("site ")[0],
    )


def test_a_demo_run_again_writes_the_same_pages(demo: Played, again: Again) -> None:
    assert pages(again.folder) == pages(demo.folder)


def test_a_demo_in_json_is_one_document(demo: Played, elsewhere: Again) -> None:
    said = elsewhere.done.document
    assert (elsewhere.done.code, elsewhere.done.err) == (0, "")
    assert said["schema_version"] == 1
    assert said["journal"] == journal(demo.done)
    assert (elsewhere.folder.parent / said["site"]).is_file()


def test_zone_and_hashes_change_nothing_in_the_database(demo: Played, elsewhere: Again) -> None:
    assert tables(elsewhere.folder) == tables(demo.folder)


def test_zone_hashes_and_locale_change_nothing_in_the_site(
    demo: Played, elsewhere: Again
) -> None:
    assert pages(elsewhere.folder) == pages(demo.folder)
    assert len(pages(demo.folder)) > 10


def test_other_numbers_start_anew(demo: Played, shorter: Again) -> None:
    assert shorter.done.code == 0
    assert journal(shorter.done) != journal(demo.done)
    assert len(shorter.done.err.splitlines()) < len(demo.done.err.splitlines())


def test_other_numbers_leave_no_page_behind(shorter: Again) -> None:
    assert not [name for name in pages(shorter.folder) if "northwind" in name]


def test_another_seed_is_another_world(shorter: Again, tmp_path: Path) -> None:
    done = arena("demo", *SHORT, "--seed", "2", cwd=tmp_path)
    assert journal(done) != journal(shorter.done)


def test_a_folder_of_something_else_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "diary.txt").write_text("dear diary")
    done = arena("demo", "--days", "1", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error[demo.folder]: demo holds something else\n  hint: ")
    assert [path.name for path in (tmp_path / "demo").iterdir()] == ["diary.txt"]


@pytest.mark.parametrize("note", ["dear diary", "[1]", json.dumps({"days": 1})])
def test_a_note_that_no_demo_wrote_protects_its_folder(note: str, tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "demo.json").write_text(note)
    (tmp_path / "demo" / "arena.db").write_text("precious")
    done = arena("demo", "--days", "1", cwd=tmp_path)
    assert (done.code, done.crashed) == (2, False)
    assert (tmp_path / "demo" / "arena.db").read_text() == "precious"


def test_a_killed_demo_is_finished_by_the_next(demo: Played, tmp_path: Path) -> None:
    with running(*THREE_DAYS, cwd=tmp_path) as process:
        wait_until((tmp_path / "demo" / "arena.db-wal").is_file)
        killed(process)
    done = arena(*THREE_DAYS, cwd=tmp_path)
    assert (done.code, journal(done)) == (0, journal(demo.done))
    assert pages(tmp_path / "demo") == pages(demo.folder)
