"""Families of questions that share their news, guessed from their words.

Two questions of one source are of one family where they close on the same day and differ in one
place only, which holds a name or a number: "Will Peru win the World Cup?" and "Will Canada win
the World Cup?". A family is whatever such pairs join. It errs towards joining: families that
are too large make intervals wider, families that are too small make them too narrow.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

MOST_WORDS = 100  # of a question that are looked at
LONGEST_PLACE = 6  # words, of the place in which two questions differ
NAMES_ENOUGH = 3  # of one occasion, such as the 98th Academy Awards

_WORD = re.compile(r"[^\W_]+(?:[.,'$%-]+[^\W_]+)*")
_LEFT_OUT = frozenset({"a", "an", "the"})
_OPENING = (
    "will is are was were do does did has have can could would should who what when which how "
    "by in before after if at on no not"
)
_JOINING = (
    "of to for from with be been get and or as next first last end start day week month year "
    "between during within this that than then more less least most until till any it its over "
    "under there"
)
_MONTH = (
    "january february march april may june july august september october november december jan "
    "feb mar apr jun jul aug sep sept oct nov dec"
)
_OPENINGS = frozenset(_OPENING.split())
_SMALL = _OPENINGS | frozenset(_JOINING.split())
_MONTHS = frozenset(_MONTH.split())


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question as its source asks it.

    `name` is unique among the questions of all sources, `closes` is its last day as text, and
    `group` is what its source puts it under; "" where that is not known.
    """

    name: str
    source: str
    question: str
    closes: str
    group: str = ""


def question_families(questions: Iterable[AskedQuestion]) -> dict[str, str]:
    """Name the family of each question, after the first question that is in it.

    A question may come several times, with other words or another close: each of them counts.

    >>> cup = "Will {} win the World Cup?"
    >>> teams = [AskedQuestion(x, "", cup.format(x), "2026-07-20") for x in ("Peru", "Qatar")]
    >>> question_families([*teams, AskedQuestion("Rain", "", "Will it rain?", "2026-07-20")])
    {'Peru': 'Peru', 'Qatar': 'Peru', 'Rain': 'Rain'}
    """
    parents: dict[str, str] = {}
    holders: dict[tuple[str, ...], str] = {}
    order: dict[str, int] = {}

    def first_of(name: str) -> str:
        while parents[name] != name:
            name = parents[name]
        return name

    for question in questions:
        parents.setdefault(question.name, question.name)
        order.setdefault(question.name, len(order))
        for key in _keys(question):
            other, own = (
                first_of(holders.setdefault(key, question.name)),
                first_of(question.name),
            )
            early, late = sorted((other, own), key=order.__getitem__)
            parents[late] = early
    return {name: first_of(name) for name in parents}


def _keys(question: AskedQuestion) -> Iterator[tuple[str, ...]]:
    """What two questions of a family have in common: a group, or the words around a place."""
    if question.group:
        yield (question.source, question.group)
    tokens = _WORD.findall(question.question)[:MOST_WORDS]
    words = [word for word in tokens if word.casefold() not in _LEFT_OUT]
    low = [word.casefold() for word in words]
    named = [_is_named(word, n) for n, word in enumerate(words)]
    if not question.closes:
        return
    pairs = list(zip(low, named, strict=True))
    plain = [not name and word not in _SMALL for word, name in pairs]
    names = [name and not word.isdigit() and word not in _MONTHS for word, name in pairs]
    for start in (n for n, name in enumerate(named) if name):
        for end in range(start + 1, min(start + LONGEST_PLACE, len(words)) + 1):
            # the words around the place say what is asked, and not only by when
            asks = any(plain[:start]) or any(plain[end:])
            if named[end - 1] and (asks or sum(names[:start] + names[end:]) >= NAMES_ENOUGH):
                before, after = " ".join(low[:start]), " ".join(low[end:])
                yield (question.source, question.closes, before, after)


def _is_named(word: str, place: int) -> bool:
    """Say whether a word is a name or a number; the first word has a capital anyway."""
    opens = place == 0 and word.casefold() in _OPENINGS
    return not opens and (word[0].isupper() or any(letter.isdigit() for letter in word))
