"""How a figure is put together: drawn wide and narrow, with one table of the same numbers."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from arena.metrics import figures
from arena.site.charts.parts.palette import style_alone
from arena.site.charts.parts.svg import escaped
from arena.site.charts.subjects import Scale, Words
from arena.site.pages.parts import Figure, Grid, Key, Look, Strip
from arena.site.sanitize import one_line

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
