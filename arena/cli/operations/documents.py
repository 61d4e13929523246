"""What the commands that keep an arena running print with --json."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from arena.records.operations import Backup, Drill, Health, Rewound
from arena.records.report import Failure


class HealthSaid(TypedDict):
    """How the arena is, and which channels could not be told of it."""

    health: Health
    not_told: Sequence[Failure]


class BackupSaid(TypedDict):
    """A backup that was made and those that were deleted after it, or all that are there."""

    folder: str
    backup: NotRequired[Backup]
    deleted: NotRequired[Sequence[str]]
    backups: NotRequired[Sequence[Backup]]


class RestoreSaid(TypedDict):
    """What was restored, and where the file is that was there; or how a drill went."""

    backup: NotRequired[Backup]
    database: NotRequired[str]
    aside: NotRequired[str | None]
    rewound: NotRequired[Rewound | None]
    ok: NotRequired[bool]
    drill: NotRequired[Drill]
