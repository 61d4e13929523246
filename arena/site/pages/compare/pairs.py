"""The pages of two contestants side by side."""

from collections.abc import Iterable, Iterator, Mapping
from shlex import quote
from typing import Final

from arena.metrics import figures
from arena.metrics.registry import CHAPTERS, METRICS
from arena.records.cohort import ContestantId
from arena.records.grade import Standing
from arena.site import places
from arena.site.charts.curves import curves
from arena.site.charts.subjects import Curve, Point, Scale, Weight, Words
from arena.site.estimates import counted_n, estimated, formula
from arena.site.overview import Profile
from arena.site.page import Page
from arena.site.pages.compare.view import PairPage, SideRow, SideTable
from arena.site.pages.contestants.calibration import Forecaster, diagram
from arena.site.pages.leaderboard.evidence import (
    Verdict,
    look_words,
    may_rank,
    verdict_of,
    waiting_words,
)
from arena.site.pages.parts.parts import Cell, Figure, Head, Kpi, Link
from arena.site.reading import LABEL, Reading, shown_moment
from arena.site.sanitize import one_line
from arena.site.versus import Claims, Versus, compare_command, p_cell

MOST_PARTS: Final = 20

Duel = tuple[ContestantId, ContestantId]
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
    """Two contestants: what sets them apart, and everything that both have."""
    path = places.pair(*duel)
    root, as_of = places.root_of(path), reading.overview.as_of
    one, other = (reading.contestant(name, root) for name in duel)
    claim = claims.get(frozenset(duel))
    found = Versus(*duel, claim, reading.overview.level) if claim else None
    first, second = (reading.profile(name) for name in duel)
    words = f"{one.text} and {other.text}"
    return PairPage(
        head=Head(
            f"{words}, compared",
            root,
            "compare",
            f"{words} on the questions that both answered.",
            shown_moment(as_of) if as_of else None,
            places.twin(path).rpartition("/")[2],
        ),
        one=one,
        other=other,
        verdict=_verdict(found, reading),
        evidence=_evidence(found, reading),
        kpis=_kpis(found, root) if found else (),
        figures=tuple(_diagrams(duel, reading, root)),
        equity=_equity(duel, reading),
        tables=tuple(_tables(reading.overview.headline, (first, second), lines, root)),
        command=compare_command(reading.overview.headline, *map(_quoted, duel)),
    )


def _verdict(found: Versus | None, reading: Reading) -> str:
    said = verdict_of(found, reading.overview)
    if found is None or said is Verdict.LITTLE:
        return "Too little evidence yet to say which of the two is better."
    if said is Verdict.NEITHER:
        return "Not significantly different: the difference may be luck."
    both = [reading.label(found.one), reading.label(found.other)]
    better, worse = both if said is Verdict.BETTER else reversed(both)
    return f"{better} is significantly better than {worse}."


def _evidence(found: Versus | None, reading: Reading) -> str:
    """What a verdict stands on, and until when it does."""
    overview = reading.overview
    if not may_rank(overview):
        return waiting_words(overview.claims)
    if found is None:
        return "The two have no resolved question in common."
    test = found.claim.test
    said = (
        f"From {figures.many(test.n, 'common question')} of "
        f"{figures.many(test.events, 'event')}. The chance that any claim about all pairs is "
        f"false is at most {figures.percent(1 - found.level, 0)}."
    )
    return " ".join(filter(None, (said, look_words(overview.claims))))


def _kpis(found: Versus, root: str) -> tuple[Kpi, ...]:
    claim = found.claim
    contents = (
        ("difference", found.shown(), ""),
        ("holm_p", p_cell(claim.p_adjusted), ""),
        *([("anytime_p", p_cell(claim.p_anytime), "")] * (claim.p_anytime is not None)),
        ("common", found.common(), ""),
        ("needed", _needed(found), "at the difference that was seen"),
    )
    return tuple(
        Kpi(METRICS[key].name, cell, over, formula(key, root)) for key, cell, over in contents
    )


def _needed(found: Versus) -> Cell:
    if found.needed is None:
        return Cell(figures.MISSING)
    return Cell(figures.count(found.needed), value=found.needed)


def _diagrams(duel: Duel, reading: Reading, root: str) -> Iterator[Figure]:
    for key, name in zip(("one", "other"), duel, strict=True):
        found = reading.profile(name).reliability
        if found is not None and found.n:
            drawn = diagram(
                Forecaster(key, reading.contestant(name, root), found, reading.tone(name)),
                small=True,
            )
            if drawn is not None:
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
            Weight.REFERENCE if reading.entrant(name).reference else Weight.MAIN,
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


def _tables(
    headline: str, both: tuple[Profile, Profile], lines: Lines, root: str
) -> Iterator[SideTable]:
    scores = _scores(both, root)
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


def _scores(both: tuple[Profile, Profile], root: str) -> tuple[SideRow, ...]:
    """Every score of forecasts that either has, in the order of the page of methods."""
    return _estimates(both, root, (key for key in _OF_FORECASTS if key != "brier"))


def _estimates(
    both: tuple[Profile, Profile], root: str, keys: Iterable[str]
) -> tuple[SideRow, ...]:
    found = [
        {**(one.reliability.scores if one.reliability else {}), **one.scores} for one in both
    ]
    return tuple(
        SideRow(
            Link(METRICS[key].name, formula(key, root)),
            *(estimated(key, scores.get(key), counted=True) for scores in found),
        )
        for key in keys
        if any(key in scores for scores in found)
    )


def _money(both: tuple[Profile, Profile], lines: Lines, root: str) -> tuple[SideRow, ...]:
    """What the books say, and every other number that no forecast is scored by."""
    found = [lines.get(one.contestant) for one in both]
    if all(line is None for line in found):
        return ()
    booked = tuple(
        SideRow(
            Link(METRICS[key].name, formula(key, root)),
            *(_booked(key, line) for line in found),
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
        return Cell(METRICS[key].shown(rate.value), counted_n(rate.n), rate.value)
    value = {"pnl": line.pnl, "cost": line.cost}[key]
    if value is None and key == "cost":
        return Cell("unknown")
    return Cell(METRICS[key].shown(value), value=value)


def _categories(headline: str, both: tuple[Profile, Profile]) -> tuple[SideRow, ...]:
    if not headline:
        return ()
    parts = [{part.name: part for part in one.parts.get("category", ())} for one in both]
    names = sorted({name for found in parts for name in found})[:MOST_PARTS]
    return tuple(
        SideRow(
            Link(one_line(name, LABEL)),
            *(
                estimated(headline, found[name].scores.get(headline), counted=True)
                if name in found
                else Cell(figures.MISSING)
                for found in parts
            ),
        )
        for name in names
    )


def _quoted(name: ContestantId) -> str:
    return one_line(quote(name), 2 * LABEL)
