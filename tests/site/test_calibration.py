from dataclasses import replace

import pytest

from arena.metrics.calibration import Reliability, reliability
from arena.records.cohort import ContestantId
from arena.records.estimate import Estimate, Interval
from arena.site.overview.records import ContestantProfile, Overview, RankPlace
from arena.site.pages.contestants.calibration import (
    MOST_DIAGRAMS,
    MOST_ROWS,
    CalibrationPage,
    CalibrationTable,
    calibration_page,
)
from arena.store.scores.evidence import SqliteEvidence
from tests.present import some
from tests.site.conftest import Site
from tests.site.folders import drawn, rows, table
from tests.site.fronts import ALDER, BIRCH, reading_of


@pytest.fixture(scope="module")
def known(simulated: Site) -> dict[ContestantId, Reliability]:
    """What two contestants' forecasts say of them."""
    forecasts = SqliteEvidence(simulated.store.db).forecasts()
    return {name: reliability(forecasts, name, draws=200) for name in (ALDER, BIRCH)}


def overview_of(found: dict[ContestantId, Reliability]) -> Overview:
    last = len(found)
    return Overview(
        profiles={
            name: ContestantProfile(name, RankPlace(None, 1, last), reliability=one)
            for name, one in found.items()
        },
        order=tuple(found),
        market=replace(found[next(iter(found))], contestant="price") if found else None,
    )


def page_of(site: Site, overview: Overview) -> CalibrationPage:
    return calibration_page(reading_of(site.store, overview))


@pytest.fixture(scope="module")
def view(simulated: Site, known: dict[ContestantId, Reliability]) -> CalibrationPage:
    return page_of(simulated, overview_of(known))


def one(view: CalibrationPage, key: str) -> CalibrationTable:
    return next(found for found in view.tables if found.key == key)


@pytest.mark.parametrize(
    ("key", "signs"), [("murphy", (1, -1, 1, 1, -1)), ("corp", (1, -1, 1))]
)
def test_the_parts_of_a_brier_score_add_up_to_it(
    view: CalibrationPage, key: str, signs: tuple[int, ...]
) -> None:
    for row in some(one(view, key).rows):
        brier, *parts = (cell.value for cell in row.cells[: len(signs) + 1])
        added = sum(
            sign * part
            for sign, part in zip(signs, parts, strict=True)
            if isinstance(part, float)
        )
        assert added == pytest.approx(brier, abs=1e-12)


def test_the_parts_add_up_as_they_are_printed(view: CalibrationPage) -> None:
    root = drawn(view, "calibration")
    printed = rows(table(root, "The Brier score in parts, by bins"))
    assert len(printed) == 3
    for _, *cells in printed:
        plain = (cell.replace("\N{MINUS SIGN}", "-") for cell in cells)
        brier, rel, res, unc, wbv, wbc = map(float, plain)
        assert rel - res + unc + wbv - wbc == pytest.approx(brier, abs=3e-4)


def test_the_markets_price_comes_first_and_contestants_as_they_are_ranked(
    view: CalibrationPage,
) -> None:
    names = ["The market's price, every question", "Alder the First", "birch"]
    assert [figure.title for figure in view.diagrams] == names
    assert [row.about.text for row in view.sharpness] == names
    assert all([r.about.text for r in found.rows] == names for found in view.tables)


def test_every_forecast_lies_in_one_of_the_tenths(
    known: dict[ContestantId, Reliability], view: CalibrationPage
) -> None:
    counted = [sum(square.value for square in row.squares) for row in view.sharpness]
    assert counted[1:] == [known[ALDER].n, known[BIRCH].n]
    assert all(len(row.squares) == len(view.spans) == 10 for row in view.sharpness)


def test_an_error_has_its_interval_and_its_rule_of_bins(
    simulated: Site, known: dict[ContestantId, Reliability]
) -> None:
    ece = Estimate(0.05, 115, 20, interval=Interval(0.03, 0.09, 0.95, "resampled"))
    alder = replace(known[ALDER], scores={**known[ALDER].scores, "ece": ece})
    view = page_of(simulated, overview_of({ALDER: alder}))
    error = one(view, "honesty").rows[1].cells[0]
    assert error.between is not None
    assert (error.text, error.between.text) == ("0.0500", "0.0300 to 0.0900")
    assert ("bins", "10 of equal width") in [(fact.name, fact.text) for fact in view.facts]


def test_without_a_resolved_forecast_the_page_says_so(simulated: Site) -> None:
    view = page_of(simulated, Overview())
    assert (view.diagrams, view.sharpness, view.others) == ((), (), ())
    assert "No forecast has resolved yet" in drawn(view, "calibration").text


def test_who_has_no_room_on_the_page_is_in_its_twin(
    simulated: Site, known: dict[ContestantId, Reliability]
) -> None:
    names = [ContestantId(f"c{n}") for n in range(40)]
    view = page_of(simulated, overview_of(dict.fromkeys(names, known[ALDER])))
    assert len(view.diagrams) == MOST_DIAGRAMS
    assert [len(found.rows) for found in view.tables] == [MOST_ROWS] * 3
    assert [len(found.rows) for found in view.others] == [41 - MOST_ROWS] * 3
    assert "first 30 of 41" in drawn(view, "calibration").text
