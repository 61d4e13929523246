import gzip
import os
import re
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from arena import __version__
from arena.cli.start.init import FILES, requirement
from arena.clock import SystemClock
from arena.config import load_settings
from arena.records.settings import baseline_contestants
from arena.store import open_store
from arena.store.pages.showcase import Showcase
from tests.cli.inside import Capsys, here, strict
from tests.cli.shell import arena
from tests.installed import install
from tests.present import present, some


@pytest.fixture
def made(tmp_path: Path, capsys: Capsys) -> Path:
    """A new arena."""
    folder = tmp_path / "new arena"
    assert here(capsys, "init", folder).code == 0
    return folder


def workflow(made: Path) -> dict[str, Any]:
    text = (made / ".github" / "workflows" / "arena.yml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.load(text, yaml.BaseLoader)  # noqa: S506  scalars stay text
    return found


def said(made: Path, key: str) -> list[Any]:
    """What the steps of the workflow that have a key say under it."""
    jobs = workflow(made)["jobs"].values()
    return [step[key] for job in jobs for step in job["steps"] if key in step]


def scripts(made: Path) -> list[str]:
    """What the workflow runs, step by step."""
    return said(made, "run")


GH = """#!/bin/sh
echo "$@" >> "$CALLS"
[ "$(wc -l < "$CALLS")" -ne "$FAILS" ] || exit 1
case "$2" in
view) ls "$HELD" | jq -R '{name: ., state: "uploaded"}' | jq -s '{assets: .}' | jq -r "$7" ;;
download) [ "$7" = - ] && cat "$HELD/$5" || cat "$HELD/$5" > "$7" ;;
upload) cp "$4" "$HELD" ;;
esac
"""


@dataclass(frozen=True, slots=True)
class Release:
    """A folder that stands for a release, with a program `gh` that reads and writes it."""

    folder: Path

    @property
    def held(self) -> Path:
        """Where its files are."""
        return self.folder / "held"

    def run(self, script: str, cwd: Path, *, fails: int = 0) -> int:
        """Run a step; that call of `gh` fails, counted from 1. Its exit code."""
        calls = self.folder / "calls"
        calls.unlink(missing_ok=True)
        variables = {
            "PATH": f"{self.folder}:{os.environ['PATH']}",
            "RELEASE": "arena-data",
            "HELD": str(self.held),
            "CALLS": str(calls),
            "FAILS": str(fails),
        }
        cwd.mkdir(exist_ok=True)
        words = [present(shutil.which("bash")), "-e", "-c", script]
        return subprocess.run(words, cwd=cwd, env=variables, check=False).returncode  # noqa: S603  our own script


@pytest.fixture
def release(tmp_path: Path) -> Release:
    """A release that has a database and published heads."""
    if not (shutil.which("bash") and shutil.which("jq")):
        pytest.skip("there is no bash or no jq here")
    (tmp_path / "gh").write_text(GH, encoding="utf-8")
    (tmp_path / "gh").chmod(0o755)
    there = Release(tmp_path)
    there.held.mkdir()
    (there.held / "arena-1.db.gz").write_bytes(gzip.compress(b"old"))
    (there.held / "arena-2.db.gz").write_bytes(gzip.compress(b"new"))
    with tarfile.open(there.held / "heads.tar", "w") as packed:
        packed.addfile(tarfile.TarInfo("heads.jsonl"))
    return there


def test_a_new_arena_plays_its_first_round_and_builds_its_site_at_once(
    made: Path, capsys: Capsys
) -> None:
    done = here(capsys, "-C", made, "tick", "--json")
    report = strict(done)["report"]
    assert (done.code, len(report["enrolled"]), len(report["rounds"])) == (0, 1, 1)
    assert report["answers"] == len(baseline_contestants()) + 3
    assert (made / "site" / "index.html").is_file()


def test_its_files_are_all_there_and_its_configuration_is_right(made: Path) -> None:
    assert all((made / name).is_file() for name in FILES)
    settings = load_settings(made / "config.yaml")
    assert [spec.name for spec in settings.cohorts] == ["offline"]


def test_git_leaves_out_keys_books_pages_and_backups(made: Path) -> None:
    private = {".env", "data/arena.db", "site/index.html", "backups/arena-1.db.gz"}
    for path in private:
        (made / path).parent.mkdir(exist_ok=True)
        (made / path).write_text("secret")
    subprocess.run(["git", "init", "--quiet"], cwd=made, check=True)  # noqa: S607
    listed = subprocess.run(
        ["git", "ls-files", "--others", "--exclude-standard"],  # noqa: S607
        cwd=made, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert private.isdisjoint(listed)
    assert {"config.yaml", ".gitignore", ".env.example"} <= set(listed)


def test_the_next_commands_are_told(tmp_path: Path, capsys: Capsys) -> None:
    said = strict(here(capsys, "init", tmp_path / "a b", "--json"))
    assert said["next"] == [f"cd '{tmp_path / 'a b'}'", "arena config check", "arena tick"]


def test_an_arena_that_is_there_is_left_alone(made: Path, capsys: Capsys) -> None:
    (made / "config.yaml").write_text("mine", encoding="utf-8")
    done = here(capsys, "init", made)
    assert (done.code, "error[init.exists]" in done.err) == (2, True)
    assert (made / "config.yaml").read_text(encoding="utf-8") == "mine"


def test_with_force_files_are_replaced(made: Path, capsys: Capsys) -> None:
    (made / "config.yaml").write_text("mine", encoding="utf-8")
    assert here(capsys, "init", made, "--force", "--yes").code == 0
    assert load_settings(made / "config.yaml").cohorts


def test_a_file_that_was_there_before_is_kept_and_told(tmp_path: Path, capsys: Capsys) -> None:
    (tmp_path / "README.md").write_text("mine", encoding="utf-8")
    done = here(capsys, "init", tmp_path)
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == "mine"
    assert "kept README.md" in done.err


@pytest.mark.parametrize(
    ("origin", "line"),
    [
        (None, f"paper-arena[images]=={__version__}"),
        (
            '{"url": "https://x.example/a.git", "vcs_info": {"vcs": "git", "commit_id": "1f"}}',
            "paper-arena[images] @ git+https://x.example/a.git@1f",
        ),
        (
            '{"url": "https://x.example/a.whl", "archive_info": {}}',
            "paper-arena[images] @ https://x.example/a.whl",
        ),
    ],
    ids=["index", "repository", "archive"],
)
def test_it_is_installed_from_where_this_one_was(origin: str | None, line: str) -> None:
    assert requirement(origin) == line


def test_a_place_on_this_machine_is_named_with_a_warning() -> None:
    warning, _, line = requirement('{"url": "file:///a", "dir_info": {}}').rpartition("\n")
    assert line == "paper-arena[images] @ file:///a"
    assert all(one.startswith("# ") for one in warning.splitlines())


def test_the_workflow_refuses_a_place_on_another_machine(made: Path) -> None:
    shell = shutil.which("bash")
    if shell is None:
        pytest.skip("there is no bash here")
    (install,) = (one for one in scripts(made) if "requirements.txt" in one)
    (made / "requirements.txt").write_text(
        "paper-arena[images] @ file:///a\n", encoding="utf-8"
    )
    done = subprocess.run(  # noqa: S603  it ends before anything is installed
        [shell, "-e", "-c", install], cwd=made, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.startswith("::error::")) == (1, True)


@pytest.mark.parametrize("venue", ["polymarket", "kalshi", "manifold"])
def test_a_live_arena_is_right_too(venue: str, tmp_path: Path, capsys: Capsys) -> None:
    here(capsys, "init", tmp_path, "--live", venue)
    done = here(capsys, "-C", tmp_path, "config", "check", "--json")
    assert (done.code, strict(done)["refused"]) == (0, [])


@pytest.mark.parametrize(
    ("venue", "code"), [("simulated", "venue.not_live"), ("kalshy", "plugin.unknown")]
)
def test_a_venue_that_asks_no_server_is_not_live(
    venue: str, code: str, tmp_path: Path, capsys: Capsys
) -> None:
    done = here(capsys, "init", tmp_path / "new", "--live", venue)
    assert (done.code, code in done.err, (tmp_path / "new").exists()) == (2, True, False)


def test_the_workflow_asks_the_venues_first(made: Path) -> None:
    assert scripts(made)[1].startswith("arena venue check || ")


def test_the_workflow_may_write_only_what_it_must_and_never_runs_twice_at_once(
    made: Path,
) -> None:
    flow = workflow(made)
    assert flow["permissions"] == {}
    assert flow["concurrency"] == {"group": "arena", "cancel-in-progress": "false"}
    jobs = flow["jobs"]
    assert jobs["tick"]["permissions"] == {"contents": "write"}
    assert jobs["deploy"]["permissions"] == {
        **dict.fromkeys(("pages", "id-token", "attestations"), "write")
    }
    assert "schedule" in flow["on"]


def test_what_is_installed_and_what_plays_never_sees_the_token_that_may_write(
    made: Path,
) -> None:
    tick = workflow(made)["jobs"]["tick"]
    assert "GH_TOKEN" not in tick["env"]
    holders = {step["name"] for step in tick["steps"] if "GH_TOKEN" in step.get("env", {})}
    kept = {"Fetch the database", "Keep the database", "Keep the published heads"}
    assert holders == {"Begin", *kept}


def test_every_action_of_the_workflow_is_github_s_own_and_stays_what_it_is(made: Path) -> None:
    used = said(made, "uses")
    assert len(used) == 5
    assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", one) for one in used)


def test_zizmor_has_nothing_against_the_workflow(made: Path) -> None:
    tool = Path(sys.executable).with_name("zizmor")
    if not tool.exists():
        pytest.skip("zizmor is in the group verify")
    done = subprocess.run(  # noqa: S603  it only reads
        [tool, "--offline", made / ".github" / "workflows" / "arena.yml"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "No findings to report" in done.stdout) == (0, True), done.stdout


def test_the_file_whose_digest_is_signed_is_published_with_the_journal_s_head(
    made: Path, capsys: Capsys
) -> None:
    assert here(capsys, "-C", made, "tick").code == 0
    with open_store(made / "data" / "arena.db") as store:
        _, head = Showcase(store.db).head()
    assert head in (made / "site" / "audit.json").read_text(encoding="utf-8")


def test_a_run_that_has_only_the_published_heads_adds_to_them(
    made: Path, capsys: Capsys
) -> None:
    here(capsys, "-C", made, "tick")
    heads = (made / "site" / "heads.jsonl").read_bytes()
    shutil.rmtree(made / "site")
    shutil.rmtree(made / ".site.cache")
    (made / "site").mkdir()
    (made / "site" / "heads.jsonl").write_bytes(heads)
    later = SystemClock().now() + timedelta(days=1)
    assert here(capsys, "-C", made, "tick", "--at", later.isoformat()).code == 0
    after = (made / "site" / "heads.jsonl").read_bytes()
    assert (after.startswith(heads), after.count(b"\n")) == (True, 2)


@pytest.mark.parametrize("fails", range(5))
def test_a_run_begins_with_the_published_heads_or_not_at_all(
    made: Path, release: Release, fails: int
) -> None:
    (fetch,) = (one for one in scripts(made) if "gunzip" in one)
    code = release.run(fetch, made / "run", fails=fails)
    assert (code == 0) is (made / "run" / "site" / "heads.jsonl").exists()


def test_the_newest_database_of_a_release_is_fetched(made: Path, release: Release) -> None:
    (fetch,) = (one for one in scripts(made) if "gunzip" in one)
    assert release.run(fetch, made / "run") == 0
    assert (made / "run" / "data" / "arena.db").read_bytes() == b"new"


def test_a_release_without_published_heads_is_fetched_all_the_same(
    made: Path, release: Release
) -> None:
    (fetch,) = (one for one in scripts(made) if "gunzip" in one)
    (release.held / "heads.tar").unlink()
    assert release.run(fetch, made / "run") == 0
    assert not (made / "run" / "site").exists()


def test_past_days_of_the_bundle_are_kept_as_they_were_published(
    made: Path, release: Release
) -> None:
    fetch, keep = (one for one in scripts(made) if "heads.tar" in one)
    day = Path("site", "bundle", "journal", "2026-01-05.jsonl.gz")
    (made / day).parent.mkdir(parents=True)
    (made / day).write_bytes(b"published")
    (made / "site" / "heads.jsonl").write_bytes(b"{}")
    assert release.run(keep, made) == 0
    assert release.run(fetch, made / "run") == 0
    assert (made / "run" / day).read_bytes() == b"published"


def test_the_scripts_of_the_workflow_can_be_read_by_a_shell(made: Path) -> None:
    shell = shutil.which("bash")
    if shell is None:
        pytest.skip("there is no bash here")
    for script in some(scripts(made)):
        read = subprocess.run(  # noqa: S603  our own script is only parsed
            [shell, "-n"], input=script, text=True, capture_output=True, check=False
        )
        assert (read.returncode, read.stderr) == (0, "")


def test_systemd_takes_the_units(
    tmp_path_factory: pytest.TempPathFactory, capsys: Capsys
) -> None:
    tool = shutil.which("systemd-analyze")
    if tool is None:
        pytest.skip("there is no systemd here")
    made = tmp_path_factory.mktemp("units")
    here(capsys, "init", made)
    units = [made / "deploy" / name for name in ("arena.service", "arena.timer")]
    done = subprocess.run(  # noqa: S603  it only reads
        [tool, "verify", *units], capture_output=True, text=True, check=False
    )
    assert (done.returncode, [x for x in done.stderr.splitlines() if "arena" in x]) == (0, [])


def test_a_venue_that_needs_options_is_told_where_they_go(tmp_path: Path) -> None:
    code = "class Needy:\n    def __init__(self, settings, clock, answers):\n"
    code += "        dict(settings.options)['url']\n"
    install(tmp_path, "needy_venue", "[arena.venues]\nneedy = needy_venue:Needy\n", code)
    done = arena("init", "x", "--live", "needy", cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.fails_clearly(1)
    assert "KeyError: 'url'" in done.err
    assert "venues.needy.options" in done.err


def bytes_of(folder: Path, *, decisions: bool) -> int:
    """The bytes of a site's decisions and their texts, or of everything else."""
    of_decisions = ("decisions", "blobs")
    return sum(
        file.stat().st_size
        for file in folder.rglob("*")
        if file.is_file() and (file.relative_to(folder).parts[0] in of_decisions) is decisions
    )


@pytest.mark.soak
def test_its_site_stays_below_the_limit_of_its_host_for_three_years(
    made: Path, capsys: Capsys
) -> None:
    first, days, kept_cohorts, weeks = SystemClock().now(), 3 * 365, 31, 4
    sizes = []
    for day in range(7 * weeks):
        at = first + timedelta(days=day)
        assert here(capsys, "-C", made, "tick", "--at", at.isoformat()).code in {0, 6}
        sizes.append(bytes_of(made / "site", decisions=False))
    daily = (sizes[-1] - sizes[13]) / (len(sizes) - 14)
    decisions = bytes_of(made / "site", decisions=True) / weeks * kept_cohorts
    assert sizes[-1] + daily * days + decisions < 1_000_000_000
