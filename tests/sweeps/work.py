"""Jobs that engines are given in tests: each leaves a line in its own file when it begins."""

import os
import signal
import time
from pathlib import Path


def begun(file: Path) -> int:
    """Leave a line; how many there are now."""
    with file.open("a", encoding="utf-8") as lines:
        lines.write("begun\n")
    return len(file.read_text(encoding="utf-8").splitlines())


def doubled(number: int) -> int:
    return 2 * number


def killed_once(file: Path) -> str:
    """The name of the file; a file called `fatal` kills its process when it is first read."""
    if begun(file) == 1 and file.name == "fatal":
        os.kill(os.getpid(), signal.SIGKILL)
    return file.name


def always_fatal(file: Path) -> str:
    begun(file)
    if file.name == "fatal":
        os.kill(os.getpid(), signal.SIGKILL)
    return file.name


def endless(file: Path) -> None:
    begun(file)
    while True:
        time.sleep(1)
