"""The one door to Pillow: the preview that other sites show of the front page."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from textwrap import wrap
from typing import TYPE_CHECKING
from unicodedata import combining, normalize

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

WIDTH, HEIGHT = 1200, 630
LEFT, NAMES, AXIS, RIGHT = 64, 64, 520, 1136
TOP, ROW = 252, 54
MOST = 6
BAND = 48
PAPER, INK, QUIET, RULE, LINE = "#fdfdfb", "#1d2126", "#5a626b", "#d9dad3", "#0b57a4"
WARNING = "#855600"
_KEPT = "\0"  # stands for the one letter besides ASCII that is used and is in the font
_SAME = str.maketrans(
    {
        "\u2212": "-", "\u2010": "-", "\u2011": "-", "\u2013": "-", "\u2014": "-",
        "\u00d7": "x",
        "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00b7": ",", "\0": "",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PictureRow:
    """A contestant: its name, its value as written, and the interval; None where none is.

    `verdict` is "better" or "worse" than the market's price where that is shown.
    """

    name: str
    said: str
    value: float | None
    low: float | None
    high: float | None
    verdict: str = ""


def can_draw() -> bool:
    """Whether Pillow is installed."""
    return find_spec("PIL") is not None


def preview(
    title: str, sentence: str, label: str, rows: Sequence[PictureRow], *, notice: str = ""
) -> bytes | None:
    """Draw a preview, 1200 by 630, as PNG.

    Args:
        title: What the site is called.
        sentence: What the front page says first.
        label: The name of what is drawn.
        rows: The contestants in their order; the first six are shown.
        notice: What must be known before anything is believed, on a band along the foot.

    Returns:
        None where Pillow is not installed. The bytes follow from what was given, and from
        Pillow's own version.
    """
    if not can_draw():
        return None
    from PIL import Image, ImageDraw, ImageFont  # noqa: PLC0415  an extra

    image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    draw = ImageDraw.Draw(image)
    fonts = {size: ImageFont.load_default(size) for size in (22, 26, 30, 46)}

    def write(x: int, y: int, text: str, size: int, colour: str) -> None:
        draw.text((x, y), drawable(text), font=fonts[size], fill=colour)

    draw.rectangle((0, 0, WIDTH, 14), fill=LINE)
    write(LEFT, 48, _fitting(title, 40), 46, INK)
    lines = wrap(sentence, 78, break_long_words=False, break_on_hyphens=False)
    for n, line in enumerate(lines[:2]):
        write(LEFT, 122 + 38 * n, line, 30, INK)
    write(AXIS, TOP - 44, _fitting(label, 50), 22, QUIET)
    for n, row in enumerate(rows[:MOST]):
        write(NAMES, TOP + ROW * n, _fitting(row.name, 22), 26, INK)
        write(NAMES + 300, TOP + ROW * n, row.said, 26, QUIET)
    _whiskers(draw, rows[:MOST])
    if notice:
        draw.rectangle((0, HEIGHT - BAND, WIDTH, HEIGHT), fill=WARNING)
        write(LEFT, HEIGHT - BAND + 9, notice, 26, PAPER)
    kept = BytesIO()
    image.quantize(32, method=Image.Quantize.FASTOCTREE).save(kept, "PNG")
    return kept.getvalue()


def drawable(text: str) -> str:
    """Write a text with the letters that Pillow's own font has: ASCII, and a few besides.

    >>> drawable("Zo\u00eb \u22120.02 \u2026 \u4e2d")
    'Zoe -0.02 \u2026 ?'
    """
    plain = normalize("NFKD", text.translate(_SAME).replace("\u2026", _KEPT))
    letters = (letter for letter in plain if not combining(letter))
    ascii_text = "".join(letter if letter.isascii() else "?" for letter in letters)
    return ascii_text.replace(_KEPT, "\u2026")


def _whiskers(draw: "ImageDraw", rows: Sequence[PictureRow]) -> None:
    ends = [x for row in rows for x in (row.low, row.high, row.value) if x is not None]
    if not ends:
        return
    least, most = min([*ends, 0.0]), max([*ends, 0.0])
    width = (most - least) or 1.0

    def at(value: float) -> int:
        return AXIS + round((value - least) / width * (RIGHT - AXIS))

    draw.line((at(0.0), TOP - 8, at(0.0), TOP + ROW * len(rows) - 8), fill=RULE, width=3)
    for n, row in enumerate(rows):
        y = TOP + ROW * n + 16
        if row.low is not None and row.high is not None:
            draw.line((at(row.low), y, at(row.high), y), fill=LINE, width=4)
        if row.value is not None:
            _mark(draw, at(row.value), y, row.verdict)


def _mark(draw: "ImageDraw", x: int, y: int, verdict: str) -> None:
    """A triangle that points up or down for what is shown, else a ring."""
    if not verdict:
        draw.ellipse((x - 9, y - 9, x + 9, y + 9), fill=PAPER, outline=LINE, width=3)
        return
    way = -1 if verdict == "better" else 1
    draw.polygon(((x - 11, y - 8 * way), (x + 11, y - 8 * way), (x, y + 11 * way)), fill=LINE)


def _fitting(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
