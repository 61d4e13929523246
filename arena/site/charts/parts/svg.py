"""Words and lines of SVG. Coordinates are whole: half CSS pixels."""

import re
from collections.abc import Sequence
from html import escape
from typing import Final
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import NDArray

from arena.site.sanitize import one_line, shorten

Place = tuple[int, int]
Places = NDArray[np.int64]  # a row a place

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LONGEST = 2000
_SLIM = frozenset("iljtfrI.,:;|!'()[]/ ")
_BROAD = frozenset("mwMW%@\N{MINUS SIGN}+\N{EM DASH}\N{HORIZONTAL ELLIPSIS}")

# About their own middle, from the pen's place; a little larger than a letter is high.
MARKS: Final = (
    "m-9 0a9 9 0 1 0 18 0a9 9 0 1 0-18 0z",  # disc
    "m-8-8h16v16h-16z",  # square
    "m0-11l11 18h-22z",  # triangle
    "m0-12l12 12l-12 12l-12-12z",  # diamond
    "m0 11l-11-18h22z",  # triangle, point down
    "m-4-11h8v7h7v8h-7v7h-8v-7h-7v-8h7z",  # plus
    "m-11 0l6-10h10l6 10l-6 10h-10z",  # hexagon
    "m-6-11l6 6l6-6l5 5l-6 6l6 6l-5 5l-6-6l-6 6l-5-5l6-6l-6-6z",  # cross
    "m-12-5h24v10h-24z",  # bar
    "m-5-12h10v24h-10z",  # post
)


class _Written(dict[int, str]):
    """Steps as text: a year of days has many thousand, most of them a few times."""

    def __missing__(self, step: int) -> str:
        return str(step)


_WRITTEN: Final = _Written((step, str(step)) for step in range(-1300, 1301))


def escaped(text: str) -> str:
    """Make text fit for XML: marked up characters named, what XML has no place for replaced."""
    return escape(_NOT_XML.sub("\ufffd", text[:_LONGEST]))


def words(x: int, y: int, text: str, kind: str = "") -> str:
    """Text with its base line at a place; `kind` are its classes."""
    classes = f' class="{kind}"' if kind else ""
    return f'<text x="{x}" y="{y}"{classes}>{escaped(text)}</text>'


def path(data: str, kind: str) -> str:
    """A path with its classes; nothing without data."""
    return f'<path class="{kind}" d="{data}"/>' if data else ""


def group(nth: int | None, kind: str, inner: str) -> str:
    """Things that belong to one row or line of the table: `nth` is which, None is none."""
    number = "" if nth is None else f' data-s="{nth}"'
    classes = f' class="{kind}"' if kind else ""
    return f"<g{number}{classes}>{inner}</g>"


def mark(nth: int, at: Place) -> str:
    """Path data of a mark: another shape for each of ten."""
    return f"M{at[0]} {at[1]}{MARKS[nth % len(MARKS)]}"


def polyline(places: Places | Sequence[Place]) -> str:
    """Path data through places; one place is a point, which a round pen shows."""
    if not len(places):
        return ""
    rows = np.asarray(places)
    moves = rows[1:] - rows[:-1]
    moves = moves[(moves[:, 0] | moves[:, 1]) != 0]
    start = f"M{rows[0, 0]} {rows[0, 1]}"
    if not len(moves):
        return start + "h0"
    return f"{start}l{' '.join(map(_WRITTEN.__getitem__, moves.ravel().tolist()))}".replace(
        " -", "-"
    )


def stairs(places: Places | Sequence[Place]) -> str:
    """Path data of a value that holds until the next one."""
    if not len(places):
        return ""
    (x, y), *others = np.asarray(places).tolist()
    moves = [f"M{x} {y}"]
    for a, b in others:
        if a != x and b != y:
            moves.append(f"h{a - x}v{b - y}")
            x, y = a, b
        elif b != y:
            moves.append(f"v{b - y}")
            y = b
    last = places[-1][0]
    if last != x or len(moves) == 1:
        moves.append(f"h{last - x}")
    return "".join(moves)


def band(above: Sequence[Place], below: Sequence[Place]) -> str:
    """Path data of the area between two lines over the same moments."""
    if len(above) < 2:  # noqa: PLR2004  # an area has two ends
        return ""
    return polyline([*above, *reversed(below)]) + "z"


def box(x: int, y: int, width: int, height: int) -> str:
    """Path data of a rectangle."""
    return f"M{x} {y}h{width}v{height}h{-width}z"


def wide_is(text: str, size: int) -> int:
    """About how wide text is in letters of a size; never less than it is in common fonts."""
    return round(sum(_em(c) for c in text) * size)


def _em(character: str) -> float:
    if character in _SLIM:
        return 0.4
    if character in _BROAD or east_asian_width(character) in "WF":
        return 1.0
    return 0.72 if character.isupper() else 0.64


def fitted(text: str, room: int, size: int) -> str:
    """Text from outside as one line that fits into so much room."""
    line = one_line(text, 60)
    while wide_is(line, size) > room and len(line) > 1:
        keep = max(1, len(line) * room // wide_is(line, size))
        line = shorten(line, min(keep, len(line) - 1))
    return line
