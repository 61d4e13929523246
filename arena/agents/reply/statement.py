"""Chooses the JSON object of a reply that is its answer, and reads its keys.

An answer may come in a wrapper: a list of one, a key, a tool call, JSON in a string. It may
come more than once, if it says the same each time. Keys may be written in another case; no
other word stands for them, because a stake could be shares, dollars or a fraction.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from arena.agents.reply.syntax import parse, same
from arena.agents.reply.words import Knot, Notes, UnreadableError, shown
from arena.records.market import MarketId

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
