"""What `import arena` gives a program: scores of any forecasts, and an arena's own tables.

Scores, comparisons and calibration are those that the commands compute. Tables are data frames
of pandas, which Polars and PyArrow take as they are.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, overload

from arena.cli.options import existing
from arena.cli.say import as_plain
from arena.cli.scores.evidence import (
    ForecastEvidence,
    ForecastSelection,
    evidence_of_selection,
)
from arena.cli.scores.score import open_ranks, score_document
from arena.metrics.calibration import DRAWS, Reliability, reliabilities
from arena.metrics.claims.board_claims import BoardClaims, board_claims
from arena.metrics.metric_values import LEVEL, is_mean
from arena.metrics.pair_test import Duel, duel, no_mean
from arena.metrics.scorecard import ScoreReport, score_report
from arena.ports import Agent, Venue
from arena.sheets.frames import DataFrame, frame_of, no_forecasts
from arena.sheets.reading import ArrowTable
from arena.stats.comparisons.power import events_for as power
from arena.store.exports.datasets import DATASETS, ColumnKind

__all__ = ["Agent", "Arena", "Scores", "Venue", "calibration", "compare", "power", "score"]

_TYPES: Final = {
    ColumnKind.MOMENT: "datetime64[us, UTC]",
    ColumnKind.FLAG: "boolean",
    ColumnKind.COUNT: "Int64",
    ColumnKind.NUMBER: "float64",
    ColumnKind.PROBABILITY: "float64",
    ColumnKind.DOLLARS: "float64",
    ColumnKind.SHARES: "float64",
    ColumnKind.PRICE: "float64",
}


@dataclass(frozen=True, slots=True)
class Arena:
    """An arena on this machine; it is only read."""

    config: Path
    database: Path | None = None

    @classmethod
    def open(cls, path: str | Path = ".") -> "Arena":
        """Take an arena by its folder, its configuration (.yaml) or its database.

        Raises:
            ArenaError: There is no database yet.
        """
        place = Path(path)
        if place.is_dir():
            there = place / "config.yaml"
            place = there if there.is_file() else place / "arena.db"
        own = cls(place) if place.suffix in {".yaml", ".yml"} else cls(Path(), place)
        with existing(own.config, own.database):
            return own

    def standings(self) -> DataFrame:
        """A row a contestant, over all its cohorts, in dollars and scores."""
        return self.table("leaderboard")

    def forecasts(self) -> DataFrame:
        """A row a probability, in the columns that `arena.score` takes; open ones too."""
        return self.table("forecasts")

    def fills(self) -> DataFrame:
        """A row a bet that traded, in dollars and shares."""
        return self.table("fills")

    def marks(self) -> DataFrame:
        """A row a valuation of a contestant's books, in dollars."""
        return self.table("marks")

    def table(self, name: str, cohort: str | None = None) -> DataFrame:
        """A table of `arena export`, of one cohort where it is about cohorts.

        Amounts are floats here and exact in the files; moments are in UTC.

        Raises:
            KeyError: There is no such table.
        """
        dataset = {dataset.name: dataset for dataset in DATASETS}[name]
        kinds = {column.name: _TYPES.get(column.kind) for column in dataset.columns}
        with existing(self.config, self.database) as store:
            return frame_of(kinds, dataset.rows(store.db, cohort))


Source = ArrowTable | str | Path | Arena | Sequence[str | Path]


@dataclass(frozen=True, slots=True)
class Scores:
    """What `arena score` says of forecasts: `report` has its records."""

    evidence: ForecastEvidence
    report: ScoreReport

    def document(self) -> object:
        """What `arena score --json` prints, without its version."""
        return as_plain(score_document(self.evidence, self.report))

    def frame(self) -> DataFrame:
        """A row a contestant, and a part of a label, with each score and its interval's ends.

        `rank_low` and `rank_high` are the ranks that the tests leave open; missing where
        there is too little to rank anybody.
        """
        ranks_by_name = open_ranks(self.report.card, self.report.claims)
        card = self.report.parts or self.report.card
        keys = [*card.lines[0].scores] if card.lines else []
        columns: dict[str, str | None] = {"contestant": None, "part": None}
        columns |= dict.fromkeys(("rank_low", "rank_high", "n", "events"), "Int64")
        columns |= {f"{key}{end}": "float64" for key in keys for end in ("", "_low", "_high")}
        rows = []
        for line in card.lines:
            ranks = (None, None) if line.part else ranks_by_name.get(line.name, (None, None))
            row: list[object] = [line.name, line.part or None, *ranks, line.n, line.events]
            for key in keys:
                estimate = line.scores[key]
                between = estimate.interval
                ends = (None, None) if between is None else (between.low, between.high)
                row += [estimate.value, *ends]
            rows.append(row)
        return frame_of(columns, rows)


