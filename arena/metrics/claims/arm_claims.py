"""Arms of an experiment: a contestant compared with itself under other settings."""

from dataclasses import dataclass, replace

from arena.metrics.claims.board_claims import board_claims
from arena.metrics.comparisons.all_pairs import Claim
from arena.metrics.metric_values import LEVEL
from arena.scoring.table import Factor, Forecasts

METRIC = "brier"


@dataclass(frozen=True, slots=True)
class ArmClaim:
    """A pair of arms by one contestant's forecasts of the questions that it has in both.

    `claim` names the arms: its `better` and `p_anytime` hold over all pairs of all
    contestants, its `test` and `interval` are of this pair alone.
    """

    contestant: str
    claim: Claim


def arm_claims(
    forecasts: Forecasts, arms: Factor, *, level: float = LEVEL
) -> tuple[ArmClaim, ...]:
    """Compare every pair of arms by each contestant, at one look.

    Forecasts of one question in one arm are replicates: they are averaged. Pairs of a
    contestant are corrected by Shaffer's steps, contestants by Bonferroni's. A contestant that
    says the same in all arms is no part of the family.

    Args:
        forecasts: The rows of all arms; a market at another moment is another question.
        arms: (n,) the arm of each row; more than 100 are not compared.
        level: Confidence, in (0, 1).

    Returns:
        Nothing where no contestant has two arms that differ.

    Source:
        Holm (1979), Scandinavian Journal of Statistics 6; Shaffer (1986), JASA 81.
    """
    claims_by_contestant: dict[str, tuple[Claim, ...]] = {}
    for code, name in enumerate(forecasts.contestant.names):
        rows = forecasts.contestant.codes == code
        own = replace(forecasts.take(rows), contestant=arms.take(rows))
        contest = board_claims(own, METRIC, level=level, by_moment=True).contest
        if contest and any(claim.test.se is not None for claim in contest.claims):
            claims_by_contestant[name] = contest.claims
    many = len(claims_by_contestant)
    return tuple(
        ArmClaim(name, _corrected(claim, many, 1 - level))
        for name, claims in sorted(claims_by_contestant.items())
        for claim in claims
    )


def _corrected(claim: Claim, contestants: int, alpha: float) -> Claim:
    """The claim of one of so many contestants, each with pairs of its own."""
    if claim.p_anytime is None:
        return claim
    p = min(1.0, contestants * claim.p_anytime)
    adjusted = claim.p_adjusted
    return replace(
        claim,
        p_anytime=p,
        p_adjusted=None if adjusted is None else min(1.0, contestants * adjusted),
        better=claim.better if p <= alpha else None,
    )
