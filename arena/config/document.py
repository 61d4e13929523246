"""A YAML file with every scalar as text, and the line of every key."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import yaml
from yaml import MappingNode, Node, ScalarNode, SequenceNode

from arena.errors import printable

SHOWN = 60
MADE = "`arena init` makes an arena that has one"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in a configuration file.

    `line` counts from 1 and is None where the file as a whole is meant. `key` is dotted
    (`contestants.example.agent`), and empty at the top of a file.
    """

    file: str
    line: int | None
    key: str
    expected: str
    found: str
    suggestion: str = ""

    def __str__(self) -> str:
        """Say it in one line that can be printed anywhere."""
        where = printable(self.file) + (f":{self.line}" if self.line else "")
        place = f"{where}: {self.key}" if self.key else where
        after = f"; {self.suggestion}" if self.suggestion else ""
        return f"{place}: expected {self.expected}, found {self.found}{after}"


class WrongError(ValueError):
    """A wrong value, raised where its place in the file is not known yet."""

    def __init__(self, expected: str, actual: str, suggestion: str = "") -> None:
        super().__init__(f"expected {expected}, found {actual}")
        self.expected = expected
        self.found = actual
        self.suggestion = suggestion


def shown(value: object) -> str:
    """Describe what was found, short, and without anything that a terminal would obey."""
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return repr(str(value) if len(value) <= SHOWN else f"{value[:SHOWN]}...")
    return "a mapping" if isinstance(value, Mapping) else "a list"


Place = tuple[str | int, ...]

DEEPEST = 32
NULL = frozenset({"", "~", "null", "Null", "NULL"})
SECRET_KEYS = frozenset({
    "access_token", "api_key", "apikey", "auth_token", "authorization", "client_secret",
    "password", "private_key", "secret", "secret_key", "token", "x_api_key",
})  # fmt: skip
SECRET_VALUE = re.compile(r"sk-\S+|(xai-|gsk_|AIza|ghp_|github_pat_|Bearer )\S{16,}")


class _Mark(Protocol):
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class ChangedKey:
    """A value that stands in another file in the place of this one's, as YAML has it."""

    value: object
    file: str
    line: int


class Plain(str):
    """A scalar written without quotes: a number or a truth value, if its key wants one."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ConfigDocument:
    """What one file holds.

    `tree` is made of dicts with text keys, lists, text (`Plain` where it had no quotes) and
    None; it is None where the file could not be read as YAML. `faults` are the places that
    are refused already, so that nobody needs to judge them again.
    """

    file: str
    tree: Mapping[str, object] | None
    lines: Mapping[Place, int]
    problems: tuple[Problem, ...] = ()
    faults: frozenset[Place] = frozenset()
    changes: Mapping[Place, ChangedKey] = field(default_factory=dict)

    @property
    def is_absent(self) -> bool:
        """Whether nothing could be read at all, not even as text."""
        return self.tree is None and any(problem.line is None for problem in self.problems)

    def line(self, place: Place) -> int:
        """Find the line of a key, or of the nearest key around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)

    def problem(
        self, place: Place, expected: str, actual: str, suggestion: str = ""
    ) -> Problem:
        """Say what is wrong at a place of this file, or of the file that changed it."""
        for length in range(len(place), 0, -1):
            change = self.changes.get(place[:length])
            if change:
                key = dotted(place)
                return Problem(change.file, change.line, key, expected, actual, suggestion)
        return Problem(self.file, self.line(place), dotted(place), expected, actual, suggestion)


def changed(document: ConfigDocument, changes: Mapping[Place, ChangedKey]) -> ConfigDocument:
    """The document with other values at some places; what is not there yet is made."""
    if document.tree is None or not changes:
        return document
    tree = document.tree
    for place, change in changes.items():
        key = str(place[0])
        tree = {**tree, key: _with_value(tree.get(key), place[1:], change.value)}
    return replace(document, tree=tree, changes=changes)


def _with_value(tree: object, place: Place, value: object) -> object:
    if not place:
        return value
    key, entries = place[0], dict(tree) if isinstance(tree, Mapping) else {}
    return entries | {key: _with_value(entries.get(key), place[1:], value)}


def dotted(place: Place) -> str:
    """Write a place as people say it.

    >>> dotted(("contestants", 2))
    'contestants[2]'
    """
    parts = (f"[{p}]" if isinstance(p, int) else f".{_key(p)}" for p in place)
    return "".join(parts).removeprefix(".")


def read_document(file: Path) -> ConfigDocument:
    """Read a file; what is wrong with it is in the document, never raised."""
    name = file.as_posix()
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        return _unread(Problem(name, line, "", "text in UTF-8", "other bytes"))
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "a name that no file can have"
        made = MADE if isinstance(error, FileNotFoundError) else ""
        return _unread(Problem(name, None, "", "a file that can be read", printable(why), made))
    try:
        root = _compose(text)
    except _SyntaxProblem as error:
        return _unread(Problem(name, error.line, "", "YAML", printable(error.found)))
    return _Walk(name).document(root)


