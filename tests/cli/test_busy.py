"""A tick that finds another one at work, and one whose pages cannot be written."""

from pathlib import Path

from arena.store import locked
from tests.cli.project import Project


def test_a_tick_leaves_the_work_to_one_that_is_under_way(
    ticked: Project, tmp_path: Path
) -> None:
    made = ticked.copy(tmp_path / "arena")
    with locked(made.database):
        done = made.tick(hours=24)
    assert (done.code, done.err) == (0, "")
    assert "another process is ticking" in done.out
    assert made.is_sound


def test_a_tick_whose_pages_cannot_be_written_stands_all_the_same(
    ticked: Project, tmp_path: Path
) -> None:
    made = ticked.copy(tmp_path / "arena")
    index = made.folder / "site" / "index.html"
    index.unlink()
    index.mkdir()
    done = made.tick(hours=24)
    assert done.code == 6
    assert "2 answers" in done.out
    assert "failed: the site: cannot write" in done.err
    assert made.is_sound
