"""The pages that compare contestants, two by two."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, islice
from typing import Final

from arena.metrics import figures
from arena.metrics.claims.questions import MOST
from arena.metrics.claims.rules import look_words, waiting_words
from arena.metrics.rank_sets import League
from arena.metrics.rank_sets import Place as LeaguePlace
from arena.metrics.registry import METRICS
from arena.records.cohort import ContestantId
from arena.records.market import MarketId, Side
from arena.site import Document, Page, places
from arena.site.engine.json_page import csv_of
from arena.site.estimates import (
    Claims,
    Versus,
    claims_of,
    compare_command,
    count_cell,
    formula,
    head_of,
    interval_of,
    metric_cell,
    p_cell,
    p_words,
)
from arena.site.pages.compare import pairs
from arena.site.pages.compare.pairs import (
    ComparePage,
    LeagueRow,
    MatrixCell,
    MatrixRow,
    PairRow,
)
from arena.site.pages.contestants.holdings import linked
from arena.site.pages.leaderboard import sureness
from arena.site.pages.leaderboard.evidence import (
    EvidenceVerdict,
    may_rank,
    verdict_of,
)
from arena.site.pages.parts import Cell, Field, Head, Link, Table, Value
from arena.site.reading import QUESTION, Reading, shown_moment
from arena.site.sanitize import one_line
from arena.store.pages.market_views import SqliteOpinions

MARKETS: Final = 20
LOOKED_AT: Final = 60  # of the newest resolved, for those that resolved YES or NO
MOST_SAID: Final = 2000  # forecasts, and bets, that are read of a market
_RIGHT, _WRONG = "\N{CHECK MARK}", "\N{BALLOT X}"


def instances(names: Sequence[ContestantId], reading: Reading) -> Table | None:
    """The newest markets that resolved YES or NO, each by the contestants named.

    None where nobody is named, or no market resolved so.
    """
    newest = [card.id for card in reading.show.resolved_markets(LOOKED_AT)]
    reading.learn(newest)
    truths = ((market, _truth(market, reading)) for market in newest)
    decided = list(islice(((m, t) for m, t in truths if t is not None), MARKETS))
    if not names or not decided:
        return None
    heads = (Field(reading.label(who), "n", places.contestant(who)) for who in names)
    return Table(
        "Market by market",
        (Field("Market", "words"), Field("Resolved", "one"), *heads),
        tuple(_instance_row(market, truth, names, reading) for market, truth in decided),
        f"The newest {figures.many(len(decided), 'market')} that resolved YES or NO, and the "
        f"first {figures.many(len(names), 'contestant')}, without the baselines. Above: the "
        f"last forecast of YES, {_RIGHT} where it gave what happened more than 50%, {_WRONG} "
        "where less. Below: whether the side that was bought, in any cohort, won.",
    )


def _truth(market: MarketId, reading: Reading) -> int | None:
    outcome = reading.outcome(market)
    return outcome.truth if outcome else None


def _instance_row(
    market: MarketId, truth: int, names: Sequence[ContestantId], reading: Reading
) -> tuple[Cell, ...]:
    opinions = SqliteOpinions(reading.show.db)
    forecasts = opinions.last_stated(market, MOST_SAID)
    bought = opinions.bought(market, MOST_SAID)
    won = Side.YES if truth else Side.NO
    return (
        linked(reading.market(market, "")),
        Cell(won.value, value=truth),
        *(_square(forecasts.get(who), bought.get(who, frozenset()), won) for who in names),
    )


def _square(forecast: float | None, bought: Collection[Side], won: Side) -> Cell:
    bet = "no bet"
    if bought:
        bet = "bet both sides" if len(bought) > 1 else _bet(won in bought)
    if forecast is None:
        return Cell("no forecast", bet)
    given = forecast if won is Side.YES else 1 - forecast
    sign = "" if given == 1 / 2 else _RIGHT if given > 1 / 2 else _WRONG
    return Cell(f"{sign} {METRICS['stated_p'].shown(forecast)}".strip(), bet, forecast)


def _bet(right: bool) -> str:  # noqa: FBT001  the only thing that it says
    return f"{_RIGHT} bet right" if right else f"{_WRONG} bet wrong"


MOST_SQUARES: Final = 20  # contestants of the matrix: three tables of their squares fill a page
MOST_PAGED: Final = 16  # whose pairs have pages of their own
MOST_LEAGUE: Final = 40
MOST_EVENTS: Final = 20
MARKETS_OF_EVENT: Final = 3  # one less than an overview names
_SIGNS: Final = {
    EvidenceVerdict.BETTER: "\N{BLACK UP-POINTING TRIANGLE}",
    EvidenceVerdict.WORSE: "\N{BLACK DOWN-POINTING TRIANGLE}",
    EvidenceVerdict.NEITHER: "\N{WHITE CIRCLE}",
    EvidenceVerdict.LITTLE: "?",
}
_KINDS: Final = {EvidenceVerdict.BETTER: "up", EvidenceVerdict.WORSE: "down"}
_DECIMALS: Final = 3  # of the matrix; the tables of pairs have all
LEADING: Final = 10  # whose pairs are listed with their numbers

Paged = Mapping[frozenset[ContestantId], str]

CSV = places.figure(places.COMPARE, "pairs", "csv")
_LEAGUE = ("first", "in_set", "strength")
_PAIRS = ("difference", "holm_p", "common", "needed")
_COLUMNS: Final = (
    "first", "second", "difference", "low", "high", "p_adjusted", "p_anytime",
    "common_questions", "events_needed", "verdict",
)  # fmt: skip


def pages(reading: Reading) -> Iterator[Page | Document]:
    """The page of all pairs, their table as a file, and the pages of those that lead."""
    claims = _claims(reading)
    tested = _tested(reading, claims)
    duels = [duel for duel in combinations(tested[:MOST_PAGED], 2) if frozenset(duel) in claims]
    view = compare_page(reading, claims, duels)
    yield from pairs.pages(reading, claims, duels)
    yield Document(CSV, csv_of(_COLUMNS, map(_line, view.pairs)))
    yield Page(places.COMPARE, "compare.html", view)


def compare_page(
    reading: Reading, claims: Claims, duels: Sequence[pairs.Duel] = ()
) -> ComparePage:
    """Everybody against everybody by the headline metric; those leading market by market."""
    overview, as_of = reading.overview, reading.overview.as_of
    metric = METRICS[overview.contest.metric if overview.contest else "forecast"]
    paged = {frozenset(duel): places.pair(*duel) for duel in duels}
    tested = _tested(reading, claims)
    order = tested[:MOST_SQUARES]
    leading = [name for name in overview.order if not reading.entrant(name).reference][:LEADING]
    everything = _pairs(reading, claims, paged)
    league = _league(reading)
    return ComparePage(
        head=Head(
            "Compare",
            places.root_of(places.COMPARE),
            "compare",
            "Which contestants differ significantly, and how sure that is.",
            shown_moment(as_of) if as_of else None,
        ),
        metric=Link(metric.name, formula(metric.key, "")),
        better=metric.better.value,
        level=figures.percent(overview.level, 0),
        risk=figures.percent(1 - overview.level, 0),
        sentence=_sentence(claims, reading),
        look=look_words(overview.claims),
        why_not="" if claims else _why_not(reading),
        matrix=tuple(
            _row(n, name, order, reading, (claims, paged)) for n, name in enumerate(order, 1)
        ),
        matrix_note=_matrix_note(len(order), len(tested)),
        league_words=_league_words(overview.league),
        league_set=_set_words(reading),
        league_columns=tuple(head_of(key, "") for key in _league_keys(overview.league)),
        league=league[:MOST_LEAGUE],
        league_more=league[MOST_LEAGUE:],
        flip=sureness.flip(reading),
        flip_events=_events(reading),
        instances=instances(leading, reading),
        leads=tuple(_leads(everything, leading, reading)),
        pair_columns=tuple(head_of(key, "") for key in _PAIRS),
        anytime=head_of("anytime_p", "")
        if any(row.p_anytime.value is not None for row in everything)
        else None,
        csv=CSV if everything else "",
        command=compare_command(metric.key, "FIRST", "SECOND"),
        pairs=everything,
    )


def _tested(reading: Reading, claims: Claims) -> list[ContestantId]:
    """Everybody of whom there is a claim, in the one order of the site."""
    named = {name for pair in claims for name in pair}
    return [name for name in reading.overview.order if name in named]


def _leads(
    rows: Sequence[PairRow], leading: Sequence[ContestantId], reading: Reading
) -> Iterator[PairRow]:
    """The pairs of those that lead, each of which has a page."""
    named = {reading.label(name) for name in leading}
    for row in rows:
        if row.pair.href and {row.first, row.second} <= named:
            yield row


def pair_row(versus: Versus, pair: Link, reading: Reading) -> PairRow:
    """One pair as a line of a table."""
    first, second = reading.label(versus.one), reading.label(versus.other)
    verdict = verdict_of(versus, reading.overview)
    words = {
        EvidenceVerdict.BETTER: f"{first} is better",
        EvidenceVerdict.WORSE: f"{second} is better",
    }
    needed = versus.needed
    return PairRow(
        pair,
        first,
        second,
        versus.shown(),
        p_cell(versus.claim.p_adjusted),
        p_cell(versus.claim.p_anytime),
        versus.common(),
        count_cell(needed),
        words.get(verdict, verdict.value),
    )


def _claims(reading: Reading) -> Claims:
    contest = reading.overview.contest
    return claims_of(contest.claims) if contest else {}


def _pairs(reading: Reading, claims: Claims, paged: Paged) -> tuple[PairRow, ...]:
    """Every pair that was tested, in the order of the ranks."""
    rows = []
    for first, second in combinations(reading.overview.order, 2):
        claim = claims.get(frozenset((first, second)))
        if claim is not None:
            words = f"{reading.label(first)} and {reading.label(second)}"
            pair = Link(words, paged.get(frozenset((first, second)), ""))
            versus = Versus(first, second, claim, reading.overview.level)
            rows.append(pair_row(versus, pair, reading))
    return tuple(rows)


def _line(row: PairRow) -> tuple[Value, ...]:
    between = row.difference.between
    ends = (between.low, between.high) if between else (None, None)
    cells = (row.p, row.p_anytime, row.common, row.needed)
    numbers = (row.difference.value, *ends, *(cell.value for cell in cells))
    return (row.first, row.second, *numbers, row.verdict)


def _sentence(claims: Claims, reading: Reading) -> str:
    """How many pairs differ significantly, or why nothing is claimed of any."""
    overview = reading.overview
    if not may_rank(overview):
        return waiting_words(overview.claims)
    shown = sum(claim.better is not None for claim in claims.values())
    pairs_differ = figures.many(len(claims), "pair differs", "pairs differ")
    return f"{figures.count(shown)} of {pairs_differ} significantly."


def _why_not(reading: Reading) -> str:
    if len(reading.overview.order) > MOST:
        return f"There are more than {MOST} contestants: too many for tests of all pairs."
    return "A comparison needs two contestants with forecasts of the same resolved market."


def _row(
    number: int,
    name: ContestantId,
    order: Sequence[ContestantId],
    reading: Reading,
    claims_and_pages: tuple[Claims, Paged],
) -> MatrixRow:
    made = [_squares(name, other, reading, claims_and_pages) for other in order]
    verdicts, differences, tests = zip(*made, strict=True)
    return MatrixRow(str(number), reading.contestant(name, ""), verdicts, differences, tests)


def _squares(
    first: ContestantId,
    second: ContestantId,
    reading: Reading,
    claims_and_pages: tuple[Claims, Paged],
) -> tuple[MatrixCell, MatrixCell, MatrixCell]:
    claims, paged = claims_and_pages
    claim = claims.get(frozenset((first, second)))
    if claim is None or first == second:
        return MatrixCell(), MatrixCell(), MatrixCell()
    versus = Versus(first, second, claim, reading.overview.level)
    verdict = verdict_of(versus, reading.overview)
    kind = _KINDS.get(verdict, "")
    href = paged.get(frozenset((first, second)), "")
    events = figures.count(claim.test.events)
    return (
        MatrixCell(_SIGNS[verdict], verdict.value, kind, href),
        MatrixCell(_short(versus.difference), _ends(versus), kind),
        MatrixCell(p_words(claim.p_adjusted), events, kind),
    )


def _short(value: float | None) -> str:
    return figures.number(value, _DECIMALS, signed=True)


def _ends(versus: Versus) -> str:
    """The ends of an interval, one a line."""
    ends = versus.between
    return f"{_short(ends.low)} to\n{_short(ends.high)}" if ends else ""


def _matrix_note(shown: int, there: int) -> str:
    if shown >= there or not shown:
        return ""
    return f"The first {shown} of {figures.count(there)} contestants are in the matrix."


def _league_words(league: League | None) -> str:
    if league is None or not league.places:
        return ""
    return (
        f"From {figures.many(league.questions, 'question')} of "
        f"{figures.many(league.events, 'event')} that everybody answered. P(first) is the "
        f"share of {figures.count(league.draws)} resamples of the events in which a contestant "
        "was first. It shows how the order depends on these events. It is not the probability "
        "that the contestant is the best. Strength counts wins on questions, not their size."
    )


def _set_words(reading: Reading) -> str:
    """Who is in the confidence set; nothing where there is none.

    It is of one look and of spread between events alone, so it claims less than the board.
    """
    league, overview = reading.overview.league, reading.overview
    inside = [place.name for place in league.places if place.in_mcs] if league else []
    if not inside:
        return ""
    names = [reading.label(name) for name in overview.order if name in inside]
    level = figures.percent(overview.level, 0)
    return (
        f"Exploratory: the {level} confidence set of one look contains {', '.join(names)}. It "
        "uses variance between events only. The claims are in the table above."
    )


def _league_keys(league: League | None) -> tuple[str, ...]:
    """The mean on the questions of the league stands first: the rest is of the same ones."""
    return (league.metric, *_LEAGUE) if league else _LEAGUE


def _league(reading: Reading) -> tuple[LeagueRow, ...]:
    league = reading.overview.league
    if league is None:
        return ()
    return tuple(
        LeagueRow(
            reading.contestant(ContestantId(place.name), ""), _place(place, league.metric)
        )
        for place in league.places
    )


def _place(place: LeaguePlace, metric: str) -> tuple[Cell, ...]:
    kept = "n/a" if place.in_mcs is None else ("yes" if place.in_mcs else "no")
    return (
        metric_cell(metric, place.mean),
        metric_cell("first", place.first),
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
    )


def _events(reading: Reading) -> tuple[tuple[Link, ...], ...]:
    """The events that first place depends on, each by the questions of its markets."""
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
    listed = [MarketId(market) for market in markets if reading.show.market(MarketId(market))]
    if not listed:
        return (Link(one_line(name, QUESTION)),)
    links = [reading.market(market, "") for market in listed[:MARKETS_OF_EVENT]]
    return (*links, *([Link("and more")] if len(listed) > MARKETS_OF_EVENT else []))
