import json
import shutil
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from arena.cli.scores.leaderboard import board_rows
from arena.metrics.figures import MINUS
from arena.records.money import usd
from arena.records.settings import BASELINES, DEMONSTRATION
from arena.store import open_store
from tests.cli.conftest import Played
from tests.cli.inside import Capsys, here, strict
from tests.cli.project import Project, project
from tests.cli.shell import Done, arena

NOTE = "A higher rank does not show a better contestant. `arena compare` tests differences."
UNSEALED = "no seal: everything here is exploratory"


def board(demo: Played, *more: str) -> Done:
    return arena("leaderboard", "--database", demo.database, *more, cwd=demo.folder)


def standings(demo: Played, *more: str) -> list[dict[str, Any]]:
    done = board(demo, "--fast", "--json", *more)
    found: list[dict[str, Any]] = done.document["leaderboard"]["standings"]
    return found


def made_again(demo: Played, folder: Path) -> Project:
    """A project whose database is that of the demo."""
    made = project(folder)
    made.database.parent.mkdir()
    shutil.copyfile(demo.database, made.database)
    return made


@pytest.fixture(scope="module")
def plain(demo: Played) -> Done:
    """The books alone."""
    return board(demo, "--fast")


@pytest.fixture(scope="module")
def sure(ranked: Played) -> Done:
    """With what is sure of its order."""
    return board(ranked)


def test_every_contestant_has_a_line(plain: Done) -> None:
    *table, note, notice, last = plain.out.splitlines()
    assert (plain.code, plain.err, len(table)) == (0, "", 1 + len(BASELINES) + 4 + 1)
    assert (note, notice, last) == (NOTE, DEMONSTRATION, UNSEALED)


def test_it_is_the_table_that_the_demo_ended_with(ranked: Played, sure: Done) -> None:
    assert ranked.done.out.startswith(sure.out.removesuffix(f"{UNSEALED}\n"))


def test_a_piped_table_has_no_boxes_and_no_colours(plain: Done) -> None:
    assert plain.out.replace(MINUS, "-").isascii()
    assert "\x1b" not in plain.out


def test_it_begins_with_the_first_sentence_of_the_site(ranked: Played, sure: Done) -> None:
    front = json.loads((ranked.folder / "site" / "index.json").read_text(encoding="utf-8"))
    assert sure.out.splitlines()[0] == " ".join([*front["claims"], front["evidence"]])


def test_each_rank_has_the_ranks_that_tests_leave_open(sure: Done) -> None:
    lines = [line.split() for line in sure.out.splitlines()[2:]]
    ranked = [line for line in lines if line[0].isdecimal() and "price" not in line]
    spans = [(*map(int, line[2].split("-")), int(line[0])) for line in ranked]
    assert len(spans) > 3
    assert all(span[0] <= span[-1] <= span[-2] for span in spans)


def test_the_books_alone_rank_nobody(plain: Done) -> None:
    names = [line.split()[0] for line in plain.out.splitlines()[1:12]]
    assert names == sorted(names)
    assert "rank" not in plain.out.splitlines()[0]


def test_a_table_that_is_piped_is_of_what_a_person_reads(sure: Done) -> None:
    head = " ".join(sure.out.splitlines()[1].split())
    assert head == ("rank contestant ranks Gain over market 95% interval events return cost $")
    assert max(map(len, sure.out.splitlines()[1:15])) < 110


def test_the_markets_price_has_a_line_of_the_same_ranking(sure: Done) -> None:
    rows = sure.out.splitlines()[2:]
    at = next(n for n, row in enumerate(rows) if "the market's price" in row)
    assert 0 < at < len(rows) - 3
    assert all(row.split()[3].startswith("+") for row in rows[:at])


def test_who_has_no_rank_has_no_possible_ranks(ranked: Played) -> None:
    places = board(ranked, "--json").document["overview"]["places"]
    known = {tuple(bool(place[key]) for key in ("rank", "low", "high")) for place in places}
    assert known == {(True,) * 3, (False,) * 3}


