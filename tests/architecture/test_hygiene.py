"""Nothing in the project knows which machine it was written on."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = (".ci", "arena", "benchmarks", "cohorts", "docs", "templates", "tests")
WORDS = frozenset(
    {"", ".cfg", ".css", ".html", ".j2", ".js", ".json", ".jsonl", ".md", ".py", ".toml"}
    | {".csv", ".sh", ".svg", ".txt", ".yaml", ".yml"}
)
PLACES = ("Users", "home", "root", "tmp/bash", "work")  # where people's files are
ABSOLUTE = re.compile(rf"(?<![\w.~>}}-])/(?:{'|'.join(PLACES)})/")


def written() -> Iterator[Path]:
    """Every text file of the project, and nothing that a tool or a run has made."""
    yield from (path for path in ROOT.iterdir() if path.is_file())
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path


def test_no_file_names_a_place_of_one_machine() -> None:
    found = []
    for path in written():
        if path.suffix in WORDS:
            text = path.read_text(encoding="utf-8", errors="replace")
            name = path.relative_to(ROOT).as_posix()
            found += [f"{name}: {match}" for match in ABSOLUTE.findall(text)]
    assert found == []


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("before", ["see '", "file://", "PATH="])
def test_a_place_of_one_machine_would_be_noticed(place: str, before: str) -> None:
    assert ABSOLUTE.search(f"{before}/{place}/ada/arena")


@pytest.mark.parametrize("text", ["docs/work/ada", "https://example.org/home/", "~/work/"])
def test_a_path_that_is_none_of_a_machine_is_let_pass(text: str) -> None:
    assert not ABSOLUTE.search(text)
