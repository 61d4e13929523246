import re
from decimal import Decimal
from pathlib import Path

import pytest

from arena.metrics.metric import BetterDirection, Metric, MetricUnit
from arena.metrics.registry import CHAPTERS, METRICS, SYMBOLS
from arena.site.pages.leaderboard import standings
from arena.site.pages.project.methodology import FormulaError, mathml
from tests.present import some
from tests.site.conftest import Site
from tests.site.folders import TEMPLATES, page

ALL = [metric for chapter in CHAPTERS for metric in chapter.metrics]


def test_every_column_of_the_leaderboard_has_its_entry() -> None:
    assert set(standings.KEYS) | {"rank"} <= set(METRICS)
    for column in standings.columns(standings.KEYS, ""):
        assert column.label == METRICS[column.key].short
        assert column.href == f"methodology.html#{column.key}"


def test_every_formula_that_a_page_links_to_is_explained(simulated: Site) -> None:
    entries = page(simulated.out, "methodology.html").all("details")
    inner = [part for entry in entries for part in entry.all("div")]
    explained = {part.attributes["id"] for part in inner if "id" in part.attributes}
    assert explained == set(METRICS)
    linked = {
        key
        for file in simulated.out.rglob("*.html")
        for key in re.findall(r'methodology\.html#([^"]+)"', file.read_text(encoding="utf-8"))
    }
    assert linked <= explained
    assert set(standings.KEYS) <= linked


def test_keys_are_unlike() -> None:
    assert len({metric.key for metric in ALL}) == len(ALL)


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.key)
def test_every_number_says_what_it_is_and_where_it_comes_from(metric: Metric) -> None:
    assert re.fullmatch("[a-z_]+", metric.key)
    assert metric.name
    assert metric.words.endswith(".")
    assert metric.source
    for formula in metric.formulas:
        assert mathml(formula).startswith("<math")


@pytest.mark.parametrize(
    "metric", [m for m in ALL if m.formulas], ids=lambda metric: metric.key
)
def test_every_symbol_of_a_formula_is_explained(metric: Metric) -> None:
    own = {part.split("_")[0].strip() for m in ALL for part in m.symbol.split(",")}
    known = own | {symbol for symbol, _ in SYMBOLS} | {"max", "min", "ln", "sqrt", "abs", "q"}
    for formula in some(metric.formulas):
        names = re.findall(r"(?<!_)\b([A-Za-z]+)", formula)
        unknown = set(names) - known
        assert not unknown, f"{formula}: letters belong in SYMBOLS, functions in this test"


def test_scores_of_forecasts_are_better_when_lower() -> None:
    for key in ("forecast", "stated", "kelly", "linear", "brier"):
        assert METRICS[key].better is BetterDirection.LOWER
        assert METRICS[key].unit is MetricUnit.SCORE


@pytest.mark.parametrize(
    ("key", "value", "written"),
    [
        ("returned", 0.12345, "+12.35%"),
        ("returned", -0.00001, "\N{MINUS SIGN}0.001%"),
        ("returned", None, "n/a"),
        ("pnl", Decimal("-1234.5"), "\N{MINUS SIGN}$1,234.50"),
        ("pnl", Decimal("0.001"), "+$0.001"),
        ("realised", Decimal(10), "+$10.00"),
        ("total", Decimal(10), "$10.00"),
        ("linear", 0.36, "0.3600"),
        ("win_rate", 2 / 3, "66.7%"),
        ("cost", Decimal("0.005"), "$0.00"),
        ("price", Decimal("0.385"), "0.3850"),
        ("shares", Decimal("1234.567"), "1,234.57"),
    ],
)
def test_a_number_is_written_as_its_metric_says(
    key: str, value: Decimal | float | None, written: str
) -> None:
    assert METRICS[key].shown(value) == written


# What is drawn or set by this program, from numbers and from text that it has escaped.
OWN_MARKUP = {
    "figures.html": {"view.wide", "view.narrow", "look.wide", "look.narrow"},
    "methodology.html": {"method.symbol", "formula"},
    "ranking.html": {"one.interval.svg", "one.shape.svg", "table.axis.svg"},
}


def test_templates_may_use_marked_up_text_only_for_what_is_drawn_or_set_here() -> None:
    found = [
        (Path(file).name, line.strip())
        for file in sorted((TEMPLATES / "site").glob("*.html"))
        for line in file.read_text(encoding="utf-8").splitlines()
        if re.search(r"\|\s*safe|autoescape|Markup", line)
    ]
    assert {name for name, _ in found} == set(OWN_MARKUP)
    for name, line in found:
        marked = set(re.findall(r"([\w.]+)\|safe", line))
        assert marked
        assert marked <= OWN_MARKUP[name]


MINUS = "<mo>\N{MINUS SIGN}</mo>"
SQUARED_ERROR = (
    "<mi>B</mi><mo>=</mo><msup><mrow><mo>(</mo><mi>p</mi>"
    f"{MINUS}<mi>o</mi><mo>)</mo></mrow><mn>2</mn></msup>"
)
HALF_OF_A_SUM = (
    "<mi>N</mi><mo>\N{MULTIPLICATION SIGN}</mo>"
    "<mfrac><mrow><mi>b</mi><mo>+</mo><mi>a</mi></mrow><mn>2</mn></mfrac>"
)
CALL = (
    "<mrow><mi>max</mi><mrow><mo>(</mo><mn>0</mn><mo>,</mo><mi>c</mi><mo>)</mo></mrow></mrow>"
)


@pytest.mark.parametrize(
    ("formula", "inside"),
    [
        ("B = (p - o)^2", SQUARED_ERROR),
        ("N * (b + a) / 2", HALF_OF_A_SUM),
        ("p_YES = -1.5", f"<msub><mi>p</mi><mi>YES</mi></msub><mo>=</mo>{MINUS}<mn>1.5</mn>"),
        ("max(0, c)", CALL),
        ("Σw / n", "<mfrac><mrow><mo>Σ</mo><mi>w</mi></mrow><mi>n</mi></mfrac>"),
    ],
)
def test_a_formula_is_set_as_it_is_read(formula: str, inside: str) -> None:
    assert mathml(formula) == f'<math displaystyle="true" alttext="{formula}">{inside}</math>'


@pytest.mark.parametrize("formula", ["", "a +", "(a", "a)", "a $ b", "a b", "^2", "<script>"])
def test_a_misspelt_formula_is_refused(formula: str) -> None:
    with pytest.raises(FormulaError):
        mathml(formula)
