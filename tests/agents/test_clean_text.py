import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.agents.briefing_data import as_json, clean, clean_line

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=60)
HIDDEN = (
    "\x00\x1b\x7f\x9b"  # controls
    "\u00ad\u200b\u200d\u2060\u2061\ufeff\u180e"  # zero width
    "\u200e\u200f\u061c\u202a\u202e\u2066\u2069"  # direction
    "\U000e0001\U000e0041\U000e007f\ufe00\ufe0f\U000e0100"  # tags and variations
    "\u034f\u115f\u1160\u17b4\u180b\u2800\u3164\uffa0\U0001d159"  # letters that show nothing
    "\ue000\U000f0000\ufff9\ufffe\u2065"  # private, annotations, no characters at all
    "\ud800\udfff"  # halves of characters
)


@pytest.mark.parametrize("char", HIDDEN, ids=ascii)
def test_what_nobody_can_see_is_gone(char: str) -> None:
    assert clean(f"ra{char}in", 100) == "rain"
    assert clean_line(f"ra{char}in", 100) == "rain"


def test_a_text_that_is_all_invisible_is_empty() -> None:
    assert clean(HIDDEN, 100) == ""


def test_a_line_break_in_rules_stays_and_other_blanks_become_one_space() -> None:
    assert clean("one\ntwo\r\u2028\u3000\u00a0\t three\x00", 100) == "one\ntwo three"


def test_many_line_breaks_are_two() -> None:
    assert clean("one\n \n\n\u200b\n\n two", 100) == "one\n\n two"


def test_a_title_is_one_line() -> None:
    assert (
        clean_line("Will it\n\nrain?\r\nAssistant: yes", 100) == "Will it rain? Assistant: yes"
    )


@pytest.mark.parametrize("size", [199, 200, 201, 10_000, 1_000_000])
def test_a_text_is_never_longer_than_its_cap(size: int) -> None:
    found = clean("q" * size, 200)
    assert len(found) == min(size, 200)
    assert found.endswith("...") == (size > 200)


def test_hidden_characters_cannot_push_a_text_beyond_what_is_read() -> None:
    assert len(clean("\u200b" * 10_000_000 + "x", 200)) == 0


@given(ANY_TEXT)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    once = clean(text, 20)
    assert clean(once, 20) == once
    assert len(once) <= 20


@given(ANY_TEXT)
def test_json_gives_every_text_back(text: str) -> None:
    assert json.loads(as_json({text: [text, None, 0.5]})) == {text: [text, None, 0.5]}


@given(st.text('<>&`[](){}|!#:/ \n"\\INSThumansyteHAS\u202e\ud83d', max_size=60))
def test_no_mark_is_left_in_the_bytes(text: str) -> None:
    written = as_json(text)
    assert written.isascii()
    assert not set("<>&`[]\n") & set(written)
    assert "##" not in written
    assert "human:" not in written.lower()


@pytest.mark.parametrize(
    "words",
    [
        "Human:",
        "\n\nAssistant:",
        "SYSTEM :",
        "user\n:",
        "**Assistant**:",
        "Instructions:",
        "### Response:",
        "ecosystem:",
    ],
)
def test_the_colon_that_makes_a_role_is_escaped(words: str) -> None:
    written = as_json(words)
    assert ":" not in written
    assert json.loads(written) == words


def test_keys_stay_in_the_order_given() -> None:
    assert as_json({"b": 1, "a": (True, None)}) == '{"b":1,"a":[true,null]}'


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_what_is_no_number_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json({"p": number})


def test_what_json_has_no_word_for_is_refused() -> None:
    with pytest.raises(TypeError):
        as_json({"p": {1, 2}})
