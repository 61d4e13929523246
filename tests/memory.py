"""Files of tests in memory: they are very many and small, and a disk takes longer for each."""

import os
import shutil
import tempfile
from pathlib import Path

IN_MEMORY = Path("/dev/shm")  # noqa: S108  where Linux keeps files in memory
ENOUGH = 6 << 30  # bytes; a whole run takes a third
PREFIX = "arena-tests-"  # and the number of the process, a dash, and what makes it new


def folder_in_memory(parent: Path = IN_MEMORY, enough: int = ENOUGH) -> Path | None:
    """A new folder in memory; None where there is little of it, or no program may run there."""
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        return None
    for left in parent.glob(f"{PREFIX}*-*"):  # by a run that was killed
        if not Path("/proc", left.name.removeprefix(PREFIX).split("-")[0]).exists():
            shutil.rmtree(left, ignore_errors=True)
    if shutil.disk_usage(parent).free < enough or os.statvfs(parent).f_flag & os.ST_NOEXEC:
        return None
    return Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=parent))


def use_folder(folder: Path) -> None:
    """Let this process and those it starts have their temporary files there."""
    os.environ["TMPDIR"] = str(folder)
    tempfile.tempdir = None
