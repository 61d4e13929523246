"""Numbers that were written as words: in quotation marks, by thousands, with their unit."""

import re
from decimal import Decimal

from arena.agents.reply.words import Notes
from arena.records.decision import Action

_NUMBER = r"(?P<number>[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?)"
_BEFORE = r"(?P<before>(?:US\s?)?\$\s?|USD\s?)?"
_DOLLARS = r"(?P<dollars>\s?(?:(?:US\s?)?\$|USD|(?:US )?dollars?))"
_PERCENT = r"(?P<percent>\s?(?:%|percent|pct))"
_WORDED = re.compile(f"{_BEFORE}{_NUMBER}(?:{_DOLLARS}|{_PERCENT})?", re.IGNORECASE)
_WORDED_1 = re.compile(rf"(?P<before>\$\s?)?{_NUMBER}(?P<dollars>(?!))?(?P<percent>\s?%)?")
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
    but $ before a number and % behind it.
    """
    if isinstance(stated, Decimal):
        return stated
    pattern = _WORDED_1 if version == 1 else _WORDED
    match = _worded(stated, pattern) if isinstance(stated, str) else None
    if match is None or any(match[unit] for unit in _FOREIGN[action]):
        return None
    notes.mend("a number is bare: without quotation marks, signs and units")
    return Decimal(match["number"].replace(",", ""))


def _worded(text: str, pattern: re.Pattern[str]) -> re.Match[str] | None:
    return pattern.fullmatch(text.strip()) if len(text) <= _LONGEST else None
