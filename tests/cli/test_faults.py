"""Faults of the world: each is one clear line, and nothing is lost."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.cli.tick import exit_code
from arena.errors import ArenaError
from arena.ledger.journal import fund
from arena.records.money import usd
from arena.records.report import Failure
from arena.records.trade import RoundOpened
from arena.store import open_store
from arena.store.audit import audit
from arena.testing.model_server import HTML_PAGE, Misbehaviour, ModelServer
from tests.build import ADA, BEN, COHORT, T0
from tests.cli.project import Project, edit, model, moment, project
from tests.cli.shell import Done, ended, running
from tests.stage import playing

NAMES = ("PAPER_ONE_KEY", "PAPER_TWO_KEY")
KEY = "sk-not-a-real-key-1234567890"


def keyed(folder: Path) -> Project:
    models = {n.lower()[6:9]: model("http://127.0.0.1:9/v1", key_env=n) for n in NAMES}
    return project(folder, models=models)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A tick that waits for a database which another process holds."""

    made: Project
    process: subprocess.Popen[str]
    holder: sqlite3.Connection


@pytest.fixture(scope="module", autouse=True)
def waiting(ticked: Project, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Waiting]:
    """Start the wait of some seconds; the other tests run meanwhile."""
    made = ticked.copy(tmp_path_factory.mktemp("waiting") / "arena")
    with closing(sqlite3.connect(made.database)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with running("tick", "--at", moment(24), cwd=made.folder) as process:
            yield Waiting(made, process, holder)


@pytest.fixture(scope="module")
def shut_out(waiting: Waiting) -> Done:
    """What the tick said in the end; then the database is free again."""
    done = ended(waiting.process)
    waiting.holder.rollback()
    return done


def clear(done: Done, code: int) -> bool:
    """Whether a failure is an exit code and a few plain words."""
    return done.code == code and not done.crashed and 0 < len(done.err.splitlines()) <= 3


# Keys


def test_missing_keys_are_named_all_at_once(tmp_path: Path) -> None:
    done = keyed(tmp_path / "a").tick()
    assert clear(done, 4)
    assert done.err == (
        "error[credentials.missing]: no key in the environment: PAPER_ONE_KEY, PAPER_TWO_KEY "
        "(needed by one, two)\n"
        "  hint: export PAPER_ONE_KEY=... and run the same command again; nothing was done\n"
    )


def test_an_empty_key_is_missing_and_one_that_is_there_is_never_shown(tmp_path: Path) -> None:
    done = keyed(tmp_path / "a").tick("--json", PAPER_ONE_KEY="", PAPER_TWO_KEY=KEY)
    assert (done.code, done.out, done.error["code"]) == (4, "", "credentials.missing")
    assert done.error["message"] == "no key in the environment: PAPER_ONE_KEY (needed by one)"
    assert KEY not in done.err


def test_without_its_keys_nothing_is_written(tmp_path: Path) -> None:
    made = keyed(tmp_path / "a")
    made.tick()
    assert sorted(p.name for p in made.folder.rglob("*")) == [
        "c.yaml",
        "cohorts",
        "config.yaml",
    ]


# Models

TELLS_THE_KEY = Misbehaviour(
    status=401, body=f'{{"error": {{"message": "bad key {KEY}"}}}}'.encode()
)
FAULTS: dict[str, str | Misbehaviour] = {
    "away": "",
    "chatty": "I would rather talk about the weather.",
    "hostile": "\x1b[2J\x07\nerror[forged]: all is well\n\u202e",
    "page": HTML_PAGE,
    "silent": "",
    "teller": TELLS_THE_KEY,
}


@dataclass(frozen=True, slots=True)
class Faults:
    """A day on which every model failed, and the next, on which every one was well."""

    made: Project
    away: str
    ill: Done
    well: Done

    def line(self, who: str) -> str:
        """The one line that names a contestant."""
        (line,) = (
            x for x in self.ill.err.splitlines() if x.startswith(f"failed: contestant {who}:")
        )
        return line


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Faults:
    folder = tmp_path_factory.mktemp("faults") / "arena"
    with ModelServer() as gone:
        away = gone.base_url
    with ModelServer(lambda name, _: FAULTS[name]) as server:
        models = {name: model(server.base_url, key_env=NAMES[0]) for name in FAULTS}
        made = project(folder, models=models | {"away": model(away)})
        ill = made.tick(PAPER_ONE_KEY=KEY)
    with ModelServer() as server:
        models = {name: model(server.base_url) for name in FAULTS}
        shutil.copy(
            project(folder.parent / "well", models=models).folder / "config.yaml", folder
        )
        well = made.tick(hours=24)
    return Faults(made, away, ill, well)


@pytest.mark.parametrize("who", list(FAULTS))
def test_a_model_that_fails_is_one_line_that_names_it(who: str, faults: Faults) -> None:
    assert faults.ill.code == 6
    assert faults.line(who).isprintable()


def test_nothing_is_said_but_one_line_for_each_model(faults: Faults) -> None:
    assert len(faults.ill.err.splitlines()) == len(FAULTS)


def test_a_model_that_cannot_be_reached_is_named_with_its_address(faults: Faults) -> None:
    host = faults.away.removeprefix("http://").removesuffix("/v1")
    assert faults.line("away").startswith(f"failed: contestant away: unreachable: {host} ")


@pytest.mark.parametrize("who", ["page", "chatty", "hostile", "silent"])
def test_what_came_instead_of_a_decision_is_said(who: str, faults: Faults) -> None:
    said = {"silent": "empty reply"}.get(who, "unreadable reply")
    assert faults.line(who).startswith(f"failed: contestant {who}: {said}")


def test_a_key_reaches_neither_the_screen_nor_the_disk(faults: Faults) -> None:
    kept = b"".join(p.read_bytes() for p in faults.made.folder.rglob("*") if p.is_file())
    assert KEY not in faults.ill.out + faults.ill.err
    assert KEY.encode() not in kept


def test_models_that_fail_cost_the_others_nothing(faults: Faults) -> None:
    turns = "SELECT contestant FROM turns WHERE round = 1 AND failure IS NULL ORDER BY 1"
    assert faults.made.rows(turns) == [("always-no",), ("market",)]


def test_models_that_are_well_again_play_the_next_round(faults: Faults) -> None:
    turns = "SELECT count(*) FROM turns WHERE round = 2 AND failure IS NULL"
    assert (faults.well.code, faults.made.rows(turns)) == (0, [(2 + len(FAULTS),)])


def test_after_models_failed_the_books_are_sound(faults: Faults) -> None:
    assert faults.made.is_sound


# Venues


def test_a_universe_that_leaves_nothing_is_a_round_without_markets(tmp_path: Path) -> None:
    made = project(tmp_path / "a", universe="{categories: [no-such-category]}")
    done = made.tick()
    assert (done.code, done.crashed) == (0, False)
    assert made.rows("SELECT offered FROM rounds") == [("[]",)]
    assert made.is_sound


def test_a_venue_that_quotes_nothing_makes_a_round_without_markets() -> None:
    with playing({ADA: {}}) as game:
        game.venue.quoted.clear()
        report = game.tick(0)
        (played,) = [e.event for e in game.entries if isinstance(e.event, RoundOpened)]
    assert (report.failures, report.turns, played.offered) == ((), 1, ())


def test_a_venue_that_fails_is_named_and_its_round_waits() -> None:
    with playing({ADA: {}}) as game:
        game.venue.trouble = ArenaError("venue.down", "here does not answer", hint="wait")
        report = game.tick(0)
    assert (report.rounds, report.turns) == ((), 0)
    assert report.failures == (Failure("here does not answer", "venue here", "wait"),)
    assert exit_code(report) == 6


def test_a_venue_that_is_back_gets_its_round_at_the_next_tick() -> None:
    with playing({ADA: {}}) as game:
        game.venue.trouble = ArenaError("venue.down", "here does not answer")
        game.tick(0)
        game.venue.trouble = None
        report = game.tick(1)
        found = audit(game.store.db)
    assert (report.rounds, report.turns, found.findings) == (((COHORT, 1),), 1, ())


def test_a_venue_whose_data_is_not_there_is_named(tmp_path: Path) -> None:
    made = project(tmp_path / "a")
    broken = "venues: {sim: {adapter: forecastbench, options: {path: /no/such/folder}}}"
    edit(made, "venues: ", broken)
    done = made.tick()
    assert clear(done, 1)
    assert "error[venue.data]: /no/such/folder/question_sets: there is no question set" in (
        done.err
    )


def test_an_option_that_a_venue_does_not_know_is_named(tmp_path: Path) -> None:
    made = project(tmp_path / "a")
    edit(made, "venues: ", "venues: {sim: {adapter: simulated, options: {sead: 1}}}")
    done = made.tick()
    assert clear(done, 2)
    assert "does not know the option 'sead'" in done.err


def test_a_plugin_that_is_not_installed_is_named(tmp_path: Path) -> None:
    made = project(tmp_path / "a")
    edit(made, "venues: ", "venues: {sim: {adapter: simulatd}}")
    done = made.tick()
    assert clear(done, 2)
    assert "hint: did you mean simulated?" in done.err


# Files


def test_a_broken_file_is_told_with_its_line_and_column(fresh: Project) -> None:
    (fresh.folder / "config.yaml").write_text("venues:\n  sim: {adapter: simulated\nx: 1\n")
    done = fresh.tick()
    assert clear(done, 2)
    assert "config.yaml:3: expected YAML, found " in done.err
    assert "(column 2)" in done.err


def test_every_mistake_is_told_at_once(fresh: Project) -> None:
    (fresh.folder / "config.yaml").write_text("venuess: {}\nmodells: {}\n")
    done = fresh.tick()
    assert done.code == 2
    assert "config.yaml:1: venuess" in done.err
    assert "config.yaml:2: modells" in done.err
    assert "cohorts/c.yaml:2: venue" in done.err


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(fresh: Project) -> None:
    fresh.database.parent.mkdir()
    fresh.database.write_text("dear diary, " * 500)
    done = fresh.tick()
    assert clear(done, 1)
    assert done.err == (
        f"error[store.foreign]: {fresh.database} is not an arena's database\n"
        "  hint: choose another file with paths.database in config.yaml\n"
    )
    assert fresh.database.read_text() == "dear diary, " * 500


@pytest.mark.parametrize("name", ["tick", "leaderboard"])
def test_another_programs_database_is_refused_and_left_as_it_is(
    name: str, fresh: Project
) -> None:
    fresh.database.parent.mkdir()
    fresh.damage("CREATE TABLE diary (day TEXT); INSERT INTO diary VALUES ('monday');")
    before = fresh.database.read_bytes()
    done = fresh.run(name)
    assert clear(done, 1)
    assert "is not an arena's database" in done.err
    assert fresh.database.read_bytes() == before


def test_a_damaged_file_is_named(ticked: Project, tmp_path: Path) -> None:
    made = ticked.copy(tmp_path / "a")
    whole = made.database.read_bytes()
    made.database.write_bytes(whole[:8192] + bytes(len(whole) - 8192))
    done = made.run("audit")
    assert (done.code in {1, 3}, done.crashed) == (True, False)
    assert "is damaged" in done.err + done.out or "BROKEN" in done.out


def test_a_folder_that_is_a_file_is_named(fresh: Project) -> None:
    (fresh.folder / "data").write_text("")
    done = fresh.tick()
    assert clear(done, 1)
    assert f"error[store.folder]: cannot make the folder of {fresh.database}" in done.err


def test_a_folder_that_may_not_be_written_to_is_named(fresh: Project) -> None:
    with read_only(fresh.folder):
        done = without_privileges(fresh, "tick", "--at", "2026-01-05T00:00Z")
    assert clear(done, 1)
    assert "error[store." in done.err
    assert str(fresh.folder) in done.err
    assert "  hint: " in done.err


def test_a_database_that_may_not_be_written_to_is_named(
    ticked: Project, tmp_path: Path
) -> None:
    made = ticked.copy(tmp_path / "a")
    with read_only(made.folder / "data"):
        done = without_privileges(made, "tick", "--at", "2026-01-06T00:00Z")
    assert clear(done, 1)
    assert str(made.database) in done.err
    assert made.tick(hours=24).code == 0


def test_a_demo_in_a_folder_that_may_not_be_written_to_is_named(tmp_path: Path) -> None:
    made = Project(tmp_path)
    with read_only(tmp_path):
        done = without_privileges(made, "demo", "--days", "1")
    assert clear(done, 1)
    assert done.err == (
        "error[disk.forbidden]: demo: Permission denied\n"
        "  hint: give this user the right to write there\n"
    )


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    before = folder.stat().st_mode
    folder.chmod(0o555)
    try:
        yield
    finally:
        folder.chmod(before)


# The superuser may write everywhere; this gives that up before it becomes the command.
_PLAIN_USER = """
import ctypes, os, sys
if os.geteuid() == 0:
    for capability in (1, 2):
        if ctypes.CDLL(None, use_errno=True).prctl(24, capability, 0, 0, 0):
            sys.exit(77)
os.execv(sys.executable, [sys.executable, "-m", "arena", *sys.argv[1:]])
"""
CANNOT = 77


def without_privileges(made: Project, *words: str) -> Done:
    if sys.platform != "linux" and os.geteuid() == 0:
        pytest.skip("the superuser may write everywhere")
    done = subprocess.run(  # noqa: S603  our own code
        [sys.executable, "-c", _PLAIN_USER, *words],
        cwd=made.folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode == CANNOT:
        pytest.skip("this user cannot give up its privileges")
    return Done(done.returncode, done.stdout, done.stderr)


# The database, at work


def test_a_database_that_another_process_holds_is_named(shut_out: Done) -> None:
    assert clear(shut_out, 1)
    assert shut_out.err.endswith(
        "/data/arena.db is locked by another process\n"
        "  hint: wait for it to finish, or stop it; nothing was written\n"
    )


@pytest.mark.usefixtures("shut_out")
def test_when_the_database_is_free_again_the_next_tick_does_the_work(waiting: Waiting) -> None:
    assert waiting.made.tick(hours=24).code == 0
    assert waiting.made.is_sound


def test_readers_are_not_held_up_by_a_writer(ticked: Project) -> None:
    with closing(sqlite3.connect(ticked.database)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert ticked.run("leaderboard").code == 0


def on_a_full_disk(folder: Path, work: Callable[[Path], None]) -> ArenaError:
    """Do something to a database that cannot grow any more."""
    file = folder / "arena.db"
    with open_store(file) as store:
        store.journal.append([fund(COHORT, ADA, usd(1), T0)])
    with pytest.raises(ArenaError) as caught:
        work(file)
    return caught.value


def fill_up(file: Path) -> None:
    with open_store(file) as store:
        store.db.run(f"PRAGMA max_page_count = {store.db.value('PRAGMA page_count')}")
        store.journal.append(
            fund(COHORT, type(BEN)(f"{BEN}-{n}"), usd(1), T0) for n in range(1000)
        )


def test_a_full_disk_is_said_in_words(tmp_path: Path) -> None:
    error = on_a_full_disk(tmp_path, fill_up)
    assert (error.code, error.hint) == (
        "store.full",
        "free some space and run the same command again; nothing was lost",
    )
    assert error.message == f"{tmp_path / 'arena.db'} cannot grow: the disk is full"


def test_what_a_full_disk_cut_short_leaves_nothing_behind(tmp_path: Path) -> None:
    on_a_full_disk(tmp_path, fill_up)
    with open_store(tmp_path / "arena.db") as store:
        assert [entry.contestant for _, _, entry in store.journal.entries()] == [ADA]
