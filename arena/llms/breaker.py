"""Whether a model that kept failing may be asked again."""

import math
from dataclasses import dataclass

from arena.records.answer import Trouble

FAILURES = 20
PAUSES = (2.0, 4.0, 8.0, 16.0)
GIVEN_UP_FOR = 60.0
PROBE_SECONDS = 30.0


@dataclass(slots=True)
class Breaker:
    """Opens when a model failed 20 times in a row, to let one request through at a time.

    That one tries whether the model is well again. It goes after 2, 4, 8 and 16 seconds, half
    a minute in all: whoever has the time may wait with it. After that the model is given up,
    for a minute at a time.
    """

    failures: int = 0
    trouble: Trouble = Trouble.UNREACHABLE
    _opened: int = 0  # how often since it last was closed
    _until: float = -math.inf
    _probe: float | None = None  # when the request went out that is to try the model

    def ready_at(self, now: float) -> float:
        """Say from when on the next request may go: one that is past is now."""
        if not self._opened or now < self._until:
            return self._until if self._opened else -math.inf
        return -math.inf if self._probe is None else self._probe + PROBE_SECONDS

    def is_open(self) -> bool:
        """Say whether the last that was heard is that the model is down."""
        return self._opened > 0

    def is_given_up(self, now: float) -> bool:
        """Say whether waiting is of no use."""
        return self._opened > len(PAUSES) and now < self._until

    def seconds_left(self, now: float) -> float:
        """Say how long nobody is let through."""
        return max(0.0, self._until - now) if self._opened else 0.0

    def went(self, now: float) -> bool:
        """Note that a request goes out, and say whether it is the one that tries the model."""
        if self._opened:
            self._probe = now
        return self._opened > 0

    def came_back(self) -> None:
        """Note that the request which tried the model is over, whatever was heard."""
        self._probe = None

    def failed(self, now: float, trouble: Trouble) -> None:
        """Note a failure; one that comes late, in a pause, makes it no longer."""
        self.failures += 1
        self.trouble = trouble
        tried = self._opened > 0 and now >= self._until
        if tried or (not self._opened and self.failures >= FAILURES):
            pause = PAUSES[self._opened] if self._opened < len(PAUSES) else GIVEN_UP_FOR
            self._until = now + pause
            self._opened += 1

    def answered(self) -> None:
        """Note any other answer: the model is there."""
        self.failures = self._opened = 0
        self._probe = None
