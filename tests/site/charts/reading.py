"""What a test reads in a drawing."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from arena.site.pages.parts import Figure

Place = tuple[int, int]

_STEP = re.compile(r"([A-Za-z])([^A-Za-z]*)")
_NUMBER = re.compile(r"-?\d+")
_TAKES = {"m": 2, "l": 2, "h": 1, "v": 1, "a": 7, "z": 0}


def parsed(svg: str) -> ET.Element:
    """The tree of a drawing: what is not well-formed is refused here."""
    return ET.fromstring(svg)  # noqa: S314  # our own words, and no entities are allowed


def paths(svg: str, kind: str) -> list[str]:
    """Data of the paths that have a class."""
    found = re.findall(r'<path class="([^"]*)" d="([^"]*)"', svg)
    return [data for classes, data in found if kind in classes.split()]


def texts(svg: str) -> list[str]:
    """What is written in a drawing."""
    return [t.text or "" for t in parsed(svg).iter() if t.tag.endswith("text")]


def size(svg: str) -> Place:
    """The width and height of the paper."""
    _, _, width, height = parsed(svg).attrib["viewBox"].split()
    return int(width), int(height)


def places(data: str) -> Iterator[Place]:
    """Walk along path data: every place the pen comes to."""
    x = y = 0
    start = (0, 0)
    for letter, rest in _STEP.findall(data):
        numbers = [int(n) for n in _NUMBER.findall(rest)]
        takes = _TAKES[letter.lower()]
        if not takes:
            x, y = start
            yield x, y
            continue
        assert len(numbers) % takes == 0, data
        for n in range(0, len(numbers), takes):
            x, y = _moved(letter, numbers[n : n + takes], (x, y))
            if letter in "mM" and not n:
                start = (x, y)
            yield x, y


def _moved(letter: str, by: list[int], at: Place) -> Place:
    x, y = at if letter.islower() else (0, 0)
    if letter.lower() == "h":
        return x + by[0], at[1]
    if letter.lower() == "v":
        return at[0], y + by[0]
    return x + by[-2], y + by[-1]


def every_svg(figure: Figure) -> list[str]:
    """The drawings of a figure."""
    return [svg for svg in (figure.wide, figure.narrow, figure.alone) if svg]


def sure(figure: Figure | None) -> Figure:
    """A figure that must be there."""
    assert figure is not None
    return figure
