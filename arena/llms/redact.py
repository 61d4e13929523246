"""Keeps a key out of everything that is written down."""

import json
import re
from urllib.parse import quote

MARK = "[key]"
LONG = 16  # of a key this long, its beginning alone is worth hiding
STEM = 8


class Redactor:
    """Takes a key out of texts and bytes, also where a server echoes only part of it.

    >>> Redactor("sk-0123456789abcdef").text("bad key sk-01234*******cdef.")
    'bad key [key]'
    """

    def __init__(self, key: str | None) -> None:
        self._text = re.compile(_pattern(key)) if key else None
        self._data = re.compile(_pattern(key).encode()) if key else None

    def text(self, words: str) -> str:
        """Replace the key wherever it stands."""
        return self._text.sub(MARK, words) if self._text else words

    def data(self, body: bytes) -> bytes:
        """Replace the key wherever it stands."""
        return self._data.sub(MARK.encode(), body) if self._data else body


def _pattern(key: str) -> str:
    spellings = {key, json.dumps(key)[1:-1], key.replace("/", r"\/"), quote(key, safe="")}
    known = [re.escape(spelling) for spelling in sorted(spellings, key=len, reverse=True)]
    if len(key) >= LONG:
        known.append(re.escape(key[:STEM]) + r"""[^\s"'\\,;<>(){}\[\]]*""")
    return "|".join(known)