def _unread(problem: Problem) -> ConfigDocument:
    return ConfigDocument(problem.file, None, {}, (problem,))


def _key(part: str) -> str:
    return part if re.fullmatch(r"[\w-]{1,60}", part, re.ASCII) else shown(part)


class _SyntaxProblem(Exception):  # noqa: N818  (it never leaves this module)
    def __init__(self, complaint: str, mark: _Mark | None) -> None:
        line, column = (mark.line, mark.column) if mark else (0, 0)
        super().__init__(complaint)
        self.line = line + 1
        self.found = f"{complaint} (column {column + 1})"


class _Strict(yaml.SafeLoader):
    """YAML without aliases and tags, and with no meaning read into scalars.

    So a `no` stays text, a number keeps all its digits, and a small file cannot unfold into
    a huge one.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.yaml_implicit_resolvers = {}
        self.depth = 0

    def compose_node(self, parent: Node | None, index: int) -> Node | None:
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _SyntaxProblem(
                "an anchor or alias, which are not used here", event.start_mark
            )
        if getattr(event, "tag", None):
            raise _SyntaxProblem("a tag, which are not used here", event.start_mark)
        if self.depth >= DEEPEST:
            raise _SyntaxProblem(f"more than {DEEPEST} levels", event.start_mark)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def _compose(text: str) -> Node | None:
    try:
        loader = _Strict(text)
        try:
            return loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        complaint = error.problem or error.context or "something else"
        raise _SyntaxProblem(complaint, error.problem_mark or error.context_mark) from error
    except yaml.reader.ReaderError as error:
        complaint = "a character that YAML does not allow"
        raise _SyntaxProblem(complaint, _mark(text, error.position)) from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise _SyntaxProblem("an escape that names no character", None) from error


def _mark(text: str, position: int) -> _Mark:
    before = text[:position]
    return yaml.Mark(
        "", position, before.count("\n"), position - before.rfind("\n") - 1, None, 0
    )


class _Walk:
    """Turns YAML nodes into plain values, and notes what is wrong in any file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: dict[Place, int] = {}
        self.problems: list[Problem] = []
        self.faults: set[Place] = set()

    def document(self, root: Node | None) -> ConfigDocument:
        top = None if root is None else self._value(root, ())
        tree = {} if top is None else top
        if not isinstance(tree, dict):
            actual = "a secret" if self.faults else shown(tree)
            self._report((), "a mapping of keys", actual)
            tree = None
        problems, faults = tuple(self.problems), frozenset(self.faults)
        return ConfigDocument(self.file, tree, self.lines, problems, faults)

    def _value(self, node: Node, place: Place) -> object:
        if isinstance(node, MappingNode):
            return self._mapping(node, place)
        if isinstance(node, SequenceNode):
            for n, item in enumerate(node.value):
                self.lines[*place, n] = item.start_mark.line + 1
            return [self._value(item, (*place, n)) for n, item in enumerate(node.value)]
        return self._scalar(node, place) if isinstance(node, ScalarNode) else None

    def _mapping(self, node: MappingNode, place: Place) -> dict[str, object]:
        entries: dict[str, object] = {}
        for key, value in node.value:
            if not isinstance(key, ScalarNode) or not _encodes(key.value):
                self._report(place, "keys that are text", "another key")
                continue
            here = (*place, key.value)
            line = key.start_mark.line + 1
            if key.value in entries:
                actual = f"a second one (the first is on line {self.lines[here]})"
                twin = Problem(self.file, line, dotted(here), "each key once", actual)
                self.problems.append(twin)
                continue
            self.lines[here] = line
            entries[key.value] = self._value(value, here)
            named = key.value.lower().replace("-", "_")
            if isinstance(value, ScalarNode) and named in SECRET_KEYS:
                self._refuse_secret(here)
        return entries

    def _scalar(self, node: ScalarNode, place: Place) -> object:
        if not _encodes(node.value):
            self._report(place, "text in UTF-8", "half a surrogate pair")
            self.faults.add(place)
            return ""
        if SECRET_VALUE.fullmatch(node.value.strip()):
            self._refuse_secret(place)
        if node.style is not None:
            return str(node.value)
        return None if node.value in NULL else Plain(node.value)

    def _refuse_secret(self, place: Place) -> None:
        if place not in self.faults:
            tip = "name an environment variable in key_env"
            self._report(place, "no secret in a file", "what looks like one", tip)
            self.faults.add(place)

    def _report(self, place: Place, expected: str, actual: str, tip: str = "") -> None:
        at = self.lines.get(place, 1)
        self.problems.append(Problem(self.file, at, dotted(place), expected, actual, tip))


def _encodes(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)
