"""Keeps a key out of everything that is written down."""

import re

MARK = "[key]"
LONG = 16  # of a key this long, its beginning or its end alone is worth hiding
STEM = 8
TAIL = 4
# as UTF-16 and UTF-32 text, which a parser of JSON reads too
WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")

_ESCAPES = ("\\u00", "&#", "%")  # what begins an escaped character
_SLASHED = "\"'/\\"  # characters that a slash may stand before


class Redactor:
    """Takes a key out of texts and bytes, also where a server echoes only part of it.

    It is found by its value, however a server escapes its characters: as JSON, as a part of
    a URL or as HTML.

    >>> Redactor("sk-0123456789abcdef").text("bad key sk-01234*******cdef, or ****cdef.")
    'bad key [key], or ****[key].'
    """

    def __init__(self, key: str | None) -> None:
        known = key or ""
        self._signs = (known[:STEM], *_ESCAPES, *(f"\\{c}" for c in _SLASHED if c in known))
        self._whole = re.compile(_pattern(known))
        self._end = re.compile(_end(known, r"*.\u2022\u2026"))
        self._data_signs = [sign.encode() for sign in self._signs]
        self._data_whole = re.compile(_pattern(known).encode())
        self._data_end = re.compile(_end(known, "*.").encode())
        self._wide = [known.encode(encoding) for encoding in WIDE] if known else []

    def text(self, words: str) -> str:
        """Replace the key wherever it stands."""
        if any(sign in words for sign in self._signs):
            words = self._whole.sub(MARK, words)
        return self._end.sub(MARK, words)

    def data(self, body: bytes) -> bytes:
        """Replace the key wherever it stands."""
        mark = MARK.encode()
        if any(sign in body for sign in self._data_signs):
            body = self._data_whole.sub(mark, body)
        for wide in self._wide:
            body = body.replace(wide, mark)
        return self._data_end.sub(mark, body)


def _pattern(key: str) -> str:
    """Match a key, and where it is long its beginning with whatever hides the rest."""
    if not key:
        return r"(?!)"
    if len(key) < LONG:
        return _escaped(key)
    return rf"{_escaped(key[:STEM])}(?:{_escaped(key[STEM:])}|[^\s\"'\\,;<>(){{}}\[\]]*)"


def _end(key: str, dots: str) -> str:
    """Match the end of a long key where stars or dots stand for the rest."""
    if len(key) < LONG:
        return r"(?!)"
    end = re.escape(key[-TAIL:])
    return rf"{end}(?<=[{dots}]{{3}}{end})"


def _escaped(key: str) -> str:
    """Match a text with any of its characters escaped."""
    return _begins(key[0]) + "".join(f"(?:{'|'.join(_ways(c))})" for c in key[1:])


def _begins(character: str) -> str:
    """Match a character, however it is escaped, by a set first: a set is sought fast."""
    literal, code = re.escape(character), ord(character)
    escapes = (
        rf"(?<=\\)u(?i:{code:04x})|(?<=%)(?i:{code:02x})|(?<=&)#(?:{code}|x(?i:{code:x}));"
    )
    slashed = rf"|(?<=\\){literal}" if character in _SLASHED else ""
    return rf"[{literal}\\%&](?:{escapes}{slashed}|(?<={literal}))"


def _ways(character: str) -> list[str]:
    literal, code = re.escape(character), ord(character)
    ways = [
        literal,
        rf"\\u(?i:{code:04x})",
        rf"%(?i:{code:02x})",
        rf"&#(?:{code}|x(?i:{code:x}));",
    ]
    return [*ways, rf"\\{literal}"] if character in _SLASHED else ways
