"""Chooses the JSON object of a reply that is its answer, and reads its keys.

An answer may come in a wrapper: a list of one, a key, a tool call, JSON in a string. It may
come more than once, if it says the same each time. Keys may be written in another case; no
other word stands for them, because a stake could be shares, dollars or a fraction.

Parses JSON with the mistakes of language models; a repair is noted, and never a guess.

Comments, trailing commas, other quotation marks, keys without any, Python's words, raw line
breaks and unknown escapes are mended. What would take a guess is not: text that breaks off,
a missing comma between keys, a bracket that closes another, `0100`, `1,000`, `1k`, `...`.
Every character is looked at a bounded number of times.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NoReturn

from arena.agents.reply.words import Knot, Notes, UnreadableError, shown
from arena.records.market import MarketId

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


# Finds the JSON objects in a model's reply.
#
# Words beside the JSON are passed over: greetings, Markdown fences, tags of tool calls. What
# was only thought is not read: thinking blocks, and the channels of a reply in the harmony
# format other than the final one. JSON is found by reading it, never by matching brackets, so
# what stands inside a string stays there. The text is gone through once, and at most once more
# after the last thinking block.
#
# Sources: https://docs.vllm.ai/en/latest/features/reasoning_outputs.html,
# https://cookbook.openai.com/articles/openai-harmony.

AROUND = "answer with the JSON object alone: there were words, fences or tags beside it"
MARKED = "there was a byte order mark before the JSON"
LINE = 80  # how far before its JSON the mark of a quoted line is looked for

_TAGS = r"think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis|antthinking"
_MARK = re.compile(
    r"(?P<brace>\{)"
    rf"|<(?P<close>/)?(?:[a-z]{{1,20}}:)?(?:{_TAGS})(?:\s[^<>/]{{0,80}})?(?P<empty>/)?>"
    r"|\[(?P<close2>/)?THINK\]"
    r"|<\|(?:begin_of_thought|START_THINKING)\|>"
    r"|(?P<close3><\|(?:end_of_thought|END_THINKING)\|>)"
    r"|\u25c1(?P<close4>/)?think\u25b7"
    r"|(?P<channel><\|channel\|>)",
    re.IGNORECASE,
)
_CLOSE = re.compile(
    rf"</(?:[a-z]{{1,20}}:)?(?:{_TAGS})(?:\s[^<>/]{{0,80}})?>|\[/THINK\]"
    r"|<\|(?:end_of_thought|END_THINKING)\|>|\u25c1/think\u25b7",
    re.IGNORECASE,
)
_CHANNEL = "<|channel|>"
_FINAL = re.compile(r"<\|channel\|>\s*final\b")
_JSON = re.compile(
    r"\{\s*+(?:[\"'\u201c\u201d\u2018\u2019\u201e#/}]|[A-Za-z_$][A-Za-z0-9_$]{0,63}+\s*+:)"
)
_GOES_ON = re.compile(r"\s*+[,:]\s*+[\"'\u201c\u2018{\[.\u2026]")
_QUOTING = frozenset("\"'\u201c\u201d\u2018\u2019\u00ab\u201e")
_TRACES = re.compile(r"[\"\u201c\u201d{}\[\]\\]")
_STARTS = frozenset("{[\"'\u201c\u201d\u2018\u201e")


@dataclass(frozen=True, slots=True)
class JsonFragment:
    """A JSON value in a reply; `is_quoted` where the reply quotes it from somebody else."""

    value: object
    notes: Notes
    is_quoted: bool = False


def find(text: str) -> list[JsonFragment]:
    """Give every JSON object of a reply, in order; an empty list where it has none.

    Raises:
        UnreadableError: Something that looks like JSON cannot be read, or the reply ends
            before its answer.
    """
    bare = text.strip()
    unmarked = bare.removeprefix("\ufeff").lstrip()
    marks = Notes()
    if unmarked != bare:
        marks.mend(MARKED)
    objects = _find(unmarked)
    for stated in objects:
        stated.notes.add(marks)
    return objects


def _find(text: str) -> list[JsonFragment]:
    try:
        sole = _single_json_value(text)
        return [sole] if sole else _Search(text).run()
    except UnreadableError as error:
        if error.at is None:
            raise
        after_thoughts = _after_thinking(text, error.at)
        if after_thoughts is None:
            raise
        return after_thoughts


def _single_json_value(text: str) -> JsonFragment | None:
    """Read a text that is one JSON value and nothing else."""
    if text[:1] not in _STARTS:
        return None
    notes = Notes()
    try:
        value, end = parse(text, 0, notes)
    except UnreadableError:
        if _JSON.match(text):
            raise
        return None
    return JsonFragment(value, notes) if end == len(text) else None


def _after_thinking(text: str, broken: int) -> list[JsonFragment] | None:
    """Read what follows the last thinking block, where the JSON before its end is broken.

    Thoughts are full of half-written JSON, and their first tag is often the server's own. But
    the end of a block may also be quoted inside a broken answer: then something of that
    answer is left over behind it, and nothing is read.
    """
    ends = [tag.end() for tag in _CLOSE.finditer(text, broken)]
    if not ends:
        return None
    search = _Search(text, ends[-1])
    objects = search.run()
    if _TRACES.search(search.words()):
        return None
    return objects


class _Search:
    """One pass over a text, from `at` to its end."""

    def __init__(self, text: str, at: int = 0) -> None:
        self.text, self.at = text, at
        self.found: list[JsonFragment] = []
        self.passed: list[str] = []

    def run(self) -> list[JsonFragment]:
        while mark := _MARK.search(self.text, self.at):
            self._pass_to(mark.start())
            if mark["brace"]:
                self._brace()
            elif mark["channel"]:
                self._channel()
            elif mark.lastgroup in {"close", "close2", "close3", "close4"}:
                self.found.clear()  # all of that was thought
                self.at = mark.end()
            else:
                self._thinking(mark)
        self._pass_to(len(self.text))
        for stated in self.found:
            stated.notes.mend(AROUND)
        return self.found

    def words(self) -> str:
        """Give the words that were passed over, without thoughts."""
        return "".join(self.passed)

    def _pass_to(self, end: int) -> None:
        self.passed.append(self.text[self.at : end])
        self.at = end

    def _brace(self) -> None:
        start = self.at
        if not _JSON.match(self.text, start):
            self._pass_to(start + 1)
            return
        notes = Notes()
        value, self.at = parse(self.text, start, notes)
        if _GOES_ON.match(self.text, self.at):
            raise UnreadableError(
                f"at character {self.at + 1} the JSON goes on after its last bracket", at=start
            )
        self.found.append(JsonFragment(value, notes, self._is_quoted(start)))

    def _is_quoted(self, start: int) -> bool:
        if self.text[start - 1 : start] in _QUOTING:
            return True
        line = self.text[max(0, start - LINE) : start].rpartition("\n")
        return bool(line[1] or start <= LINE) and line[2].lstrip().startswith(">")

    def _channel(self) -> None:
        """Go to the next final channel: the others are thoughts."""
        if _FINAL.match(self.text, self.at):
            self.at += len(_CHANNEL)
            return
        following = self.text.find(_CHANNEL, self.at + len(_CHANNEL))
        if following < 0:
            raise UnreadableError("the reply ends before its final channel")
        self.at = following

    def _thinking(self, mark: re.Match[str]) -> None:
        self.at = mark.end()
        if mark["empty"]:
            return
        end = _CLOSE.search(self.text, self.at)
        if end is None:
            raise UnreadableError("the reply ends inside a thinking block, before its answer")
        self.at = end.end()


MAX_BYTES = 200_000
WRAPPED = "the answer stood inside another object, list or string: give it alone"
REPEATED = "the answer was given more than once, saying the same"

Object = Mapping[str, object]
Names = Mapping[str, str]  # how a key may be spelled, and its letters alone: the key

_DEEPEST = 5
_LONGEST_KEY = 40
_SEPARATORS = re.compile(r"[\s_-]+")
_CUT_OFF = frozenset(
    {"length", "maxlength", "modellength", "contextlength", "tokenlimit", "incomplete"}
    | {"maxtokens", "maxoutputtokens", "maxcompletiontokens", "truncated"}
    | {"contextlengthexceeded", "contextwindowexceeded", "modelcontextwindowexceeded"}
)
_PAYLOADS = frozenset(
    {"arguments", "args", "input", "parameters", "toolinput", "content"}
    | {"function", "functioncall", "toolcall", "toolcalls"}
)
_NOT_MEANT = re.compile(r"draft|example|alternative|previous|rejected|quoted|error")


def letters_of(key: str) -> str:
    """Give a key without case and separators; an empty text if it is not ASCII.

    >>> letters_of("Market_ID"), letters_of("marketId")
    ('marketid', 'marketid')
    """
    if len(key) > _LONGEST_KEY or not key.isascii():
        return ""
    return _SEPARATORS.sub("", key).lower()


def names(*keys: str) -> Names:
    """Index keys by their right spelling and by their letters."""
    return {spelled: key for key in keys for spelled in (key, letters_of(key))}


TOP = names("action", "bets", "forecasts", "reasoning")
LEG = names("market_id", "side", "amount")
FORECAST = names("market_id", "p_yes")
_SAYS = frozenset({"action", "bets", "forecasts"})
_PARTS = frozenset({"side", "amount", "pyes"})


def stated(text: str, finish: str) -> tuple[Object, Object, Notes]:
    """Find the one answer that a reply states: its known keys by name, and the others.

    Args:
        text: The reply.
        finish: The server's own word on why it ended.

    Raises:
        UnreadableError: The reply was cut off, is too long, holds no answer or several.
    """
    if was_cut_off(finish):
        raise UnreadableError(
            f"the reply was cut off (it ended with {shown(finish)}): answer in fewer words"
        )
    if len(text) > MAX_BYTES or len(text.encode(errors="replace")) > MAX_BYTES:
        raise UnreadableError(f"the reply is longer than {MAX_BYTES} bytes")
    objects = find(text)
    if not objects:
        empty = not text.strip().strip("\ufeff")
        raise UnreadableError(
            "the reply is empty" if empty else "the reply holds no JSON object"
        )
    statement, notes = _only(objects)
    answer = named(statement, TOP, notes)
    for value in answer.values():
        if isinstance(value, Knot):
            raise UnreadableError(value.reason)
    return answer, others_than(TOP, statement), notes


def others_than(names: Names, statement: Object) -> dict[str, object]:
    """Give the keys of an object that are not among those known, with their values."""
    return {key: value for key, value in statement.items() if name_of(key, names) is None}


def was_cut_off(finish: str) -> bool:
    """Whether a server's word on why a reply ended says that it was not whole."""
    return "".join(filter(str.isalpha, finish.rpartition(".")[2].lower())) in _CUT_OFF


