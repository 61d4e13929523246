"""Two clocks: the system's, and one that stands where it is put."""

from dataclasses import dataclass
from datetime import UTC, datetime


class SystemClock:
    """The machine's clock: the one place that reads it."""

    def now(self) -> datetime:
        """Return the current moment, in UTC."""
        return datetime.now(UTC)  # noqa: TID251


@dataclass(slots=True)
class HandClock:
    """A clock moved by hand, for replay, demo and tests."""

    at: datetime

    def now(self) -> datetime:
        """Return the moment it was last put to."""
        return self.at
