"""What the twin of a page says, and what else its key is made of."""

import json
from dataclasses import dataclass
from decimal import Decimal

import pytest

from arena.site.twins import told
from arena.site.views.parts import Cell, Head, Link, Moment, Value


@dataclass(frozen=True, slots=True)
class Sheet:
    head: Head
    links: tuple[Link, ...]
    cells: tuple[Cell, ...]
    at: Moment
    shares: dict[str, float | None]


def sheet(value: Value = None, when: str = "noon") -> Sheet:
    return Sheet(
        Head("A \u201cpage\u201d", "../"),
        (Link('<b>"rain"\n', "a.html"), Link("hail\u2028")),
        (Cell("1.50", "of 3", value), Cell("n/a")),
        Moment(when, "2026-01-05T12:00:00Z"),
        {"yes": 1e-7, "no": None},
    )


def test_a_twin_is_what_the_standard_library_would_write() -> None:
    text = told(sheet(Decimal("1.50")), "sheet.html").twin
    said = json.loads(text)
    assert text == json.dumps(said, ensure_ascii=False) + "\n"
    assert (said["page"], said["links"][0]["text"]) == ("sheet", '<b>"rain"\n')
    assert said["cells"] == [
        {"value": "1.5", "text": "1.50", "note": "of 3"},
        {"value": None, "text": "n/a"},
    ]
    assert (said["at"], said["shares"]) == ("2026-01-05T12:00:00Z", {"yes": 1e-7, "no": None})


@pytest.mark.parametrize(
    "other", [sheet(Decimal("1.5")), sheet(Decimal("1.50"), "12 am"), sheet(1.5), sheet(1)]
)
def test_no_two_views_tell_the_same(other: Sheet) -> None:
    assert told(other, "sheet.html") != told(sheet(Decimal("1.50")), "sheet.html")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_has_no_number_for_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match="no word for"):
        told(sheet(value), "sheet.html")
