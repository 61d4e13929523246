"""Damage done to a database behind the arena's back, and what the audit says of it."""

import shutil
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Played
from tests.cli.shell import Done, arena
from tests.unpacked import change, opened

CHAIN = "the journal's chain of digests is unbroken"
FOLD = "the journal folded in code gives the same books"
SEATS = "every seat's sums are those of its postings"
FILL = "fill:weekly-2026-01-05/1/"


@dataclass(frozen=True, slots=True)
class Damage:
    """What is done to a file, in SQL; laws that it breaks; what a finding names.

    `:fill` is the number of the first fill in the journal.
    """

    script: str
    laws: frozenset[str] = frozenset()
    named: str = ""


def damage(script: str, *laws: str, named: str) -> Damage:
    return Damage(script, frozenset(laws), named)


DAMAGES = {
    "a changed posting": damage(
        """UPDATE journal_lines SET head = json_set(head,
            '$[5][0][3]', head ->> '$[5][0][3]' + 1, '$[5][1][3]', head ->> '$[5][1][3]' - 1)
        WHERE seq = :fill""",
        *(CHAIN, FOLD, SEATS),
        named=FILL,
    ),
    "a posting that is off balance": damage(
        """UPDATE journal_lines
        SET head = json_set(head, '$[5][0][3]', head ->> '$[5][0][3]' + 1) WHERE seq = :fill""",
        named=FILL,
    ),
    "a changed event": damage(
        """UPDATE journal_lines SET event = replace(event, '"round":1', '"round":7')
        WHERE seq = :fill""",
        CHAIN,
        named=FILL,
    ),
    "an event that is no event": damage(
        "UPDATE journal_lines SET event = 'gone' WHERE seq = :fill", named=""
    ),
    "a deleted entry": damage(
        "DELETE FROM journal_lines WHERE seq = :fill", *(CHAIN, FOLD), named=" is missing"
    ),
    "a changed forecast": damage(
        """UPDATE journal_lines SET event = json_set(event, '$.forecasts[0].probability', 0.123)
        WHERE seq = (SELECT min(entry) FROM journal_forecasts)""",
        CHAIN,
        named="turn:weekly-2026-01-05:1:",
    ),
    "a changed total": damage(
        "UPDATE totals SET cash_micro = cash_micro + 1 WHERE contestant = 'market'",
        "totals are the sums of the seats",
        named="market",
    ),
    "negative cash": damage(
        """UPDATE seats SET cash_micro = -5 WHERE contestant = 'market'
        AND cohort = (SELECT min(cohort) FROM seats)""",
        "cash and debts are never below 0",
        named="weekly-2026-01-05 market",
    ),
    "a changed position": damage(
        "UPDATE position_rows SET shares_micro = shares_micro + 1",
        *("every position is what its postings add up to", FOLD),
        named="always-no",
    ),
    "a changed text": damage(
        """UPDATE tape_blobs SET body = x'00'
        WHERE digest = (SELECT min(digest) FROM tape_blobs)""",
        "texts are what their digests say",
        named="its text has changed",
    ),
    "a raw answer that cannot be unpacked": damage(
        "INSERT INTO tape_bodies VALUES ('00', x'789c')",
        "texts are what their digests say",
        named="a server's raw answer has changed",
    ),
    "a deleted answer": damage(
        "DELETE FROM tape_answers WHERE contestant = 'market' AND round = 1",
        "every judged turn has its answer on the tape",
        named="1 market",
    ),
    "a missing text": damage(
        "DELETE FROM tape_blobs WHERE digest = (SELECT min(digest) FROM tape_blobs)",
        "every text that the tape names is there",
        named="no text",
    ),
    "a missing cohort": damage(
        "DELETE FROM cohorts",
        "every cohort, seat and round of the journal is in its table",
        named="no cohort",
    ),
    "a missing round": damage(
        "DELETE FROM rounds WHERE round = 1",
        "every cohort, seat and round of the journal is in its table",
        named="no round",
    ),
    "a journal cut short": damage(
        "DELETE FROM journal_lines WHERE seq = (SELECT max(seq) FROM journal_lines)",
        "no table knows of an entry after the journal's last",
        named="weekly-",
    ),
    "a changed outcome": damage(
        "UPDATE resolutions SET yes_pays_micro = 1000000 - yes_pays_micro",
        "Brier scores computed again are those of the books",
        named="_pico",
    ),
}


