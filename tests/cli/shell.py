"""The real command in a process of its own, as a user meets it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.fork_server import can_fork, fork_server
from tests.hangs import HANG

ARENA = (sys.executable, "-m", "arena")


@dataclass(frozen=True, slots=True)
class Done:
    """What a command that has ended left behind."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The one JSON document on standard output: anything beside it fails to be read."""
        return _one_object(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The error in the one JSON document on standard error."""
        whole = _one_object(self.err)
        assert whole["schema_version"] == 1
        found: dict[str, Any] = whole["error"]
        return found

    @property
    def crashed(self) -> bool:
        return "Traceback" in self.err + self.out

    def fails_clearly(self, code: int) -> bool:
        """Whether it ended with this exit code and a few plain words."""
        return self.code == code and not self.crashed and 0 < self.err.count("\n") <= 3


def arena(*words: str | Path, cwd: Path, **variables: str) -> Done:
    """Run a command to its end."""
    from tests.cli.agreed import agreeing  # noqa: PLC0415  it needs what is below

    if can_fork(variables):
        plain = [str(word) for word in words]
        server = fork_server(variables)
        return agreeing(words, Done(*server.run(plain, cwd, environment(variables))))
    with running(*words, cwd=cwd, **variables) as process:
        return agreeing(words, ended(process))


@contextmanager
def running(
    *words: str | Path, cwd: Path, program: Sequence[str] = ARENA, **variables: str
) -> Iterator[subprocess.Popen[str]]:
    """Start a command; at the end of the block it is killed, with all that it started."""
    process = subprocess.Popen(  # noqa: S603  our own command
        [*program, *map(str, words)],
        cwd=cwd,
        env=environment(variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        if process.returncode is None:
            process.communicate()


def ended(process: subprocess.Popen[str], seconds: float = HANG) -> Done:
    """Wait until a command and all that holds its output have ended, and give what it said."""
    out, err = process.communicate(timeout=seconds)
    return Done(process.returncode, out, err)


def interrupted(process: subprocess.Popen[str]) -> Done:
    """Press Ctrl-C, and wait until the command has ended."""
    process.send_signal(signal.SIGINT)
    return ended(process)


def killed(process: subprocess.Popen[str]) -> Done:
    process.send_signal(signal.SIGKILL)
    return ended(process)


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """This process's own, without what would change how the command speaks."""
    ours = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CI", "TZ")
    plain = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("ARENA_") and name not in ours
    }
    return {**plain, **variables}


def _one_object(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    assert isinstance(found, dict)
    return found
