"""The pages of two contestants side by side, and what the pages that compare show."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from shlex import quote
from typing import Final

from arena.metrics import figures
from arena.metrics.claims.rules import look_words, waiting_words
from arena.metrics.registry import CHAPTERS, METRICS
from arena.records.cohort import ContestantId
from arena.records.grade import Standing
from arena.site import Page, places
from arena.site.charts.subjects import Curve, Point, Scale, Words
from arena.site.charts.timed import curves
from arena.site.estimates import (
    Claims,
    Versus,
    compare_command,
    count_cell,
    counted_n,
    estimated,
    formula,
    metric_cell,
    p_cell,
)
from arena.site.overview.records import ContestantProfile
from arena.site.pages.contestants.calibration import Forecaster, diagram
from arena.site.pages.leaderboard.evidence import (
    EvidenceVerdict,
    may_rank,
    verdict_of,
)
from arena.site.pages.leaderboard.standings import cells
from arena.site.pages.parts import Cell, Column, Figure, Head, Kpi, Link, Table
from arena.site.reading import LABEL, Reading, shown_moment
from arena.site.sanitize import one_line


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """A square of the matrix: `text` over a quieter `note`, and the pair's page.

    `kind` is "up" where the row is better, "down" where it is worse. On the diagonal, and
    where nothing was tested, it is empty.
    """

    text: str = ""
    note: str = ""
    kind: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A contestant's row of the matrix: `number` is its column, too."""

    number: str
    contestant: Link
    verdicts: tuple[MatrixCell, ...]
    differences: tuple[MatrixCell, ...]
    tests: tuple[MatrixCell, ...]


@dataclass(frozen=True, slots=True)
class PairRow:
    """What two contestants' common questions say, the first less the second."""

    pair: Link
    first: str
    second: str
    difference: Cell
    p: Cell
    p_anytime: Cell
    common: Cell
    needed: Cell
    verdict: str


@dataclass(frozen=True, slots=True)
class LeagueRow:
    """A contestant's place, with everything that says how sure it is."""

    contestant: Link
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class ComparePage:
    """templates/site/compare.html. The twin has all `pairs` and `league_more`, too."""

    head: Head
    metric: Link
    better: str
    level: str
    risk: str
    sentence: str
    look: str
    why_not: str
    matrix: tuple[MatrixRow, ...]
    matrix_note: str
    league_words: str
    league_set: str
    league_columns: tuple[Column, ...]
    league: tuple[LeagueRow, ...]
    league_more: tuple[LeagueRow, ...]
    flip: str
    flip_events: tuple[tuple[Link, ...], ...]
    instances: Table | None
    leads: tuple[PairRow, ...]
    pair_columns: tuple[Column, ...]
    anytime: Column | None
    csv: str
    command: str
    pairs: tuple[PairRow, ...]


@dataclass(frozen=True, slots=True)
class SideRow:
    """A number of both contestants."""

    about: Link
    one: Cell
    other: Cell


@dataclass(frozen=True, slots=True)
class SideTable:
    """Numbers of both contestants beside each other: `key` is the table's id on the page."""

    key: str
    title: str
    words: str
    rows: tuple[SideRow, ...]


@dataclass(frozen=True, slots=True)
class PairPage:
    """templates/site/pair.html."""

    head: Head
    one: Link
    other: Link
    verdict: str
    evidence: str
    kpis: tuple[Kpi, ...]
    figures: tuple[Figure, ...]
    equity: Figure | None
    tables: tuple[SideTable, ...]
    command: str


MOST_PARTS: Final = 20

Duel = tuple[ContestantId, ContestantId]
Both = tuple[ContestantProfile, ContestantProfile]
Lines = Mapping[ContestantId, Standing]

_OF_FORECASTS = tuple(
    metric.key
    for chapter in CHAPTERS
    if chapter.key in {"forecasts", "proper", "skill", "calibration", "fair"}
    for metric in chapter.metrics
)
_MONEY = ("pnl", "win_rate", "cost")


def pages(reading: Reading, claims: Claims, duels: Iterable[Duel]) -> Iterator[Page]:
    """The page of each pair."""
    lines = {line.contestant: line for line in reading.store.boards.overall().standings}
    for duel in duels:
        yield Page(places.pair(*duel), "pair.html", pair_page(duel, reading, claims, lines))


def pair_page(duel: Duel, reading: Reading, claims: Claims, lines: Lines) -> PairPage:
    """Two contestants: their difference, and the scores of both."""
    path = places.pair(*duel)
    root, as_of = places.root_of(path), reading.overview.as_of
    first_link, second_link = (reading.contestant(name, root) for name in duel)
    claim = claims.get(frozenset(duel))
    versus = Versus(*duel, claim, reading.overview.level) if claim else None
    first, second = (reading.profile(name) for name in duel)
    words = f"{first_link.text} and {second_link.text}"
    return PairPage(
        head=Head(
            f"{words}, compared",
            root,
            "compare",
            f"{words} on the questions that both answered.",
            shown_moment(as_of) if as_of else None,
        ),
        one=first_link,
        other=second_link,
        verdict=_verdict(versus, reading),
        evidence=_evidence(versus, reading),
        kpis=_kpis(versus, root) if versus else (),
        figures=tuple(_diagrams(duel, reading, root)),
        equity=_equity(duel, reading),
        tables=tuple(_tables(reading.overview.headline, (first, second), lines, root)),
        command=compare_command(
            reading.overview.headline, *(one_line(quote(name), 2 * LABEL) for name in duel)
        ),
    )


