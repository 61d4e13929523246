"""How long a test waits for what may never come, and how it measures work.

Time on the wall says how busy the machine is, so no test passes or fails by it: a limit ends a
hang. Work is measured in seconds of this thread's own, and judged by how it grows.
"""

from collections.abc import Callable
from time import monotonic, sleep, thread_time

HANG = 600.0  # seconds, after which what was waited for will not come
QUICK = 3.0  # seconds of processor time


class Patience:
    """Waits for something to be seen, and fails when it was never seen."""

    def __init__(self) -> None:
        self._end = monotonic() + HANG

    def wait(self) -> None:
        assert monotonic() < self._end, f"it did not happen in {HANG:.0f} seconds"
        sleep(0.02)


def wait_until(is_so: Callable[[], object]) -> None:
    """Wait until something is so that another process or thread brings about."""
    patience = Patience()
    while not is_so():
        patience.wait()


def grows_in_proportion(work: Callable[[int], object], size: int) -> bool:
    """Whether four times as much takes less than twelve times as long, or next to nothing."""
    if _seconds(work, size) < QUICK:
        return True
    whole, quarter = (min(_seconds(work, n) for _ in range(3)) for n in (size, size // 4))
    return whole < 12 * quarter


def _seconds(work: Callable[[int], object], size: int) -> float:
    began = thread_time()
    work(size)
    return thread_time() - began
