"""How a figure is put together: drawn wide and narrow, with one table of the same numbers.

Words and lines are SVG; coordinates are whole: half CSS pixels. Colours and strokes are classes
of the sheet `2-charts.css`, whose rules are written out in a file of its own.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from html import escape
from typing import Final
from unicodedata import east_asian_width

import numpy as np
from numpy.typing import NDArray

from arena.bundle import templates
from arena.metrics import figures
from arena.site.charts.subjects import LineWeight, Scale, Words
from arena.site.pages.parts import Figure, Grid, Key, Look, Strip
from arena.site.sanitize import one_line, shorten

COLOURS: Final = 10  # so many lines differ in colour; the next so many have dashes as well

_COLOUR = re.compile(r"--([a-z0-9]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")
_OF_PAGES: Final = "/* Of pages alone. */\n"  # where the rules of drawings end in their sheet
_TOKEN = re.compile(r"var\(--([a-z0-9]+)\)")


def _sheet(name: str) -> str:
    return (templates() / "site" / "css" / name).read_text(encoding="utf-8")


def colours() -> tuple[dict[str, str], dict[str, str]]:
    """The colours of pages and charts by name, by day and by night."""
    named = _COLOUR.findall(_sheet("1-page.css") + _sheet("2-charts.css"))
    return {name: light for name, light, _ in named}, {name: dark for name, _, dark in named}


def drawing_rules() -> list[str]:
    """The rules of the style sheet that drawings need in files of their own."""
    rules = _sheet("2-charts.css").partition(_OF_PAGES)[0]
    return rules.partition("}\n")[2].splitlines()


def series_class(nth: int, weight: LineWeight) -> str:
    """The classes that colour and dash the line that is the `nth` of its weight, from 0.

    >>> series_class(0, LineWeight.MAIN), series_class(11, LineWeight.MAIN)
    ('ch-s1', 'ch-s2 ch-d')
    """
    if weight is LineWeight.REFERENCE:
        return "ch-r"
    if weight is LineWeight.QUIET or nth >= 2 * COLOURS:
        return "ch-q"
    dashed = " ch-d" if nth >= COLOURS else ""
    return f"ch-s{nth % COLOURS + 1}{dashed}"


def tones(toned: Iterable[tuple[LineWeight, int | None]]) -> tuple[int, ...]:
    """The number of the colour and shape of each line; without a number, its position.

    Only main lines count.

    >>> tones([(LineWeight.MAIN, None), (LineWeight.REFERENCE, None), (LineWeight.MAIN, 7)])
    (0, 1, 7)
    """
    numbers: list[int] = []
    main = 0
    for weight, tone in toned:
        numbers.append(main if tone is None else tone)
        main += weight is LineWeight.MAIN
    return tuple(numbers)


@cache
def style_alone() -> str:
    """A style sheet without custom properties: few programs that open SVG know them."""
    (light, dark), rules = colours(), drawing_rules()
    by_day = "".join(_written(rule, light) for rule in rules)
    by_night = "".join(_written(rule, dark) for rule in rules if _TOKEN.search(rule))
    night = f"svg{{background:{dark['paper']}}}{by_night}"
    return (
        f"svg{{background:{light['paper']}}}{by_day}"
        f"@media (prefers-color-scheme:dark){{{night}}}"
    )


def _written(rule: str, tokens: dict[str, str]) -> str:
    return _TOKEN.sub(lambda match: tokens[match[1]], rule)


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


def shape_of(nth: int) -> int:
    """The number of a mark's shape: another for each of ten, and for those of one colour.

    >>> shape_of(0), shape_of(9), shape_of(10)
    (0, 9, 3)
    """
    return (nth + 3 * (nth // COLOURS)) % len(MARKS)


def mark(nth: int, at: Place) -> str:
    """Path data of a mark with its middle at a place."""
    return f"M{at[0]} {at[1]}{MARKS[shape_of(nth)]}"


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
    return f"{start}l{' '.join(map(str, moves.ravel().tolist()))}".replace(" -", "-")


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


PAD: Final = 24  # about a drawing in a file of its own


@dataclass(frozen=True, slots=True)
class Room:
    """The paper of a drawing, in half CSS pixels: how wide, and how high letters are."""

    width: int
    size: int
    narrow: bool = False

    @property
    def line(self) -> int:
        """From one line of text to the next."""
        return round(self.size * 1.3)


@dataclass(frozen=True, slots=True)
class Drawn:
    """What is on the paper, how high that is, and what the script has to know of it."""

    body: str
    height: int
    data: str = ""


WIDE: Final = Room(1280, 25)
NARROW: Final = Room(680, 26, narrow=True)
SMALL: Final = Room(480, 25)

Draw = Callable[[Room], Drawn]


def figure(
    words: Words, draw: Draw, grid: Grid, keys: tuple[Key, ...] = (), *, description: str = ""
) -> Figure:
    """Draw for a wide page, for a narrow one, and for a file of its own.

    Args:
        words: What the figure is called and says.
        draw: Draws on the paper it is given.
        grid: The numbers that are drawn.
        keys: The legend.
        description: What the drawing shows, for those who do not see it; the caption, if empty.
    """
    alt_text = one_line(description or words.caption, 900)
    wide = draw(WIDE)
    return Figure(
        words.key,
        words.title,
        words.caption,
        _inline(words, alt_text, WIDE, wide),
        _inline(words, alt_text, NARROW, draw(NARROW)),
        grid,
        keys,
        _alone(words, alt_text, wide, WIDE),
    )


def small_figure(words: Words, draw: Draw, grid: Grid, keys: tuple[Key, ...]) -> Figure:
    """Draw a small figure, one of several side by side: the same on any page."""
    drawn, alt_text = draw(SMALL), one_line(words.caption, 900)
    wide = _inline(words, alt_text, SMALL, drawn)
    alone = _alone(words, alt_text, drawn, SMALL)
    return Figure(words.key, words.title, words.caption, wide, "", grid, keys, alone)


def look(words: Words, key: str, label: str, draw: Draw) -> Look:
    """Draw a figure in another way; what it shows is said where it is drawn first."""
    named = Words(f"{words.key}-{key}", f"{words.title}, {label.lower()}", "")
    wide, narrow = (_inline(named, "", room, draw(room)) for room in (WIDE, NARROW))
    chosen = f'class="ch ch-{key} '
    return Look(
        key,
        label,
        wide.replace('class="ch ', chosen, 1),
        narrow.replace('class="ch ', chosen, 1),
    )


def _inline(words: Words, alt_text: str, room: Room, drawn: Drawn) -> str:
    kind = "narrow" if room.narrow else "small" if room is SMALL else "wide"
    key = f"{escaped(words.key)}-{kind[0]}"
    described = f'<desc id="{key}-d">{escaped(alt_text)}</desc>' if alt_text else ""
    named = f"{key}-t {key}-d" if alt_text else f"{key}-t"
    return (
        f'<svg class="ch ch-{kind}" viewBox="0 0 {room.width} {drawn.height}" role="img" '
        f'aria-labelledby="{named}"{drawn.data}>'
        f'<title id="{key}-t">{escaped(one_line(words.title, 200))}</title>'
        f"{described}{drawn.body}</svg>"
    )


def _alone(words: Words, alt_text: str, drawn: Drawn, room: Room) -> str:
    head = room.line + room.size
    wide, high = room.width + 2 * PAD, drawn.height + head + 2 * PAD
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ch" width="{wide // 2}" '
        f'height="{high // 2}" viewBox="{-PAD} {-head - PAD} {wide} {high}" '
        'role="img" aria-labelledby="t d">'
        f'<title id="t">{escaped(one_line(words.title, 200))}</title>'
        f'<desc id="d">{escaped(alt_text)}</desc><style>{style_alone()}</style>'
        f'<text class="ch-z" x="0" y="{-head + room.line}">'
        f"{escaped(one_line(words.title, 90))}</text>{drawn.body}</svg>\n"
    )


def finite(value: float | None) -> float | None:
    """The value, or None where it is missing or no number."""
    return value if value is not None and math.isfinite(value) else None


NAME: Final = 60  # characters of a name in a table


def moments(rows: Sequence[datetime]) -> Strip:
    """Rows about moments; the head of the column says UTC."""
    texts = tuple([figures.moment(at).removesuffix(" UTC") for at in rows])
    return Strip(texts, tuple([figures.machine(at) for at in rows]))


def days(rows: Sequence[datetime]) -> Strip:
    """Rows about days, each named by its midnight."""
    names = tuple([at.astimezone(UTC).date().isoformat() for at in rows])
    return Strip(names, names)


def names(rows: Iterable[str], hrefs: Iterable[str] = ()) -> Strip:
    """Who rows are about."""
    lines = tuple([one_line(name, NAME) for name in rows])
    return Strip(lines, lines, hrefs=tuple(hrefs))


def values(scale: Scale, rows: Iterable[float | None], notes: tuple[str, ...] = ()) -> Strip:
    """Values as their scale writes them; None is `n/a`."""
    kept, shown = tuple(rows), scale.shown
    texts = [figures.MISSING if value is None else shown(value) for value in kept]
    return Strip(tuple(texts), kept, notes)


def counts(rows: Iterable[int]) -> Strip:
    """How many of something."""
    kept = tuple(rows)
    return Strip(tuple([figures.count(n) for n in kept]), kept)
