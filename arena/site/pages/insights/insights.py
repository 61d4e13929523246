"""The page of insights, made from the estimates of the overview."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from arena.metrics import figures
from arena.metrics.insights.report import ContestantInsights, Insights
from arena.metrics.registry import METRICS
from arena.records.cohort import ContestantId
from arena.scoring.table import STAGES
from arena.site import Document, Page, places
from arena.site.charts.spans import spans
from arena.site.charts.subjects import Scale, Words
from arena.site.estimates import count_cell, estimated, formula
from arena.site.pages.contestants.holdings import linked
from arena.site.pages.insights.insight_cards import (
    JOINT_CARDS,
    MOST_ROWS,
    InsightCard,
    InsightsPage,
    drift,
    span_of,
    with_table,
)
from arena.site.pages.parts import Cell, Fact, Field, Figure, Head, Link, Table
from arena.site.reading import Reading, shown_moment

_LEAD: Final = (
    "This page shows whether a forecast adds information to the price, whether contestants' "
    "errors are correlated, and whether a contestant's probabilities are consistent. All "
    "results are exploratory. Claims are on the leaderboard and on the page of comparisons."
)
_NO_PRICE: Final = "No forecast with a price has resolved yet."


@dataclass(frozen=True, slots=True)
class _Topic:
    """An insight of each contestant: the first of its metrics is drawn."""

    key: str
    title: str
    shows: str
    reading: str
    metrics: tuple[str, ...]
    missing: str
    base: float | None = None
    flags_copies: bool = False
    by_stage: bool = False


_TOPICS: Final = (
    _Topic(
        "information",
        "Does it know more than the price?",
        "The weight of a forecast where forecast and price are fitted to outcomes together.",
        "At 0 the forecast adds nothing to the price. At 1 the outcomes lie as far from the "
        "price as the forecast does.",
        ("information_weight", "information_gain", "slope"),
        _NO_PRICE,
        base=0.0,
    ),
    _Topic(
        "copying",
        "Does it repeat the price?",
        "The share of forecasts that are within two points of the price.",
        "A contestant copies where that is at least half, and its weight above is not shown to "
        "be above 0.",
        ("within_two_points", "within_one_point", "price_correlation"),
        _NO_PRICE,
        flags_copies=True,
    ),
    _Topic(
        "consistency",
        "Does it contradict itself?",
        "The share of checks by which an arbitrageur would surely earn from the contestant's "
        "own probabilities.",
        "Each check compares markets that exclude or imply each other. 0% means that the "
        "probabilities are consistent, not that they are right.",
        (
            "broken_checks",
            "arbitrage_exclusive",
            "arbitrage_thresholds",
            "arbitrage_deadlines",
        ),
        "No two forecast markets exclude each other, or differ in a threshold or a deadline "
        "alone.",
        base=0.0,
    ),
    _Topic(
        "updating",
        "Is it right to change its mind?",
        "The Brier score of its first forecasts of a market, less that of its later ones.",
        "Above 0 the changes improved the score. News arrives over time, so a copy of the "
        "price also gains.",
        ("value_of_updating",),
        "No market that has resolved was forecast in two rounds.",
        base=0.0,
        by_stage=True,
    ),
)


def pages(reading: Reading) -> Iterator[Page | Document]:
    """The page of insights."""
    yield Page(places.INSIGHTS, "insights.html", insights_page(reading))


def insights_page(reading: Reading) -> InsightsPage:
    """One card an insight, in a fixed order; a card without data says why."""
    overview, as_of = reading.overview, reading.overview.as_of
    insights = overview.insights
    cards = (
        *(_card(topic, insights, reading) for topic in _TOPICS),
        *(card(reading) for card in JOINT_CARDS),
        drift(reading),
    )
    return InsightsPage(
        head=Head(
            "Insights",
            places.root_of(places.INSIGHTS),
            "insights",
            "What forecasts know beyond the price, and whether their numbers agree.",
            shown_moment(as_of) if as_of else None,
        ),
        lead=_LEAD,
        level=figures.percent(overview.level, 0),
        facts=(
            Fact("resolved forecasts", figures.count(overview.forecasts)),
            Fact("events", figures.count(overview.events), "what intervals count"),
            Fact("contestants together", figures.count(insights.together), "without baselines"),
        ),
        contents=tuple(Link(card.title, f"#{card.key}") for card in cards),
        cards=cards,
    )


def _own(insights: Insights, reading: Reading) -> list[ContestantInsights]:
    """Everybody with insights, in the order of all lists."""
    own = {ContestantId(row.contestant): row for row in insights.contestants}
    return [own[name] for name in reading.in_order(own)]


def _card(topic: _Topic, insights: Insights, reading: Reading) -> InsightCard:
    everybody = [
        row
        for row in _own(insights, reading)
        if any(row.values[key].n for key in topic.metrics)
    ]
    metrics = [key for key in topic.metrics if any(row.values[key].n for row in everybody)]
    shown = {part.stage for row in everybody for part in row.updating}
    stages = [stage for stage in STAGES if topic.by_stage and stage in shown]
    card = InsightCard(
        topic.key, topic.title, topic.shows, topic.reading, missing=topic.missing
    )
    if not everybody:
        return card
    fields = (
        Field("Contestant", "one"),
        *(Field(METRICS[key].name, "n", formula(key, "")) for key in metrics),
        *(Field(f"In the {stage}") for stage in stages),
        *((Field("Copies the price", "one"),) if topic.flags_copies else ()),
        Field("n"),
    )
    rows = tuple(_row(topic, metrics, row, reading, stages) for row in everybody)
    figure = _spans(topic, everybody[:MOST_ROWS], reading)
    return with_table(
        replace(card, missing="", figure=figure), Table(topic.title, fields, rows)
    )


def _row(
    topic: _Topic,
    metrics: Sequence[str],
    row: ContestantInsights,
    reading: Reading,
    stages: Sequence[str],
) -> tuple[Cell, ...]:
    copies = {True: "yes", False: "no", None: "too early"}[row.copies]
    gains = {part.stage: part.gain for part in row.updating}
    return (
        linked(reading.contestant(ContestantId(row.contestant), "")),
        *(estimated(key, row.values[key]) for key in metrics),
        *(estimated("value_of_updating", gains.get(stage), counted=True) for stage in stages),
        *((Cell(copies),) if topic.flags_copies else ()),
        count_cell(row.values[topic.metrics[0]].n),
    )


def _spans(
    topic: _Topic, rows: Sequence[ContestantInsights], reading: Reading
) -> Figure | None:
    """The first metric of a topic, a row a contestant."""
    metric = METRICS[topic.metrics[0]]
    drawn = [
        span_of(ContestantId(row.contestant), row.values[metric.key], reading)
        for row in rows
        if row.values[metric.key].value is not None
    ]
    words = Words(
        f"{topic.key}-values", metric.name, f"Whiskers are intervals: {metric.interval}."
    )
    return spans(words, drawn, Scale(metric.name, metric.shown, base=topic.base))
