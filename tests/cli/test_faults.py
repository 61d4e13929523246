"""Faults of the world: each is one clear line, and nothing is lost."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
import sqlite3
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.ledger.journal import fund
from arena.records.money import usd
from arena.store import open_store
from arena.testing.model_server import HTML_PAGE, Misbehaviour, ModelServer, small_bettor
from tests.build import ADA, BEN, COHORT, T0
from tests.cli.project import Project, model, project
from tests.cli.shell import Done

NAMES = ("PAPER_ONE_KEY", "PAPER_TWO_KEY")
SECRET = "sk-not-a-real-key-1234567890"


def keyed(folder: Path) -> Project:
    models = {n.lower()[6:9]: model("http://127.0.0.1:9/v1", key_env=n) for n in NAMES}
    return project(folder, models=models)


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


def test_a_key_that_is_there_is_never_shown(tmp_path: Path) -> None:
    done = keyed(tmp_path / "a").tick(PAPER_TWO_KEY=SECRET)
    assert clear(done, 4)
    assert "PAPER_ONE_KEY" in done.err
    assert SECRET not in done.err + done.out
    assert "PAPER_TWO_KEY" not in done.err


def test_an_empty_key_is_a_missing_one(tmp_path: Path) -> None:
    done = keyed(tmp_path / "a").tick(PAPER_ONE_KEY="", PAPER_TWO_KEY=SECRET)
    assert (done.code, "PAPER_ONE_KEY" in done.err) == (4, True)


def test_without_its_keys_nothing_is_written(tmp_path: Path) -> None:
    made = keyed(tmp_path / "a")
    made.tick()
    assert sorted(p.name for p in made.folder.rglob("*")) == [
        "c.yaml",
        "cohorts",
        "config.yaml",
    ]


def test_a_missing_key_in_json_is_one_document(tmp_path: Path) -> None:
    done = keyed(tmp_path / "a").tick("--json")
    assert (done.code, done.out, done.error["code"]) == (4, "", "credentials.missing")


def test_a_key_reaches_neither_the_screen_nor_the_disk(tmp_path: Path) -> None:
    """A server that repeats the key in its answer changes nothing about that."""
    refusal = Misbehaviour(
        status=401, body=f'{{"error": {{"message": "bad key {SECRET}"}}}}'.encode()
    )
    with ModelServer(lambda *_: refusal) as server:
        models = {"m": model(server.base_url, key_env=NAMES[0])}
        made = project(tmp_path / "a", models=models)
        done = made.tick(**{NAMES[0]: SECRET})
    kept = b"".join(p.read_bytes() for p in made.folder.rglob("*") if p.is_file())
    assert (done.code, SECRET in done.out + done.err, SECRET.encode() in kept) == (
        6,
        False,
        False,
    )


# Models


def unreachable() -> str:
    """An address at which nobody listens."""
    with ModelServer() as server:
        return server.base_url


@dataclass(frozen=True, slots=True)
class Fault:
    """What a model's server did, what was said of it, and the project it happened in."""

    made: Project
    done: Done


