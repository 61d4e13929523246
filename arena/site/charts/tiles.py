"""A grid of tinted squares: closing line value."""

from collections.abc import Sequence

from arena.metrics import figures
from arena.site.charts import drawing
from arena.site.charts.drawing import Drawn, Room, figure, finite
from arena.site.charts.subjects import Scale, Tile, Words
from arena.site.charts.svg import box, fitted, group, path, wide_is
from arena.site.charts.svg import words as text
from arena.site.hostile import one_line
from arena.site.views.parts import Figure, Grid, Key, Strip

TALL = 58
NAMES = 340
STEPS = 3


def tiles(words: Words, squares: Sequence[Tile], scale: Scale) -> Figure | None:
    """Draw a grid of values, tinted from one end of the scale to the other.

    The tint has three steps on either side of the scale's base. None where there is nothing
    to draw.
    """
    rows = tuple(dict.fromkeys(tile.row for tile in squares))
    columns = tuple(dict.fromkeys(tile.column for tile in squares))
    table = {(tile.row, tile.column): tile for tile in squares}
    if not any(finite(tile.value) is not None for tile in squares):
        return None
    reach = _reach(squares, scale)

    def draw(room: Room) -> Drawn:
        return _drawn((rows, columns), table, (scale.base or 0.0, reach), room)

    keys = (
        Key(f"below {scale.shown(scale.base or 0.0)}", "ch-tint-3"),
        Key(f"above {scale.shown(scale.base or 0.0)}", "ch-tint3"),
    )
    return figure(words, draw, _grid(rows, columns, table, scale), keys)


def tint(value: float | None, base: float, reach: float) -> str:
    """The class of a value: one of three steps below the base, the base, or three above.

    >>> tint(-0.9, 0.0, 1.0), tint(0.0, 0.0, 1.0), tint(0.2, 0.0, 1.0)
    ('ch-t-3', 'ch-t0', 'ch-t1')
    """
    if value is None or value == base or reach <= 0:
        return "ch-t0"
    share = min(abs(value - base) / reach, 1.0)
    step = min(STEPS, int(share * STEPS) + 1)
    return f"ch-t{step if value > base else -step}"


def _reach(squares: Sequence[Tile], scale: Scale) -> float:
    base = scale.base or 0.0
    values = [finite(tile.value) for tile in squares]
    ends = [scale.low, scale.high] if None not in (scale.low, scale.high) else values
    return max((abs(v - base) for v in ends if v is not None), default=0.0)


def _drawn(
    names: tuple[tuple[str, ...], tuple[str, ...]],
    table: dict[tuple[str, str], Tile],
    tinted: tuple[float, float],
    room: Room,
) -> Drawn:
    rows, columns = names
    size, left = room.size, 0
    if not room.narrow:
        left = min(NAMES, max(wide_is(one_line(r, 60), size) for r in rows)) + 16
    wide = min((room.width - left) // len(columns), 260)
    above = room.line if room.narrow else 0
    step = TALL + above
    body = "".join(
        text(left + n * wide + wide // 2, size, fitted(c, wide - 8, size), "ch-c ch-i")
        for n, c in enumerate(columns)
    )
    for r, row in enumerate(rows):
        top = room.line + 8 + r * step
        if room.narrow:
            body += text(0, top + size, fitted(row, room.width, size), "")
        else:
            at = top + TALL // 2 + size * 7 // 20
            body += text(left - 16, at, fitted(row, left - 16, size), "ch-e")
        inner = ""
        for c, column in enumerate(columns):
            tile = table.get((row, column))
            spot = (left + c * wide, top + above)
            inner += _square(tile, spot, wide, tinted, size)
        body += group(r, "", inner)
    return Drawn(body, room.line + 8 + len(rows) * step + 8)


def _square(
    tile: Tile | None, at: tuple[int, int], wide: int, tinted: tuple[float, float], size: int
) -> str:
    x, y = at
    value = finite(tile.value) if tile else None
    shown = tile.text if tile else figures.MISSING
    if tile and tile.short and wide_is(shown, size) > wide - 8:
        shown = tile.short
    kind, ink = (tint(value, *tinted), "ch-i") if value is not None else ("ch-u", "ch-c ch-i")
    square = path(box(x + 2, y + 2, wide - 4, TALL - 6), kind)
    base = y + TALL // 2 + size * 7 // 20 - 2
    return square + text(x + wide // 2, base, fitted(shown, wide - 8, size), ink)


def _grid(
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    table: dict[tuple[str, str], Tile],
    scale: Scale,
) -> Grid:
    head = (scale.label, *(one_line(c, 60) for c in columns))
    told = [drawing.names(rows)]
    for column in columns:
        found = [
            table.get((row, column)) or Tile(row, column, None, figures.MISSING) for row in rows
        ]
        texts, notes = tuple(tile.text for tile in found), tuple(tile.note for tile in found)
        told.append(Strip(texts, tuple(finite(tile.value) for tile in found), notes))
    return Grid(head, tuple(told))
