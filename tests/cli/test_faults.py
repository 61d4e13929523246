"""Keys, models and venues that fail: each is one clear line, and nothing is lost."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import yaml

from arena.cli.play.tick import exit_code
from arena.errors import ArenaError
from arena.records.report import Failure
from arena.records.trade import RoundOpened
from arena.store.audit import audit
from tests.build import ADA, COHORT
from tests.cli.project import Project, edit, model, project
from tests.cli.shell import Done
from tests.present import present
from tests.stage import playing
from tests.standins.model_server import HTML_PAGE, Misbehaviour, ModelServer

NAMES = ("PAPER_ONE_KEY", "PAPER_TWO_KEY")
LOCAL = "http://127.0.0.1:9/v1"
KEY = "sk-not-a-real-key-1234567890"


# Keys


def test_an_empty_key_is_missing_and_one_that_is_there_is_never_shown(tmp_path: Path) -> None:
    models = {n.lower()[6:9]: model(LOCAL, key_env=n) for n in NAMES}
    made = project(tmp_path / "a", models=models)
    done = made.tick("--json", PAPER_ONE_KEY="", PAPER_TWO_KEY=KEY)
    failed = dict(done.document["report"]["failed_turns"])
    assert failed["one"] == "not set up: the key of the model one is not in the environment"
    assert KEY not in done.err + done.out


# Whatever cannot be built

PARTS = {
    "key": ("models", {"key_env": NAMES[0]}),
    "plugin-of-model": ("models", {"adapter": "openia_chat"}),
    "option-of-model": ("models", {"options": {"sead": 1}}),
    "batch": ("models", {"adapter": "simulated", "batch": True}),
    "plugin-of-contestant": ("contestants", {"agent": "promptd"}),
    "option-of-contestant": ("contestants", {"options": {"sead": 1}}),
    "prompt": ("contestants", {"prompt": "no-such-prompt"}),
}


@pytest.fixture(scope="module")
def unbuilt(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A tick of baselines, and of a contestant for each part that cannot be built."""
    folder = tmp_path_factory.mktemp("unbuilt") / "a"
    made = project(folder, models={part: model(LOCAL) for part in PARTS}, rounds=1)
    file = made.folder / "config.yaml"
    said = yaml.safe_load(file.read_text())
    for part, (kind, how) in PARTS.items():
        said[kind][part] |= how
    file.write_text(yaml.safe_dump(said))
    return replace(made, done=made.tick())


@pytest.mark.parametrize("part", PARTS)
def test_who_cannot_be_built_is_one_line_that_names_it(part: str, unbuilt: Project) -> None:
    lines = present(unbuilt.done).err.splitlines()
    (line,) = (line for line in lines if line.startswith(f"failed: contestant {part}: "))
    assert line.startswith(f"failed: contestant {part}: not set up: ")


def test_who_cannot_be_built_fails_alone_and_everybody_else_goes_on(unbuilt: Project) -> None:
    made, first = unbuilt, present(unbuilt.done)
    lines = [line for line in first.err.splitlines() if not line.startswith("  hint: ")]
    assert (first.code, len(lines)) == (6, len(PARTS))
    turns = "SELECT contestant FROM turns WHERE failure IS NULL ORDER BY contestant"
    assert made.rows(turns) == [("always-no",), ("market",)]
    assert (made.folder / "site" / "index.html").is_file()


def test_a_cohort_of_which_one_was_not_built_is_played_to_its_end(tmp_path: Path) -> None:
    made = project(tmp_path / "a", models={"one": model(LOCAL, adapter="openia")}, rounds=1)
    first, last = made.tick(), made.tick(hours=24 * 60)
    assert (first.code, last.code) == (6, 0)
    assert made.rows("SELECT count(*) > 0 FROM resolutions") == [(1,)]
    assert made.is_sound


def test_a_venue_that_cannot_be_built_costs_no_other_venue_its_round(tmp_path: Path) -> None:
    made = project(tmp_path / "a")
    edit(
        made,
        "venues: ",
        "venues: {sim: {adapter: simulated}, other: {adapter: simulated, options: {sead: 1}}}",
    )
    cohort = (made.folder / "cohorts" / "c.yaml").read_text()
    other = made.folder / "cohorts" / "d.yaml"
    other.write_text(cohort.replace("venue: sim", "venue: other"))
    done = made.tick()
    assert done.code == 6
    assert "failed: venue other: " in done.err
    assert made.rows("SELECT cohort FROM rounds") == [("c",)]


# Files


def test_a_missing_folder_of_templates_is_named_before_anybody_is_asked(fresh: Project) -> None:
    edit(fresh, "paths", 'paths: {templates: "nowhere"}')
    done = fresh.tick()
    assert done.fails_clearly(2)
    assert done.err.startswith("error[template.missing]: ")
    assert fresh.rows("SELECT * FROM tape_polls") == []


@pytest.mark.parametrize(
    "script",
    [
        "DROP TABLE tape_batched",
        "ALTER TABLE turns DROP COLUMN refused",
        "DROP INDEX touched_since",
        "DROP TRIGGER seats_add_up",
    ],
)
def test_tables_that_are_not_what_the_steps_make_are_named_before_anybody_is_asked(
    ticked: Project, tmp_path: Path, script: str
) -> None:
    made = ticked.copy(tmp_path / "arena")
    made.damage(script)
    done = made.tick(hours=24)
    assert done.fails_clearly(1)
    assert done.err.startswith("error[store.schema]: ")
    assert script.split()[2] in done.err
    assert made.rows("SELECT count(*) FROM tape_polls") == [(1,)]


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
    said = [line for line in faults.ill.err.splitlines() if not line.startswith("  hint: ")]
    assert len(said) == len(FAULTS)


def test_what_a_user_can_mend_comes_with_a_hint(faults: Faults) -> None:
    lines = faults.ill.err.splitlines()
    after = lines[lines.index(faults.line("away")) + 1]
    assert after.startswith("  hint: is the server running?")


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


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (
            "{adapter: forecastbench, options: {path: /no/such/folder}}",
            "failed: venue sim: /no/such/folder/question_sets: there is no question set",
        ),
        ("{adapter: simulated, options: {sead: 1}}", "does not know the option 'sead'"),
        ("{adapter: simulatd}", "hint: did you mean simulated?"),
    ],
)
def test_a_venue_that_cannot_be_built_is_named(tmp_path: Path, how: str, said: str) -> None:
    made = project(tmp_path / "a")
    edit(made, "venues: ", f"venues: {{sim: {how}}}")
    done = made.tick()
    assert (done.code, done.crashed) == (6, False)
    assert said in done.err
