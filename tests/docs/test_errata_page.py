"""The page of errata prints no number without an example of it."""

import doctest
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import pytest

from tests.docs.pages import CODE, page, tables
from tests.docs.pages import examples as examples_of

PAGE, EXAMPLES = page("docs/errata.md"), examples_of("errata")
SOURCES = {
    "A": "A guide to scoring rules for betting agents",
    "B": "Forecaster Arena (v1)",
    "C": "The 45 Percent Problem",
    "D": "Metaculus tournament scoring (2022)",
}
HEAD = ("no.", "printed or coded there", "right")
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.]*\d)( %)?")
YEAR = re.compile(r"\(\d{4}\)")
ROW = re.compile(r"\b[A-D]\d+\b")


@dataclass(frozen=True)
class Row:
    """A row of a table, with the examples that stand below its number."""

    number: str
    cells: tuple[str, ...]
    given: str
    made: str

    @property
    def numbers(self) -> list[str]:
        """The numerals of what is there and of what is right."""
        told = YEAR.sub("", " ; ".join(self.cells))
        return [match[0] for match in NUMBER.finditer(CODE.sub("", told))]


def examples() -> dict[str, list[doctest.Example]]:
    """The examples of every row; a block belongs to the rows that the line above it names."""
    lines = EXAMPLES.text.splitlines()
    found: dict[str, list[doctest.Example]] = {}
    for fence in EXAMPLES.fenced("pycon"):
        above = next(line for line in reversed(lines[: fence.line - 2]) if line)
        for number in ROW.findall(above.partition(". ")[0]):
            found.setdefault(number, []).extend(
                doctest.DocTestParser().get_examples(fence.text)
            )
    return found


def rows() -> Iterator[Row]:
    run = examples()
    for title in SOURCES.values():
        for number, *cells in tables(PAGE.section(title))[0][1:]:
            own = run.get(number, [])
            yield Row(
                number,
                tuple(cells),
                given="".join(example.source for example in own),
                made="".join(example.want for example in own),
            )


ROWS = tuple(rows())
each = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.number)


def values(text: str) -> list[float]:
    plain = text.replace("_", "")
    return [float(match) for match in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", plain)]


def says(numeral: str, known: list[float]) -> bool:
    """Whether one of some numbers is written so, with as many decimals."""
    plain = numeral.removesuffix(" %")
    if "e" in plain:
        return float(plain) in known
    decimals = len(plain.partition(".")[2])
    room = 0.5 * 10.0**-decimals + 1e-12
    percent = [100 * value for value in known] if numeral.endswith("%") else []
    return any(abs(float(plain) - value) <= room for value in known + percent)


def test_every_source_has_its_table_and_its_rows_are_numbered() -> None:
    assert list(PAGE.titles(2).values()) == list(SOURCES.values())
    for letter, title in SOURCES.items():
        (table,) = tables(PAGE.section(title))
        assert table[0] == HEAD
        told = [row[0] for row in table[1:]]
        assert told == [f"{letter}{n}" for n, _ in zip(count(1), told, strict=False)]


@each
def test_every_number_of_a_row_is_made_by_its_examples_or_given_to_them(row: Row) -> None:
    made, put_in = values(row.made), values(row.given)
    assert [n for n in row.numbers if not says(n, made + put_in)] == []
    assert not row.numbers or any(says(n, made) for n in row.numbers)


def test_no_example_belongs_to_a_row_that_is_not_there() -> None:
    assert examples().keys() <= {row.number for row in ROWS}


@pytest.mark.parametrize(
    ("numeral", "known", "expected"),
    [
        ("0.0102", [0.010175], True),
        ("0.0101", [0.010175], False),
        ("-4.76", [-4.761905], True),
        ("4.76", [-4.761905], False),
        ("6 %", [0.06], True),
        ("7.9e-31", [7.9e-31], True),
    ],
)
def test_a_numeral_stands_for_what_rounds_to_it(
    numeral: str, known: list[float], *, expected: bool
) -> None:
    assert says(numeral, known) is expected
