"""Colours that can be told apart, and read, by day and by night."""

import re
from itertools import combinations

import pytest

from arena.site.charts.drawing import (
    COLOURS,
    MARKS,
    colours,
    drawing_rules,
    series_class,
)
from arena.site.charts.subjects import LineWeight

LIGHT, DARK = colours()
LINES = [f"c{n}" for n in range(1, COLOURS + 1)]
Linear = tuple[float, float, float]

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
PROTAN = ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216),
          (-0.003882, -0.048116, 1.051998))  # fmt: skip
DEUTAN = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413),
          (-0.011820, 0.042940, 0.968881))  # fmt: skip


def linear(colour: str) -> Linear:
    r, g, b = (int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5))
    return _straight(r), _straight(g), _straight(b)


def _straight(c: float) -> float:
    return c / 12.92 if c <= 0.04045 else float(((c + 0.055) / 1.055) ** 2.4)


def light_of(colour: Linear) -> float:
    """Source: WCAG 2.2, relative luminance."""
    return 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((light_of(linear(one)), light_of(linear(other))))
    return (high + 0.05) / (low + 0.05)


def over(colour: str, paper: str, opacity: float) -> str:
    mixed = (
        round(opacity * int(colour[n : n + 2], 16) + (1 - opacity) * int(paper[n : n + 2], 16))
        for n in (1, 3, 5)
    )
    return "#" + "".join(f"{c:02x}" for c in mixed)


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_every_line_can_be_read_as_text_on_the_paper_of_its_theme(
    tokens: dict[str, str],
) -> None:
    for name in (*LINES, "ink", "quiet", "yes", "no"):
        assert contrast(tokens[name], tokens["paper"]) >= 4.5, name


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
def test_text_can_be_read_on_every_tint(tokens: dict[str, str]) -> None:
    tints = re.findall(
        r"(\.ch-t-?\d[^{]*)\{fill-opacity:([.\d]+)\}", "\n".join(drawing_rules())
    )
    assert len(tints) == 3
    for _, opacity in tints:
        for name in ("c1", "c2", "rule"):
            paper = over(tokens[name], tokens["paper"], float(opacity))
            assert contrast(tokens["ink"], paper) >= 4.5, (name, opacity)


@pytest.mark.parametrize("seen", [None, PROTAN, DEUTAN], ids=["all", "protan", "deutan"])
def test_lines_that_look_alike_differ_in_dash_or_shape(
    seen: tuple[Linear, Linear, Linear] | None,
) -> None:
    for tokens in (LIGHT, DARK):
        for one, other in combinations(range(2 * COLOURS), 2):
            if near(tokens[colour_of(one)], tokens[colour_of(other)], seen):
                assert look(one) != look(other)


def colour_of(nth: int) -> str:
    return f"c{nth % COLOURS + 1}"


def look(nth: int) -> tuple[str, bool]:
    """What does not need colour to be seen: the mark and the dashes."""
    return MARKS[nth % len(MARKS)], "ch-d" in series_class(nth, LineWeight.MAIN).split()


def near(one: str, other: str, seen: tuple[Linear, Linear, Linear] | None) -> bool:
    a, b = (_seen(linear(c), seen) for c in (one, other))
    return sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) < 0.02


def _seen(colour: Linear, seen: tuple[Linear, Linear, Linear] | None) -> Linear:
    if seen is None:
        return colour
    r, g, b = (sum(w * c for w, c in zip(row, colour, strict=True)) for row in seen)
    return r, g, b
