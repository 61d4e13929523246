"""`arena seal`: a document, an entry of the journal, and what a broken one does to a tick."""

import json
import signal
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from arena.config import load_settings
from arena.records.seal import Grading, Named
from arena.steps.seal import grading_now, make_seal
from arena.store import open_store
from tests.build import T0
from tests.cli.project import Project, days, project
from tests.cli.shell import Done, killed, running


@dataclass(frozen=True, slots=True)
class Sealed:
    """A project that was sealed, ticked, and looked at; nobody changes it."""

    made: Project
    first: Done
    again: Done
    tick: Done
    check: Done
    board: Done

    @property
    def document(self) -> dict[str, Any]:
        text = (self.made.folder / "seals" / "c-1.json").read_text(encoding="utf-8")
        found: dict[str, Any] = json.loads(text)
        return found


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Sealed:
    made = project(tmp_path_factory.mktemp("sealed") / "arena")
    first = made.run("seal", "c", "--reason", "so it was agreed")
    again = made.run("seal", "c", "--json")
    tick = made.tick()
    check = made.run("seal", "c", "--check")
    return Sealed(
        made, first, again, tick, check, made.run("leaderboard", "--cohort", "c", "--json")
    )


def another() -> Grading:
    """A grading that some other program would have sealed."""
    now = grading_now()
    constants = (Named("alpha", "0.10"), *now.registration.constants[1:])
    return replace(now, registration=replace(now.registration, constants=constants))


def seal_otherwise(made: Project) -> None:
    """Seal the project's cohort with another constant than the arena's own."""
    settings = load_settings(made.folder / "config.yaml")
    with open_store(settings.database) as store:
        make_seal(store, settings.cohorts[0], T0, now=another)


@dataclass(frozen=True, slots=True)
class Broken:
    """A project whose seal is broken: what a tick with news says, and all that follows."""

    made: Project
    tick: Done
    check: Done
    status: Done
    refused: Done
    late: Done
    mended: Done
    board: Done


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Broken:
    made = project(tmp_path_factory.mktemp("broken") / "arena")
    seal_otherwise(made)
    made.tick()
    at = days(60)
    tick = made.tick(hours=at)
    check, status = made.run("seal", "c", "--check", "--json"), made.run("status")
    refused = made.run("seal", "c")
    late = made.run("seal", "c", "--late", "--reason", "the level was a slip")
    mended = made.tick("--json", hours=at + 1)
    return Broken(
        made,
        tick,
        check,
        status,
        refused,
        late,
        mended,
        made.run("leaderboard", "--cohort", "c"),
    )


def test_a_seal_says_what_it_holds_and_where_its_document_is(sealed: Sealed) -> None:
    lines = sealed.first.out.splitlines()
    assert (sealed.first.code, sealed.first.err, lines[0]) == (0, "", "c sealed as version 1")
    assert f"  digest    {sealed.document['digest']}" in lines
    assert "  test      pairs: forecast, two-sided, family pairs" in lines
    assert lines[-1].endswith("c-1.json")


def test_sealing_the_same_again_says_so(sealed: Sealed) -> None:
    document = sealed.again.document
    assert (sealed.again.code, document["made"]) == (0, False)
    assert document["digest"] == sealed.document["digest"]


def test_the_document_holds_all_that_is_registered(sealed: Sealed) -> None:
    seal = sealed.document["seal"]
    assert (seal["name"], seal["version"], seal["reason"]) == ("c", 1, "so it was agreed")
    registered = seal["grading"]["registration"]
    assert {t["name"] for t in registered["tests"]} == {"pairs", "market"}
    assert {"name": "alpha", "value": "0.05"} in registered["constants"]
    assert {f["name"]: f["alpha"] for f in registered["families"]}["market"] == 0.05
    assert len(seal["grading"]["code"]) == len(grading_now().code) == 64
    assert {lib["name"] for lib in seal["grading"]["libraries"]} >= {"numpy", "python"}


def test_anybody_can_compute_the_digest_again(sealed: Sealed) -> None:
    text = json.dumps(sealed.document["seal"], sort_keys=True, separators=(",", ":"))
    assert sha256(text.encode()).hexdigest() == sealed.document["digest"]


def test_the_document_names_its_entry_of_the_journal(sealed: Sealed) -> None:
    entry = sealed.document["journal"]
    rows = sealed.made.rows("SELECT seq, digest FROM journal_entries WHERE id = 'seal:c:1'")
    assert rows == [(1, entry["digest"])]
    assert (entry["entry"], entry["id"]) == (1, "seal:c:1")


