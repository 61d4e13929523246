import csv
import re
from pathlib import Path

import pytest

from arena.metrics.claims.board_claims import board_claims
from arena.metrics.scorecard import scorecard
from arena.records.cohort import CohortId
from arena.sheets.reading import read_forecasts
from arena.site.overview.read import today_of
from arena.site.pages.project.data import OF_COHORT
from arena.store.exports.datasets import DATASETS
from arena.store.scores.evidence import SqliteEvidence, with_prices
from tests.plans import listening, plans
from tests.site.conftest import Site
from tests.site.folders import page, rows, table


def read(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def test_the_files_of_all_cohorts_hold_every_bet_once(simulated: Site) -> None:
    told = [row for file in simulated.out.glob("data/*/fills.csv") for row in read(file)]
    kept = simulated.store.db.rows("SELECT entry, cost_micro FROM fills")
    assert {int(row["entry"]): row["cost"] for row in told}.keys() == {r["entry"] for r in kept}
    assert sum(round(float(row["cost"]) * 1e6) for row in told) == sum(
        row["cost_micro"] for row in kept
    )


def test_the_files_of_all_cohorts_hold_every_forecast_once(simulated: Site) -> None:
    told = [row for file in simulated.out.glob("data/*/forecasts.csv") for row in read(file)]
    assert len(told) == simulated.store.db.value("SELECT count(*) FROM journal_forecasts")


@pytest.mark.parametrize("name", OF_COHORT)
def test_a_cohorts_rows_are_found_by_an_index(simulated: Site, name: str) -> None:
    (dataset,) = (one for one in DATASETS if one.name == name)
    with listening(simulated.store) as said:
        list(dataset.rows(simulated.store.db, cohort_of(simulated)))
    scans = {
        plan for plan, _ in plans(simulated.store, said) if re.match(r"SCAN (?!CONSTANT)", plan)
    }
    bounded = (
        "listed ",
        "asked ",
        "json_each ",
        "ends",
        "closed",
        "(subquery",
    )  # a cohort's own
    assert [step for step in scans if not step.removeprefix("SCAN ").startswith(bounded)] == []


def cohort_of(simulated: Site) -> str:
    return str(simulated.store.db.value("SELECT min(cohort) FROM cohorts"))


def test_a_cohorts_published_table_scores_as_the_cohort_itself(simulated: Site) -> None:
    cohort, store = cohort_of(simulated), simulated.store
    own = with_prices(store.db, SqliteEvidence(store.db).forecasts(cohort=CohortId(cohort)))
    for form in ("csv", "parquet"):
        (file,) = simulated.out.glob(f"data/{cohort}/forecasts.{form}")
        read = read_forecasts([file])
        assert read.board is not None
        assert read.board.scope.today == today_of(store)
        assert read.forecasts.left_out == own.left_out
        assert scorecard(read.forecasts) == scorecard(own)
        scope = read.board.scope
        claims = board_claims(read.forecasts, "brier", by_moment=True, scope=scope)
        assert claims == board_claims(own, "brier", by_moment=True, scope=scope)


def test_no_field_of_a_file_is_a_formula(attacked: Site) -> None:
    fields = [
        value
        for file in attacked.out.rglob("*.csv")
        for row in read(file)
        for value in row.values()
        if isinstance(value, str)
    ]
    assert fields
    armed = [f for f in fields if f.startswith(("=", "@", "\t", "\r")) or f[:2] in {"+c", "-c"}]
    assert armed == []


def test_the_data_dictionary_explains_every_column(simulated: Site) -> None:
    found = page(simulated.out, "data.html")
    for dataset in DATASETS:
        listed = rows(table(found, f"Columns of {dataset.name}"))
        assert [row[0] for row in listed] == list(dataset.names)
        assert all(row[2] for row in listed)
