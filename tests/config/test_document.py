from pathlib import Path

import pytest

from arena.config.document import Plain, read_document
from tests.config.build import COHORT, CONFIG, cohort_problems, problems


def test_a_key_given_twice_is_refused_on_its_line(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, CONFIG + "models: {}\n")
    assert (found.line, found.key, found.expected) == (8, "models", "each key once")
    assert found.found == "a second one (the first is on line 3)"


def test_what_stands_under_the_first_of_two_keys_is_still_judged(tmp_path: Path) -> None:
    twice = "contestants:\n  x: {agent: markt}\n  x: {agent: market}\n"
    assert [p.line for p in problems(tmp_path, twice)] == [2, 3]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        pytest.param("paths: {}\nvenues: a: b\n", 2, "YAML: (column 10)", id="syntax"),
        pytest.param(b"paths: {}\n# caf\xe9\n", 2, "text in UTF-8:", id="no UTF-8"),
        pytest.param(b"paths: {}\nab\x00: 1\n", 2, "YAML: (column 3)", id="forbidden by YAML"),
        pytest.param("a: &x 1", 1, "YAML: not used here", id="an anchor"),
        pytest.param("a: *x", 1, "YAML: not used here", id="an alias"),
        pytest.param("a: !!python/name:os.system x", 1, "YAML: not used here", id="a tag"),
        pytest.param("paths: {}\n---\npaths: {}\n", 2, "YAML:", id="a second document"),
        pytest.param("[" * 5000, 1, "YAML: more than 32 levels", id="endless nesting"),
        pytest.param(r'a: "\Uffffffff"', 1, "YAML:", id="an escape of no character"),
        pytest.param("? [a]\n: 1\n", 1, "keys that are text:", id="a key that is no text"),
        pytest.param("- a", 1, "a mapping of keys:", id="a list"),
        pytest.param("word", 1, "a mapping of keys:", id="a word"),
        pytest.param("7", 1, "a mapping of keys:", id="a number"),
    ],
)
def test_what_is_no_mapping_in_plain_yaml_is_refused_with_its_place(
    tmp_path: Path, text: str | bytes, line: int, said: str
) -> None:
    expected, found = said.split(":")
    (problem,) = problems(tmp_path, text)
    assert (problem.line, problem.expected) == (line, expected)
    assert found.strip() in problem.found


@pytest.mark.parametrize("text", [b"\xef\xbb\xbfpaths: {}\n", "# nothing yet\n"])
def test_a_byte_order_mark_and_an_empty_file_say_nothing(
    tmp_path: Path, text: str | bytes
) -> None:
    assert problems(tmp_path, text) == ()


def test_half_a_surrogate_pair_is_refused(tmp_path: Path) -> None:
    (found,) = cohort_problems(tmp_path, COHORT.replace("Test", r'"\ud800"'))
    assert (found.key, found.expected) == ("title", "text in UTF-8")


def test_scalars_are_not_read_into(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("no: [0.10, yes, '7', 012, ~]\n")
    tree = read_document(file).tree
    assert tree == {"no": ["0.10", "yes", "7", "012", None]}


def test_only_what_had_no_quotes_can_be_a_number(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("a: 7\nb: '7'\n")
    tree = read_document(file).tree or {}
    assert [isinstance(tree[key], Plain) for key in "ab"] == [True, False]
