"""The colours and strokes of charts: classes on a page, written out in a file of its own.

The sheet `2-charts.css` has the same tokens and rules; a test compares them.
"""

import re
from collections.abc import Iterable
from typing import Final

from arena.site.charts.subjects import LineWeight

COLOURS: Final = 10  # so many lines differ in colour; the next so many have dashes as well

LIGHT: Final = {
    "paper": "#fdfdfb",
    "ink": "#1d2126",
    "quiet": "#5a626b",
    "rule": "#d9dad3",
    "yes": "#0a7a54",
    "no": "#b3452c",
    "c1": "#1c5fb8",
    "c2": "#a84800",
    "c3": "#00736a",
    "c4": "#ad2079",
    "c5": "#6a42c6",
    "c6": "#665f00",
    "c7": "#bd2a2f",
    "c8": "#006c93",
    "c9": "#7d4f30",
    "c10": "#37731c",
    "cq": "#888f96",
}
DARK: Final = {
    "paper": "#14171a",
    "ink": "#e8e9e6",
    "quiet": "#a3abb3",
    "rule": "#353b41",
    "yes": "#53c69a",
    "no": "#ef9078",
    "c1": "#80b1ff",
    "c2": "#ffa35f",
    "c3": "#4fd1bd",
    "c4": "#ff90d0",
    "c5": "#bba3ff",
    "c6": "#d5cd58",
    "c7": "#ff9189",
    "c8": "#64cdf1",
    "c9": "#d9a988",
    "c10": "#93d570",
    "cq": "#737b83",
}

RULES: Final = (
    ".ch{font-family:system-ui,'Segoe UI',Roboto,'Noto Sans',sans-serif;fill:var(--ink)}",
    ".ch text{font-size:25px}",
    ".ch-r,.ch-n{color:var(--ink)}",
    ".ch-q{color:var(--cq)}",
    *(f".ch-s{n}{{color:var(--c{n})}}" for n in range(1, COLOURS + 1)),
    ".ch-yes{color:var(--yes)}",
    ".ch-no{color:var(--no)}",
    ".ch-g{fill:none;stroke:var(--rule);stroke-width:2}",
    ".ch-b{fill:none;stroke:var(--quiet);stroke-width:2}",
    ".ch-v{fill:none;stroke:var(--quiet);stroke-width:2;stroke-dasharray:3 7}",
    ".ch-l,.ch-w,.ch-j,.ch-h,.ch-y,.ch-k{fill:none;stroke:currentColor;stroke-width:4}",
    ".ch-l{stroke-linecap:round;stroke-linejoin:round}",
    ".ch-j{stroke-width:3;stroke-dasharray:14 6}",
    ".ch-h{stroke-width:10}",
    ".ch-y{stroke-width:2}",
    ".ch-q .ch-l{stroke-width:2.5}",
    ".ch-d .ch-l{stroke-dasharray:22 9 3 9}",
    ".ch-r .ch-l{stroke-dasharray:1 9}",
    ".ch .ch-m{stroke-width:3;stroke-dasharray:10 8;stroke-linecap:butt}",
    ".ch-k{stroke-width:2;stroke-opacity:.65}",
    ".ch-f{fill:currentColor;stroke:var(--paper);stroke-width:2}",
    ".ch-o{fill:var(--paper);stroke:currentColor;stroke-width:4}",
    ".ch-a{fill:currentColor;fill-opacity:.07;stroke:currentColor}",
    ".ch-a{stroke-opacity:.3;stroke-width:1.5}",
    ".ch-q .ch-a{opacity:0}",
    ".ch-n .ch-a{fill-opacity:.16}",
    ".ch-t{fill:currentColor}",
    ".ch-c{fill:var(--quiet)}",
    ".ch-e{text-anchor:end}",
    ".ch-i{text-anchor:middle}",
    ".ch-0{paint-order:stroke;stroke:var(--paper);stroke-width:7;stroke-linejoin:round}",
    ".ch-z{font-weight:600}",
    ".ch-u{fill:transparent;stroke:none}",
    ".ch-x{fill:none;stroke:var(--ink);stroke-width:2}",
    ".ch-p1{fill-opacity:.85}",
    ".ch-p2{fill-opacity:.3}",
    ".ch-p3{fill-opacity:.55}",
    ".ch-p4{fill-opacity:.12}",
    ".ch-t-3,.ch-t-2,.ch-t-1{fill:var(--c2)}",
    ".ch-t0{fill:var(--rule)}",
    ".ch-t1,.ch-t2,.ch-t3{fill:var(--c1)}",
    ".ch-t-1,.ch-t1{fill-opacity:.14}",
    ".ch-t-2,.ch-t2{fill-opacity:.28}",
    ".ch-t-3,.ch-t3,.ch-t0{fill-opacity:.42}",
)

_TOKEN = re.compile(r"var\(--([a-z0-9]+)\)")


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


def style_alone() -> str:
    """A style sheet without custom properties: few programs that open SVG know them."""
    light = "".join(_written(rule, LIGHT) for rule in RULES)
    dark = "".join(_written(rule, DARK) for rule in RULES if _TOKEN.search(rule))
    paper = f"svg{{background:{LIGHT['paper']}}}"
    night = f"svg{{background:{DARK['paper']}}}"
    return f"{paper}{light}@media (prefers-color-scheme:dark){{{night}{dark}}}"


def _written(rule: str, tokens: dict[str, str]) -> str:
    return _TOKEN.sub(lambda match: tokens[match[1]], rule)
