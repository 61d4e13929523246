"""The real command in a process of its own, as a user meets it."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any

LIMIT = 60.0  # seconds; a test that needs them all has failed

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

    with running(*words, cwd=cwd, **variables) as process:
        return agreeing(words, ended(process))


@contextmanager
def running(*words: str | Path, cwd: Path, **variables: str) -> Iterator[subprocess.Popen[str]]:
    """Start a command; if it has not ended by the end of the block, it is killed."""
    process = subprocess.Popen(  # noqa: S603  our own command
        [*ARENA, *map(str, words)],
        cwd=cwd,
        env=environment(variables),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            process.communicate()


def ended(process: subprocess.Popen[str], seconds: float = LIMIT) -> Done:
    """Wait for a command's end, and give what it said."""
    out, err = process.communicate(timeout=seconds)
    return Done(process.returncode, out, err)


def interrupted(process: subprocess.Popen[str], seconds: float = LIMIT) -> Done:
    """Press Ctrl-C, and wait until the command has ended."""
    process.send_signal(signal.SIGINT)
    return ended(process, seconds)


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


class Patience:
    """Waits for something to be seen, and fails when it is not seen in time."""

    def __init__(self, seconds: float = LIMIT) -> None:
        self._end = monotonic() + seconds

    def wait(self) -> None:
        assert monotonic() < self._end, "it did not happen in time"
        sleep(0.02)


def _one_object(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    assert isinstance(found, dict)
    return found
