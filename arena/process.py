"""What processes of ours do by themselves: look for garbage, print, and end."""

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from signal import SIGTERM, default_int_handler, signal
from typing import Any, Final

BETWEEN: Final = 20_000  # new objects; Python's own 700 take a tenth of the time and more


@contextmanager
def rare_collection() -> Iterator[None]:
    """Look for garbage less often while thousands of objects are made that nearly all stay.

    What it was before holds again afterwards, also after an error.
    """
    usual = gc.get_threshold()
    gc.set_threshold(max(usual[0], BETWEEN), *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def end_with_parent() -> None:
    """Wait for the process that started this one, and end with it."""
    from multiprocessing import parent_process  # noqa: PLC0415  every command imports us

    parent = parent_process()
    if parent is None:
        raise AssertionError("only a process that another one started ends with it")
    parent.join()
    os._exit(1)  # what is under way is for nobody


def aside(*values: object, **how: Any) -> None:  # noqa: ANN401  # as `print` has them
    """Print to standard error: what a command prints on standard output is its own."""
    print(*values, **{"file": sys.stderr, **how})  # noqa: T201  # for somebody else's code


@contextmanager
def interrupted_by_sigterm() -> Iterator[None]:
    """Take SIGTERM for an interrupt: what is cleared away after one then is after the other.

    In a thread that is not the first, where no signal arrives, nothing changes.
    """
    from threading import current_thread, main_thread  # noqa: PLC0415  for long commands

    if current_thread() is not main_thread():
        yield
        return
    before = signal(SIGTERM, default_int_handler)
    try:
        yield
    finally:
        signal(SIGTERM, before)
