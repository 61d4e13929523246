"""How much a long test does in the gate, and how much in `make soak`."""

import os
from typing import TypeVar

T = TypeVar("T")

SOAK = "ARENA_SOAK"


def is_whole() -> bool:
    """Whether this run is `make soak`."""
    return SOAK in os.environ


def size(gate: T, whole: T) -> T:
    """The size of a long test: a small one in the gate, else the whole one."""
    return whole if is_whole() else gate
