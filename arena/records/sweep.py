"""Many replays of one recording: what is varied, what a job is, and what came of it."""

from dataclasses import dataclass
from pathlib import PurePath

from arena.records.cohort import CohortSpec
from arena.records.estimate import Estimate
from arena.records.settings import Settings


@dataclass(frozen=True, slots=True)
class SweepArm:
    """One set of overrides. `changes` are (key, value) as the plan has them, also constants."""

    name: str
    changes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RecordingIdentity:
    """Where recorded markets are, and the SHA-256 of what is in there."""

    path: PurePath
    digest: str


@dataclass(frozen=True, slots=True)
class SweepJob:
    """One replay of a sweep: a cohort, who plays it, and over what.

    `seed` is None where the plan has none: it tells replicates of an arm apart. `digest` is a
    SHA-256 over all that determines the result; the arm's name and folders are not in it.
    """

    digest: str
    arm: SweepArm
    seed: int | None
    spec: CohortSpec
    settings: Settings
    recording: RecordingIdentity

    def __str__(self) -> str:
        """The arm, with the seed where there is one."""
        return self.arm.name if self.seed is None else f"{self.arm.name}, seed {self.seed}"


@dataclass(frozen=True, slots=True)
class MetricValue:
    """A metric of the registry for one contestant; `n` is None of sums of the books."""

    contestant: str
    metric: str
    estimate: Estimate
    n: int | None


@dataclass(frozen=True, slots=True)
class JobFailure:
    """Why a job has no result: an error's code and its line."""

    digest: str
    job: str
    code: str
    message: str
