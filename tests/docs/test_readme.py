"""The README's pictures are those that a script makes, and its first commands are few."""

import re
from collections.abc import Sequence
from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise

from tests.docs.pages import ROOT, page
from tests.docs.test_names import commands_of
from tests.present import some

MOST_LINES = 150
README = page("README.md")
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")


def commands(section: str) -> list[Sequence[str]]:
    """The commands of a section's first shell block."""
    block, *_ = (f for f in README.fenced("sh") if f.text in README.section(section))
    return [words for line in block.text.splitlines() for words in commands_of(line)]


def test_it_is_read_in_a_few_minutes() -> None:
    assert len(README.path.read_text("utf-8").splitlines()) <= MOST_LINES


def test_it_shows_two_pictures_and_both_are_made_by_the_script() -> None:
    spec = spec_from_file_location("docs_screenshot", ROOT / "docs" / "screenshot.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    shown = [target for _, target in PICTURE.findall(README.prose)]
    assert shown == [f"docs/{picture.file}" for picture in module.PICTURES]
    assert len(shown) == 2
    assert all((ROOT / path).is_file() for path in shown)


def test_every_picture_says_in_words_what_is_on_it() -> None:
    assert all(len(words.split()) > 3 for words, _ in some(PICTURE.findall(README.prose)))


def test_two_commands_start_it_and_five_more_come_next() -> None:
    assert [words[0] for words in commands("Start")] == ["make", "make"]
    assert [words[0] for words in commands("Next")].count("arena") == 5


def test_files_and_cohorts_that_its_commands_name_are_shipped() -> None:
    words = [
        said
        for block in README.fenced("sh")
        for line in block.text.splitlines()
        for command in commands_of(line)
        for said in command
    ]
    named = {word for word in words if word.endswith((".csv", ".yaml"))}
    cohorts = {
        f"cohorts/{name}.yaml"
        for word, name in pairwise(words)
        if word == "--cohort" and "/" not in name
    }
    assert len(named | cohorts) > 2
    assert [name for name in sorted(named | cohorts) if not (ROOT / name).is_file()] == []
