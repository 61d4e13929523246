"""The page on coverage quotes kept results of simulations; cheap cells are drawn again."""

import re
from collections.abc import Iterator

import pytest

from arena.stats.bootstrap import generator
from benchmarks import coverage_series
from benchmarks.coverage import Cell, cell
from benchmarks.samples import FAMILIES, Family
from benchmarks.tables import DEFAULT, ENOUGH, NOMINAL, RESULTS, read
from benchmarks.worlds import WORLDS
from tests.docs.pages import page, tables
from tests.sizes import size

PAGE = page("docs/coverage.md")
FEWEST = 8  # events: the first size
QUICK = 20_000  # trials of what needs no resampling
QUICK_TESTS = ("Newey-West, normal", "paired t (textbook, one step)", "naive Z")
SERIES = "Daily series, "
COVERAGE, CLAIMS = read("coverage"), read("claims")
FAR = next(t for t in tables(PAGE.section("In short")) if t[0][0] == "data")
METHODS, DAYS = tables(PAGE.section("Methods compared"))
NO_RULE = " (no rule holds)"


def kept(data: str, method: str, events: object, counted: str = "") -> str:
    """A cell of the kept shares; empty where the simulation has none."""
    return "".join(
        row["percent"]
        for row in COVERAGE
        if (row["data"], row["method"], row["events"]) == (data, method, str(events))
        and counted in {"", row["counted"]}
    )


def several(cells: Iterator[str]) -> str:
    return ", ".join(filter(None, cells))


@pytest.mark.parametrize("family", FAMILIES[:: size(3, 1)], ids=lambda family: family.name)
def test_shares_of_eight_events_are_those_that_the_simulation_gives(family: Family) -> None:
    drawn = [one for one in cell(Cell(family, FEWEST, slow=1)) if one.trials == QUICK]
    shares = {
        one.method.removesuffix(DEFAULT): 100 - one.percent if family.null else one.percent
        for one in drawn
    }
    assert len(shares) >= 6
    told = {method: kept(family.name, method, FEWEST) for method in shares}
    assert told == {method: f"{share:.1f}" for method, share in shares.items()}


@pytest.mark.parametrize("row", FAR[1:], ids=lambda row: row[0])
def test_the_summary_of_defaults_is_that_of_the_kept_shares(row: tuple[str, ...]) -> None:
    data, twenty, forty, far = row
    own = {int(r["events"]): r for r in COVERAGE if r["data"] == data and r["default"] == "yes"}
    assert (twenty, forty) == (own[20]["percent"], own[40]["percent"])
    expected = 100 - NOMINAL if own[20]["counted"] == "rejected" else NOMINAL
    gaps = [abs(float(r["percent"]) - expected) for n, r in own.items() if n >= ENOUGH]
    assert float(far) == pytest.approx(max(gaps), abs=0.0501)


def test_the_summary_has_every_family_that_the_default_is_for() -> None:
    told = {row[0] for row in FAR[1:]}
    beyond = {one.name for one in (*FAMILIES, *coverage_series.LAWS) if one.beyond}
    defaults = {
        r["data"] for r in COVERAGE if r["default"] == "yes" and "EDGE" not in r["counted"]
    }
    assert told == defaults - beyond


def test_the_methods_that_are_compared_have_the_kept_shares() -> None:
    for method, *cells in METHODS[1:]:
        for data, told in zip(METHODS[0][1:], cells, strict=True):
            assert told == several(kept(data, method, n) for n in (8, 40, 200))


def test_the_tests_of_series_have_the_kept_shares() -> None:
    for method, *cells in DAYS[1:]:
        for data, told in zip(DAYS[0][1:], cells, strict=True):
            assert told == several(kept(SERIES + data, method, n) for n in (12, 40, 200))


def test_the_shares_that_are_told_in_words_are_kept() -> None:
    prose = " ".join(PAGE.section("Methods compared").split())
    shared = "Rows that share an event and a day"
    assert f"holds the truth in {kept(shared, 'events, t', 40)} % of samples of 40" in prose
    genuine = "GENUINE_EDGE"
    ours, source = "events, log scale", "reflected Sharpe (source)"
    shares = [kept("prices, sd 25 %", method, 35, genuine) for method in (ours, source)]
    assert (
        f"arena gives it in {shares[0]} %, the source's reflected bootstrap in {shares[1]} %"
        in prose
    )
    assert f"the arena's is in {kept('autoregression 0.3', ours, 35, genuine)} %" in prose
    market = "Efficiency test of an efficient market"
    for method in ("chi-squared", "bootstrapped"):
        one, two, three = (
            kept(market, f"likelihood ratio, {method}", n) for n in (30, 72, 200)
        )
        assert f"{one}, {two} and {three} %" in prose


