"""Guessed families of questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.scoring.question_families import AskedQuestion, question_families

DAY, LATER = "2026-07-20", "2026-08-20"


def asked(*questions: str, closes: str = DAY, source: str = "here") -> list[AskedQuestion]:
    return [AskedQuestion(question, source, question, closes) for question in questions]


def joined(found: list[AskedQuestion]) -> bool:
    return len(set(question_families(found).values())) == 1


@pytest.mark.parametrize(
    "pair",
    [
        ("Will Peru win the 2026 World Cup?", "Will Canada win the 2026 World Cup?"),
        ("Will OpenAI have the top AI model?", "Will Z.ai have the top AI model?"),
        ("Will Bitcoin reach $150k in 2026?", "Will Bitcoin reach $1.2M in 2026?"),
        ("Will 5 Fed rate cuts happen in 2026?", "Will 11 Fed rate cuts happen in 2026?"),
        ("Grok 5 released by June 30?", "Gemini 3.0 Flash released by June 30?"),
        (
            "Will Hedda win Best Picture at the 98th Academy Awards?",
            "Will Chloé Zhao win Best Director at the 98th Academy Awards?",
        ),
    ],
)
def test_questions_that_differ_in_a_name_or_a_number_are_a_family(
    pair: tuple[str, str],
) -> None:
    assert joined(asked(*pair))


@pytest.mark.parametrize(
    "pair",
    [
        ("Will Ethereum hit $7,000 by June 30?", "Will Russia capture Lyman by June 30?"),
        ("Will Valencia win La Liga?", "Will Le Havre win Ligue 1?"),
        ("Will it rain?", "Will it snow?"),
        ("Peru?", "Canada?"),
    ],
)
def test_questions_that_share_little_more_than_a_date_are_none(pair: tuple[str, str]) -> None:
    assert not joined(asked(*pair))


def test_another_close_or_another_source_is_another_family() -> None:
    one, other = "Will Peru win the World Cup?", "Will Canada win the World Cup?"
    assert not joined([*asked(one), *asked(other, closes=LATER)])
    assert not joined([*asked(one), *asked(other, source="there")])
    assert not joined(asked(one, other, closes=""))


def test_a_group_of_the_source_is_a_family_whatever_is_asked() -> None:
    pair = [AskedQuestion(name, "here", name, "", "group") for name in ("Rain?", "A king?")]
    assert joined(pair)


def test_a_family_is_whatever_its_pairs_join_and_named_after_the_first() -> None:
    chain = asked(
        "Will Peru win the Cup?", "Will Chile win the League?", "Will Peru win the League?"
    )
    assert set(question_families(chain).values()) == {chain[0].name}


VOCABULARY = ["Will", "Peru", "Chile", "win", "lose", "by", "5", "June", "30", "the"]
WORDS = st.lists(st.sampled_from(VOCABULARY), max_size=9)


QUESTIONS = st.lists(WORDS.map(" ".join), unique=True, max_size=12)


@given(QUESTIONS.flatmap(lambda found: st.tuples(st.just(found), st.permutations(found))))
def test_the_order_of_questions_changes_names_and_no_family(
    orders: tuple[list[str], list[str]],
) -> None:
    one, other = orders
    assert _sets(asked(*one)) == _sets(asked(*other))


def _sets(found: list[AskedQuestion]) -> set[frozenset[str]]:
    families = question_families(found)
    return {
        frozenset(name for name in families if families[name] == family)
        for family in families.values()
    }


def test_a_question_of_a_megabyte_takes_no_time() -> None:
    assert len(question_families(asked("Will " + "Peru win " * 100_000))) == 1
