import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.conftest import Played
from tests.cli.shell import Done, arena
from tests.unpacked import change

DAMAGE = """
DELETE FROM position_rows WHERE side = 'NO';
UPDATE seats SET cash_micro = cash_micro + 5 WHERE contestant = 'coin-flip';
DELETE FROM rounds WHERE round = 1;
"""
MENDED = ["rounds", "position_rows", "seats", "totals"]


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A sound copy and a damaged one, each rebuilt, and then the damaged one again."""

    file: Path
    sound: Done
    mended: Done
    again: Done


def rebuild(file: Path, *more: str) -> Done:
    return arena("rebuild", *more, "--database", file, cwd=file.parent)


@pytest.fixture(scope="module")
def rebuilt(demo: Played, tmp_path_factory: pytest.TempPathFactory) -> Rebuilt:
    file = tmp_path_factory.mktemp("rebuilt") / "arena.db"
    shutil.copy(demo.database, file)
    sound = rebuild(file)
    change(file, DAMAGE)
    return Rebuilt(file, sound, rebuild(file, "--json"), rebuild(file))


def test_caches_of_a_sound_file_come_out_as_they_were(rebuilt: Rebuilt) -> None:
    assert (rebuilt.sound.code, rebuilt.sound.err) == (0, "")
    assert rebuilt.sound.out.splitlines()[1] == "every cache came out as it was"


def test_damaged_caches_are_mended_and_named(rebuilt: Rebuilt) -> None:
    changed = rebuilt.mended.document["rebuilt"]["changed"]
    assert (rebuilt.mended.code, rebuilt.mended.err) == (0, "")
    assert set(changed) == set(MENDED)


def test_mended_caches_are_those_there_were(rebuilt: Rebuilt) -> None:
    digest = rebuilt.mended.document["rebuilt"]["digest"]
    assert rebuilt.sound.out.splitlines()[0].endswith(f" caches {digest}")


def test_after_a_rebuild_there_is_nothing_to_mend(rebuilt: Rebuilt) -> None:
    assert rebuilt.again.out == rebuilt.sound.out


def test_after_a_rebuild_the_books_are_sound(rebuilt: Rebuilt) -> None:
    done = arena("audit", "--database", rebuilt.file, cwd=rebuilt.file.parent)
    assert done.code == 0


def test_what_was_mended_is_named_in_words(rebuilt: Rebuilt, tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    shutil.copy(rebuilt.file, file)
    change(file, "DELETE FROM mark_rows")
    assert rebuild(file).out.splitlines()[1] == "mended: mark_rows"


def test_a_journal_that_cannot_be_read_is_named_and_nothing_changes(
    rebuilt: Rebuilt, tmp_path: Path
) -> None:
    file = tmp_path / "arena.db"
    shutil.copy(rebuilt.file, file)
    change(file, "UPDATE journal_lines SET event = 'gone' WHERE seq = 60")
    before = file.read_bytes()
    done = rebuild(file)
    assert (done.code, done.out, done.crashed) == (1, "", False)
    assert done.err.startswith(f"error[store.damaged]: {file}: the journal cannot be read: ")
    assert file.read_bytes() == before


def test_an_empty_arena_is_rebuilt_too(tmp_path: Path) -> None:
    (tmp_path / "arena.db").touch()
    done = rebuild(tmp_path / "arena.db")
    assert (done.code, done.out.partition(",")[0]) == (0, "0 entries replayed")