def test_a_kept_seal_is_told_by_the_check(sealed: Sealed) -> None:
    assert sealed.check.code == 0
    assert sealed.check.out.startswith("kept      cohort c: sealed as version 1 (digest ")


def test_the_leaderboard_of_a_sealed_cohort_is_confirmatory(sealed: Sealed) -> None:
    found = sealed.board.document["evidence"]
    assert (found["standing"], found["seal"]["state"]) == ("confirmatory", "kept")
    assert found["seal"]["digest"] == sealed.document["digest"]
    assert found["tests"] == ["pairs", "market"]


def test_the_document_can_be_written_elsewhere(sealed: Sealed, tmp_path: Path) -> None:
    made = sealed.made.copy(tmp_path / "a")
    file = tmp_path / "new" / "seal.json"
    done = made.run("seal", "c", "--out", file)
    assert (done.code, done.out.splitlines()[0]) == (0, "c is already sealed as version 1")
    assert json.loads(file.read_text(encoding="utf-8")) == sealed.document


def test_a_document_that_is_gone_is_written_again(sealed: Sealed, tmp_path: Path) -> None:
    made = sealed.made.copy(tmp_path / "a")
    file = made.folder / "seals" / "c-1.json"
    before = file.read_bytes()
    file.unlink()
    made.run("seal", "c")
    assert file.read_bytes() == before


def test_a_seal_that_is_killed_is_there_or_not_and_the_next_one_finishes(
    tmp_path: Path,
) -> None:
    made = project(tmp_path / "a")
    with running("seal", "c", cwd=made.folder) as process:
        while not made.database.exists():
            assert process.poll() is None
        first = killed(process)
    assert first.code in {0, -signal.SIGKILL}
    done = made.run("seal", "c", "--json")
    assert (done.code, done.document["seal"]["version"]) == (0, 1)
    assert made.rows("SELECT id FROM journal_entries") == [("seal:c:1",)]
    assert made.is_sound


def test_a_cohort_that_has_begun_is_not_sealed(ticked: Project) -> None:
    done = ticked.run("seal", "c")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error[seal.late]: cohort c has begun: ")
    assert not (ticked.folder / "seals").exists()


def test_a_file_that_is_not_there_is_named_with_those_that_are(fresh: Project) -> None:
    done = fresh.run("seal", "d", "--json")
    assert (done.code, done.error["code"]) == (2, "cohort.unknown")
    assert done.error["hint"].endswith("there are: c")
    assert not fresh.database.exists()


def test_a_check_needs_a_database(fresh: Project) -> None:
    done = fresh.run("seal", "c", "--check")
    assert (done.code, "there is no database" in done.err) == (2, True)
    assert "`arena seal c` seals it" in done.err
    assert "arena tick" not in done.err


def test_a_check_without_a_seal_finds_nothing(ticked: Project) -> None:
    done = ticked.run("seal", "c", "--check")
    said = "none      cohort c: no seal: everything here is exploratory\n"
    assert (done.code, done.out) == (0, said)


def test_a_broken_seal_stops_the_grading_and_exits_with_6(broken: Broken) -> None:
    assert (broken.tick.code, "resolved" in broken.tick.out) == (6, False)
    said = broken.tick.err
    assert said.startswith("failed: grading: cohort c is not graded: the seal is broken (")
    assert "constant alpha sealed as 0.10, now 0.05" in said
    assert "hint: `arena seal c --check` says more" in said


def test_a_check_of_a_broken_seal_exits_with_3(broken: Broken) -> None:
    (found,) = broken.check.document["seals"]
    assert (broken.check.code, broken.check.document["ok"]) == (3, False)
    assert (found["of"], found["seal"]["state"]) == ("cohort c", "broken")


def test_status_names_a_broken_seal(broken: Broken) -> None:
    assert "cohort c will not be graded: the seal is broken" in broken.status.out


def test_a_new_version_is_made_only_with_late_and_heals_the_grading(broken: Broken) -> None:
    assert (broken.refused.code, broken.late.code) == (2, 0)
    assert "  cohort c had begun: for it this version is exploratory" in broken.late.out
    report = broken.mended.document["report"]
    assert broken.mended.code == 0
    assert len(report["resolved"]) == 5
    assert report["settled"] > 0
    assert report["completed"] == ["c"]
    assert broken.made.is_sound
