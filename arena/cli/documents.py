"""What commands of scores, and those that keep an arena running, print with --json."""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from arena.metrics.sources.examples import SourceExample
from arena.metrics.study.report import StudyReport
from arena.records.operations import Backup, Drill, Health, Rewound
from arena.records.report import Failure
from arena.stats.comparisons.power import Study
from arena.steps.study_seal import StudySealing
from arena.store.scores.reviewed import Review


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


class Weighed(TypedDict):
    """Numbers of forecasts: where they are from, and what they may be taken for."""

    where: str
    standing: str
    words: str


class ReviewSaid(TypedDict):
    """A contestant's worst and best forecasts, and the file that they are from."""

    where: str
    review: Review


class PowerSaid(TypedDict):
    """How many events it takes; `chance` is the probability that the variance is of."""

    power: Study
    chance: float | None


class TournamentHead(TypedDict):
    """A tournament's own terms."""

    title: str
    rules: str
    coverage: str | None
    pool: float | None
    minimum_prize: float
    community: str | None


class TournamentSaid(TypedDict):
    """A tournament scored; what lines and questions hold follows its rules."""

    tournament: TournamentHead
    leaderboard: Sequence[Mapping[str, Any]]
    questions: Sequence[Mapping[str, Any]]
    left_out: Mapping[str, Any]
    absent: Sequence[str]


class SourcesSaid(TypedDict):
    """Worked examples of published sources, and what each source is called."""

    sources: Mapping[str, str]
    examples: Sequence[SourceExample]


class StudySaid(Weighed):
    """A protocol run over forecasts; keys are sorted. What is missing is null.

    `files` has the SHA-256 of each file by its path, `libraries` the versions that computed.
    """

    read_as: Sequence[str]
    left_out: Mapping[str, int]
    faults: Mapping[str, int]
    replaced: int
    files: Mapping[str, str]
    libraries: Mapping[str, str]
    seal: StudySealing
    report: StudyReport
