"""Removes keys from everything that is written: known values, and what looks like a key."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import Enum
from functools import cache
from itertools import takewhile
from operator import eq, is_not
from typing import Any, AnyStr

MARK = "[key]"
SHORTEST = 8  # what is shorter is no secret, but a word such as "none" or "EMPTY"
LONG = 16  # of a key this long, its beginning or its end alone is worth hiding
STEM = 8
TAIL = 4
# as UTF-16 and UTF-32 text, which a parser of JSON reads too
WIDE = ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be")

_ESCAPES = ("\\u00", "&#", "%")  # what begins an escaped character
_SLASHED = "\"'/\\"  # characters that a slash may stand before


_LOOKS = {
    "a private key": r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
    "a key of Amazon": r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    "a key of Google": r"\bAIza[0-9A-Za-z_-]{35}\b",
    "a key of GitHub": r"\b(?:gh[pousr]_[0-9A-Za-z]{36}|github_pat_[0-9A-Za-z_]{22,})",
    "a key of GitLab": r"\bglpat-[0-9A-Za-z_-]{20,}",
    "a key of Hugging Face": r"\bhf_[0-9A-Za-z]{30,}\b",
    "a key of Slack": r"\bxox[abprs]-[0-9A-Za-z-]{10,}",
    "a key of a model's server": r"\b(?:sk|gsk|xai|pplx|r8)[-_][0-9A-Za-z_-]{20,}",
    "a token": r"\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}",
    "a password in an address": r"\bhttps?://[^\s/:@\"'<>]+:[^\s/:@\"'<>]+@",
}
_ANY = re.compile("|".join(f"({look})" for look in _LOOKS.values()))
_NAMES = tuple(_LOOKS)
# What every match of the above contains: most texts have none of it, which is seen fast.
_PARTS = (
    "-----BEGIN", "AKIA", "ASIA", "AIza", "gho_", "ghp_", "ghu_", "ghs_", "ghr_", "github_pat_",
    "glpat-", "hf_", "xox", "sk-", "sk_", "xai-", "xai_", "pplx-", "pplx_", "r8-", "r8_", "eyJ",
)  # fmt: skip
_SIGNS = re.compile(
    r"-----BEGIN|A[KS]IA|AIza|gh[pousr]_|github_pat_|glpat-|hf_|xox[abprs]-"
    r"|\b(?:sk|gsk|xai|pplx|r8)[-_]|eyJ|://[^\s/@]*@"
)


class Redactor:
    """Takes a key out of texts and bytes, also where a server echoes only part of it.

    It is found by its value, however a server escapes its characters: as JSON, as a part of
    a URL or as HTML. Of a long one any larger part is found, unless it could be a word: a
    server may cut it in two. A key of fewer than 8 characters is left where it is: to take
    it out would change what models say.

    >>> Redactor("sk-0123456789abcdef").text("bad key sk-01234*******cdef, or ****cdef.")
    'bad key [key], or ****[key].'
    """

    def __init__(self, key: str | None) -> None:
        secret = key if key and len(key) >= SHORTEST else ""
        self._signs = (secret[:STEM], *_ESCAPES, *(f"\\{c}" for c in _SLASHED if c in secret))
        self._whole = re.compile(_pattern(secret))
        self._end = re.compile(_end(secret, r"*.\u2022\u2026"))
        self._data_signs = [sign.encode() for sign in self._signs]
        self._data_whole = re.compile(_pattern(secret).encode())
        self._data_end = re.compile(_end(secret, "*.").encode())
        self._wide = [secret.encode(encoding) for encoding in WIDE] if secret else []
        self._key, self._data_key = secret, secret.encode()
        self._pieces = tuple(_pieces(secret))

    def text(self, words: str) -> str:
        """Replace the key wherever it stands."""
        if any(sign in words for sign in self._signs):
            words = self._whole.sub(MARK, words)
        words = _cut(words, self._key, self._pieces, MARK)
        return self._end.sub(MARK, words)

    def data(self, body: bytes) -> bytes:
        """Replace the key wherever it stands."""
        mark = MARK.encode()
        if any(sign in body for sign in self._data_signs):
            body = self._data_whole.sub(mark, body)
        for wide in self._wide:
            body = body.replace(wide, mark)
        body = _cut(body, self._data_key, self._pieces, mark)
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


def _pieces(key: str) -> Iterator[int]:
    """Say where the pieces of a long key begin that are no words: letters and digits mixed."""
    if len(key) >= LONG:
        for start in (*range(STEM, len(key) - STEM, STEM), len(key) - STEM):
            piece = key[start : start + STEM]
            if any(c.isdigit() for c in piece) and any(c.isalpha() for c in piece):
                yield start


def _cut(text: AnyStr, key: AnyStr, pieces: Sequence[int], mark: AnyStr) -> AnyStr:
    """Replace every part of a key that holds one of its pieces."""
    kept: list[AnyStr] = []
    done = 0
    for begin, end in sorted(part for start in pieces for part in _parts(text, key, start)):
        if not kept or begin > done:
            kept.append(text[done:begin])
        done = max(done, end)
    kept.append(text[done:])
    return mark.join(kept)


def _parts(text: AnyStr, key: AnyStr, start: int) -> Iterator[tuple[int, int]]:
    """Find where a piece of a key stands, with whatever of the key is around it."""
    piece = key[start : start + STEM]
    at = text.find(piece)
    while at >= 0:
        end = at + STEM
        before = _alike(key[:start][::-1], text[max(0, at - start) : at][::-1])
        yield at - before, end + _alike(key[start + STEM :], text[end : end + len(key)])
        at = text.find(piece, end)


def _alike(left: AnyStr, right: AnyStr) -> int:
    return sum(1 for _ in takewhile(bool, map(eq, left, right)))


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


@dataclass(frozen=True, slots=True)
class Secrets:
    """What to look for: anything that looks like a key, and the `values` of our own."""

    values: tuple[str, ...] = field(default=(), repr=False)

    def text(self, words: str) -> str:
        """Replace every key.

        >>> Secrets(("correct-horse",)).text("it was correct-horse, or AKIA" + 16 * "A")
        'it was [key], or [key]'
        """
        if len(words) < SHORTEST:
            return words
        for redactor in self._redactors(words):
            words = redactor.text(words)
        return _ANY.sub(MARK, words) if _may_hold_a_key(words) else words

    def data(self, body: bytes) -> bytes:
        """Replace every key."""
        for redactor in self._redactors(body.decode("latin-1")):
            body = redactor.data(body)
        plain = body.decode("latin-1")
        redacted = _ANY.sub(MARK, plain) if _may_hold_a_key(plain) else plain
        return body if redacted == plain else redacted.encode("latin-1")

    def record(self, value: Any) -> Any:  # noqa: ANN401  any record there is
        """Give a record with every key replaced in whatever text it holds; else itself."""
        if isinstance(value, str):
            return value if isinstance(value, Enum) else self.text(value)
        if isinstance(value, bytes):
            return self.data(value)
        if isinstance(value, tuple):
            items = tuple(map(self.record, value))
            return items if any(map(is_not, items, value)) else value
        changed = {}
        for name in _fields_of(value.__class__):
            before = getattr(value, name)
            part = None if before is None else self.record(before)
            if part is not before:
                changed[name] = part
        return replace(value, **changed) if changed else value

    def _redactors(self, words: str) -> list[Redactor]:
        """Give those of the values whose beginning or end stands somewhere: mostly none."""
        return [
            _redactor(value)
            for value in self.values
            if value[:STEM] in words or value[-STEM:] in words
        ]

    def found_in(self, text: str) -> Iterator[str]:
        """Name the kinds of secrets in a text, without the secrets.

        >>> list(Secrets(("correct-horse",)).found_in("a correct-horse, AKIA" + 16 * "A"))
        ['a key of Amazon', 'the value of a key of this arena']
        """
        if _may_hold_a_key(text):
            kinds = {match.lastindex or 1 for match in _ANY.finditer(text)}
            yield from (_NAMES[kind - 1] for kind in sorted(kinds))
        if any(value in text for value in self.values):
            yield "the value of a key of this arena"


def of_values(values: Iterable[str]) -> Secrets:
    """Look for these values too; one that is too short to be a secret is left out."""
    return Secrets(tuple(sorted({value for value in values if len(value) >= SHORTEST})))


@cache
def _fields_of(kind: type) -> tuple[str, ...]:
    """Name the fields of a kind of record; of anything else there are none."""
    return tuple(f.name for f in fields(kind)) if is_dataclass(kind) else ()


def _may_hold_a_key(text: str) -> bool:
    """Whether it is worth looking closer."""
    is_near = any(part in text for part in _PARTS) or ("://" in text and "@" in text)
    return is_near and _SIGNS.search(text) is not None


@cache
def _redactor(value: str) -> Redactor:
    return Redactor(value)