def name_of(key: str, names: Names) -> str | None:
    """Give the known key that a key is a spelling of; None where it is another."""
    return names.get(key) or names.get(letters_of(key))


def named(statement: Object, names: Names, notes: Notes, where: str = "") -> dict[str, object]:
    """Give the values of known keys by their names; other keys are noted and passed over.

    Raises:
        UnreadableError: A key comes twice, in two spellings, and differs.
    """
    kept: dict[str, object] = {}
    for key, value in statement.items():
        name = name_of(key, names)
        if name is None:
            notes.mend(f"{where}the key {shown(key)} was passed over")
            continue
        if key != name:
            notes.mend(f"{where}the key {shown(key)} is written {name}")
        if name in kept and not same(kept[name], value):
            raise UnreadableError(f"{where}the key {name} comes twice and differs")
        kept[name] = value
    return kept


def market_of(value: object, markets: Mapping[str, MarketId], notes: Notes) -> MarketId | None:
    """Find the market that a name stands for; a whole number may be a name."""
    if isinstance(value, str):
        market = markets.get(value)
        if market is None and (market := markets.get(value.strip())):
            notes.mend("a market_id had spaces around it")
        return market
    if isinstance(value, Decimal) and (market := markets.get(str(value))):
        notes.mend('a market_id is written in "quotation marks"')
        return market
    return None


