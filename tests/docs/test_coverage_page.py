"""The page on coverage has what its simulation prints: the cheapest cells are drawn again."""

import pytest

from benchmarks.coverage import Cell, cell
from benchmarks.samples import FAMILIES, Family
from benchmarks.tables import DEFAULT, ENOUGH, NOMINAL
from tests.docs.pages import page, tables
from tests.present import present, some

PAGE = page("docs/coverage.md")
FEWEST = 8  # events: the first column
QUICK = 20_000  # trials of what needs no resampling


def printed(family: Family) -> dict[str, dict[str, str]]:
    """The table of a family: its cells by method and by number of events."""
    said = "rejected" if family.null else "covered"
    (found,) = tables(PAGE.section(f"{family.name}: {said}, per cent"))
    head = found[0][1:]
    return {
        row[0].strip("*"): dict(zip(head, (one.strip("*") for one in row[1:]), strict=True))
        for row in found[1:]
    }


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_shares_of_eight_events_are_those_that_the_simulation_gives(family: Family) -> None:
    rows = printed(family)
    drawn = [one for one in cell(Cell(family, FEWEST, slow=1)) if one.trials == QUICK]
    shares = {
        one.method.removesuffix(DEFAULT): 100 - one.percent if family.null else one.percent
        for one in drawn
    }
    assert len(shares) >= 6
    told = {method: rows[method][str(FEWEST)] for method in shares}
    assert told == {method: f"{share:.1f}" for method, share in shares.items()}


def test_the_summary_of_defaults_is_that_of_their_tables() -> None:
    summary = next(t for t in tables(PAGE.section("In short")) if t[0][0] == "data")
    far = {row[0]: float(row[1]) for row in summary[1:]}
    for family in some(one for one in FAMILIES if not one.beyond):
        rows, expected = printed(family), 100 - NOMINAL if family.null else NOMINAL
        default = present(rows.get("events, t on the log scale") or rows.get("events, t"))
        gaps = [
            abs(float(share) - expected)
            for events, share in default.items()
            if events.isdigit() and int(events) >= ENOUGH
        ]
        assert len(gaps) == 3
        assert far[family.name] == pytest.approx(max(gaps), abs=0.0501)
