"""Which questions ask nearly the same: they differ in a date, in a number, in how they say it.

What is compared is the set of a question's words, without numbers, dates and small words. Two
questions are alike where one set holds the whole other, and a quarter more words at most. Where
each has a word that the other lacks, as with two names, they ask about different things.
"""

import re
from collections.abc import Collection

Words = frozenset[str]

LEAST_SHARED = 4  # words for each one that only the longer has: a Jaccard index of 4/5
LONGEST = 1000  # letters of a question that are looked at

_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d.*|[qh][1-4]|[kmb]")  # 98th, 2026, Q3; of $100 k the k
_POSSESSIVE = re.compile("['\N{RIGHT SINGLE QUOTATION MARK}]s\\b")
_SMALL = (
    "a an the of in on at to for by from with and or as is are was were be been will would do "
    "does did has have had this that these those it its there any than then before after until "
    "till during through between within end start next new"
)
_DATES = (
    "january february march april may june july august september october november december jan "
    "feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday "
    "saturday sunday day days week weeks month months year years quarter date et est edt utc "
    "gmt am pm"
)
_SCALES = "thousand million billion trillion percent usd"
_LEFT_OUT = frozenset(f"{_SMALL} {_DATES} {_SCALES}".split())


def words_of(question: str) -> Words:
    """Give the words that say what a question is about.

    >>> sorted(words_of("Will Bitcoin reach $150k by December 31, 2026?"))
    ['bitcoin', 'reach']
    """
    text = question[:LONGEST].casefold().replace(".", "")
    found = frozenset(_WORD.findall(_POSSESSIVE.sub("", text))) - _LEFT_OUT
    return frozenset(word for word in found if not _NUMBER.fullmatch(word))


def are_alike(one: Words, other: Words) -> bool:
    """Say whether two questions ask nearly the same; one without words is like no other.

    >>> are_alike(words_of("Fed rate cut by June?"), words_of("Fed rate cut by July 2026?"))
    True
    >>> are_alike(words_of("Will France win the Cup?"), words_of("Will Spain win the Cup?"))
    False
    """
    few, many = (one, other) if len(one) <= len(other) else (other, one)
    return bool(few) and len(few) >= LEAST_SHARED * (len(many) - len(few)) and few <= many


class Alike:
    """Finds among questions that were added the first that one is like.

    Two that are alike share the longest word of the smaller one, which few others have: so
    few pairs are compared.
    """

    def __init__(self) -> None:
        self._added: list[Words] = []
        self._holding: dict[str, list[int]] = {}
        self._longest: dict[str, list[int]] = {}

    def add(self, words: Words) -> None:
        """Add a question; they are numbered from 0."""
        number = len(self._added)
        self._added.append(words)
        for word in words:
            self._holding.setdefault(word, []).append(number)
        if words:
            self._longest.setdefault(_longest_of(words), []).append(number)

    def first_like(self, words: Words) -> int | None:
        """Give the number of the first that was added and is like this one."""
        if not words:
            return None
        near: set[int] = set(self._holding.get(_longest_of(words), ()))
        for word in words:
            near.update(self._longest.get(word, ()))
        return self._first(sorted(near), words)

    def _first(self, near: Collection[int], words: Words) -> int | None:
        return next((n for n in near if are_alike(self._added[n], words)), None)


def _longest_of(words: Words) -> str:
    return max(words, key=lambda word: (len(word), word))
