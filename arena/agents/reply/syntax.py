"""Parses JSON with the mistakes of language models; a repair is noted, and never a guess.

Comments, trailing commas, other quotation marks, keys without any, Python's words, raw line
breaks and unknown escapes are mended. What would take a guess is not: text that breaks off,
a missing comma between keys, a bracket that closes another, `0100`, `1,000`, `1k`, `...`.
Every character is looked at a bounded number of times.
"""

import re
from decimal import Decimal
from typing import NoReturn

from arena.agents.reply.words import Knot, Notes, UnreadableError, shown

DEEPEST = 40
FURTHEST = 99_999  # a larger exponent is too large for any amount as well

CUT = (
    "the reply breaks off before its JSON is complete, or does not close a bracket or a string"
)

_SPACE = re.compile(r"[ \t\r\n]*")
_PLAIN = re.compile(r'"([^"\\\x00-\x1f]*)"')
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_STRICT = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_OCTAL = re.compile(r"[+-]?0[0-9]")
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_LINE_END = re.compile(r"[\n\r\u2028\u2029]")
_ARITHMETIC = re.compile(r"[0-9.\s*/+()-]+")
_AFTER_NUMBER = frozenset(" \t\r\n,]}#%")
_DIGITS = frozenset("+-.0123456789")
_ESCAPES = {c: c for c in '"\\/'} | {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_CLOSERS = (
    {'"': '"', "'": "'"}
    | dict.fromkeys("\u201c\u201d\u201e\u201f", "\u201c\u201d")
    | dict.fromkeys("\u2018\u2019\u201a", "\u2018\u2019")
)
_RUNS = {ends: re.compile(rf"[^{ends}\\\x00-\x1f]*") for ends in set(_CLOSERS.values())}
_LITERALS = {"true": True, "false": False, "null": None}
_PYTHON = {"True": True, "False": False, "None": None}
_OF_NUMBERS = frozenset("0123456789.,eE")
_NOT_NUMBERS = frozenset({"NaN", "nan", "Infinity", "inf", "Inf"})
_INVISIBLE = frozenset("\ufeff\u200b\u200c\u200d\u2060")
_LEFT_OUT = ("...", "\u2026")

COMMENT = "JSON has no comments"
COMMAS = "JSON has no comma before a closing bracket"
QUOTES = "JSON quotes with \" only, not with ' or other marks"
BARE_KEYS = 'the keys of JSON stand in "quotation marks"'
PYTHON = "JSON writes true, false and null, not True, False and None"
CONTROL = "inside a string, line breaks are written \\n and tabs \\t"
ESCAPE = "a string has a backslash before a character that needs none"
NUMBERS = "JSON writes numbers without + and with digits on both sides of the point"
BETWEEN = "there is a comma missing between two objects of a list"
SPACES = "there are invisible or unusual spaces between the parts of the JSON"
TWICE = "a key comes twice"


def parse(text: str, at: int, notes: Notes) -> tuple[object, int]:
    """Read the one value that begins at a place, and say where it ends.

    Numbers come as Decimal; what has no reading comes as a `Knot`.

    Raises:
        UnreadableError: There is no value there that could be read without a guess.
    """
    reader = _JsonReader(text, at, notes)
    value = reader.value(text[at : at + 1], DEEPEST)
    return value, reader.at


def same(left: object, right: object) -> bool:
    """Whether two JSON values are equal; true is not 1."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(v, right[k]) for k, v in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    return left == right


class _JsonReader:
    """Reads values from one place of a text onwards; `at` is the next character."""

    __slots__ = ("after_number", "at", "notes", "start", "text")

    def __init__(self, text: str, at: int, notes: Notes) -> None:
        self.text, self.at, self.notes = text, at, notes
        self.start, self.after_number = at, -1

    def value(self, c: str, depth: int) -> object:
        """Read the value whose first character is `c`."""
        if c == '"':
            return self._string(c)
        if c == "{" or c == "[":  # noqa: PLR1714  twice as fast as `in`
            if not depth:
                self._fail("it is nested too deeply")
            return self._object(depth - 1) if c == "{" else self._list(depth - 1)
        if c in _DIGITS:
            return self._number()
        return self._string(c) if c in _CLOSERS else self._word()

    def _fail(self, why: str) -> NoReturn:
        if self.at >= len(self.text):
            raise UnreadableError(CUT, at=self.start)
        near = shown(self.text[self.at : self.at + 20])
        raise UnreadableError(
            f"not JSON at character {self.at + 1}, {near}: {why}", at=self.start
        )

    def _skip(self) -> str:
        """Pass over what may stand between values, and give the next character."""
        began = self.at
        space = _SPACE.match(self.text, began)
        self.at = space.end() if space else began
        c = self.text[self.at : self.at + 1]
        if c in "/#\v\f" or c > "~":
            return self._skip_unusual(began)
        return c

    def _skip_unusual(self, began: int) -> str:
        while c := self.text[self.at : self.at + 1]:
            if c in _INVISIBLE or (c.isspace() and c not in " \t\r\n"):
                self.notes.mend(SPACES)
                self.at += 1
            elif c == "#" or self.text.startswith(("//", "/*"), self.at):
                self._comment(began)
            elif c in " \t\r\n":
                space = _SPACE.match(self.text, self.at)
                self.at = space.end() if space else self.at
            else:
                break
        return c

    def _comment(self, began: int) -> None:
        is_block = self.text.startswith("/*", self.at)
        inside = self.at + (1 if self.text[self.at] == "#" else 2)
        if is_block:
            end = self.text.find("*/", inside)
            after = end + 2
        else:
            line_end = _LINE_END.search(self.text, inside)
            end = after = line_end.start() if line_end else -1
        comment = self.text[inside:end].strip() if end >= 0 else ""
        if comment.startswith(_LEFT_OUT):
            self._fail("a comment stands for something that was left out")
        if began == self.after_number and _ARITHMETIC.fullmatch(comment):
            self._fail("a number is written out, not calculated")
        self.notes.mend(COMMENT)
        self.at = len(self.text) if end < 0 else after

    def _object(self, depth: int) -> dict[str, object]:
        built: dict[str, object] = {}
        self.at += 1
        c = self._skip()
        while c != "}":
            key = self._key(c)
            if self._skip() != ":":
                self._fail("expected a colon after the key")
            self.at += 1
            value = self.value(self._skip(), depth)
            built[key] = self._twice(key, built[key], value) if key in built else value
            c = self._skip()
            if c == ",":
                c = self._comma("}")
            elif c != "}":
                self._fail("expected a comma or }")
        self.at += 1
        return built

    def _list(self, depth: int) -> list[object]:
        built: list[object] = []
        self.at += 1
        c = self._skip()
        while c != "]":
            built.append(self.value(c, depth))
            c = self._skip()
            if c == ",":
                c = self._comma("]")
            elif c == "{" and isinstance(built[-1], dict):
                self.notes.mend(BETWEEN)
            elif c != "]":
                self._fail("expected a comma or ]")
        self.at += 1
        return built

    def _comma(self, closing: str) -> str:
        self.at += 1
        c = self._skip()
        if c == closing:
            self.notes.mend(COMMAS)
        return c

    def _key(self, c: str) -> str:
        if c in _CLOSERS:
            return self._string(c)
        match = _NAME.match(self.text, self.at)
        if match is None:
            parted = c.isdigit() and self.text[self.after_number : self.at].strip() == ","
            self._fail(
                "a number has no commas" if parted else "expected a key in quotation marks"
            )
        self.notes.mend(BARE_KEYS)
        self.at = match.end()
        return match[0]

    def _twice(self, key: str, before: object, value: object) -> object:
        if isinstance(value, Knot):
            self.notes.knots.pop()  # the one just read: this place has a knot anyway
        if isinstance(before, Knot):
            return before
        if same(before, value):
            self.notes.mend(TWICE)
            return before
        return self.notes.knot(f"the key {shown(key)} comes twice and differs")

    def _string(self, c: str) -> str:
        match = _PLAIN.match(self.text, self.at)
        if match:
            self.at = match.end()
            return match[1]
        if c != '"':
            self.notes.mend(QUOTES)
        self.at += 1
        return self._rest_of_string(_CLOSERS[c])

    def _rest_of_string(self, closers: str) -> str:
        run = _RUNS[closers]
        parts: list[str] = []
        while True:
            match = run.match(self.text, self.at)
            if match:
                parts.append(match[0])
                self.at = match.end()
            c = self.text[self.at : self.at + 1]
            if not c:
                self._fail("")
            if c in closers:
                self.at += 1
                return "".join(parts)
            if c == "\\":
                parts.append(self._escape())
            else:
                self.notes.mend(CONTROL)
                parts.append(c)
                self.at += 1

    def _escape(self) -> str:
        c = self.text[self.at + 1 : self.at + 2]
        if c == "u" and (digits := _HEX.match(self.text, self.at + 2)):
            self.at = digits.end()
            return self._paired(digits[0])
        self.at += 2
        if c in _ESCAPES:
            return _ESCAPES[c]
        self.notes.mend(ESCAPE)
        return c if c == "'" else f"\\{c}"

    def _paired(self, digits: str) -> str:
        """Give a character, which may be written as two halves of a surrogate pair.

        One that could be part of a number stays an escape: no amount is put together from
        what does not stand in the text.
        """
        first = int(digits, 16)
        if chr(first) in _OF_NUMBERS:
            self.notes.mend(ESCAPE)
            return f"\\u{digits}"
        is_high = 0xD800 <= first < 0xDC00  # noqa: PLR2004  the first halves of pairs
        if is_high and self.text.startswith("\\u", self.at):
            low_digits = _HEX.match(self.text, self.at + 2)
            second = int(low_digits[0], 16) if low_digits else 0
            if low_digits and 0xDC00 <= second < 0xE000:  # noqa: PLR2004  the second halves
                self.at = low_digits.end()
                return chr(0x10000 + ((first - 0xD800) << 10) + second - 0xDC00)
        return chr(first)

    def _number(self) -> object:
        match = _NUMBER.match(self.text, self.at)
        if match is None:
            return self._word()
        word, end = match[0], match.end()
        if _OCTAL.match(word):
            self._fail("a number does not begin with 0")
        c = self.text[end : end + 1]
        if c and c not in _AFTER_NUMBER and not c.isspace():
            self._fail("a number is bare: digits, without signs, units or sums")
        if not _STRICT.fullmatch(word):
            self.notes.mend(NUMBERS)
        self.at = self.after_number = end
        if c == "%":
            self.at += 1
            return self.notes.knot(f"{shown(word + c)} is a percentage")
        return decimal_of(word)

    def _word(self) -> object:
        sign = self.text[self.at : self.at + 1] in {"-", "+"}
        match = _NAME.match(self.text, self.at + sign)
        word = match[0] if match else ""
        if word in _NOT_NUMBERS:
            self.at += sign + len(word)
            return self.notes.knot(f"{word} is not a number")
        literals = None if sign else next((w for w in (_LITERALS, _PYTHON) if word in w), None)
        if literals is None:
            self._fail("expected a value")
        if literals is _PYTHON:
            self.notes.mend(PYTHON)
        self.at += len(word)
        return literals[word]


def decimal_of(word: str) -> Decimal:
    """Read a number exactly; an exponent beyond all bounds is brought near.

    >>> decimal_of("1e2"), decimal_of("1e-99999999999999999999") < Decimal("0.01")
    (Decimal('1E+2'), True)
    """
    mantissa, e, exponent = word.replace("E", "e").partition("e")
    if not e:
        return Decimal(mantissa)
    digits = exponent.lstrip("+-").lstrip("0") or "0"
    size = int(digits) if len(digits) <= len(str(FURTHEST)) else FURTHEST
    sign = "-" if exponent.startswith("-") else ""
    return Decimal(f"{mantissa}e{sign}{size}")