@pytest.fixture(
    scope="module", params=["nobody listens", "a page", "no words", "no decision", "hostile"]
)
def fault(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Fault:
    """A tick in which the one model among baselines fails."""
    behaviour: dict[str, str | Misbehaviour] = {
        "a page": HTML_PAGE,
        "no words": "",
        "no decision": "I would rather talk about the weather.",
        "hostile": "\x1b[2J\x07\nerror[forged]: all is well\n\u202e",
    }
    folder = tmp_path_factory.mktemp("fault") / "arena"
    said = behaviour.get(request.param, "")
    with ModelServer(lambda *_: said) as server:
        url = unreachable() if request.param == "nobody listens" else server.base_url
        made = project(folder, models={"m": model(url)})
        return Fault(made, made.tick())


def test_a_model_that_fails_is_one_line_that_names_it(fault: Fault) -> None:
    assert clear(fault.done, 6)
    (line,) = fault.done.err.splitlines()
    assert line.startswith("failed: contestant m: ")


def test_a_model_that_fails_writes_no_control_characters(fault: Fault) -> None:
    assert fault.done.err.rstrip("\n").isprintable()


def test_after_a_model_failed_the_books_are_sound(fault: Fault) -> None:
    assert fault.made.is_sound


def test_a_model_that_fails_costs_the_others_nothing(fault: Fault) -> None:
    turns = "SELECT contestant, failure IS NULL FROM turns ORDER BY contestant"
    assert fault.made.rows(turns) == [("always-no", 1), ("m", 0), ("market", 1)]


def test_what_cannot_be_reached_is_named_with_its_address(tmp_path: Path) -> None:
    url = unreachable()
    made = project(tmp_path / "a", models={"m": model(url)})
    done = made.tick()
    host = url.removeprefix("http://").removesuffix("/v1")
    assert "failed: contestant m: unreachable: " in done.err
    assert host in done.err


def test_a_model_that_is_back_plays_the_next_round(tmp_path: Path) -> None:
    replies = iter(["no JSON", None])

    def reply(name: str, messages: object) -> str:
        return next(replies) or small_bettor(name, messages)  # type: ignore[arg-type]

    with ModelServer(reply) as server:
        made = project(tmp_path / "a", models={"m": model(server.base_url)})
        first, second = made.tick(), made.tick(hours=24)
    assert (first.code, second.code, made.is_sound) == (6, 0, True)


# Venues


def test_a_universe_that_leaves_nothing_is_a_round_without_markets(tmp_path: Path) -> None:
    made = project(tmp_path / "a", universe="{categories: [no-such-category]}")
    done = made.tick()
    assert (done.code, done.crashed) == (0, False)
    assert made.rows("SELECT offered FROM rounds") == [("[]",)]


def test_after_a_round_without_markets_the_books_are_sound(tmp_path: Path) -> None:
    made = project(tmp_path / "a", universe="{min_volume: 999999999}", rounds=1)
    assert [made.tick(hours=h).code for h in (0, 24)] == [0, 0]
    assert made.is_sound


def test_a_venue_whose_data_is_not_there_is_named(tmp_path: Path) -> None:
    made = project(tmp_path / "a")
    broken = "venues: {sim: {adapter: forecastbench, options: {path: /no/such/folder}}}"
    _edit(made, "venues: ", broken)
    done = made.tick()
    assert clear(done, 1)
    assert "error[venue.data]: /no/such/folder/question_sets: there is no question set" in (
        done.err
    )


def test_an_option_that_a_venue_does_not_know_is_named(tmp_path: Path) -> None:
    made = project(tmp_path / "a")
    _edit(made, "venues: ", "venues: {sim: {adapter: simulated, options: {sead: 1}}}")
    done = made.tick()
    assert clear(done, 2)
    assert "does not know the option 'sead'" in done.err


def test_a_plugin_that_is_not_installed_is_named(tmp_path: Path) -> None:
    made = project(tmp_path / "a")
    _edit(made, "venues: ", "venues: {sim: {adapter: simulatd}}")
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


@pytest.mark.parametrize("name", ["tick", "audit", "leaderboard", "rebuild", "status"])
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


def _edit(made: Project, start: str, line: str) -> None:
    """Replace the line of the configuration that starts so."""
    file = made.folder / "config.yaml"
    lines = file.read_text().splitlines()
    changed = [line if old.startswith(start) else old for old in lines]
    file.write_text("\n".join(changed) + "\n")


# The database, at work


def test_a_database_that_another_process_holds_is_named_after_a_wait(fresh: Project) -> None:
    assert fresh.tick().code == 0
    with closing(sqlite3.connect(fresh.database)) as other:
        other.execute("BEGIN IMMEDIATE")
        done = fresh.tick(hours=24)
    assert clear(done, 1)
    assert done.err == (
        f"error[store.locked]: {fresh.database} is locked by another process\n"
        "  hint: wait for it to finish, or stop it; nothing was written\n"
    )
    assert fresh.tick(hours=24).code == 0
    assert fresh.is_sound


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