def test_intervals_are_drawn_in_letters_that_the_output_has(ranked: Played) -> None:
    words = ("leaderboard", "--database", ranked.database, "--columns", "all")
    whole = arena(*words, cwd=ranked.folder)
    plainly = arena(*words, cwd=ranked.folder, PYTHONIOENCODING="ascii")
    assert "\u25cf" in whole.out
    assert plainly.out.isascii()
    assert "-o" in plainly.out
    assert len(plainly.out.splitlines()) == len(whole.out.splitlines())


def test_the_configuration_in_its_folder_is_that_of_a_database(
    demo: Played, tmp_path: Path, capsys: Capsys
) -> None:
    made = made_again(demo, tmp_path / "a")
    for words in (("leaderboard",), ("score",), ("compare",)):
        named, inside = (
            here(capsys, *where, "--json")
            for where in ((*words, "--database", made.database), ("-C", made.folder, *words))
        )
        assert (named.code, strict(named)) == (0, strict(inside)), words


def test_what_the_site_was_made_with_is_used_as_long_as_it_holds(
    demo: Played, tmp_path: Path, capsys: Capsys
) -> None:
    made = made_again(demo, tmp_path / "a")
    folder = made.folder
    assert made.run("site", "build").code == 0
    before = here(capsys, "-C", folder, "leaderboard", "--json")
    (kept,) = folder.glob(".site.cache/overview.json")
    key, _, body = kept.read_text(encoding="utf-8").splitlines()
    body = body.replace('"level": 0.95', '"level": 0.5')
    kept.write_text(f"{key}\n{sha256(body.encode()).hexdigest()}\n{body}\n", encoding="utf-8")
    after = here(capsys, "-C", folder, "leaderboard", "--json")
    levels = [strict(done)["overview"]["level"] for done in (before, after)]
    assert levels == [0.95, 0.5]


def test_a_folder_that_may_not_be_written_to_holds_nobody_up(
    ranked: Played, tmp_path: Path, capsys: Capsys
) -> None:
    folder = made_again(ranked, tmp_path / "a").folder
    (folder / ".site.cache").write_text("in the way", encoding="utf-8")
    done = here(capsys, "-C", folder, "leaderboard")
    assert (done.code, "possible ranks by" in done.out) == (0, True)
    assert (folder / ".site.cache").read_text(encoding="utf-8") == "in the way"


@pytest.mark.parametrize("more", [(), ("--cohort", "weekly-2026-01-05")])
def test_without_a_seal_everything_is_exploratory(more: tuple[str, ...], demo: Played) -> None:
    found = board(demo, "--json", *more).document["evidence"]
    assert (found["standing"], found["words"], found["tests"]) == ("exploratory", UNSEALED, [])


def test_one_cohort_is_shown_alone(demo: Played) -> None:
    lines = standings(demo, "--cohort", "weekly-2026-01-05")
    assert {line["cohorts"] for line in lines} == {1}
    assert {line["capital"] for line in lines} == {"10000.000000"}


def test_amounts_in_json_are_exact_text(demo: Played) -> None:
    (first, *_) = standings(demo)
    whole, _, parts = first["pnl"].partition(".")
    assert (whole.lstrip("-").isdecimal(), len(parts)) == (True, 6)


def test_an_arena_without_cohorts_has_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    done = arena("leaderboard", "--database", "empty.db", cwd=tmp_path)
    assert (done.code, done.out) == (0, "The leaderboard is empty: no cohort has started.\n")


def test_a_database_that_is_not_there_is_named(ticked: Project) -> None:
    done = ticked.run("leaderboard", "--database", "nowhere.db")
    assert (done.code, "there is no database at nowhere.db" in done.err) == (2, True)
    assert not (ticked.folder / "nowhere.db").exists()


def test_a_cost_that_is_known_in_part_is_at_least_that(demo: Played) -> None:
    with open_store(demo.database) as store:
        whole = store.boards.overall()
    part = replace(whole.standings[0], cost=None, cost_known=usd("0.25"))
    nothing = replace(part, cost_known=usd(0))
    _, rows = board_rows(replace(whole, standings=(part, nothing)))
    assert [row[6] for row in rows] == ["at least 0.25", "unknown"]
