"""Markets of one event whose questions differ in one number or one date alone.

The more a threshold asks for, the less likely it is; a later deadline is more likely. Questions
are read only where they say so without doubt: what is not plain is in no ladder.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import Final

import numpy as np

from arena.scoring.table import LadderKind, Ladders

LONGEST: Final = 500  # characters: a longer question is not read
LATE: Final = timedelta(days=7)  # a market may end some days after its deadline, or before
_ABOVE = r"above|over|more than|greater than|at least|exceeds?|>=?|≥"
_BELOW = r"below|under|less than|fewer than|at most|<=?|≤"
_OR_MORE = r"or (?:above|more|higher|greater)|\+"
_OR_LESS = r"or (?:below|less|lower|fewer)"
_NUMBER = r"(?P<number>\d[\d,]*(?:\.\d+)?)\s?(?P<size>k|m|b|bn|million|billion|trillion)?"
_THRESHOLD: Final = re.compile(
    rf"(?:(?P<above>{_ABOVE})|(?P<below>{_BELOW}))\s?[$€£]?{_NUMBER}(?![\w.,]*\d|\w)"
    rf"|(?<![\w.,-]){_NUMBER.replace('number', 'count').replace('size', 'scale')}"
    rf"(?![\w.,]*\d|\w)[%°]?\s?(?:(?P<more>{_OR_MORE})|(?P<less>{_OR_LESS}))",
    re.IGNORECASE | re.ASCII,
)
_SIZES: Final = {
    "": 1.0,
    "k": 1e3,
    "m": 1e6,
    "million": 1e6,
    "b": 1e9,
    "bn": 1e9,
    "billion": 1e9,
    "trillion": 1e12,
}
_MONTHS: Final = (
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
)  # fmt: skip
_MONTH = r"(?P<{}>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{{0,6}}\.?"
_DEADLINE: Final = re.compile(
    r"\b(?:by|before) (?P<date>"
    rf"{_MONTH.format('month')} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<year>\d{{4}})\b)?"
    rf"|(?P<first>\d{{1,2}}) {_MONTH.format('then')} (?P<late>\d{{4}})\b"
    rf"|{_MONTH.format('alone')} (?P<of>\d{{4}})\b"
    r"|(?P<bare>\d{4})\b(?!-))",
    re.IGNORECASE | re.ASCII,
)
_DENIES: Final = re.compile(
    r"\b(?:no|not|never|nor|without|fails?|first|\w+n't)\b", re.IGNORECASE
)
_LASTS: Final = re.compile(
    r"\b(?:remains?|still|stays?|holds?|lasts?|keeps?|survives?|unchanged|next)\b",
    re.IGNORECASE,
)
_Rung = tuple[LadderKind, str, float]


def ladders_of(
    markets: Iterable[tuple[str, str, date | None]],
) -> Ladders:
    """Find the ladders among markets, each given by its event, its question and its end.

    A deadline without a year is the last such day that is not a week after the market's end. A
    ladder in which two questions have the same number or date is no ladder, and neither is one
    of one rung.

    Args:
        markets: In the order of their codes.
    """
    rungs: defaultdict[tuple[str, LadderKind, str], list[tuple[int, float]]] = defaultdict(list)
    for code, (event, question, ends) in enumerate(markets):
        for kind, rest, rung in _rungs(question, ends):
            rungs[event, kind, rest].append((code, rung))
    kept = [
        (kind, own)
        for (_, kind, _), own in rungs.items()
        if len(own) > 1 and max(Counter(rung for _, rung in own).values()) == 1
    ]
    return _columns(kept)


def _columns(kept: Sequence[tuple[LadderKind, list[tuple[int, float]]]]) -> Ladders:
    rows = [(code, n, rung) for n, (_, own) in enumerate(kept) for code, rung in own]
    market, ladder, rung = zip(*rows, strict=True) if rows else ((), (), ())
    return Ladders(
        tuple(kind for kind, _ in kept),
        np.array(market, np.intp),
        np.array(ladder, np.intp),
        np.array(rung, np.float64),
    )


def _rungs(question: str, ends: date | None) -> Iterator[_Rung]:
    """Each number or date that a question asks about, with the question without it."""
    if len(question) > LONGEST or _DENIES.search(question):
        return
    for match in _THRESHOLD.finditer(question):
        which = "number" if match["number"] else "count"
        size = match["size" if match["number"] else "scale"] or ""
        value = float(match[which].replace(",", "")) * _SIZES[size.lower()]
        rest = _without(question, match.start(which), match.end(which), size)
        is_above = match["above"] or match["more"]
        yield LadderKind.THRESHOLD, rest, -value if is_above else value
    if _LASTS.search(question):
        return
    for match in _DEADLINE.finditer(question):
        when = _date(match, ends)
        if when is not None:
            step, day = when
            rest = _without(question, match.start("date"), match.end("date"), "")
            yield LadderKind.DEADLINE, f"{step} {rest}", float(day.toordinal())


def _without(question: str, start: int, end: int, size: str) -> str:
    """The question with a mark where the number or date stood."""
    tail = question[end:]
    after = tail.lstrip()[len(size) :] if size else tail
    return f"{question[:start]}\0{after}".casefold()


def _date(match: re.Match[str], ends: date | None) -> tuple[str, date] | None:
    """A deadline and how exactly it was given; None of a day that does not exist."""
    month = match["month"] or match["then"] or match["alone"]
    year = match["year"] or match["late"] or match["of"] or match["bare"]
    day = match["day"] or match["first"]
    step = "day" if day else "month" if month else "year"
    number = 1 + _MONTHS.index(month.lower()[:3]) if month else 1
    try:
        if year:
            return step, date(int(year), number, int(day) if day else 1)
        if ends is None:
            return None
        near = (date(ends.year + n, number, int(day)) for n in (1, 0, -1))
        return step, next(when for when in near if when <= ends + LATE)
    except ValueError:
        return None
