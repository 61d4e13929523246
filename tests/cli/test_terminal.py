"""Terminals of every kind, pipes that close, and locales without our letters."""

import os
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.records.settings import BASELINES
from tests.cli.conftest import Played
from tests.cli.fork_server import can_fork, fork_server
from tests.cli.project import Project, edit, project
from tests.cli.shell import ARENA, Done, arena, environment

pty = pytest.importorskip("pty", reason="this system has no terminals of this kind")

HOSTILE = r"\e[2J\a\u202eevil"
CONTESTANTS = len(BASELINES) + 4  # invented models


def on_a_terminal(*words: str | Path, cwd: Path, columns: int, **variables: str) -> Done:
    """Run a command on a terminal so many columns wide."""
    import fcntl  # noqa: PLC0415  where there is no pty there is no fcntl
    import termios  # noqa: PLC0415

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    said = bytearray()
    with started(words, cwd, variables, (theirs, theirs)) as ended:
        os.close(theirs)
        try:
            while more := os.read(ours, 65536):
                said += more
        except OSError:
            pass  # how Linux says that nobody is on the other side any more
        os.close(ours)
        code = ended()
    return Done(code, said.decode().replace("\r\n", "\n"), "")


@contextmanager
def started(
    words: Sequence[str | Path],
    cwd: Path,
    variables: Mapping[str, str],
    streams: tuple[int, int],
) -> Iterator[Callable[[], int]]:
    """Start a command on two streams; it gives a function that waits for the exit code."""
    plain, around = [str(word) for word in words], environment(variables)
    if can_fork(variables):
        with fork_server(variables).started(plain, cwd, around, streams) as ended:
            yield ended
        return
    out, err = streams
    with subprocess.Popen(  # noqa: S603  our own command
        [*ARENA, *plain],
        cwd=cwd,
        env=around,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
    ) as process:
        yield process.wait


def board(demo: Played, columns: int, **variables: str) -> Done:
    words = ("leaderboard", "--fast", "--database", demo.database)
    return on_a_terminal(*words, cwd=demo.folder, columns=columns, **variables)


def test_a_wide_terminal_shows_what_is_piped(demo: Played) -> None:
    piped = arena("leaderboard", "--fast", "--database", demo.database, cwd=demo.folder)
    assert board(demo, 200) == piped


@pytest.mark.parametrize(
    "variables",
    [{}, {"TERM": "dumb"}, {"NO_COLOR": "1"}, {"COLUMNS": "40"}, {"LC_ALL": "C"}],
    ids=str,
)
def test_a_narrow_terminal_shows_whole_columns_and_says_so(
    demo: Played, variables: dict[str, str]
) -> None:
    done = board(demo, 40, **variables)
    head, *lines = done.out.splitlines()
    assert (done.code, head.split()) == (0, ["contestant", "return", "P/L", "$"])
    assert all(len(line) <= 40 for line in lines[:CONTESTANTS])
    assert lines[CONTESTANTS] == "(11 more columns: widen the terminal, or use --json)"


@pytest.mark.parametrize("columns", [1, 5, 18])
def test_the_name_is_always_shown(demo: Played, columns: int) -> None:
    done = board(demo, columns)
    assert (done.code, done.out.splitlines()[0].split()) == (0, ["contestant", "return"])


def demo_on_a_terminal(term: str, folder: Path) -> Done:
    words = ("demo", "--days", "1", "--contestants", "0")
    return on_a_terminal(*words, cwd=folder, columns=200, TERM=term)


def test_a_demo_on_a_terminal_shows_a_bar_and_ends_with_its_table(tmp_path: Path) -> None:
    done = demo_on_a_terminal("xterm-256color", tmp_path)
    assert (done.code, done.crashed) == (0, False)
    assert "\x1b[" in done.out
    assert done.out.splitlines()[-1].startswith("site    file://")


def test_a_dumb_terminal_is_sent_no_commands(tmp_path: Path) -> None:
    done = demo_on_a_terminal("dumb", tmp_path)
    assert (done.code, "\x1b" in done.out) == (0, False)
    assert done.out.splitlines()[-1].startswith("site    file://")


# Pipes


def into_a_closed_pipe(*words: str | Path, cwd: Path) -> Done:
    """Run a command whose reader has gone, as after `| head -1`."""
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run(  # noqa: S603  our own command
        [*ARENA, *map(str, words)],
        cwd=cwd,
        env=environment({}),
        stdout=theirs,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        check=False,
    )
    os.close(theirs)
    return Done(done.returncode, "", done.stderr)


@pytest.mark.parametrize("name", ["leaderboard --fast", "audit"])
def test_when_the_reader_has_gone_it_ends_quietly(name: str, demo: Played) -> None:
    done = into_a_closed_pipe(*name.split(), "--database", demo.database, cwd=demo.folder)
    assert (done.code, done.err) == (1, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_an_output_that_is_full_is_said(demo: Played) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(  # noqa: S603  our own command
            [*ARENA, "leaderboard", "--fast", "--database", str(demo.database)],
            env=environment({}),
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.startswith("error[disk.full]: No space left on device\n")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-"])
def test_a_closed_stream_is_written_nothing(closed: str, demo: Played) -> None:
    words = f'leaderboard --fast --database "{demo.database}"'
    command = f'"{sys.executable}" -m arena {words} {closed}'
    done = subprocess.run(  # noqa: S602  a shell is what closes streams
        command, shell=True, env=environment({}), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


# Letters


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose titles and labels would command a terminal, after a tick."""
    made = project(tmp_path_factory.mktemp("hostile") / "ärena \u202e")
    edit(
        made,
        "contestants: ",
        f'contestants: {{market: {{agent: market, label: "{HOSTILE}"}}, '
        "always-no: {agent: always_no, label: Дождь}}",
    )
    cohort = made.folder / "cohorts" / "c.yaml"
    cohort.write_text(cohort.read_text().replace("title: Test", f'title: "{HOSTILE}"'))
    assert made.tick().code == 0
    return made


@pytest.mark.parametrize("name", ["status", "leaderboard", "audit"])
def test_names_command_no_terminal(name: str, hostile: Project) -> None:
    done = on_a_terminal(name, cwd=hostile.folder, columns=200)
    assert done.code == 0
    assert all(line.isprintable() for line in done.out.splitlines())


NOT_UTF_8 = {
    "LC_ALL": "C",
    "PYTHONIOENCODING": "ascii",
    "PYTHONUTF8": "0",
    "PYTHONCOERCECLOCALE": "0",
}


@pytest.mark.parametrize(
    "words", ["status", "leaderboard --cohort ö", "config check", "audit --database ä.db"]
)
def test_a_locale_without_our_letters_is_spoken_to_all_the_same(
    words: str, hostile: Project
) -> None:
    done = hostile.run(*words.split(), **NOT_UTF_8)
    assert (done.code in {0, 2}, done.crashed) == (True, False)
    assert (done.out + done.err).isascii()


def test_a_path_that_would_command_a_terminal_is_shown_harmless(hostile: Project) -> None:
    done = hostile.run("leaderboard", "--database", "no\x1b[2Jthing\u202e.db")
    assert (done.code, "there is no database at no[2Jthing.db" in done.err) == (2, True)


@pytest.mark.parametrize("words", [("tick", "--at"), ("tick",), ()], ids=str)
def test_an_argument_that_would_command_a_terminal_is_shown_harmless(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    done = arena(*words, "\x1b[2J", cwd=tmp_path)
    assert (done.code, "\x1b" in done.err) == (2, False)