def _verdict(versus: Versus | None, reading: Reading) -> str:
    verdict = verdict_of(versus, reading.overview)
    if versus is None or verdict is EvidenceVerdict.LITTLE:
        return "Too little evidence yet to say which of the two is better."
    if verdict is EvidenceVerdict.NEITHER:
        return "Not significantly different: the difference may be luck."
    both = [reading.label(versus.one), reading.label(versus.other)]
    better, worse = both if verdict is EvidenceVerdict.BETTER else reversed(both)
    return f"{better} is significantly better than {worse}."


def _evidence(versus: Versus | None, reading: Reading) -> str:
    """The evidence behind a verdict, and until when the verdict holds."""
    overview = reading.overview
    if not may_rank(overview):
        return waiting_words(overview.claims)
    if versus is None:
        return "The two have no resolved question in common."
    test = versus.claim.test
    basis = (
        f"From {figures.many(test.n, 'common question')} of "
        f"{figures.many(test.events, 'event')}. The chance that any claim about all pairs is "
        f"false is at most {figures.percent(1 - versus.level, 0)}."
    )
    return " ".join(filter(None, (basis, look_words(overview.claims))))


def _kpis(versus: Versus, root: str) -> tuple[Kpi, ...]:
    claim = versus.claim
    contents = (
        ("difference", versus.shown(), ""),
        ("holm_p", p_cell(claim.p_adjusted), ""),
        *([("anytime_p", p_cell(claim.p_anytime), "")] * (claim.p_anytime is not None)),
        ("common", versus.common(), ""),
        ("needed", count_cell(versus.needed), "at the difference that was seen"),
    )
    return tuple(
        Kpi(METRICS[key].name, cell, over, formula(key, root)) for key, cell, over in contents
    )


def _diagrams(duel: Duel, reading: Reading, root: str) -> Iterator[Figure]:
    for key, name in zip(("one", "other"), duel, strict=True):
        calibration = reading.profile(name).reliability
        if calibration is not None and calibration.n:
            about, tone = reading.contestant(name, root), reading.tone(name)
            if drawn := diagram(Forecaster(key, about, calibration, tone)):
                yield drawn


def _equity(duel: Duel, reading: Reading) -> Figure | None:
    """What both have made of their capital, day by day."""
    lines = [
        Curve(
            reading.label(name),
            tuple(
                Point(day.at, None if day.worth is None else day.worth / day.capital - 1)
                for day in reading.profile(name).days
                if day.capital
            ),
            reading.weight(name),
            tone=reading.tone(name),
        )
        for name in duel
    ]
    if not any(line.points for line in lines):
        return None
    words = Words(
        "equity",
        "Return, mark-to-market",
        "Equity of all cohorts together over their opening capital, less one, day by day.",
    )
    return curves(words, lines, Scale("return", METRICS["returned"].shown, base=0.0))


def _tables(headline: str, both: Both, lines: Lines, root: str) -> Iterator[SideTable]:
    scores = _estimates(both, root, (key for key in _OF_FORECASTS if key != "brier"))
    if scores:
        yield SideTable(
            "scores", "Scores", "Each on its own forecasts, with intervals.", scores
        )
    money = _money(both, lines, root)
    if money:
        yield SideTable("money", "Money", "All cohorts together.", money)
    parts = _categories(headline, both)
    if parts:
        name = METRICS[headline].name
        yield SideTable("categories", "By category", f"{name} of each category.", parts)


def _estimates(both: Both, root: str, keys: Iterable[str]) -> tuple[SideRow, ...]:
    """The scores that either has, in the order of the keys."""
    both_scores = [
        {**(profile.reliability.scores if profile.reliability else {}), **profile.scores}
        for profile in both
    ]
    return tuple(
        SideRow(
            Link(METRICS[key].name, formula(key, root)),
            *(estimated(key, scores.get(key), counted=True) for scores in both_scores),
        )
        for key in keys
        if any(key in scores for scores in both_scores)
    )


def _money(both: Both, lines: Lines, root: str) -> tuple[SideRow, ...]:
    """The money of both from the books, and every other metric that scores no forecast."""
    standings = [lines.get(profile.contestant) for profile in both]
    if all(line is None for line in standings):
        return ()
    booked = tuple(
        SideRow(
            Link(METRICS[key].name, formula(key, root)),
            *(_booked(key, line) for line in standings),
        )
        for key in _MONEY
    )
    others = [key for key in METRICS if key not in {*_OF_FORECASTS, *_MONEY}]
    return booked + _estimates(both, root, others)


def _booked(key: str, line: Standing | None) -> Cell:
    if line is None:
        return Cell(figures.MISSING)
    if key == "win_rate":
        rate = line.win_rate
        return metric_cell(key, rate.value, counted_n(rate.n))
    (cell,) = cells((key,), line)
    return cell


def _categories(headline: str, both: Both) -> tuple[SideRow, ...]:
    if not headline:
        return ()
    parts = [
        {part.name: part for part in profile.parts.get("category", ())} for profile in both
    ]
    names = sorted({name for parts_by_name in parts for name in parts_by_name})[:MOST_PARTS]
    return tuple(
        SideRow(
            Link(one_line(name, LABEL)),
            *(
                estimated(headline, parts_by_name[name].scores.get(headline), counted=True)
                if name in parts_by_name
                else Cell(figures.MISSING)
                for parts_by_name in parts
            ),
        )
        for name in names
    )