@pytest.mark.parametrize("law", coverage_series.LAWS, ids=lambda law: law.name)
def test_sizes_of_the_shortest_series_are_those_that_the_simulation_gives(
    law: coverage_series.Law,
) -> None:
    length = coverage_series.LENGTHS[0]
    rng = generator("coverage", law.name, str(length))
    series = coverage_series.drawn(rng, coverage_series.TRIALS, length, law)
    quick = {
        method: rejects for method, rejects in coverage_series.tests() if method in QUICK_TESTS
    }
    assert len(quick) == 3
    few = series[: coverage_series.OTHERS]
    sizes = {name: 100 * sum(map(test, few)) / len(few) for name, test in quick.items()}
    told = {name: kept(law.name, name, length) for name in sizes}
    assert told == {name: f"{share:.1f}" for name, share in sizes.items()}


def test_shares_of_rows_that_share_days_are_those_that_the_simulation_gives() -> None:
    events = coverage_series.SHARED[0]
    found = {s.method.removesuffix(DEFAULT): s for s in coverage_series.shared_days(events)}
    told = {name: kept(s.family, name, events) for name, s in found.items()}
    assert len(told) == 3
    assert told == {name: f"{share.percent:.1f}" for name, share in found.items()}


def test_the_claims_of_the_page_are_those_that_were_kept() -> None:
    (table, *_) = tables(PAGE.section("False claims"))
    for world, *cells in table[1:]:
        own = [row for row in CLAIMS if row["world"] == world.removesuffix(NO_RULE)]
        assert {row["rule_holds"] for row in own} == {"no" if NO_RULE in world else "yes"}
        assert cells == [
            ", ".join(row[key] for row in own) for key in ("once", "headline", "endless")
        ]


def test_every_world_was_played_and_its_worst_claims_are_named() -> None:
    assert list(dict.fromkeys(row["world"] for row in CLAIMS)) == [w.name for w in WORLDS]
    prose = " ".join(PAGE.section("False claims").split())
    fair = [row for row in CLAIMS if row["rule_holds"] == "yes"]
    worst = {
        key: max(float(row[key]) for row in fair) for key in ("headline", "market", "endless")
    }
    assert f"The file has all {len(WORLDS)} worlds" in prose
    assert f"In the {len(fair) // 3} worlds where a rule holds" in prose
    assert f"the worst headline is {worst['headline']:.1f} %" in prose
    assert f"the worst endless headline {worst['endless']:.1f} %" in prose
    assert f"the worst against the market {worst['market']:.1f} %" in prose
    rest = [row for row in CLAIMS if row["rule_holds"] == "no"]
    assert (
        f"The worst headline there is {max(float(r['headline']) for r in rest):.1f} %" in prose
    )
    assert f"and {max(float(r['endless']) for r in rest):.1f} % on an endless board" in prose


def test_the_power_of_the_page_is_that_which_was_kept() -> None:
    found, costs = tables(PAGE.section("Power"))
    assert [list(row) for row in found[1:]] == [list(row.values()) for row in read("power")]
    told = [[one.removesuffix(" %") for one in row] for row in costs[1:]]
    assert told == [list(row.values()) for row in read("looking")]


def test_the_power_that_the_questions_quote_is_kept() -> None:
    little, much = (row for row in read("power") if row["contestants"] == "2")
    told = " ".join(page("docs/faq.md").section("How many weeks do I need?").split())
    assert f"found in {little['by_day_250']} % of seasons of 250 days" in told
    assert f"in {little['by_day_120']} % by day 120" in told
    assert f"by day 120 in {much['by_day_120']} %" in told


def test_the_intervals_of_means_are_those_that_were_kept() -> None:
    prose = " ".join(PAGE.section("Intervals of means").split())
    held = {(r["world"], r["metric"], r["events"]): r["percent"] for r in read("intervals")}
    season = "factor, one cohort all season"
    brier, gain = (held[season, metric, "200"] for metric in ("brier", "alpha"))
    assert f"{brier} % for the Brier score and {gain} % for the gain" in prose
    assert f"give {held['events of 40 exclusive legs', 'alpha', '20']} % for the gain" in prose


def test_the_ratios_of_events_are_those_that_were_kept() -> None:
    prose = " ".join(PAGE.section("Significant differences").split())
    pairs = read("separation")
    ratios = [row["ratio"] for row in pairs]
    assert (
        f"Over {len(pairs)} pairs of {len({r['board'] for r in pairs})} boards"
        in prose.replace("six", "6")
    )
    assert f"the ratio lies between {min(ratios)} and {max(ratios)}" in prose
    equals = max(float(row["percent"]) for row in read("separation_equals"))
    assert f"in at most {equals:.1f} % of the seasons" in prose


def test_every_kept_table_is_named() -> None:
    named = set(re.findall(r"`benchmarks/results/(\w+\.tsv)`", PAGE.text))
    assert named == {path.name for path in RESULTS.iterdir()}
