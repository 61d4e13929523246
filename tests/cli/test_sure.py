"""What deletes or replaces something is asked about first."""

from pathlib import Path

import pytest

from tests.cli.conftest import THREE_DAYS, Played
from tests.cli.handing_in import typed
from tests.cli.inside import Capsys, here
from tests.cli.project import Project

MINE = "mine"


def mine(file: Path) -> Path:
    """A file that no arena wrote."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(MINE, encoding="utf-8")
    return file


def refused(capsys: Capsys, *words: str | Path) -> bool:
    done = here(capsys, *words)
    said = ("usage.confirm" in done.err, "--yes" in done.err)
    return (done.code, *said) == (2, True, True)


@pytest.mark.parametrize("more", [(), ("--json",)], ids=str)
def test_a_prune_is_refused_where_nobody_can_be_asked(
    more: tuple[str, ...], demo: Played, capsys: Capsys
) -> None:
    before = demo.database.read_bytes()
    words = ("tape", "prune", "--older-than", "1d", "--database", demo.database)
    assert refused(capsys, *words, *more)
    assert demo.database.read_bytes() == before


def test_an_arena_is_not_replaced_where_nobody_can_be_asked(
    tmp_path: Path, capsys: Capsys
) -> None:
    file = mine(tmp_path / "config.yaml")
    assert refused(capsys, "init", tmp_path, "--force")
    assert [one.name for one in tmp_path.iterdir()] == [file.name]
    assert file.read_text() == MINE


def test_an_arena_that_replaces_nothing_asks_nothing(tmp_path: Path, capsys: Capsys) -> None:
    assert here(capsys, "init", tmp_path, "--force").code == 0


def test_a_demo_of_other_numbers_is_not_thrown_away_where_nobody_can_be_asked(
    demo: Played, capsys: Capsys
) -> None:
    before = demo.database.read_bytes()
    assert refused(capsys, *THREE_DAYS, "--seed", "2", "--out", demo.folder)
    assert demo.database.read_bytes() == before


@pytest.mark.parametrize(
    "name", ["seats.csv", "SHA256SUMS", "datapackage.json", "paper-arena.json"]
)
def test_an_export_replaces_only_what_an_export_wrote(
    name: str, demo: Played, tmp_path: Path, capsys: Capsys
) -> None:
    words = ("export", "csv", "--only", "seats", "-o", tmp_path, "--database", demo.database)
    file = mine(tmp_path / name)
    assert refused(capsys, *words)
    assert file.read_text() == MINE
    assert here(capsys, *words, "--yes").code == 0
    assert here(capsys, *words).code == 0


def test_a_site_takes_no_place_of_pages_that_no_arena_made(
    ticked: Project, tmp_path: Path, capsys: Capsys
) -> None:
    page = mine(tmp_path / "site" / "index.html")
    words = ("-C", ticked.folder, "site", "build", "-o", page.parent)
    assert refused(capsys, *words)
    assert page.read_text() == MINE
    assert here(capsys, *words, "--yes").code == 0
    assert here(capsys, *words).code == 0


@pytest.mark.parametrize(("answer", "code"), [("n", 1), ("y", 0)])
def test_on_a_terminal_it_is_asked(
    answer: str, code: int, ticked: Project, tmp_path: Path
) -> None:
    own = ticked.copy(tmp_path / "own")
    file = own.folder / "config.yaml"
    before = file.read_text()
    done = typed(own, "init", ".", "--force", lines=(answer,))
    assert (done.code, "config.yaml" in done.out, done.crashed) == (code, True, False)
    declined = "error[usage.declined]: nothing was done" in done.out
    assert (file.read_text() == before, declined) == (bool(code), bool(code))
