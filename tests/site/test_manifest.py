from pathlib import Path

import pytest

from arena.site.engine.manifest import (
    LIST,
    File,
    ManifestEntry,
    Shown,
    close_list,
    gone,
    listed_bytes,
    open_list,
    read_known,
    write_known,
)

BEFORE = Shown(1, "a", "2026-01-05", "t", "e")
AFTER = Shown(2, "b", "2026-01-06", "t", "e")
DIGEST = "d" * 64


def entry(path: str, key: str = "k") -> ManifestEntry:
    name = path.rpartition("/")[2]
    return ManifestEntry(path, key, 7, (File(f"{name}.json", 3, DIGEST), File(name, 9, DIGEST)))


def test_a_list_comes_back_as_it_was_written(tmp_path: Path) -> None:
    entries = [entry("a/b.html"), entry("index.html"), ManifestEntry(".nojekyll", "", 0, ())]
    write_known(tmp_path, entries[:2], BEFORE)
    known = read_known(tmp_path, BEFORE)
    assert known.sound
    assert known.entries == {one.path: one for one in entries[:2]}


def test_what_a_tick_adds_takes_the_place_of_what_was_there(tmp_path: Path) -> None:
    write_known(tmp_path, [entry("a.html"), entry("b.html")], BEFORE)
    open_list(tmp_path)
    before = read_known(tmp_path, BEFORE).entries
    close_list(tmp_path, before, [entry("b.html", "new"), entry("c.html")], AFTER)
    known = read_known(tmp_path, AFTER)
    assert known.sound
    assert {path: one.key for path, one in known.entries.items()} == {
        "a.html": "k",
        "b.html": "new",
        "c.html": "k",
    }


def test_a_list_of_another_state_than_the_folders_is_not_sound(tmp_path: Path) -> None:
    write_known(tmp_path, [entry("a.html")], BEFORE)
    assert not read_known(tmp_path, AFTER).sound
    assert not read_known(tmp_path, None).sound


def test_while_pages_change_a_list_vouches_for_nothing(tmp_path: Path) -> None:
    write_known(tmp_path, [entry("a.html")], BEFORE)
    open_list(tmp_path)
    assert not read_known(tmp_path, BEFORE).sound


@pytest.mark.parametrize("cut", range(1, 200, 13))
def test_a_list_that_was_cut_short_is_not_sound(tmp_path: Path, cut: int) -> None:
    write_known(tmp_path, [entry("a.html"), entry("b.html")], BEFORE)
    text = (tmp_path / LIST).read_bytes()
    (tmp_path / LIST).write_bytes(text[:-cut])
    assert not read_known(tmp_path, BEFORE).sound


def test_a_list_does_not_grow_with_the_number_of_ticks(tmp_path: Path) -> None:
    entries = [entry(f"{n}.html") for n in range(500)]
    write_known(tmp_path, entries, BEFORE)
    known = {page.path: page for page in entries}
    size = (tmp_path / LIST).stat().st_size
    for _ in range(40):
        open_list(tmp_path)
        close_list(tmp_path, known, entries, AFTER)
    assert (tmp_path / LIST).stat().st_size <= 4 * size + 1_000_000
    assert read_known(tmp_path, AFTER).sound


def test_a_closed_list_says_how_large_its_files_are(tmp_path: Path) -> None:
    write_known(tmp_path, [entry("a.html"), entry("b.html")], BEFORE)
    assert listed_bytes(tmp_path) == 24
    before = read_known(tmp_path, BEFORE).entries
    open_list(tmp_path)
    close_list(tmp_path, before, [entry("b.html", "new"), entry("c.html")], AFTER)
    assert listed_bytes(tmp_path) == 36
    close_list(tmp_path, read_known(tmp_path, AFTER).entries, [gone("a.html")], AFTER)
    assert listed_bytes(tmp_path) == 24


def test_without_a_closed_list_no_size_is_known(tmp_path: Path) -> None:
    assert listed_bytes(tmp_path) is None
    write_known(tmp_path, [entry("a.html")], BEFORE)
    closed = (tmp_path / LIST).read_bytes()
    open_list(tmp_path)
    assert listed_bytes(tmp_path) is None
    (tmp_path / LIST).write_bytes(closed.rpartition(b"\t")[0] + b"\n")
    assert listed_bytes(tmp_path) is None


def test_a_list_of_an_earlier_version_is_sound(tmp_path: Path) -> None:
    write_known(tmp_path, [entry("a.html")], BEFORE)
    closed = (tmp_path / LIST).read_bytes()
    (tmp_path / LIST).write_bytes(closed.rpartition(b"\t")[0] + b"\n")
    assert read_known(tmp_path, BEFORE).sound
