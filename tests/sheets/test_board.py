import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.records.claim import Scope, Season
from arena.scoring.table import Forecasts
from arena.sheets.board import BOARD, PublishedBoard, board_of
from arena.sheets.reading import read_forecasts
from tests.present import present

OWN = PublishedBoard(
    Scope(
        date(2026, 3, 1), Season(date(2026, 1, 5), timedelta(days=60)), frozenset({"market"})
    ),
    "exploratory",
    "no seal",
    ("pairs",),
    "00ff",
)
HEAD = "contestant,market,event,at,p,outcome,category,cohort,due,resolved_at,exclusive"
ROWS = (
    "ada,x,e,2026-01-05,0.5,1,news,c,2026-01-08,2026-01-09,0",
    "ada,y,e,2026-01-05,0.5,,news,c,2026-01-08,,0",
    "ada,z,e,2026-01-05,0.5,void,news,c,2026-01-08,2026-01-09,1",
)


def table(folder: Path, head: str = HEAD) -> Path:
    file = folder / "forecasts.csv"
    file.write_text("\n".join((head, *ROWS)) + "\n", encoding="utf-8")
    return file


def test_a_board_is_read_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / BOARD).write_text(OWN.text(), encoding="utf-8")
    assert board_of([tmp_path / "forecasts.csv"]) == OWN


def test_a_board_in_the_folder_above_is_that_of_all_cohorts(tmp_path: Path) -> None:
    (tmp_path / BOARD).write_text(OWN.text(), encoding="utf-8")
    (tmp_path / "cohort").mkdir()
    read = read_forecasts([table(tmp_path / "cohort")])
    assert read.board == OWN
    assert read.forecasts.left_out == {"outcome_missing": 1, "outcome_void": 1}
    assert len(present(read.forecasts.waiting)) == len(read.forecasts) == 1
    assert read.forecasts.prices is None


def test_a_file_without_an_arena_s_columns_is_its_own(tmp_path: Path) -> None:
    (tmp_path / BOARD).write_text(OWN.text(), encoding="utf-8")
    read = read_forecasts([table(tmp_path, HEAD.replace("exclusive", "more"))])
    assert read.board is None


def published(folder: Path, *changes: tuple[str, str], head: str = HEAD) -> Forecasts:
    """What is read of an arena's table after somebody wrote it anew."""
    (folder / BOARD).write_text(OWN.text(), encoding="utf-8")
    text = table(folder, head).read_text("utf-8")
    for old, new in changes:
        text = text.replace(old, new)
    (folder / "forecasts.csv").write_text(text, encoding="utf-8")
    return read_forecasts([folder / "forecasts.csv"]).forecasts


def test_days_stand_where_the_column_shows_it(tmp_path: Path) -> None:
    found = published(tmp_path, ("2026-01-08", "8/1/2026"), ("2026-01-09", "13/1/2026"))
    assert present(found.due).astype("datetime64[D]").astype(str).tolist() == ["2026-01-08"]


def test_a_question_that_is_said_to_be_open_waits(tmp_path: Path) -> None:
    assert len(present(published(tmp_path, ("0.5,,", "0.5,open,")).waiting)) == 1


def test_a_day_that_may_be_a_month_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match=r"forecasts.csv, line 2, due: '8/1/2026' may be two"):
        published(tmp_path, ("2026-01-08", "8/1/2026"))


def test_a_due_that_is_no_time_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="line 2, due: 'soon' is no time"):
        published(tmp_path, ("2026-01-08", "soon"))


def test_a_table_of_prices_without_a_day_is_refused(tmp_path: Path) -> None:
    (tmp_path / "prices.csv").write_text("market,price\nx,0.5\n", encoding="utf-8")
    with pytest.raises(ArenaError, match=r"prices.csv: there is no column day"):
        published(tmp_path)


@pytest.mark.parametrize(
    ("word", "truth"), [("TRUE", True), ("wahr", True), ("1.0", True), ("FALSE", False)]
)
def test_exclusive_is_read_as_outcomes_are(word: str, *, truth: bool, tmp_path: Path) -> None:
    assert present(published(tmp_path, ("09,0", f"09,{word}")).exclusive).tolist() == [truth]


def test_a_word_that_is_neither_yes_nor_no_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="line 4, exclusive: 'perhaps' is neither yes nor no"):
        published(tmp_path, ("09,1", "09,perhaps"))


@pytest.mark.parametrize(
    "change",
    [
        {"today": "soon"},
        {"today": None},
        {"season": {"start": "2026-01-05", "days": -1, "look_every_days": 1}},
        {"season": {"start": "2026-01-05", "days": 10**12, "look_every_days": 1}},
        {"season": [1]},
        {"references": [1]},
        {"words": 7},
        {"tests": None},
    ],
)
def test_what_no_arena_wrote_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    document = json.loads(OWN.text()) | change
    (tmp_path / BOARD).write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ArenaError, match="is not what an arena wrote") as refused:
        board_of([tmp_path / "forecasts.csv"])
    assert (refused.value.code, refused.value.status) == ("score.board", 2)
