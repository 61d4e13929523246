"""What the arms of a sweep came to, and which of them differ: as tables, and as one page."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from arena.bundle import templates
from arena.metrics.claims.board_claims import METRIC, ArmClaim, arm_claims
from arena.metrics.figures import MISSING, count, many, number
from arena.metrics.metric_values import LEVEL, measure
from arena.metrics.registry import METRICS
from arena.metrics.study.tables import StudyTable
from arena.records.estimate import Estimate, Interval, State
from arena.render import environment, render
from arena.scoring.table import Factor, Forecasts
from arena.site.charts.spans import spans
from arena.site.charts.subjects import Scale, Span, Words
from arena.site.engine.renderer import style_sheet
from arena.site.pages.parts import Figure
from arena.site.sanitize import one_line
from arena.sweeps.jobs import PlannedJob, SweepFolder

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
    arms = _arm_codes(finished, jobs)
    return SweepReport(
        str(folder.path),
        len(planned),
        len(finished),
        LEVEL,
        _lines(folder, finished, forecasts, arms),
        arm_claims(forecasts, arms),
    )


def _arm_codes(plans: list[PlannedJob], jobs: Factor) -> Factor:
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


ARMS: Final = "arms"
PAIRS: Final = "pairs"
LONGEST: Final = 200
MOST_DRAWN: Final = 60
SMALLEST_P: Final = 0.0001
BOTH_ARE: Final = (
    "Brier score, first less second, on the questions that the contestant was asked in both "
    "arms; the interval is of this pair alone. p is corrected for all pairs of arms and all "
    "contestants, at one look; a name stands where it is at most 0.05. Whoever says the same "
    "in every arm is left out."
)
LINES_ARE: Final = (
    "Scores are means over the forecasts of all replicates, with 95 % intervals by event. "
    "Return is the mean of the replicates' books, between the lowest and the highest."
)


@dataclass(frozen=True, slots=True)
class SweepView:
    """What the page prints: words, figures by the table that they stand above, and tables."""

    title: str
    style: str
    lines: tuple[str, ...]
    diagrams: Mapping[str, Figure | None]
    tables: tuple[StudyTable, ...]
    kind: str = "Sweep"


def report_tables(report: SweepReport) -> tuple[StudyTable, ...]:
    """Every arm's contestants, and every pair of arms where there is one to compare."""
    scores = [METRICS[key] for key in SCORES]
    head = ["arm", "contestant", "replays"]
    for metric in scores:
        head += [metric.short, "interval"]
    head += ["forecasts", "events", METRICS[RETURN].short, "range"]
    lines = []
    for line in report.lines:
        row = [line.arm, line.contestant, count(line.replays)]
        for metric in scores:
            estimate = line.scores[metric.key]
            row += [metric.shown(estimate.value), _between(metric.key, estimate.interval)]
        brier: Estimate = line.scores[METRIC]
        ends = [METRICS[RETURN].shown(end) for end in (line.returned_low, line.returned_high)]
        row += [count(brier.n), count(brier.events), METRICS[RETURN].shown(line.returned)]
        lines.append((*row, MISSING if line.returned is None else f"{ends[0]} to {ends[1]}"))
    arms = StudyTable(ARMS, "Arms", tuple(head), tuple(lines), LINES_ARE, names=2)
    if not report.claims:
        return (arms,)
    columns = (
        "contestant",
        "first",
        "second",
        "difference",
        "interval",
        "events",
        "p",
        "better",
    )
    pairs = tuple(map(_pair, report.claims))
    return arms, StudyTable(PAIRS, "Arms compared", columns, pairs, BOTH_ARE, names=3)


def _pair(arm_claim: ArmClaim) -> tuple[str, ...]:
    claim = arm_claim.claim
    p = claim.p_anytime
    shown = f"<{SMALLEST_P}" if p is not None and p < SMALLEST_P else number(p, 4)
    return (
        arm_claim.contestant,
        claim.first,
        claim.second,
        METRICS[METRIC].shown(claim.test.estimate),
        _between(METRIC, claim.interval),
        count(claim.test.events),
        shown,
        claim.better or "not known",
    )


def _between(key: str, interval: Interval | None) -> str:
    if interval is None:
        return MISSING
    metric = METRICS[key]
    return f"{metric.shown(interval.low)} to {metric.shown(interval.high)}"


def headline(report: SweepReport) -> str:
    """How much of the plan is played, in a sentence."""
    arms = len({line.arm for line in report.lines})
    return (
        f"{report.finished:,} of {many(report.planned, 'replay')} have results, of "
        f"{many(arms, 'arm')}."
    )


def report_page(report: SweepReport) -> str:
    """One page of HTML, with its style and its charts in it.

    Raises:
        ArenaError: The template is broken.
    """
    env = environment(templates())
    tables = tuple(map(_harmless, report_tables(report)))
    scale = Scale(METRICS[METRIC].short, METRICS[METRIC].shown)
    drawn = (Words(ARMS, "Brier score of each arm", "95 % intervals by event."), _arms(report))
    compared = (
        Words(PAIRS, "Differences between arms", "First less second, each with its interval."),
        _pairs(report),
    )
    view = SweepView(
        title=one_line(report.folder, LONGEST),
        style=style_sheet(env),
        lines=(headline(report),),
        diagrams={
            words.key: spans(words, list(rows)[:MOST_DRAWN], scale)
            for words, rows in (drawn, compared)
        },
        tables=tables,
    )
    return render(env, "study/sweep.html", page=view)


def _arms(report: SweepReport) -> Iterator[Span]:
    for line in report.lines:
        yield _span(f"{line.contestant}: {line.arm}", line.scores[METRIC])


def _pairs(report: SweepReport) -> Iterator[Span]:
    for arm_claim in report.claims:
        claim = arm_claim.claim
        if claim.interval is None:
            continue
        name = f"{arm_claim.contestant}: {claim.first} less {claim.second}"
        test = claim.test
        yield _span(name, Estimate(test.estimate, test.n, test.events, interval=claim.interval))


def _span(name: str, estimate: Estimate) -> Span:
    ends = estimate.interval
    low, high = (ends.low, ends.high) if ends else (None, None)
    return Span(one_line(name, LONGEST), estimate.value, low, high, estimate.n)


def _harmless(table: StudyTable) -> StudyTable:
    rows = tuple(tuple(one_line(cell, LONGEST) for cell in row) for row in table.rows)
    return StudyTable(table.key, table.title, table.head, rows, table.note, table.names)
