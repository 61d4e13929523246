"""Everything that `arena score` says of forecasts: scores, claims, and parts by a label."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.metrics.claims.board_claims import BoardClaims, board_claims
from arena.metrics.comparisons.groups import GroupBoard, groups
from arena.metrics.metric_values import LEVEL, computable
from arena.metrics.scorecard import Scorecard, broken_down, scorecard
from arena.records.claim import Scope
from arena.scoring.table import Forecasts

ALL = ("all",)


@dataclass(frozen=True, slots=True)
class ScoreReport:
    """Scores with what may be claimed of them; `parts` and `board` where a label was named."""

    card: Scorecard
    claims: BoardClaims
    parts: Scorecard | None = None
    board: GroupBoard | None = None


def score_report(  # noqa: PLR0913  the options of a command
    forecasts: Forecasts,
    keys: Sequence[str] = (),
    *,
    rank_by: str | None = None,
    by: str | None = None,
    level: float = LEVEL,
    ordered: bool = False,
    draws: int = 0,
    by_moment: bool = False,
    scope: Scope | None = None,
) -> ScoreReport:
    """Score forecasts; below the minimum of evidence nobody has a rank.

    Args:
        forecasts: The rows.
        keys: Metrics; the usual ones if none is named, and every one for `all`.
        rank_by: The metric that orders the lines.
        by: A label to break scores down by.
        level: Confidence, in (0, 1).
        ordered: Whether the options of a question stand in an order.
        draws: How often events are resampled for the intervals of what is no mean.
        by_moment: Whether a market at another moment is another question.
        scope: The board; None for a file, which is looked at once.

    Raises:
        ArenaError: There is no such metric or label.
    """
    wanted = computable(forecasts, ordered=ordered) if tuple(keys) == ALL else keys
    card = scorecard(
        forecasts, wanted, rank_by=rank_by, level=level, draws=draws, ordered=ordered
    )
    claims = board_claims(
        forecasts, card.rank_by, level=level, by_moment=by_moment, scope=scope
    )
    if not claims.basis.minimum.met:
        card = card.unranked()
    if by is None:
        return ScoreReport(card, claims)
    used = tuple(card.lines[0].scores) if card.lines else ()
    parts = broken_down(forecasts, card, used, by)
    board = groups(forecasts, by, card.rank_by, level=card.level, by_moment=by_moment)
    return ScoreReport(card, claims, parts, board)
