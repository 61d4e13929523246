import csv
import json
import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from arena.cli.pages.export import TABLES
from arena.records.settings import DEMONSTRATION
from arena.store import open_store
from arena.store.exports.datasets import DATASETS
from tests.cli.conftest import Played
from tests.cli.inside import Capsys, here, strict
from tests.present import some

PUBLIC = [one.name for one in DATASETS if not one.long]


def exported(capsys: Capsys, demo: Played, out: Path, *words: str) -> list[str]:
    done = here(capsys, "export", *words, "-o", out, "--database", demo.database, "--json")
    assert done.code == 0, done.err
    return [file["dataset"] for file in strict(done)["files"]]


def test_every_table_but_the_long_one_is_written(
    demo: Played, tmp_path: Path, capsys: Capsys
) -> None:
    assert exported(capsys, demo, tmp_path, "json") == PUBLIC


def test_a_contestant_without_a_forecast_set_is_not_told_its_own_name(
    demo: Played, capsys: Capsys
) -> None:
    words = ("export", "forecastbench", "--contestant", "market", "--database", demo.database)
    done = here(capsys, *words)
    assert (done.code, "error[export.forecastbench]: market has" in done.err) == (2, True)
    assert "did you mean" not in done.err


def test_digests_are_those_of_the_files(demo: Played, tmp_path: Path, capsys: Capsys) -> None:
    exported(capsys, demo, tmp_path, "csv", "--gzip")
    lines = (tmp_path / "SHA256SUMS").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(PUBLIC)
    for line in lines:
        digest, _, name = line.partition("  ")
        assert sha256((tmp_path / name).read_bytes()).hexdigest() == digest


def test_the_same_books_give_the_same_bytes(
    demo: Played, tmp_path: Path, capsys: Capsys
) -> None:
    for name in ("one", "two"):
        exported(capsys, demo, tmp_path / name, "json", "--gzip")
    one, two = ((tmp_path / name / "SHA256SUMS").read_bytes() for name in ("one", "two"))
    assert one == two


def test_the_index_describes_every_column(demo: Played, tmp_path: Path, capsys: Capsys) -> None:
    exported(capsys, demo, tmp_path, "csv")
    index = json.loads((tmp_path / "datapackage.json").read_text(encoding="utf-8"))
    for one in some(index["resources"]):
        with (tmp_path / one["path"]).open(encoding="utf-8", newline="") as file:
            head = next(csv.reader(file))
        assert [field["name"] for field in one["schema"]["fields"]] == head
        assert all(field["description"] for field in one["schema"]["fields"])


def test_rows_are_those_of_the_database(demo: Played, tmp_path: Path, capsys: Capsys) -> None:
    exported(capsys, demo, tmp_path, "csv", "--only", "fills,forecasts")
    with open_store(demo.database) as store:
        for name, table in (("fills", "fills"), ("forecasts", "journal_forecasts")):
            text = (tmp_path / f"{name}.csv").read_text(encoding="utf-8")
            counted = store.db.value(f"SELECT count(*) FROM {table}")  # noqa: S608  our own
            assert len(text.splitlines()) - 1 == counted > 0


@pytest.mark.parametrize("form", ["csv", "json", "parquet"])
def test_the_exported_forecasts_are_scored_as_the_arena_s_own(
    form: str, demo: Played, tmp_path: Path, capsys: Capsys
) -> None:
    exported(capsys, demo, tmp_path, form, "--only", "forecasts,prices")
    (file,) = tmp_path.glob("forecasts.*")
    for words, named in (
        (("score", "--by", "category"), (file,)),
        (("compare", "--all"), ("--file", file)),
        (("calibration",), ("--file", file)),
    ):
        own = here(capsys, *words, "--database", demo.database)
        read = here(capsys, *words, *named)
        assert (read.out, read.code) == (own.out, own.code)


def test_parquet_has_prompts_and_replies_too(
    demo: Played, tmp_path: Path, capsys: Capsys
) -> None:
    duckdb = pytest.importorskip("duckdb")
    exported(capsys, demo, tmp_path, "parquet", "--only", "texts,fills")
    with duckdb.connect() as db:
        assert len(db.read_parquet(f"{tmp_path}/texts.parquet")) > 0
        fills = db.read_parquet(f"{tmp_path}/fills.parquet")
        assert fills.select("cost").types == ["DECIMAL(24,6)"]


def test_an_export_that_was_stopped_midway_is_made_again_without_a_question(
    demo: Played, tmp_path: Path, capsys: Capsys
) -> None:
    (tmp_path / "fills.csv").mkdir()
    with pytest.raises(AssertionError, match=r"disk\.failed"):
        exported(capsys, demo, tmp_path, "csv", "--yes")
    (tmp_path / "fills.csv").rmdir()
    (tmp_path / "before").hardlink_to(tmp_path / "datapackage.json")
    assert exported(capsys, demo, tmp_path, "csv") == PUBLIC
    assert json.loads((tmp_path / "before").read_text()) == {"name": "paper-arena"}


def test_an_empty_arena_has_an_index_of_no_file(tmp_path: Path, capsys: Capsys) -> None:
    pytest.importorskip("duckdb")
    with open_store(tmp_path / "empty.db"):
        pass
    words = ("export", "parquet", "-o", tmp_path / "out", "--database", tmp_path / "empty.db")
    done = here(capsys, *words, "--json")
    assert (done.code, strict(done)["files"]) == (0, [])
    assert (tmp_path / "out" / "SHA256SUMS").read_text(encoding="utf-8") == ""


def test_the_copy_has_no_texts_and_the_arena_reads_it(
    demo: Played, tmp_path: Path, capsys: Capsys
) -> None:
    assert exported(capsys, demo, tmp_path, "sqlite") == ["everything", "public-tables"]
    copy = tmp_path / "arena.sqlite"
    with closing(sqlite3.connect(copy)) as db:
        left = db.execute(
            "SELECT (SELECT count(*) FROM tape_blobs) + (SELECT count(*) FROM tape_bodies)"
        ).fetchone()
    assert left == (0,)
    boards = [
        strict(here(capsys, "leaderboard", "--fast", "--database", file, "--json"))
        for file in (demo.database, copy)
    ]
    assert [one.pop("demonstration") for one in boards] == [DEMONSTRATION, ""]
    assert boards[0] == boards[1]


def test_a_table_that_is_not_there_is_answered_with_those_that_are(
    demo: Played, tmp_path: Path, capsys: Capsys
) -> None:
    words = ("export", "csv", "--only", "fils", "-o", tmp_path, "--database", demo.database)
    done = here(capsys, *words)
    assert (done.code, "there are leaderboard, cohorts" in done.err) == (2, True)


def test_the_help_names_every_table() -> None:
    assert tuple(one.name for one in DATASETS) == TABLES
