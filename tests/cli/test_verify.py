import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.steps.verify import verify_decision
from arena.store import Store, open_store
from tests.cli.conftest import Played
from tests.cli.inside import Capsys, here, strict
from tests.present import some
from tests.site.bundle.conftest import add_head
from tests.stage import eventful
from tests.unpacked import change

REPLY = """UPDATE tape_blobs SET body = CAST('{}' AS BLOB) WHERE digest = (
    SELECT text_digest FROM tape_answers WHERE contestant = 'northwind-large-2' AND round = 1
)"""
POSTINGS = """UPDATE journal_lines SET head = replace(head, ',0],', ',1],') WHERE seq IN
    (SELECT entry FROM fills WHERE contestant = 'northwind-large-2' AND round = 1)"""
TURN = ("weekly-2026-01-05", "1", "northwind-large-2")


def wrong_checks(store: Store) -> list[tuple[object, ...]]:
    """What does not hold of any turn of the books."""
    turns = store.db.rows("SELECT cohort, round, contestant FROM turns")
    return [
        (*turn, check.what, check.detail)
        for turn in some(turns)
        for check in verify_decision(store, *turn)
        if not check.ok
    ]


def test_every_turn_of_a_demo_is_what_its_words_come_to(demo: Played) -> None:
    with open_store(demo.database) as store:
        assert store.db.value("SELECT count(*) FROM turns") > 20
        assert wrong_checks(store) == []


def test_every_turn_is_where_everything_has_happened_that_can() -> None:
    with eventful() as game:
        assert wrong_checks(game.store) == []


def test_what_was_looked_at_is_told(demo: Played, capsys: Capsys) -> None:
    done = here(capsys, "verify", "decision", *TURN, "--database", demo.database)
    assert done.code == 0
    assert [line.split("  ")[0] for line in done.out.splitlines()] == ["ok"] * 16


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        (REPLY, "reply"),
        (POSTINGS, "fills and sales"),
        ("UPDATE tape_quotes SET bid_micro = 1 WHERE bid_micro IS NOT NULL", "markets shown"),
        ("""UPDATE journal_lines SET event = json_set(event, '$.forecasts[0].probability', 0.5)
        WHERE event ->> '$.forecasts[0]' IS NOT NULL""", "forecasts"),
    ],
    ids=["reply", "postings", "prices", "forecasts"],
)  # fmt: skip
def test_what_was_changed_afterwards_is_found(
    damage: str, what: str, demo: Played, tmp_path: Path, capsys: Capsys
) -> None:
    copy = shutil.copy(demo.database, tmp_path / "arena.db")
    change(Path(copy), damage)
    done = here(capsys, "verify", "decision", *TURN, "--database", copy, "--json")
    wrong = {check["what"] for check in strict(done)["checks"] if not check["ok"]}
    assert (done.code, what in wrong) == (3, True)


def test_a_turn_that_is_not_there_is_said(demo: Played, capsys: Capsys) -> None:
    turn = (TURN[0], "99", TURN[2])
    done = here(capsys, "verify", "decision", *turn, "--database", demo.database)
    assert (done.code, "error[verify.unknown]" in done.err) == (2, True)


def test_a_database_is_audited(demo: Played, capsys: Capsys) -> None:
    done = here(capsys, "verify", "db", demo.database, "--json")
    assert (done.code, strict(done)["ok"]) == (0, True)


def test_the_arenas_own_export_is_verified_in_a_few_lines(
    demo: Played, tmp_path: Path, capsys: Capsys
) -> None:
    here(capsys, "export", "sqlite", "--database", demo.database, "--out", tmp_path, "--yes")
    done = here(capsys, "verify", "db", tmp_path / "arena.sqlite")
    lines = done.out.splitlines()
    assert (done.code, len(lines) <= 40) == (0, True)
    assert "skipped every text that the tape names is there" in done.out


def test_what_breaks_one_law_in_one_way_is_one_line_with_a_count(
    demo: Played, tmp_path: Path, capsys: Capsys
) -> None:
    copy = shutil.copy(demo.database, tmp_path / "arena.db")
    with closing(sqlite3.connect(copy)) as db:
        db.executescript("DELETE FROM tape_blobs")
    done = here(capsys, "verify", "db", copy)
    about = [line for line in done.out.splitlines() if "no text" in line or "more of" in line]
    assert (done.code, len(about)) == (3, 2)
    assert about[1].endswith(" more of this kind")


def test_a_demos_site_is_what_its_bundle_comes_to(demo: Played, capsys: Capsys) -> None:
    done = here(capsys, "verify", "bundle", demo.folder / "site", "--json")
    assert (done.code, strict(done)["ok"]) == (0, True)


def test_what_was_changed_is_one_line_a_law_with_a_count(
    demo: Played, tmp_path: Path, capsys: Capsys
) -> None:
    copy = Path(shutil.copytree(demo.folder / "site", tmp_path / "site"))
    for page in copy.glob("contestants/*/index.html"):
        page.write_text("<p>I was here</p>")
    done = here(capsys, "verify", "bundle", copy)
    about = [line for line in done.out.splitlines() if line.startswith("  every file")]
    assert (done.code, len(about)) == (3, 2)
    assert about[1].endswith(" more of this kind")


def test_what_could_not_be_compared_is_said_in_words_and_in_json(
    demo: Played, tmp_path: Path, capsys: Capsys
) -> None:
    copy = Path(shutil.copytree(demo.folder / "site", tmp_path / "site"))
    manifest = copy / "bundle/manifest.json"
    held = json.loads(manifest.read_text())
    manifest.write_text(json.dumps({**held, "templates": "0" * 64, "program": "9\n\nholds"}))
    add_head(copy)
    words = here(capsys, "verify", "bundle", copy).out.splitlines()
    (told,) = strict(here(capsys, "verify", "bundle", copy, "--json"))["notes"]
    assert told.endswith("made the site: HTML is not compared")
    assert [line for line in words if line.startswith("note")] == [
        f"note    {' '.join(told.split())}"
    ]


def test_a_site_without_a_bundle_is_said(tmp_path: Path, capsys: Capsys) -> None:
    done = here(capsys, "verify", "bundle", tmp_path)
    assert (done.code, "error[verify.bundle]" in done.err) == (1, True)


def test_a_decision_is_verified_from_the_published_site(demo: Played, capsys: Capsys) -> None:
    done = here(capsys, "verify", "decision", *TURN, "--bundle", demo.folder / "site")
    assert done.code == 0
    assert [line.split("  ")[0] for line in done.out.splitlines()] == ["ok"] * 16


def test_a_decision_whose_reply_was_not_published_is_said(
    demo: Played, tmp_path: Path, capsys: Capsys
) -> None:
    here(capsys, "export", "sqlite", "--database", demo.database, "--out", tmp_path, "--yes")
    words = ("verify", "decision", *TURN, "--database", tmp_path / "arena.sqlite")
    done = here(capsys, *words)
    assert (done.code, "error[verify.left_out]" in done.err) == (2, True)
