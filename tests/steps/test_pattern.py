import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.steps.rounds.universe import folded, read_pattern

QUESTION = "Will the Fed cut rates\n by 25 bps?"


def holds(question: str, pattern: str) -> bool:
    return read_pattern(pattern).is_in(folded(question))


FOUND = (
    "fed; FED CUT; the  fed; rates by; fe*; *ed; will*bps; *; **; bps?; 25; w*t*25; "
    "fed * rates; ?; fed*cut*rates"
)
NOT_FOUND = (
    "fe; ed; federal; fed rates; cut*fed; f.d; [fed]; rate; 2; will*bp; fe * cut; the*the; w?ll"
)


@pytest.mark.parametrize("pattern", FOUND.split("; "))
def test_a_pattern_is_found(pattern: str) -> None:
    assert holds(QUESTION, pattern)


@pytest.mark.parametrize("pattern", NOT_FOUND.split("; "))
def test_a_pattern_is_not_found(pattern: str) -> None:
    assert not holds(QUESTION, pattern)


def test_the_edge_of_a_pattern_that_is_no_letter_may_be_anywhere() -> None:
    assert holds("US$100k", "$100k")


def test_letters_of_any_language_make_words() -> None:
    assert holds("Gewinnt ÖSTERREICH?", "österreich")
    assert not holds("Gewinnt Österreichs Team?", "österreich")


@given(text=st.text(min_size=1))
def test_a_question_holds_itself(text: str) -> None:
    assert holds(text, text)


@given(before=st.text(), inside=st.text(min_size=1), after=st.text())
def test_between_stars_any_part_of_a_question_is_found(
    before: str, inside: str, after: str
) -> None:
    inside = inside.replace("*", "")
    assert holds(f"{before} {inside} {after}", f"*{inside}*")


def test_many_stars_before_a_hostile_question_take_no_time() -> None:
    assert not holds("a" * 200_000, "*a" * 100 + "*b")
