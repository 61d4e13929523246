"""What a page's tables say is what its twin says, row by row."""

import math
import re
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import pytest

from tests.present import some
from tests.site.conftest import Site
from tests.site.folders import Element, parse
from tests.site.truth.twins import (
    cells_in,
    figures_in,
    kinds,
    lists_in,
    said_by,
    tables_of,
    words_in,
)
from tests.sizes import size

MOST = size(10, 25)  # pages of a kind that are looked at
WITHOUT_TABLES = {"404", "card"}


@pytest.fixture(scope="module")
def found(simulated: Site, lively: Site) -> dict[str, list[Path]]:
    both = kinds(simulated.out), kinds(lively.out)
    return {
        kind: [page for pages in both for page in pages.get(kind, [])[:MOST]]
        for kind in sorted({*both[0], *both[1]})
    }


@pytest.fixture(scope="module")
def cells(found: dict[str, list[Path]]) -> list[tuple[Path, dict[str, Any]]]:
    """Every cell of their twins, with its page."""
    every = [page for pages in found.values() for page in pages]
    return some((page, cell) for page in every for cell in cells_in(said_by(page)))


def says_the_same(rows: list[Element], said: list[Any]) -> bool:
    return len(rows) == len(said) and all(
        figures_in(row) <= words_in(piece) for row, piece in zip(rows, said, strict=True)
    )


def test_every_row_of_every_table_stands_in_the_twin(found: dict[str, list[Path]]) -> None:
    """And in its order, and there are as many."""
    wrong = []
    with_tables, seen = set(), 0
    for kind, pages in found.items():
        for page in pages:
            pieces = list(lists_in(said_by(page)))
            for label, rows in tables_of(page):
                with_tables.add(kind)
                seen += len(rows)
                if not any(says_the_same(rows, piece) for piece in pieces):
                    wrong.append((page.name, label))
    assert wrong == []
    assert seen > 300
    assert with_tables == found.keys() - WITHOUT_TABLES


def test_every_exact_value_of_a_page_is_one_of_its_twin(found: dict[str, list[Path]]) -> None:
    seen = 0
    for pages in found.values():
        for page in pages:
            known = {exact(cell["value"]) for cell in cells_in(said_by(page))}
            root = parse(page.read_text(encoding="utf-8"))
            written = [
                e.attributes["data-v"] for e in root.everything() if "data-v" in e.attributes
            ]
            assert {exact(value) for value in written} <= known, page
            seen += len(written)
    assert seen > 300


def exact(value: object) -> object:
    """A number as a number, however many noughts it was written with."""
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return value


def test_a_number_that_is_read_is_its_exact_value_rounded(
    cells: list[tuple[Path, dict[str, Any]]],
) -> None:
    """Not another one: $1,234.50 is 1234.5, 12.35% is 0.12345."""
    seen, wrong = 0, []
    for page, cell in cells:
        shown, value = number_in(cell["text"]), exact(cell["value"])
        if shown is not None and isinstance(value, Decimal):
            seen += 1
            number, step = shown
            if not abs(number - float(value)) <= 0.501 * step:
                wrong.append((page.name, cell))
    assert wrong == []
    assert seen > 1000


def number_in(text: str) -> tuple[float, float] | None:
    """A number that stands alone, and the worth of its last digit."""
    plain = text.replace("\N{MINUS SIGN}", "-").replace("$", "").replace(",", "").lstrip("+")
    plain = plain.replace("-+", "-")
    matched = re.fullmatch(r"(-?\d+(?:\.(\d+))?)(%?)", plain)
    if not matched:
        return None
    scale = 100 if matched[3] else 1
    return float(matched[1]) / scale, 10 ** -len(matched[2] or "") / scale


def test_an_interval_holds_its_value_or_a_note_says_why(
    cells: list[tuple[Path, dict[str, Any]]],
) -> None:
    bounded = [(page, cell, cell["between"]) for page, cell in cells if cell.get("between")]
    assert len(bounded) > 10
    for page, cell, between in bounded:
        low, high = between["low"], between["high"]
        assert math.isfinite(low), page
        assert low <= high, page
        assert between["kind"], page
        assert low <= float(cell["value"]) <= high or cell.get("note"), (page, cell)


def test_what_has_no_value_is_never_read_as_a_number(
    cells: list[tuple[Path, dict[str, Any]]],
) -> None:
    for page, cell in cells:
        if cell["text"] == "n/a":
            assert cell["value"] is None, page
        if cell["value"] is None:
            assert number_in(cell["text"]) is None, (page, cell)
