"""What is laid down about the grading before the first forecast, and what became of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from arena.records.estimate import Sided

# The metadata of such a field: it is written only where it differs from its default, so that
# older entries keep their text and their digest.
ADDED: Mapping[str, bool] = {"added later": True}


@dataclass(frozen=True, slots=True)
class Named:
    """A name and its value as text, so that no digit of it is in doubt."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Family:
    """Tests that share one error rate `alpha`, and how they share it."""

    name: str
    alpha: float
    correction: str


@dataclass(frozen=True, slots=True)
class Registered:
    """A test that was announced: on which metric, of which hypothesis, against what.

    `hypothesis` is the null hypothesis in words, `direction` the departures from it that
    count, `error` says how the standard error (or the bound that replaces it) is made.
    """

    name: str
    metric: str
    hypothesis: str
    direction: Sided
    error: str
    family: str


@dataclass(frozen=True, slots=True)
class Registration:
    """The constants that the grading goes by and the tests that it will make.

    Raises:
        ValueError: A name is there twice, or a test is of a family that is not.
    """

    constants: tuple[Named, ...]
    families: tuple[Family, ...]
    tests: tuple[Registered, ...]

    def __post_init__(self) -> None:
        for listed in (self.constants, self.families, self.tests):
            names = [registered.name for registered in listed]
            if len(set(names)) < len(names):
                raise ValueError(f"a name is registered twice among {', '.join(names)}")
        families = {family.name for family in self.families}
        strangers = [test.name for test in self.tests if test.family not in families]
        if strangers:
            raise ValueError(f"of no registered family: {', '.join(strangers)}")


@dataclass(frozen=True, slots=True)
class Grading:
    """Everything that a grade follows from, besides what was forecast and what happened.

    `code` is the SHA-256 of the arena's own sources, `libraries` are versions by name. `looks`
    says when the board is looked at and what alpha each look may spend by then, empty where
    that was not laid down.
    """

    registration: Registration
    code: str
    libraries: tuple[Named, ...]
    looks: tuple[Named, ...] = field(default=(), metadata=ADDED)


@dataclass(frozen=True, slots=True)
class Seal:
    """One version of what was agreed about a cohort file's grading.

    `name` is the cohort file's, `spec_digest` the SHA-256 of its agreement, `version` counts
    from 1, `before` is the digest of the version before, empty for the first.
    """

    name: str
    version: int
    spec_digest: str
    grading: Grading
    before: str = ""
    reason: str = ""


class SealState(StrEnum):
    """What became of the seal that a cohort stands under."""

    NONE = "none"
    KEPT = "kept"  # all is as it was before the first forecast
    AMENDED = "amended"  # sealed, but not in this form before the first forecast
    BROKEN = "broken"  # what would grade now is not what was sealed


@dataclass(frozen=True, slots=True)
class Sealing:
    """How a cohort's seal stands, in a word and in words; `tests` are those it registers.

    `version` and `digest` are those of the version that holds: None and empty without one.
    """

    state: SealState
    words: str
    version: int | None = None
    digest: str = ""
    tests: tuple[str, ...] = ()


UNSEALED: Final = Sealing(SealState.NONE, "no seal: everything here is exploratory")


class Weight(StrEnum):
    """What a result may be taken for."""

    CONFIRMATORY = "confirmatory"  # it was announced before it could be seen
    EXPLORATORY = "exploratory"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a report may be taken for, and why; `seal` is that of its one cohort, if it has one.

    `tests` are the registered tests whose results are confirmatory: all else is exploratory.
    """

    standing: Weight
    words: str
    tests: tuple[str, ...] = ()
    seal: Sealing | None = None

    def of(self, test: str) -> Weight:
        """What the result of one test may be taken for, by its registered name."""
        return Weight.CONFIRMATORY if test in self.tests else Weight.EXPLORATORY
