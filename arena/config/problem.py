"""What can be wrong in a configuration file, and how it is said."""

from collections.abc import Mapping
from dataclasses import dataclass

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
