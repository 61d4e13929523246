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


def test_a_syntax_error_has_its_line_and_column(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "paths: {}\nvenues: a: b\n")
    assert found.line == 2
    assert found.expected == "YAML"
    assert found.found.endswith("(column 10)")


def test_a_byte_that_is_not_utf8_has_its_line(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, b"paths: {}\n# caf\xe9\n")
    assert (found.line, found.expected) == (2, "text in UTF-8")


def test_a_character_that_yaml_forbids_has_its_line_and_column(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, b"paths: {}\nab\x00: 1\n")
    assert found.line == 2
    assert found.found.endswith("(column 3)")


@pytest.mark.parametrize("text", ["a: &x 1", "a: *x", "a: !!python/name:os.system x"])
def test_anchors_aliases_and_tags_are_refused(tmp_path: Path, text: str) -> None:
    (found,) = problems(tmp_path, text)
    assert "not used here" in found.found


def test_a_second_document_is_refused(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "paths: {}\n---\npaths: {}\n")
    assert found.line == 2


def test_endless_nesting_is_refused(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "[" * 5000)
    assert found.found.startswith("more than 32 levels")


def test_an_escape_that_names_no_character_is_refused(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, r'a: "\Uffffffff"')
    assert found.expected == "YAML"


def test_half_a_surrogate_pair_is_refused(tmp_path: Path) -> None:
    (found,) = cohort_problems(tmp_path, COHORT.replace("Test", r'"\ud800"'))
    assert (found.key, found.expected) == ("title", "text in UTF-8")


def test_a_key_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "? [a]\n: 1\n")
    assert found.expected == "keys that are text"


@pytest.mark.parametrize("text", ["- a", "word", "7"])
def test_a_file_that_is_no_mapping_is_refused(tmp_path: Path, text: str) -> None:
    (found,) = problems(tmp_path, text)
    assert (found.line, found.expected) == (1, "a mapping of keys")


def test_a_byte_order_mark_is_no_part_of_the_first_key(tmp_path: Path) -> None:
    assert problems(tmp_path, b"\xef\xbb\xbfpaths: {}\n") == ()


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    assert problems(tmp_path, "# nothing yet\n") == ()


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
