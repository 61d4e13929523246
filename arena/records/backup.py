"""Copies of an arena's file: what one holds, and whether it restores."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup as it is described beside its file.

    `at` is when it was made, `moment` that of its newest entry, `head` that entry's digest.
    `size` is that of the database, `packed` that of the file, and `digest` the file's SHA-256.
    `volumes` are the files of moved texts that go with it, which other backups may share.
    """

    name: str
    at: datetime
    moment: datetime | None
    entries: int
    head: str
    schema: int
    size: int
    packed: int
    digest: str
    version: str
    volumes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rotation:
    """A backup that was made, and the names of those that were deleted after it."""

    backup: Backup
    deleted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rewound:
    """What was taken out of books that were put back to an entry: entries, and answers."""

    entries: int
    answers: int


@dataclass(frozen=True, slots=True)
class Drill:
    """A backup that was restored in a folder of its own: what was checked, and what is wrong.

    `lost_entries` and `lost_moments` are what the arena's own file has beyond the backup:
    how many entries, and the moments of their ticks.
    """

    backup: Backup
    laws: int
    turns: int
    findings: tuple[str, ...]
    lost_entries: int
    lost_moments: tuple[datetime, ...]

    @property
    def ok(self) -> bool:
        """Whether the books of the backup are sound."""
        return not self.findings
