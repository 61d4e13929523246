"""What the twin of a page says, and what else its key is made of."""

import json
from dataclasses import dataclass, replace
from decimal import Decimal

import pytest

from arena.site.engine.json_page import csv_of, figure_csv, told
from arena.site.pages.parts import Cell, Figure, Grid, Head, Link, Moment, Strip, Value


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


NAMES = Strip(("Ada", "Ben"), ("Ada", "Ben"), hrefs=("ada.html", ""))
CHART = Figure(
    "x",
    "X",
    "",
    "",
    "",
    Grid(("Name", "v"), (NAMES, Strip(("n/a", "$2"), (None, 2.5), ("", "1 to 3")))),
)


def test_the_table_of_a_figure_is_told_row_by_row() -> None:
    said = json.loads(told(CHART, "x.html").twin)
    assert said["grid"] == {
        "head": ["Name", "v"],
        "rows": [
            [
                {"value": "Ada", "text": "Ada", "href": "ada.html"},
                {"value": None, "text": "n/a"},
            ],
            [{"value": "Ben", "text": "Ben"}, {"value": 2.5, "text": "$2", "note": "1 to 3"}],
        ],
    }


def test_a_file_of_a_figure_has_exact_values_and_words_where_there_are_none() -> None:
    assert figure_csv(CHART) == "Name,v\nAda,n/a\nBen,2.5\n"


def test_a_table_with_a_hole_is_refused() -> None:
    short = replace(CHART, grid=Grid(("Name", "v"), (NAMES, Strip(("$2",), (2.5,)))))
    with pytest.raises(ValueError, match="shorter"):
        told(short, "x.html")


def test_the_last_digits_of_a_number_change_no_file() -> None:
    exact, near = 0.1234567890123456, 0.1234567890123467
    assert told(sheet(exact), "sheet.html") == told(sheet(near), "sheet.html")
    assert csv_of(["v"], [[exact]]) == csv_of(["v"], [[near]]) == "v\n0.123456789012\n"
