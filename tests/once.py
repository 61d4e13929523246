"""Folders that a session makes once, whichever of its processes needs them first."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """The folder of this name; `make` fills it where no process has. Nobody changes it."""
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # where all processes of a session have their folders
    folder, done = base / f"once-{name}", base / f"once-{name}.done"
    with (base / f"once-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)  # of a process that did not get far
            folder.mkdir()
            make(folder)
            done.touch()
    return folder


def copied(folder: Path, to: Path) -> Path:
    """Copy an arena's folder that no command changes, while other tests may read it.

    What SQLite keeps beside a database that is open comes and goes with them; it is left out.
    """
    return shutil.copytree(folder, to, ignore=shutil.ignore_patterns("*-wal", "*-shm"))
