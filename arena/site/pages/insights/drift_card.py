"""The card of drift: whether models still answer the same questions as they did at first."""

from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Final

from arena.errors import ArenaError
from arena.metrics import figures
from arena.metrics.insights.drift import ProbeDrift, drifts, wealth_words
from arena.metrics.registry import METRICS
from arena.site.charts.subjects import Curve, Flag, LineWeight, Point, Scale, Words
from arena.site.charts.timed import curves
from arena.site.estimates import formula
from arena.site.pages.insights.joint_cards import with_table
from arena.site.pages.insights.view import InsightCard
from arena.site.pages.parts import Cell, Field, Figure, Table
from arena.site.reading import LABEL, Reading
from arena.site.sanitize import one_line

MOST_DRAWN: Final = 6
_NONE: Final = "No file of answers to the same questions is configured (`site.probes`)."


def drift(reading: Reading) -> InsightCard:
    """How far each model's answers are from its first ones, and when that is no chance."""
    card = InsightCard(
        "drift",
        "Does a model still answer as it did?",
        "How far the answers to a fixed set of questions are from those of the first day, in "
        "log odds.",
        "An alarm says that this is more than the chance of samples; without a change there is "
        "one in a year of weeks at most once in 20 models.",
        missing=_NONE,
    )
    file = reading.edition.site.probes
    if not file:
        return card
    try:
        drifted = _drifts(Path(file))
    except ArenaError as error:
        return _lacking(card, f"The file of answers cannot be used: {error.message}.")
    if not drifted:
        return _lacking(card, "The file of answers has none yet.")
    return with_table(
        InsightCard(card.key, card.title, card.shows, card.reading, _drawn(drifted)),
        _table(card.title, drifted),
    )


def _lacking(card: InsightCard, why: str) -> InsightCard:
    words = one_line(why, 3 * LABEL)
    return InsightCard(card.key, card.title, card.shows, card.reading, missing=words)


def _drifts(file: Path) -> tuple[ProbeDrift, ...]:
    """Those with an alarm first; nobody's where there is no file yet."""
    from arena.sheets.reading import read_probes  # noqa: PLC0415  pandas, only where it is needed

    if not file.exists():
        return ()
    drifted = drifts(read_probes(file)[0])
    return tuple(sorted(drifted, key=lambda own: (own.alarm is None, own.contestant)))


def _table(title: str, drifted: tuple[ProbeDrift, ...]) -> Table:
    distance, wealth = METRICS["drift"], METRICS["drift_e"]
    rows = []
    for own in drifted:
        last = own.looks[-1] if own.looks else None
        off, e = (last.distance, last.e) if last else (None, None)
        silent = "none" if last else "too early"
        rows.append(
            (
                Cell(one_line(own.contestant, LABEL)),
                Cell(figures.count(own.questions), value=own.questions),
                Cell(distance.shown(off), value=off),
                Cell(distance.shown(own.replicates), value=own.replicates),
                Cell(wealth_words(e), value=e),
                Cell(str(own.alarm) if own.alarm else silent),
            )
        )
    fields = (
        Field("Model", "one"),
        Field("Questions"),
        Field(distance.name, "n", formula("drift", "")),
        Field("Of two first answers", "n", formula("drift", "")),
        Field(wealth.name, "n", formula("drift_e", "")),
        Field("Alarm", "one"),
    )
    return Table(title, fields, tuple(rows))


def _drawn(drifted: tuple[ProbeDrift, ...]) -> Figure | None:
    """The distance look by look, with a mark where an alarm began."""
    metric = METRICS["drift"]
    shown = drifted[:MOST_DRAWN]
    lines = [
        Curve(
            one_line(own.contestant, LABEL),
            tuple(Point(_moment(look.day), look.distance) for look in own.looks),
            LineWeight.MAIN,
        )
        for own in shown
        if own.looks
    ]
    flags = [
        Flag(_moment(own.alarm), f"{one_line(own.contestant, LABEL)}: alarm")
        for own in shown
        if own.alarm
    ]
    words = Words(
        "drift-values",
        metric.name,
        "The mean absolute difference of log odds. A mark is the first day of an alarm.",
    )
    return curves(words, lines, Scale("Log odds", metric.shown, low=0.0, base=0.0), flags)


def _moment(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
