"""The page on coverage has what its simulation prints: the cheapest cells are drawn again."""

import pytest

from arena.stats.resampling.draws import generator
from benchmarks import coverage_series
from benchmarks.coverage import Cell, cell
from benchmarks.samples import FAMILIES, Family
from benchmarks.tables import DEFAULT, ENOUGH, NOMINAL
from tests.docs.pages import page, tables
from tests.present import present, some

PAGE = page("docs/coverage.md")
FEWEST = 8  # events: the first column
QUICK = 20_000  # trials of what needs no resampling
QUICK_TESTS = ("Newey-West, normal", "paired t (textbook, one step)", "naive Z")


def printed(family: Family) -> dict[str, dict[str, str]]:
    """The table of a family."""
    return rows_of(f"{family.name}: {'rejected' if family.null else 'covered'}, per cent")


def rows_of(title: str) -> dict[str, dict[str, str]]:
    """The table below a heading: its cells by method and by the column's head."""
    (found,) = tables(PAGE.section(title))
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


@pytest.mark.parametrize("law", coverage_series.LAWS, ids=lambda law: law.name)
def test_sizes_of_the_shortest_series_are_those_that_the_simulation_gives(
    law: coverage_series.Law,
) -> None:
    length = coverage_series.LENGTHS[0]
    rng = generator("coverage", law.name, str(length))
    series = coverage_series.drawn(rng, coverage_series.TRIALS, length, law)
    rows = rows_of(f"{law.name}: rejected, per cent")
    quick = {
        method: rejects for method, rejects in coverage_series.tests() if method in QUICK_TESTS
    }
    assert len(quick) == 3
    few = series[: coverage_series.OTHERS]
    sizes = {name: 100 * sum(map(test, few)) / len(few) for name, test in quick.items()}
    told = {name: rows[name][str(length)] for name in sizes}
    assert told == {name: f"{size:.1f}" for name, size in sizes.items()}


def test_shares_of_rows_that_share_days_are_those_that_the_simulation_gives() -> None:
    events = coverage_series.SHARED[0]
    rows = rows_of("Rows that share an event and a day: covered, per cent")
    found = {s.method.removesuffix(DEFAULT): s for s in coverage_series.shared_days(events)}
    told = {name: rows[name][str(events)] for name in found}
    assert len(told) == 4
    assert told == {name: f"{share.percent:.1f}" for name, share in found.items()}
