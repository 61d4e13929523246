"""An event loop whose waits take no time: its clock jumps to whatever is due next."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Jumping(selectors.SelectSelector):
    """Instead of waiting for a time, lets that time have passed."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise AssertionError("everybody waits for something that never comes")
        self.now += timeout
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self, start: float = 0.0) -> None:
        self._jumping = _Jumping()
        self._jumping.now = start
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def in_no_time(play: Coroutine[Any, Any, T], *, start: float = 0.0) -> T:
    """Run to the end on a clock of its own, which begins at `start`."""
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(start)) as runner:
        return runner.run(play)
