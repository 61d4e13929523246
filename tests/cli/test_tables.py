"""What `--columns`, `--sort` and `--limit` do to every table that has them."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.cli.tables import TableLayout, refuse_unknown
from tests.cli.conftest import Played
from tests.cli.inside import Capsys, here
from tests.cli.project import Project

TABLES = (
    ("leaderboard", "contestant,return"),
    ("score", "contestant,n"),
    ("compare", "first,second"),
    ("calibration northwind-large-2", "n,mean"),
    ("shadow", "contestant,bets"),
    ("shadow northwind-large-2", "rule,bets"),
    ("replies", "contestant,turns"),
    ("tape size", "table,rows"),
    ("status", "cohort"),
)


def words_of(command: str, demo: Played, ticked: Project) -> Sequence[str | Path]:
    if command == "status":
        return ("-C", ticked.folder, command)
    return (*command.split(), "--database", demo.database)


@pytest.mark.parametrize(("command", "columns"), TABLES)
def test_columns_and_rows_are_chosen(
    command: str,
    columns: str,
    demo: Played,
    ticked: Project,
    capsys: Capsys,
) -> None:
    words = (*words_of(command, demo, ticked), "--columns", columns, "--limit", "1")
    done = here(capsys, *words)
    lines = [re.split(" {2,}", line.strip()) for line in done.out.splitlines()]
    there = lines.index(columns.split(","))
    assert (done.code, len(lines[there + 1])) == (0, len(lines[there]))


@pytest.mark.parametrize("command", [command for command, _ in TABLES])
def test_a_column_that_is_not_there_is_refused_before_anything_is_printed(
    command: str, demo: Played, ticked: Project, capsys: Capsys
) -> None:
    done = here(capsys, *words_of(command, demo, ticked), "--sort", "wrong")
    assert (done.code, done.out) == (2, "")
    assert "there is no column 'wrong'" in done.err


def test_two_contestants_are_no_table_to_shape(demo: Played, capsys: Capsys) -> None:
    words = ["compare", "northwind-large-2", "halcyon-pro-3-1", "--limit", "1", "--database"]
    assert here(capsys, *words, demo.database).code == 2


def test_nothing_wanted_is_never_refused() -> None:
    refuse_unknown((), TableLayout(limit=3))
