"""Notes on a reply while it is read: what was repaired, and what could not be."""

import re
from dataclasses import dataclass, field
from decimal import Decimal

from arena.records.decision import Action

SHOWN = 40  # characters of hostile words that a reason repeats
MOST_REASONS = 12


class UnreadableError(Exception):
    """A reply states no decision that could be read. The message says what to mend.

    `at` is where the JSON that could not be read begins; None where it is not about JSON.
    """

    def __init__(self, reason: str, *, at: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.at = at


@dataclass(frozen=True, slots=True, eq=False)
class Knot:
    """A value that has no reading, such as NaN, or a key that comes twice and differs.

    Only a probability may be one, because it can be left out alone; anywhere else it makes
    the reply unreadable. Each is equal to itself alone.
    """

    reason: str


@dataclass(slots=True)
class Notes:
    """What was met on the way: `mended` in words, each once, and every knot."""

    mended: dict[str, None] = field(default_factory=dict)
    knots: list[Knot] = field(default_factory=list)

    def mend(self, reason: str) -> None:
        """Note that something was mended or left out."""
        self.mended[reason] = None

    def knot(self, reason: str) -> Knot:
        """Note a value that has no reading, and give what stands for it."""
        made = Knot(reason)
        self.knots.append(made)
        return made

    def add(self, other: "Notes") -> None:
        """Take over what was noted elsewhere."""
        self.mended.update(other.mended)
        self.knots += other.knots


def few(reasons: list[str]) -> tuple[str, ...]:
    """Give the first reasons, and the number of the others."""
    if len(reasons) <= MOST_REASONS:
        return tuple(reasons)
    return (*reasons[:MOST_REASONS], f"and {len(reasons) - MOST_REASONS} more")


def shown(value: object) -> str:
    r"""Quote hostile words in a reason: short, and in ASCII.

    >>> shown("rain" + chr(0x202E) * 2)
    "'rain\\u202e\\u202e'"
    """
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    if isinstance(value, Knot):
        return value.reason
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = value if isinstance(value, str) else str(value)
    return ascii(text if len(text) <= SHOWN else f"{text[:SHOWN]}...")


_NUMBER = r"(?P<number>[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?)"
_BEFORE = r"(?P<before>(?:US\s?)?\$\s?|USD\s?)?"
_DOLLARS = r"(?P<dollars>\s?(?:(?:US\s?)?\$|USD|(?:US )?dollars?))"
_PERCENT = r"(?P<percent>\s?(?:%|percent|pct))"
_WORDED = re.compile(f"{_BEFORE}{_NUMBER}(?:{_DOLLARS}|{_PERCENT})?", re.IGNORECASE)
_WORDED_1 = re.compile(rf"(?P<before>\$\s?)?{_NUMBER}(?P<dollars>(?!))?(?P<percent>\s?%)?")
_NO_THOUSANDS = re.compile(r"[^0-9]*0[0-9]*,")  # 0,600 is a decimal comma's
_FOREIGN = {Action.BET: ("percent",), Action.SELL: ("before", "dollars")}
_LONGEST = 40


def number_of(text: str, notes: Notes) -> Decimal | None:
    """Read a number that was written as a string: digits, perhaps in groups of thousands."""
    match = _worded(text, _WORDED)
    if match is None or match["before"] or match["dollars"] or match["percent"]:
        return None
    notes.mend("a number is bare: without quotation marks")
    return Decimal(match["number"].replace(",", ""))


def amount_of(stated: object, action: Action, notes: Notes, version: int) -> Decimal | None:
    """Read an amount: a number, or one in words, with the unit that the action has anyway.

    None where it is no number, or one of another unit. Version 1 of the parser knows no unit
    but $ before a number and % behind it, and until version 3 it took 0,600 for 600.
    """
    if isinstance(stated, Decimal):
        return stated
    pattern = _WORDED_1 if version == 1 else _WORDED
    match = _worded(stated, pattern) if isinstance(stated, str) else None
    if match is None or any(match[unit] for unit in _FOREIGN[action]):
        return None
    if version > 2 and _NO_THOUSANDS.match(match[0]):  # noqa: PLR2004  a version
        return None
    notes.mend("a number is bare: without quotation marks, signs and units")
    return Decimal(match["number"].replace(",", ""))


def _worded(text: str, pattern: re.Pattern[str]) -> re.Match[str] | None:
    return pattern.fullmatch(text.strip()) if len(text) <= _LONGEST else None
