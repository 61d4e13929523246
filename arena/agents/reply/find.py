"""Finds the JSON objects in a model's reply.

Words beside the JSON are passed over: greetings, Markdown fences, tags of tool calls. What
was only thought is not read: thinking blocks, and the channels of a reply in the harmony
format other than the final one. JSON is found by reading it, never by matching brackets, so
what stands inside a string stays there. The text is gone through once, and at most once more
after the last thinking block.

Sources: https://docs.vllm.ai/en/latest/features/reasoning_outputs.html,
https://cookbook.openai.com/articles/openai-harmony.
"""

import re
from dataclasses import dataclass

from arena.agents.reply.syntax import parse
from arena.agents.reply.words import Notes, UnreadableError

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
