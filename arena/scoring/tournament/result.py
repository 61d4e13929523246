"""What a tournament came to: its leaderboard, and every score that it is made of."""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.scoring.tournament.prizes import Medal
from arena.scoring.tournament.records import QuestionKind, Tournament, Void


@dataclass(frozen=True, slots=True)
class Stretch:
    """A time in which nothing changed, or a day.

    `community` is what the community said of the outcome, None where nobody did; `said` and
    `scores` have a number for each row of the question, `said` None where none stood.
    """

    start: float
    end: float
    community: float | None
    said: tuple[float | None, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class QuestionResult:
    """One question, scored; the tuples have a number for each of `names`.

    `stood` says who had a standing forecast at any time. The community is told where scores
    are relative to it. `days` are empty for a spot score,
    and have no community and nothing said: those may change within a day.
    """

    id: str
    kind: QuestionKind
    weight: float
    names: tuple[str, ...]
    stood: tuple[bool, ...]
    scores: tuple[float, ...]
    coverage: tuple[float, ...]
    intervals: tuple[Stretch, ...]
    days: tuple[Stretch, ...]


@dataclass(frozen=True, slots=True)
class TournamentEntry:
    """One line of a leaderboard.

    `score` is what is ranked by, and `total` the weighted sum of scores that it is made of;
    they differ in a global ranking by peer scores. By relative scores the take is ranked by.
    `completion` is the share of questions with a standing forecast. `take`, `share` and
    `prize` are None where the rules pay nobody or the entry is excluded; `share` also where
    nobody has taken anything.
    """

    rank: int
    name: str
    included: bool
    score: float
    total: float
    coverage: float
    questions: int
    completion: float
    take: float | None = None
    share: float | None = None
    prize: float | None = None
    medal: Medal | None = None


@dataclass(frozen=True, slots=True)
class TournamentResult:
    """A scored tournament.

    `left_out` has the questions without scores, and why; `absent` who has forecasts of which
    none ever counted.
    """

    tournament: Tournament
    entries: tuple[TournamentEntry, ...]
    questions: tuple[QuestionResult, ...]
    left_out: Mapping[str, Void]
    absent: tuple[str, ...]
