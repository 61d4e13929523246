import subprocess
import sys
from pathlib import Path

import pytest

from arena import __version__
from arena.cli import COMMANDS, SECTIONS
from tests.cli.inside import Capsys, here
from tests.cli.shell import arena, environment

HEAVY = {"httpx", "jinja2", "numpy", "pandas", "pydantic", "rich", "sqlite3", "yaml"}
CODES = ("0", "1", "2", "3", "4", "5", "6", "7", "130")


def imported(*words: str, cwd: Path) -> set[str]:
    """Which of the heavy packages a command imports."""
    done = subprocess.run(  # noqa: S603  our own command
        [sys.executable, "-X", "importtime", "-m", "arena", *words],
        cwd=cwd,
        env=environment({}),
        capture_output=True,
        text=True,
        check=True,
    )
    names = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    return HEAVY & names


@pytest.mark.parametrize("word", ["--help", "-h"])
def test_help_names_every_command(word: str, tmp_path: Path) -> None:
    done = arena(word, cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert all(f"\n  {name} " in done.out for name in COMMANDS)


def test_help_documents_every_exit_code(tmp_path: Path) -> None:
    codes = arena("--help", cwd=tmp_path).out.partition("Exit codes:")[2]
    assert tuple(line.split()[0] for line in codes.strip().splitlines()) == CODES


def test_the_version_is_told(tmp_path: Path) -> None:
    done = arena("--version", cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, f"arena, version {__version__}\n", "")


def test_each_command_is_listed_in_one_section() -> None:
    listed = [name for _, commands in SECTIONS.values() for name in commands]
    assert listed == list(COMMANDS)


@pytest.mark.parametrize("name", [*COMMANDS, "config check", "config schema"])
def test_each_command_has_help(name: str, capsys: Capsys) -> None:
    done = here(capsys, *name.split(), "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: arena {name} ")


@pytest.mark.parametrize("words", ["--help", "--version", "-C . --help", "completion bash"])
def test_what_is_asked_first_needs_nothing_heavy(words: str, tmp_path: Path) -> None:
    assert imported(*words.split(), cwd=tmp_path) == set()


EVERY_HELP = """
import sys, click
from arena.cli import COMMANDS, arena
for name in COMMANDS:
    before = set(sys.modules)
    command = arena.get_command(click.Context(arena), name)
    command.get_help(click.Context(command, info_name=name))
    print(name, *sorted((set(sys.modules) - before) & set(sys.argv[1:])))
"""


def test_the_help_of_every_command_needs_nothing_heavy() -> None:
    words = [sys.executable, "-c", EVERY_HELP, *HEAVY]
    done = subprocess.run(words, capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.split() == list(COMMANDS)


@pytest.mark.parametrize("words", ["--help", "tick --help", "tape prune --help"])
@pytest.mark.parametrize("columns", [40, 72, 200])
def test_help_fits_the_terminal(words: str, columns: int, tmp_path: Path) -> None:
    done = arena(*words.split(), cwd=tmp_path, COLUMNS=str(columns))
    longest = max(map(len, done.out.partition("Exit codes:")[0].splitlines()))
    assert (done.code, longest <= min(columns, 100)) == (0, True)


def test_without_a_command_help_is_shown(tmp_path: Path) -> None:
    done = arena(cwd=tmp_path)
    assert (done.code, done.crashed) == (2, False)
    assert "First steps:\n  demo " in done.err + done.out


def test_wrong_usage_shows_the_usage_and_names_the_help(tmp_path: Path) -> None:
    done = arena("tick", "now", cwd=tmp_path)
    assert done.err == (
        "Usage: arena tick [OPTIONS]\n"
        "error[usage.invalid]: Got unexpected extra argument (now)\n"
        "  hint: try `arena tick --help`\n"
    )


CHOICES = "'luck' is not one of 'return', 'pnl', 'brier_forecast'"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("leaderbord", "No such command 'leaderbord'. Did you mean 'leaderboard'?"),
        ("stats", "No such command 'stats'. Did you mean 'status'?"),
        ("tik", "No such command 'tik'. Did you mean 'tick'?"),
        ("repley", "No such command 'repley'. Did you mean 'reply'?"),
        ("help", "No such command 'help'. Did you mean '--help'?"),
        ("serve", "No such command 'serve'. Did you mean 'site serve'?"),
        ("zzzzz", "No such command 'zzzzz'.\n"),
        ("tick --jsn", "No such option '--jsn'. Did you mean '--json'?"),
        ("leaderboard --rank-by luck", CHOICES),
        ("leaderboard --rank-by retrun", "\n  hint: did you mean return?\n"),
        ("replay .", "Missing option '--cohort' (env var: 'ARENA_REPLAY_COHORT')."),
    ],
)
def test_what_is_not_there_is_answered_with_the_nearest_or_all_there_are(
    typed: str, said: str, capsys: Capsys
) -> None:
    done = here(capsys, *typed.split())
    assert (done.code, done.out) == (2, "")
    assert said in done.err
