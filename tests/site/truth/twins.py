"""Pages and their twins, read as text and as JSON: nothing here is the site's own code."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.site.folders import Element, parse

WORD = re.compile(r"\S*\d\S*")
EDGES = ".,;:()"


def kinds(out: Path) -> dict[str, list[Path]]:
    """Every page that has a twin, by its kind."""
    found: dict[str, list[Path]] = {}
    for twin in sorted(out.rglob("*.json")):
        page = twin.with_suffix(".html")
        if page.exists():
            found.setdefault(said_by(page)["page"], []).append(page)
    return found


def said_by(page: Path) -> dict[str, Any]:
    """The twin of a page."""
    found: dict[str, Any] = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    return found


def tables_of(page: Path) -> Iterator[tuple[str, list[Element]]]:
    """The name and the rows of every table of a page; a line between rows is no row."""
    for region in parse(page.read_text(encoding="utf-8")).everything():
        if region.attributes.get("role") == "region":
            for table in region.all("table"):
                rows = [row for body in table.all("tbody") for row in body.all("tr")]
                named = region.attributes["aria-label"]
                yield named, [r for r in rows if r.attributes.get("class") != "line"]


def figures_in(row: Element) -> set[str]:
    """Every word of a row that has a digit, and its moments; a drawing has no words."""
    moments = {time.attributes["datetime"] for time in row.all("time")}
    return moments | words_with_digits(_plain(row))


def _plain(element: Element) -> str:
    if element.tag in {"time", "svg"}:
        return " "
    inside = "".join(p if isinstance(p, str) else _plain(p) for p in element.inside)
    return f" {inside} " if element.tag in {"td", "th", "small"} else inside


def words_with_digits(text: str) -> set[str]:
    return {word.strip(EDGES) for word in WORD.findall(text)}


def words_in(value: object) -> set[str]:
    """Every word with a digit that is anywhere in a piece of a twin."""
    return {word for text in _texts(value) for word in words_with_digits(text)} | {
        *_texts(value)
    }


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)


def lists_in(value: object) -> Iterator[list[Any]]:
    """Every list of records in a twin, the outer ones first."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from lists_in(inner)
    elif isinstance(value, list):
        if value and isinstance(value[0], dict | list):
            yield value
        for inner in value:
            yield from lists_in(inner)


def cells_in(value: object) -> Iterator[dict[str, Any]]:
    """Every cell in a piece of a twin: what has a text and a value."""
    if isinstance(value, dict):
        if {"text", "value"} <= value.keys():
            yield value
        else:
            for inner in value.values():
                yield from cells_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from cells_in(inner)
