"""Whether a crontab line can be kept: five fields, each within its range."""

import re

from arena.config.problem import WrongError, shown

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
FIELDS: tuple[tuple[str, range, tuple[str, ...]], ...] = (
    ("minute", range(60), ()),
    ("hour", range(24), ()),
    ("day of the month", range(1, 32), ()),
    ("month", range(1, 13), MONTHS),
    ("day of the week", range(7), DAYS),
)
PART = re.compile(r"(\*|(\w{1,3})(-(\w{1,3}))?)(/([0-9]{1,3}))?", re.ASCII)


def crontab(value: object) -> str:
    """Read a line of five fields: minute, hour, day, month and day of the week."""
    expected = "five crontab fields, such as */10 * * * *"
    if not isinstance(value, str):
        raise WrongError(expected, shown(value))
    fields = value.split()
    if len(fields) != len(FIELDS):
        raise WrongError(expected, f"{shown(value)}, which has {len(fields)}")
    for said, (name, span, words) in zip(fields, FIELDS, strict=True):
        if not all(_fits(part, span, words) for part in said.split(",")):
            within = f"{span[0]}-{span[-1]}" + (f" or {words[0]}-{words[-1]}" if words else "")
            raise WrongError(f"a {name} within {within}", shown(said))
    return " ".join(fields)


def _fits(part: str, span: range, words: tuple[str, ...]) -> bool:
    match = PART.fullmatch(part)
    if match is None:
        return False
    _, first, _, last, _, step = match.groups()
    if step is not None and not 1 <= int(step) <= len(span):
        return False
    ends = [_number(end, span, words) for end in (first, last) if end]
    return None not in ends and ends == sorted(end for end in ends if end is not None)


def _number(end: str, span: range, words: tuple[str, ...]) -> int | None:
    if end.lower() in words:
        return span[words.index(end.lower())]
    return int(end) if end.isdecimal() and int(end) in span else None
