"""The columns of a figure's table."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from arena.metrics import figures
from arena.site.charts.subjects import Scale
from arena.site.hostile import one_line
from arena.site.views.parts import Strip

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
