"""The report of a study as one page that needs no other file."""

from collections.abc import Iterator
from dataclasses import dataclass

from arena.bundle import templates
from arena.metrics.figures import percent
from arena.metrics.study.bets import CHIEF
from arena.metrics.study.report import StudyReport
from arena.metrics.study.tables import StudyTable, headline, study_tables
from arena.render import environment, render
from arena.site.charts.reliability import reliability
from arena.site.charts.subjects import Scale, Tile, Words
from arena.site.charts.tiles import tiles
from arena.site.engine.renderer import style_sheet
from arena.site.pages.parts import Figure
from arena.site.sanitize import one_line

FORMS = {
    "clv": "Ratio",
    "clv_log": "Log ratio",
    "clv_difference": "Difference",
    "ev_clv": "EV-CLV",
}
LONGEST = 200


@dataclass(frozen=True, slots=True)
class StudyView:
    """What the page prints: words, figures and tables, made harmless."""

    title: str
    style: str
    standing: str
    sealing: str
    lines: tuple[str, ...]
    diagrams: tuple[Figure, ...]
    tiles: Figure | None
    tables: tuple[StudyTable, ...]
    missing: tuple[tuple[str, str], ...]
    kind: str = "Study"


def study_page(report: StudyReport, standing: str, sealing: str) -> str:
    """One page of HTML, with its style and its charts in it.

    Raises:
        ArenaError: The template is broken.
    """
    env = environment(templates())
    view = StudyView(
        title=one_line(report.protocol, LONGEST),
        style=style_sheet(env),
        standing=standing,
        sealing=one_line(sealing, 1000),
        lines=tuple(one_line(line, 1000) for line in headline(report)),
        diagrams=tuple(_diagrams(report)),
        tiles=_tiles(report),
        tables=tuple(map(_harmless, study_tables(report))),
        missing=tuple(report.missing.items()),
    )
    return render(env, "study/report.html", page=view)


def _harmless(table: StudyTable) -> StudyTable:
    rows = tuple(tuple(one_line(cell, LONGEST) for cell in row) for row in table.rows)
    title = one_line(table.title, LONGEST)
    return StudyTable(table.key, title, table.head, rows, table.note, max(table.names, 1))


def _diagrams(report: StudyReport) -> Iterator[Figure]:
    what = report.options[1] if len(report.options) == 2 else "the likeliest option"  # noqa: PLR2004
    for tone, curve in enumerate(report.reliability or ()):
        name = one_line(curve.contestant, LONGEST)
        caption = f"{curve.n} forecasts of {curve.events} events: P of {one_line(what, 60)}."
        words = Words(f"reliability-{tone}", name, caption)
        drawn = reliability(words, curve.bins, small=True, tone=tone)
        if drawn:
            yield drawn


def _tiles(report: StudyReport) -> Figure | None:
    squares = [
        Tile(
            one_line(book.model, LONGEST),
            FORMS[form.key],
            form.mean.value,
            percent(form.mean.value, 1, signed=True),
        )
        for book in report.bets or ()
        if book.rule in CHIEF
        for form in book.closing.forms
        if form.key in FORMS
    ]
    words = Words(
        "clv",
        "Closing line value",
        "Mean over each model's bets by the rules of the protocol: of the fair price at the "
        "close against that at the open, and of the expected value of what was paid.",
    )
    scale = Scale("Model", lambda value: percent(value, 1, signed=True), base=0.0)
    return tiles(words, squares, scale) if squares else None
