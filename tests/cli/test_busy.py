"""A tick that finds another one at work, and one whose pages cannot be written."""

from pathlib import Path

import pytest

from arena.store import locked
from tests.cli.project import Project
from tests.cli.shell import Done, interrupted, running


@pytest.fixture(scope="module")
def shut_out(
    ticked: Project, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Project, Done, str, Done]:
    """A tick and `arena run` beside a process that ticks, and the first line of the second."""
    made = ticked.copy(tmp_path_factory.mktemp("busy") / "arena")
    with locked(made.database), running("run", cwd=made.folder) as process:
        assert process.stdout
        tick = made.tick(hours=24)
        return made, tick, process.stdout.readline(), interrupted(process)


def test_a_tick_leaves_the_work_to_one_that_is_under_way(
    shut_out: tuple[Project, Done, str, Done],
) -> None:
    made, tick, _, _ = shut_out
    assert (tick.code, tick.err) == (0, "")
    assert "another process is ticking" in tick.out
    assert made.is_sound


def test_a_run_leaves_it_the_work_in_the_words_of_a_tick(
    shut_out: tuple[Project, Done, str, Done],
) -> None:
    _, _, line, run = shut_out
    assert "another process is ticking" in line
    assert "it does the work, nothing is left to do here" in line
    assert "error" not in run.err


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
