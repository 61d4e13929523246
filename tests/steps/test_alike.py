import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.steps.rounds.universe import Alike, Words, are_alike, words_of

WORDS = st.frozensets(st.sampled_from("abcdefghij"), max_size=8)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Fed rate cut by June 2026 meeting?", "Fed rate cut by October meeting?"),
        ("Will Bitcoin reach $140,000 by December 31?", "Will Bitcoin reach $1.5m in Q3?"),
        ("Will 4 Fed rate cuts happen in 2025?", "Will no Fed rate cuts happen in 2026?"),
        ("US strike on Cuba by March 31?", "U.S. strike on Cuba by the end of 2026?"),
        ("Will the Eagles win the Super Bowl LX?", "Will the Eagles win Super Bowl 2026?"),
        ("Will Tesla\N{RIGHT SINGLE QUOTATION MARK}s CEO leave?", "Will Tesla's CEO leave?"),
    ],
)
def test_questions_that_differ_in_a_date_or_a_number_are_alike(one: str, other: str) -> None:
    assert are_alike(words_of(one), words_of(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Will France win the World Cup?", "Will Spain win the World Cup?"),
        (
            "Will OpenAI file an initial registration with the SEC to launch an IPO?",
            "Will Anthropic file an initial registration with the SEC to launch an IPO?",
        ),
        ("Will Obama be arrested?", "Will Barack Obama be arrested?"),
        ("Will Bitcoin reach $140,000?", "Will Bitcoin dip to $90,000?"),
        ("Is 0=1?", "Is 1=2?"),
    ],
)
def test_questions_that_differ_in_a_name_or_in_much_are_not(one: str, other: str) -> None:
    assert not are_alike(words_of(one), words_of(other))


@given(one=WORDS, other=WORDS)
def test_being_alike_is_a_jaccard_index_of_four_fifths_where_one_holds_the_other(
    one: Words, other: Words
) -> None:
    expected = bool(one and other) and (one <= other or other <= one)
    expected = expected and len(one & other) / len(one | other) >= 0.8
    assert are_alike(one, other) == expected


@given(questions=st.lists(WORDS, max_size=20))
def test_the_first_that_is_alike_is_found_as_if_all_were_compared(
    questions: list[Words],
) -> None:
    finder = Alike()
    for n, words in enumerate(questions):
        before = (m for m in range(n) if are_alike(questions[m], words))
        assert finder.first_like(words) == next(before, None)
        finder.add(words)


@given(text=st.text(max_size=100))
def test_any_text_has_words_that_stay_the_same_when_read_again(text: str) -> None:
    words = words_of(text)
    assert words_of(" ".join(sorted(words))) <= words


def test_of_an_endless_question_only_the_beginning_is_compared() -> None:
    assert words_of("rain " * 1000 + "snow") == {"rain"}