def score(  # noqa: PLR0913  the options of a command
    forecasts: Source,
    *,
    metrics: Sequence[str] = (),
    rank_by: str | None = None,
    by: str | None = None,
    level: float = LEVEL,
    ordered: bool = False,
    draws: int = 0,
) -> Scores:
    """Score forecasts, with intervals and who is shown to be better than whom.

    Args:
        forecasts: A table of pandas, Polars or PyArrow in the columns of `arena score`, a
            path or several, or an `Arena`.
        metrics: Keys of metrics; the usual ones if none is named, `["all"]` for every one.
        rank_by: The metric that orders the lines.
        by: A column or label to break scores down by.
        level: Confidence of the intervals, in (0, 1).
        ordered: Whether the options of a question stand in an order.
        draws: How often events are resampled for the intervals of what is no mean.

    Raises:
        ArenaError: It cannot be read, or there is no such metric or label.
    """
    evidence = _evidence(forecasts, [by] if by else [])
    report = score_report(
        evidence.forecasts,
        metrics,
        rank_by=rank_by,
        by=by,
        level=level,
        ordered=ordered,
        draws=draws,
        by_moment=evidence.by_moment,
        scope=evidence.scope,
    )
    return Scores(evidence, report)


@overload
def compare(
    forecasts: Source, *, metric: str | None = ..., level: float = ...
) -> BoardClaims: ...
@overload
def compare(
    forecasts: Source, first: str, second: str, *, metric: str | None = ..., level: float = ...
) -> Duel: ...
def compare(
    forecasts: Source,
    first: str | None = None,
    second: str | None = None,
    *,
    metric: str | None = None,
    level: float = LEVEL,
) -> BoardClaims | Duel:
    """Compare two contestants on the questions that both answered, or every pair.

    Args:
        forecasts: As in `score`.
        first: A contestant.
        second: Another one.
        metric: A mean over forecasts; the Brier score if not said.
        level: Confidence, in (0, 1).

    Raises:
        ArenaError: It cannot be read, the metric is no mean, or they share no question.
        ValueError: One contestant alone is named.
    """
    if (first is None) != (second is None):
        raise ValueError("a comparison needs two contestants, or none for every pair")
    evidence = _evidence(forecasts)
    rows, by_moment, scope = evidence.forecasts, evidence.by_moment, evidence.scope
    key = metric or ("brier" if rows.options is None else "brier_sum")
    if first is not None and second is not None:
        return duel(rows, (first, second), key, level=level, by_moment=by_moment, scope=scope)
    if not is_mean(key, rows):
        raise no_mean(key)
    return board_claims(rows, key, level=level, by_moment=by_moment, scope=scope)


def calibration(
    forecasts: Source,
    contestant: str | None = None,
    *,
    level: float = LEVEL,
    draws: int = DRAWS,
) -> tuple[Reliability, ...]:
    """Compare probabilities with frequencies: of one contestant, or of everybody by name.

    Args:
        forecasts: As in `score`; questions of yes or no.
        contestant: Whose; everybody's if None.
        level: Of intervals and bands, in (0, 1).
        draws: How often events are resampled.

    Raises:
        ArenaError: It cannot be read, or nobody of that name has a resolved forecast.
    """
    evidence = _evidence(forecasts)
    return reliabilities(evidence.forecasts, contestant, level=level, draws=draws)


def _evidence(forecasts: Source, labels: Sequence[str] = ()) -> ForecastEvidence:
    if isinstance(forecasts, Arena):
        selection = ForecastSelection((), database=forecasts.database)
        return evidence_of_selection(forecasts.config, selection, labels)
    files: tuple[ArrowTable | Path, ...]
    if isinstance(forecasts, str | Path):
        files = (Path(forecasts),)
    elif isinstance(forecasts, Sequence):
        kind = type(forecasts).__name__
        if not forecasts:
            raise no_forecasts(f"empty {kind}")
        for part in forecasts:
            if not isinstance(part, str | Path):
                raise no_forecasts(f"{kind} of {type(part).__name__}")
        files = tuple(map(Path, forecasts))
    else:
        files = (forecasts,)
    return evidence_of_selection(Path(), ForecastSelection(files), labels)
