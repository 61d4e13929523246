"""The page of methods, made from the list of metrics and from what is in force."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from shlex import quote
from typing import Final

from arena.metrics import figures
from arena.metrics.comparisons.all_pairs import MOST
from arena.metrics.definitions.scores import CALIBRATION, PROPER, SKILL
from arena.metrics.metric import BetterDirection, Metric, MetricUnit
from arena.metrics.metric_values import ADJUSTED
from arena.metrics.registry import CHAPTERS, METRICS, SYMBOLS
from arena.records.cohort import CohortId, ContestantId
from arena.records.estimate import Estimate
from arena.records.grade import Standing
from arena.site import places
from arena.site.estimates import counted_n, estimated
from arena.site.mathml import mathml
from arena.site.page import Document, Page
from arena.site.pages.cohorts.agreements import agreement
from arena.site.pages.leaderboard.leaderboard import KEYS
from arena.site.pages.parts.parts import Cell, Fact, Head, Link
from arena.site.pages.project.bands import bands, limit_of
from arena.site.pages.project.methodology_view import (
    Example,
    Method,
    MethodChapter,
    MethodologyPage,
)
from arena.site.reading import LABEL, Reading, cohort_link, shown_moment
from arena.site.sanitize import one_line

# What `arena explain` takes apart: sums of the books, and scores of yes/no forecasts.
BOOKED: Final = (
    "total", "returned", "returned_last", "pnl", "realised", "unrealised", "fees", "win_rate",
    "break_even", "cost", "tokens",
)  # fmt: skip
BETS: Final = ("ev_clv", "clv", "realised_return")
DAYS: Final = ("max_drawdown", "volatility", "worst_day")
SAID: Final = ("forecast", "stated", "kelly", "linear")
OPTIONS: Final = {"brier_sum", "rps"}  # of questions with several options
SCORED: Final = (
    "brier",
    *(one.key for one in PROPER + SKILL + CALIBRATION if one.key not in OPTIONS),
    ADJUSTED,
)
EXPLAINED: Final = frozenset((*BOOKED, *SAID, *SCORED, *BETS, *DAYS))


@dataclass(frozen=True, slots=True)
class _ShownMetric:
    """The contestant whose numbers stand as examples: the first by order that has any."""

    name: ContestantId
    about: Link
    scores: Mapping[str, Estimate]
    line: Standing | None


def pages(reading: Reading) -> Iterator[Page | Document]:
    """The page of methods."""
    yield Page(places.METHODOLOGY, "methodology.html", methodology_page(reading))


def methodology_page(reading: Reading) -> MethodologyPage:
    """Every number of the site with its formula, its meaning and where it comes from."""
    shown, newest, overview = _shown_metric(reading), _newest(reading), reading.overview
    as_of = reading.store.boards.as_of()
    return MethodologyPage(
        head=Head(
            "Methods",
            places.root_of(places.METHODOLOGY),
            "methodology",
            "Formulas, rules, limits and sources of every number of this site.",
            shown_moment(as_of) if as_of else None,
            places.twin(places.METHODOLOGY),
        ),
        example=shown.about.text if shown else "",
        level=figures.percent(overview.level, 0),
        headline=Link(METRICS[overview.headline].name, f"#{overview.headline}")
        if overview.headline
        else None,
        most=figures.count(MOST),
        newest=cohort_link(newest, "") if newest else None,
        rules=agreement(reading.spec(newest)) if newest else (),
        chapters=tuple(
            MethodChapter(
                chapter.key, chapter.title, tuple(_method(m, shown) for m in chapter.metrics)
            )
            for chapter in CHAPTERS
        ),
        bands=bands(overview.market),
        limit=limit_of(reading.spec(newest).rules) if newest else "",
        symbols=tuple(Fact(symbol, words) for symbol, words in SYMBOLS),
    )


def _newest(reading: Reading) -> CohortId | None:
    count = reading.show.cohort_count()
    cards = reading.show.cohorts(count, count)
    return cards[0].id if cards else None


def _shown_metric(reading: Reading) -> _ShownMetric | None:
    lines = {line.contestant: line for line in reading.store.boards.overall().standings}
    for name in reading.overview.order:
        profile = reading.profile(name)
        calibration = profile.reliability
        scores = {**(calibration.scores if calibration else {}), **profile.scores}
        if scores and not reading.entrant(name).reference:
            return _ShownMetric(name, reading.contestant(name, ""), scores, lines.get(name))
    return None


def _method(metric: Metric, shown: _ShownMetric | None) -> Method:
    return Method(
        key=metric.key,
        name=metric.name,
        symbol=mathml(metric.symbol) if metric.symbol else "",
        formulas=tuple(mathml(formula) for formula in metric.formulas),
        words=metric.words,
        facts=_facts(metric),
        source=metric.source,
        caveat=metric.caveat,
        example=_example(metric, shown) if shown else None,
    )


def _facts(metric: Metric) -> str:
    """What a table cannot say in its head, in short sentences."""
    sentences = []
    if metric.unit is not MetricUnit.NONE:
        places_of = figures.many(metric.decimals, "decimal") if metric.decimals else "whole"
        sentences.append(f"Unit: {metric.unit.value}, {places_of}.")
    if metric.better is not BetterDirection.NEITHER:
        sentences.append(f"{metric.better.value.capitalize()}.")
    if metric.reference:
        sentences.append(f"Measured against {metric.reference}.")
    if metric.interval:
        sentences.append(f"Interval: {metric.interval}.")
    if metric.key in KEYS:
        sentences.append("On the leaderboard.")
    return " ".join(sentences)


def _example(metric: Metric, shown: _ShownMetric) -> Example | None:
    """A metric's value of the contestant shown; None where it has none."""
    cell, over = _value(metric.key, shown)
    if cell is None or cell.value is None:
        return None
    command = ""
    if metric.key in EXPLAINED:
        command = f"arena explain {one_line(quote(shown.name), 2 * LABEL)} {metric.key}"
    return Example(shown.about, cell, over, command)


def _value(key: str, shown: _ShownMetric) -> tuple[Cell | None, str]:
    score = shown.scores.get(key)
    if score is not None:
        events = f", {figures.many(score.events, 'event')}" if score.events else ""
        return estimated(key, score), counted_n(score.n) + events
    line = shown.line
    if line is None:
        return None, ""
    if key in {*SAID, "win_rate"}:
        mean = getattr(line, key)
        return Cell(METRICS[key].shown(mean.value), value=mean.value), counted_n(mean.n)
    if key in BOOKED:
        value = getattr(line, key)
        return Cell(METRICS[key].shown(value), value=value), ""
    return None, ""
