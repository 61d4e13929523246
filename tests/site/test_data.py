import csv
from hashlib import sha256
from pathlib import Path

import pytest

from arena.site.pages.project.data import OF_COHORT
from arena.store.exports.datasets import DATASETS
from tests.site.conftest import Site
from tests.site.folders import page, rows, table


def read(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def test_every_digest_is_that_of_its_file(simulated: Site) -> None:
    sums = sorted(simulated.out.rglob("SHA256SUMS"))
    assert sums
    for listed in sums:
        for line in listed.read_text(encoding="utf-8").splitlines():
            digest, name = line.split("  ")
            assert sha256((listed.parent / name).read_bytes()).hexdigest() == digest


def test_the_page_says_rows_size_and_digest_of_each_file(simulated: Site) -> None:
    found = rows(table(page(simulated.out, "data.html"), "Files"))
    assert [row[0] for row in found] == ["data/leaderboard.csv", "data/cohorts.csv"]
    for name, _, count, _, digest in found:
        file = simulated.out / name
        assert int(count) == len(read(file))
        assert sha256(file.read_bytes()).hexdigest() == digest


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
    sql = f"EXPLAIN QUERY PLAN SELECT * FROM ({dataset.sql}) WHERE cohort = 'x'"  # noqa: S608
    plan = [row["detail"] for row in simulated.store.db.rows(sql)]
    scans = [step for step in plan if step.startswith("SCAN") and "subquery" not in step]
    assert [step for step in scans if not step.startswith("SCAN listed ")] == []  # a turn's own


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
