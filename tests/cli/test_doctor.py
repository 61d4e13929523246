from pathlib import Path
from typing import Any

import pytest

from arena.store.migrations import STEPS
from tests.cli.inside import Capsys, here, strict
from tests.cli.project import Project, edit, model, project


def findings(capsys: Capsys, folder: Path, code: int) -> dict[str, Any]:
    done = here(capsys, "-C", folder, "doctor", "--offline", "--json")
    assert done.code == code, done.out
    return {one["what"]: one for one in strict(done)["findings"]}


def test_a_sound_arena_has_nothing_that_fails(ticked: Project, capsys: Capsys) -> None:
    found = findings(capsys, ticked.folder, 0)
    assert {"python", "configuration", "database", "templates", "disk", "site"} <= found.keys()
    assert {one["state"] for one in found.values()} <= {"ok", "warn"}
    assert found["database"]["state"] == "ok"


def test_without_json_each_finding_is_a_line(ticked: Project, capsys: Capsys) -> None:
    lines = here(capsys, "-C", ticked.folder, "doctor", "--offline").out.splitlines()
    assert lines[0].startswith("ok    python: 3.")
    assert lines[-1].endswith(" 0 fail")


def test_all_missing_keys_are_named_and_one_that_is_there_is_never_shown(
    tmp_path: Path,
) -> None:
    key = "sk-not-a-real-key-1234567890"
    models = {n: model("http://127.0.0.1:9/v1", key_env=f"PAPER_{n.upper()}") for n in "abc"}
    made = project(tmp_path / "a", models=models)
    done = made.run("doctor", "--offline", PAPER_A=key)
    assert done.code == 3
    for name in ("b", "c"):
        assert f"fail  key of {name}: PAPER_{name.upper()} is not set" in done.out
    assert "ok    key of a: PAPER_A is set" in done.out
    assert key not in done.out + done.err


def test_a_configuration_that_is_wrong_fails(tmp_path: Path, capsys: Capsys) -> None:
    made = project(tmp_path / "a")
    edit(made, "venues: ", "venues: {sim: {adapter: simulated, options: {sead: 1}}}")
    found = findings(capsys, made.folder, 3)
    assert "sead" in found["configuration"]["detail"]


def test_a_damaged_journal_fails(ticked: Project, tmp_path: Path, capsys: Capsys) -> None:
    made = ticked.copy(tmp_path / "a")
    later = "UPDATE journal_lines SET head = replace(head, ':00+00', ':01+00') WHERE seq = 5"
    made.damage(later)
    assert findings(capsys, made.folder, 3)["database"]["state"] == "fail"


def test_a_template_that_cannot_be_filled_in_fails(tmp_path: Path, capsys: Capsys) -> None:
    made = project(tmp_path / "a")
    (tmp_path / "t" / "site").mkdir(parents=True)
    (tmp_path / "t" / "site" / "x.html").write_text("{% if %}", encoding="utf-8")
    edit(made, "paths: ", f'paths: {{"templates": "{tmp_path}/t"}}')
    assert findings(capsys, made.folder, 3)["templates"]["state"] == "fail"


def test_a_server_that_cannot_be_reached_is_no_failure(tmp_path: Path, capsys: Capsys) -> None:
    made = project(tmp_path / "a", models={"away": model("http://127.0.0.1:9/v1")})
    kalshi = '{adapter: kalshi, options: {base_url: "http://127.0.0.1:9"}}'
    edit(made, "venues: ", f"venues: {{sim: {{adapter: simulated}}, kalshi: {kalshi}}}")
    done = here(capsys, "-C", made.folder, "doctor", "--json")
    found = {one["what"]: one["state"] for one in strict(done)["findings"]}
    servers = found["server of model away"], found["server of venue kalshi"]
    assert (done.code, *servers) == (0, "warn", "warn")


LAST = len(STEPS)
OLDER = f"DELETE FROM _sqlite_migrations WHERE name LIKE 'm{LAST:03}%'"  # noqa: S608  our own
NEWER = (
    "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) SELECT 'arena', 'x', 0"
)


@pytest.mark.parametrize(
    ("script", "finding"),
    [
        ("SELECT 1", ("ok", f"version {LAST} of {LAST}")),
        (OLDER, ("warn", f"version {LAST - 1} of {LAST}: a migration is due")),
        (NEWER, ("fail", f"version {LAST + 1} of {LAST}: a newer arena made it")),
    ],
)
def test_the_version_of_the_schema_is_told_and_left_as_it_is(
    script: str, finding: tuple[str, str], ticked: Project, tmp_path: Path, capsys: Capsys
) -> None:
    own = ticked.copy(tmp_path / "own")
    own.damage(script)
    before = own.rows("SELECT name FROM _sqlite_migrations")
    found = findings(capsys, own.folder, 3 * (script == NEWER))
    assert (found["schema"]["state"], found["schema"]["detail"]) == finding
    assert ("database" in found) == (script == "SELECT 1")
    assert own.rows("SELECT name FROM _sqlite_migrations") == before


def test_a_database_that_everybody_can_read_is_a_warning_with_what_to_do(
    ticked: Project, tmp_path: Path, capsys: Capsys
) -> None:
    made = ticked.copy(tmp_path / "a")
    made.database.chmod(0o644)
    found = findings(capsys, made.folder, 0)["database rights"]
    assert (found["state"], found["hint"]) == ("warn", f"chmod 600 {made.database}*")
    made.database.chmod(0o600)
    assert "database rights" not in findings(capsys, made.folder, 0)
