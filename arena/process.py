"""What processes of ours do by themselves: how often they look for garbage, when they end."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

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