def unpacked(value: object, notes: Notes) -> object:
    """Read JSON that was put into a string once more; give anything else as it is."""
    if not isinstance(value, str) or not _holds(value):
        return value
    inner = value.strip()
    own = Notes()
    try:
        read, end = parse(inner, 0, own)
    except UnreadableError:
        return value
    if end != len(inner):
        return value
    notes.add(own)
    notes.mend("a part of the JSON was written as a string")
    return read


def _only(objects: Sequence[JsonFragment]) -> tuple[Object, Notes]:
    """Choose the one answer among all JSON objects of a reply."""
    answers: list[tuple[Object, JsonFragment]] = []
    for stated_object in objects:
        answer = _answer(stated_object.value, stated_object.notes, _DEEPEST)
        if answer is not None:
            answers.append((answer, stated_object))
        elif _is_part(stated_object.value):
            raise UnreadableError(
                "a part of the answer stands outside its JSON object: "
                "give one object with action and bets"
            )
    if not answers:
        raise UnreadableError("the reply holds JSON, but no object with action and bets")
    first_answer, first_object = answers[0]
    if not all(_same_answer(first_answer, other) for other, _ in answers):
        raise UnreadableError("the reply states several different decisions: state one")
    if all(stated_object.is_quoted for _, stated_object in answers):
        raise UnreadableError("the only decision stands in quotation marks: state your own")
    if len(answers) > 1:
        first_object.notes.mend(REPEATED)
    return first_answer, first_object.notes


