"""What the arms of a sweep came to, and which of them differ."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from arena.metrics.claims.arm_claims import ArmClaim, arm_claims
from arena.metrics.metric_values import LEVEL, measure
from arena.records.estimate import Estimate, State
from arena.scoring.table import Factor, Forecasts
from arena.sweeps.results import PlannedJob, SweepFolder

SCORES: Final = ("brier", "alpha")
RETURN: Final = "returned"


@dataclass(frozen=True, slots=True)
class ArmLine:
    """A contestant in one arm, over its replicates.

    Scores are means over the forecasts of all replicates, with intervals by event. `returned`
    is the mean return of `replays` books, between the lowest and the highest of them; it is
    None where that of one is not known.
    """

    arm: str
    contestant: str
    replays: int
    scores: Mapping[str, Estimate]
    returned: float | None
    returned_low: float | None
    returned_high: float | None


@dataclass(frozen=True, slots=True)
class SweepReport:
    """A sweep as far as it is played: a line an arm and contestant, and all pairs of arms."""

    folder: str
    planned: int
    finished: int
    level: float
    lines: tuple[ArmLine, ...]
    claims: tuple[ArmClaim, ...]


def sweep_report(folder: SweepFolder) -> SweepReport:
    """Read the results of a sweep's plan, and compare its arms.

    Raises:
        ArenaError: No sweep was ever written there, or a file cannot be read.
    """
    planned = folder.planned()
    done = folder.done(plan.job for plan in planned)
    finished = [plan for plan in planned if plan.job in done]
    forecasts, jobs = folder.forecasts([plan.job for plan in finished])
    arms = _arms(finished, jobs)
    return SweepReport(
        str(folder.path),
        len(planned),
        len(finished),
        LEVEL,
        _lines(folder, finished, forecasts, arms),
        arm_claims(forecasts, arms),
    )


def _arms(plans: list[PlannedJob], jobs: Factor) -> Factor:
    """The arm of each forecast."""
    names = tuple(dict.fromkeys(plan.arm for plan in plans))
    code_by_job = {plan.job: names.index(plan.arm) for plan in plans}
    codes = np.array([code_by_job[job] for job in jobs.names], np.intp)
    return Factor(names, codes[jobs.codes] if len(codes) else np.zeros(0, np.intp))


def _lines(
    folder: SweepFolder, plans: list[PlannedJob], forecasts: Forecasts, arms: Factor
) -> tuple[ArmLine, ...]:
    arm_by_job = {plan.job: plan.arm for plan in plans}
    columns = folder.columns("results", arm_by_job, ("job", "contestant", "metric", "value"))
    returns: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    contestants: dict[tuple[str, str], None] = {}
    replays: defaultdict[str, int] = defaultdict(int)
    for plan in plans:
        replays[plan.arm] += 1
    for job, contestant, metric, value in zip(
        *(column.tolist() for column in columns.values()), strict=True
    ):
        contestants[arm_by_job[job], contestant] = None
        if metric == RETURN:
            returns[arm_by_job[job], contestant].append(value)
    scores = _scores(forecasts, arms)
    nothing = dict.fromkeys(SCORES, Estimate(None, 0, 0, state=State.EMPTY))
    lines = []
    for arm, contestant in contestants:
        values = returns[arm, contestant]
        whole = len(values) == replays[arm]
        lines.append(
            ArmLine(
                arm,
                contestant,
                replays[arm],
                scores.get((arm, contestant), nothing),
                sum(values) / len(values) if whole else None,
                min(values) if whole else None,
                max(values) if whole else None,
            )
        )
    order = {plan.arm: n for n, plan in reversed(list(enumerate(plans)))}
    return tuple(sorted(lines, key=lambda line: (order[line.arm], line.contestant)))


def _scores(
    forecasts: Forecasts, arms: Factor
) -> Mapping[tuple[str, str], Mapping[str, Estimate]]:
    """Scores by arm and contestant."""
    if not len(forecasts):
        return {}
    who = forecasts.contestant
    pairs = [(arm, name) for arm in arms.names for name in who.names]
    cells = Factor(tuple(map(str, range(len(pairs)))), arms.codes * len(who.names) + who.codes)
    estimates = measure(SCORES, replace(forecasts, contestant=cells), level=LEVEL)
    return {
        pair: {key: estimates[key][n] for key in SCORES}
        for n, pair in enumerate(pairs)
        if estimates[SCORES[0]][n].n
    }
