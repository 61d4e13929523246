"""Does a question hold a pattern?

A pattern is looked for anywhere in a question, capitals and small letters alike. It matches
whole words: `fed` is in "The Fed cuts" and not in "federal". A `*` stands for any text, also
none: `fed*` is in both. Nothing else has a meaning of its own.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern that is ready to be looked for; `text` is how it was written.

    Its parts are looked for one after the other, each without any repetition in it, so no
    question takes longer than in proportion to its length.
    """

    text: str
    parts: tuple[re.Pattern[str], ...]

    def is_in(self, question: str) -> bool:
        """Say whether a question that went through `folded` holds it."""
        start = 0
        for part in self.parts:
            found = part.search(question, start)
            if found is None:
                return False
            start = found.end()
        return True


def read_pattern(text: str) -> Pattern:
    """Make a pattern of its text.

    >>> read_pattern("up or down").is_in(folded("Bitcoin Up or Down - June 5?"))
    True
    >>> [read_pattern(p).is_in(folded("Federal budget")) for p in ("fed", "fed*", "*get")]
    [False, True, True]
    """
    pieces = folded(text).split("*")
    last = len(pieces) - 1
    parts = [
        _part(
            piece.strip(), starts=n == 0 or piece[0] == " ", ends=n == last or piece[-1] == " "
        )
        for n, piece in enumerate(pieces)
        if piece.strip()
    ]
    return Pattern(text, tuple(parts))


def read_patterns(texts: Sequence[str]) -> tuple[Pattern, ...]:
    """Make patterns of their texts."""
    return tuple(read_pattern(text) for text in texts)


def folded(text: str) -> str:
    """Make text comparable: no capitals, and one space wherever there is any."""
    return " ".join(text.casefold().split())


def _part(piece: str, *, starts: bool, ends: bool) -> re.Pattern[str]:
    """Look for a piece; where it starts or ends with a letter or digit, a word may have to."""
    before = r"(?<!\w)" if starts and re.match(r"\w", piece[0]) else ""
    after = r"(?!\w)" if ends and re.match(r"\w", piece[-1]) else ""
    return re.compile(before + re.escape(piece) + after)