def _answer(value: object, notes: Notes, depth: int, *, packed: bool = True) -> Object | None:
    """Take the wrappers off an answer; None where there is none inside."""
    if isinstance(value, dict):
        if not _SAYS.isdisjoint(value) or any(letters_of(key) in _SAYS for key in value):
            return value
        within = _contents(value)
    elif isinstance(value, list):
        within = value
    elif packed and isinstance(value, str):
        read = unpacked(value, notes)
        within = [] if read is value else [read]
        packed = False
    else:
        return None
    if not within or not depth:
        return None
    answers = [_answer(part, notes, depth - 1, packed=packed) for part in within]
    first = answers[0]
    if first is None or None in answers:
        if any(answers):
            raise UnreadableError("beside the decision there is something else in its list")
        return None
    if not all(_same_answer(first, other) for other in answers[1:] if other is not None):
        raise UnreadableError("the reply states several different decisions: state one")
    notes.mend(WRAPPED)
    return first


def _contents(wrapper: Object) -> list[object]:
    """Give what an object may be wrapped around."""
    letters = {key: letters_of(key) for key in wrapper}
    payloads = [k for k, short in letters.items() if short in _PAYLOADS and _holds(wrapper[k])]
    if len(payloads) == 1:
        return [wrapper[payloads[0]]]
    others = [key for key, short in letters.items() if short != "reasoning"]
    if len(others) != 1 or _NOT_MEANT.search(letters[others[0]]):
        return []
    value = wrapper[others[0]]
    return [] if isinstance(value, str) else [value]


def _holds(value: object) -> bool:
    """Whether there is something inside a value: the name of a function is a mere word."""
    return isinstance(value, dict | list) or (
        isinstance(value, str) and value.lstrip().startswith(("{", "["))
    )


def _same_answer(left: Object, right: Object) -> bool:
    """Whether two answers differ at most in their reasoning."""
    return same(
        *({k: v for k, v in answer.items() if k != "reasoning"} for answer in (left, right))
    )


def _is_part(value: object) -> bool:
    """Whether an object looks like a bet or a forecast that has lost its decision."""
    return isinstance(value, dict) and any(letters_of(key) in _PARTS for key in value)
