"""The report of a sweep as tables, which the command prints too, and as one page."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from arena.bundle import templates
from arena.metrics.claims.arm_claims import METRIC, ArmClaim
from arena.metrics.figures import MISSING, count, many, number
from arena.metrics.registry import METRICS
from arena.metrics.study.tables import StudyTable
from arena.records.estimate import Estimate, Interval
from arena.render import environment, render
from arena.site.charts.spans import spans
from arena.site.charts.subjects import Scale, Span, Words
from arena.site.engine.page_writer import style_sheet
from arena.site.pages.parts import Figure
from arena.site.sanitize import one_line
from arena.sweeps.report import RETURN, SCORES, SweepReport

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
