"""The pages that say who can be told apart."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from arena.metrics import figures
from arena.metrics.contest import MOST
from arena.metrics.league import League
from arena.metrics.league import Place as LeaguePlace
from arena.metrics.registry import METRICS
from arena.records.cohort import ContestantId
from arena.records.market import MarketId
from arena.site import places
from arena.site.estimates import formula, head_of, interval_of
from arena.site.hostile import one_line
from arena.site.overview import Place
from arena.site.page import Document, Page
from arena.site.pages import pairs, sureness
from arena.site.pages.instances import instances
from arena.site.reading import QUESTION, Reading, shown_moment
from arena.site.twins import csv_of
from arena.site.versus import Claims, Versus, claims_of, compare_command, p_cell, p_words
from arena.site.views.compare import (
    ComparePage,
    LeagueRow,
    MatrixCell,
    MatrixRow,
    PairRow,
)
from arena.site.views.parts import Cell, Head, Link, Value

MOST_SQUARES: Final = 30  # contestants of the matrix: two tables of their squares fill a page
MOST_LEAGUE: Final = 40
MOST_EVENTS: Final = 20
MARKETS_OF_EVENT: Final = 3  # one less than an overview names
_DECIMALS: Final = 3  # of the matrix; the tables of pairs have all
LEADING: Final = 10  # whose pairs have pages of their own

CSV = places.figure(places.COMPARE, "pairs", "csv")
_LEAGUE = ("rank_range", "first", "in_set", "strength", "elo")
_PAIRS = ("difference", "holm_p", "common", "needed")
_COLUMNS: Final = (
    "first", "second", "difference", "low", "high", "p_holm", "p_anytime",
    "common_questions", "events_needed", "verdict",
)  # fmt: skip


def pages(reading: Reading) -> Iterator[Page | Document]:
    """The page of all pairs, their table as a file, and the pages of those that lead."""
    claims = _claims(reading)
    order = reading.overview.order
    leading = [name for name in order if not reading.entrant(name).reference][:LEADING]
    duels = list(combinations(leading, 2))
    view = compare_page(reading, claims, leading)
    yield from pairs.pages(reading, claims, duels)
    yield Document(CSV, csv_of(_COLUMNS, map(_line, view.pairs)))
    yield Page(places.COMPARE, "compare.html", view)


def compare_page(
    reading: Reading, claims: Claims, leading: Sequence[ContestantId]
) -> ComparePage:
    """Everybody against everybody by the headline metric; those leading market by market."""
    overview, as_of = reading.overview, reading.overview.as_of
    metric = METRICS[overview.contest.metric if overview.contest else "forecast"]
    paged = {frozenset(duel): places.pair(*duel) for duel in combinations(leading, 2)}
    there = [name for name in overview.order if any(name in pair for pair in claims)]
    order = there[:MOST_SQUARES]
    everything = _pairs(reading, claims, paged)
    return ComparePage(
        head=Head(
            "Compare",
            places.root_of(places.COMPARE),
            "compare",
            "Which contestants can be told apart, and how sure that is.",
            shown_moment(as_of) if as_of else None,
            places.twin(places.COMPARE),
        ),
        metric=Link(metric.name, formula(metric.key, "")),
        better=metric.better.value,
        level=figures.percent(overview.level, 0),
        sentence=_sentence(claims, overview.level),
        why_not="" if claims else _why_not(reading),
        matrix=tuple(_row(n, name, order, reading, claims) for n, name in enumerate(order, 1)),
        matrix_note=_matrix_note(len(order), len(there)),
        league_words=_league_words(overview.league),
        league_columns=tuple(head_of(key, "") for key in _LEAGUE),
        league=_league(reading)[:MOST_LEAGUE],
        league_more=_league(reading)[MOST_LEAGUE:],
        flip=sureness.flip(reading),
        flip_events=_events(reading),
        instances=instances(leading, reading),
        leads=tuple(row for row in everything if row.pair.href),
        pair_columns=tuple(head_of(key, "") for key in _PAIRS),
        anytime=head_of("anytime_p", "")
        if any(row.p_anytime.value is not None for row in everything)
        else None,
        csv=CSV if everything else "",
        command=compare_command(metric.key, "FIRST", "SECOND"),
        pairs=everything,
    )


def pair_row(found: Versus, pair: Link, reading: Reading) -> PairRow:
    """One pair as a line of a table."""
    one, other = reading.label(found.one), reading.label(found.other)
    better = found.claim.better
    verdict = "not told apart"
    if better is not None:
        verdict = f"{reading.label(ContestantId(better))} is better"
    needed = found.needed
    return PairRow(
        pair,
        one,
        other,
        found.shown(),
        p_cell(found.claim.p_adjusted),
        p_cell(found.claim.p_anytime),
        found.common(),
        Cell(figures.MISSING if needed is None else figures.count(needed), value=needed),
        verdict,
    )


def _claims(reading: Reading) -> Claims:
    contest = reading.overview.contest
    return claims_of(contest.claims) if contest else {}


def _pairs(
    reading: Reading, claims: Claims, paged: dict[frozenset[ContestantId], str]
) -> tuple[PairRow, ...]:
    """Every pair that was tested, in the order of the ranks."""
    rows = []
    for one, other in combinations(reading.overview.order, 2):
        claim = claims.get(frozenset((one, other)))
        if claim is not None:
            words = f"{reading.label(one)} and {reading.label(other)}"
            pair = Link(words, paged.get(frozenset((one, other)), ""))
            found = Versus(one, other, claim, reading.overview.level)
            rows.append(pair_row(found, pair, reading))
    return tuple(rows)


def _line(row: PairRow) -> tuple[Value, ...]:
    between = row.difference.between
    ends = (between.low, between.high) if between else (None, None)
    cells = (row.p, row.p_anytime, row.common, row.needed)
    numbers = (row.difference.value, *ends, *(cell.value for cell in cells))
    return (row.first, row.second, *numbers, row.verdict)


def _sentence(claims: Claims, level: float) -> str:
    told = sum(claim.better is not None for claim in claims.values())
    said = (
        f"{figures.count(told)} of {figures.many(len(claims), 'pair')} can be told apart "
        f"at {figures.percent(level, 0)}, all pairs considered together"
    )
    if all(claim.p_anytime is None for claim in claims.values()):
        return f"{said}."
    always = sum(claim.better_anytime is not None for claim in claims.values())
    return f"{said}; {figures.count(always)} however often one looks at the board."


def _why_not(reading: Reading) -> str:
    if len(reading.overview.order) > MOST:
        return f"There are more than {MOST} contestants: too many for tests of all pairs."
    return "A comparison needs two contestants whose forecasts of the same market came out."


def _row(
    number: int,
    name: ContestantId,
    order: Sequence[ContestantId],
    reading: Reading,
    claims: Claims,
) -> MatrixRow:
    made = [_squares(name, other, reading, claims) for other in order]
    return MatrixRow(
        str(number),
        reading.contestant(name, ""),
        tuple(difference for difference, _ in made),
        tuple(test for _, test in made),
    )


def _squares(
    one: ContestantId, other: ContestantId, reading: Reading, claims: Claims
) -> tuple[MatrixCell, MatrixCell]:
    claim = claims.get(frozenset((one, other)))
    if claim is None or one == other:
        return MatrixCell(), MatrixCell()
    found = Versus(one, other, claim, reading.overview.level)
    p = p_words(claim.p_adjusted)
    mark = "*" if found.told else ""
    return (
        MatrixCell(_short(found.difference) + mark, _ends(found), found.told),
        MatrixCell(p + mark, figures.count(claim.test.events), found.told),
    )


def _short(value: float | None) -> str:
    return figures.number(value, _DECIMALS, signed=True)


def _ends(found: Versus) -> str:
    """An interval below its value, an end a line."""
    ends = found.between
    return f"{_short(ends.low)} to\n{_short(ends.high)}" if ends else ""


def _matrix_note(shown: int, there: int) -> str:
    if shown >= there or not shown:
        return ""
    return f"The first {shown} of {figures.count(there)} contestants are in the matrix."


def _league_words(league: League | None) -> str:
    if league is None or not league.places:
        return ""
    return (
        f"On {figures.many(league.questions, 'question')} of "
        f"{figures.many(league.events, 'event')} that everybody answered; events were "
        f"resampled {figures.count(league.draws)} times. Ranks go by all questions that each "
        "answered, so a lower rank can have the higher chance."
    )


def _league(reading: Reading) -> tuple[LeagueRow, ...]:
    league = reading.overview.league
    if league is None:
        return ()
    return tuple(
        LeagueRow(
            reading.contestant(ContestantId(place.name), ""),
            _place(place, reading.profile(ContestantId(place.name)).place),
        )
        for place in league.places
    )


def _place(place: LeaguePlace, ranked: Place) -> tuple[Cell, ...]:
    low, high = ranked.low, ranked.high
    ranks = f"{low} to {high}" if low < high else str(low)
    kept = "n/a" if place.in_mcs is None else ("yes" if place.in_mcs else "no")
    return (
        Cell(ranks, value=low),
        Cell(METRICS["first"].shown(place.first), value=place.first),
        Cell(
            kept,
            f"p\N{NO-BREAK SPACE}{p_words(place.mcs_p)}" if place.mcs_p is not None else "",
            place.mcs_p,
        ),
        Cell(
            METRICS["strength"].shown(place.strength),
            "",
            place.strength,
            interval_of("strength", place.strength_interval),
        ),
        Cell(METRICS["elo"].shown(place.elo), value=place.elo),
    )


def _events(reading: Reading) -> tuple[tuple[Link, ...], ...]:
    """The events that first place hangs on, each by the questions of its markets."""
    flip = reading.overview.flip
    if flip is None:
        return ()
    events = flip.events[:MOST_EVENTS]
    markets = flip.markets or tuple((name,) for name in events)
    reading.learn(MarketId(name) for several in markets for name in several)
    return tuple(
        _event(name, several, reading) for name, several in zip(events, markets, strict=False)
    )


def _event(name: str, markets: Sequence[str], reading: Reading) -> tuple[Link, ...]:
    """Links to the first markets of an event; its id where no page has any of them."""
    known = [MarketId(one) for one in markets if reading.show.market(MarketId(one))]
    if not known:
        return (Link(one_line(name, QUESTION)),)
    links = [reading.market(one, "") for one in known[:MARKETS_OF_EVENT]]
    return (*links, *([Link("and more")] if len(known) > MARKETS_OF_EVENT else []))