def audit_of(sound: Path, folder: Path, harm: Damage, *more: str) -> Done:
    """Audit a copy that was damaged."""
    file = folder / "arena.db"
    shutil.copy(sound, file)
    with opened(file) as db:
        first = db.execute("SELECT min(seq) FROM journal_entries WHERE kind = 'fill'")
        script = harm.script.replace(":fill", str(*first.fetchone()))
    change(file, script)
    return arena("audit", "--database", file, *more, cwd=folder)


@pytest.fixture(scope="module")
def audits(demo: Played, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Done]:
    """The audit of each kind of damage, in JSON."""

    def look(kind: str) -> Done:
        folder = tmp_path_factory.mktemp("damaged")
        return audit_of(demo.database, folder, DAMAGES[kind], "--json")

    with ThreadPoolExecutor(2) as both:
        return dict(zip(DAMAGES, both.map(look, DAMAGES), strict=True))


def findings(done: Done) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = done.document["audit"]["findings"]
    return found


@pytest.mark.parametrize("kind", list(DAMAGES))
def test_damage_is_found_and_exits_with_3(kind: str, audits: Mapping[str, Done]) -> None:
    done = audits[kind]
    assert (done.code, done.err, done.document["ok"]) == (3, "", False)


@pytest.mark.parametrize("kind", list(DAMAGES))
def test_damage_breaks_the_laws_that_it_should(kind: str, audits: Mapping[str, Done]) -> None:
    assert {finding["law"] for finding in findings(audits[kind])} >= DAMAGES[kind].laws


@pytest.mark.parametrize("kind", list(DAMAGES))
def test_damage_is_named_with_its_place(kind: str, audits: Mapping[str, Done]) -> None:
    said = [" ".join(finding.values()) for finding in findings(audits[kind])]
    assert any(DAMAGES[kind].named in each for each in said)


def test_of_a_file_that_cannot_be_opened_a_backup_is_named(
    demo: Played, tmp_path: Path
) -> None:
    torn = tmp_path / "torn.db"
    torn.write_bytes(demo.database.read_bytes()[:100_000])
    done = arena("audit", "--database", torn, cwd=tmp_path)
    assert "error[store.damaged]" in done.err
    assert "`arena restore` brings a backup back" in done.err


def test_a_broken_law_is_marked_and_its_place_is_told(demo: Played, tmp_path: Path) -> None:
    done = audit_of(demo.database, tmp_path, DAMAGES["a changed total"])
    lines = done.out.splitlines()
    assert (done.code, done.err) == (3, "")
    marked = [line for line in lines if line.startswith("BROKEN")]
    assert [line.partition(" (")[0] for line in marked] == [
        "BROKEN  totals are the sums of the seats",
        "BROKEN  every cache is what the journal and the tape make of it",
    ]
    assert "  totals are the sums of the seats: market: differs" in lines


def test_sound_books_break_no_law(demo: Played) -> None:
    done = arena("audit", "--database", demo.database, cwd=demo.folder)
    *laws, last = done.out.splitlines()
    assert (done.code, done.err) == (0, "")
    assert all(line.startswith("holds   ") for line in laws)
    assert last.startswith("journal ")


def test_an_audit_changes_nothing(demo: Played, tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    shutil.copy(demo.database, file)
    before = file.read_bytes()
    arena("audit", "--database", file, cwd=tmp_path)
    assert file.read_bytes() == before


def test_an_audit_says_how_much_it_checked(demo: Played) -> None:
    done = arena("audit", "--json", "--database", demo.database, cwd=demo.folder)
    checked = dict(done.document["audit"]["checked"])
    assert checked[CHAIN] > 100
    nothing_there = {"the documents of every round are those on the tape"}
    assert {law for law, number in checked.items() if not number} == nothing_there
