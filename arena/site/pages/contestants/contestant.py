"""The pages of contestants."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from arena.metrics import figures
from arena.metrics.claims.adjusted_gain import ADJUSTED_GAIN, GAIN
from arena.metrics.registry import METRICS
from arena.records.cohort import CohortId, ContestantId
from arena.records.estimate import Estimate
from arena.records.grade import Board, Standing
from arena.site import Document, Page, places
from arena.site.charts.subjects import Scale, Tile, Words
from arena.site.charts.tiles import tiles
from arena.site.estimates import count_cell, counted_n, estimated, formula, table_of
from arena.site.overview.records import ContestantProfile
from arena.site.pages.contestants.contestant_charts import (
    PARTS,
    drawdown,
    equity,
    luck_figure,
    luck_words,
    money_facts,
    parts_figure,
    parts_table,
    reliable,
    split_figure,
)
from arena.site.pages.contestants.contestant_summary import (
    checks,
    identity,
    kpis,
    memory_facts,
    more_facts,
    provider_link,
    reference_words,
    score_facts,
)
from arena.site.pages.contestants.holdings import (
    Betting,
    Conducted,
    ContestantListPage,
    ContestantPage,
    Forecasting,
    StandingsTable,
    closed_table,
    counted,
    deal_row,
    linked,
    open_table,
    turn_table,
)
from arena.site.pages.decisions.decision import kept
from arena.site.pages.leaderboard.evidence import claimed, rank_range_cell
from arena.site.pages.leaderboard.standings import cells, columns, facts
from arena.site.pages.parts import Cell, Fact, Field, Figure, Head, Table, TradeRow
from arena.site.places import numbers_on, page_of, ranked_page, ranked_pager
from arena.site.reading import (
    LABEL,
    Reading,
    cohort_link,
    moment_cell,
    shown_moment,
    state_words,
)
from arena.site.sanitize import one_line
from arena.store.pages.cards import CohortCard
from arena.store.pages.seat_pages import SeatTurn, SqliteSeating
from arena.store.pages.turns import ConductTotals
from arena.store.scores.evidence import BANDS

KEY: Final = "ev_clv"
MOST: Final = 20  # contestants in the grid
REACH: Final = 0.5  # where the tint is at its deepest, so that one long shot is not all of it
ROUND: Final = 0  # decimals where there is no room for more
EVERY: Final = "all"
DASH: Final = "\N{EN DASH}"
COLUMNS: Final = ("to 10", f"10{DASH}30", f"30{DASH}70", f"70{DASH}90", "from 90")  # cents


def by_price(profile: ContestantProfile) -> Figure | None:
    """One contestant's expected value at the close by the price it paid; None for no bet."""
    return parts_figure("price-paid", "At the close, by the price paid", profile.closes, KEY)


def closes_figure(reading: Reading) -> Figure | None:
    """Everybody's expected value at the close in a grid, by the price paid."""
    profiles = [reading.profile(name) for name in reading.overview.order]
    bet = [profile for profile in profiles if profile.closes and profile.money][:MOST]
    squares = [
        square for profile in bet for square in _row(reading.label(profile.contestant), profile)
    ]
    metric = METRICS[KEY]
    words = Words(
        "closes",
        "Bets at the close, by the price paid",
        f"{metric.name} of a dollar bet, {metric.better.value}: what the last price before the "
        "market closed said of bets, whatever the outcome. Columns are cents paid a share. The "
        "table has how many bets each is of, and an interval where there are events enough.",
    )
    shown = Scale(metric.short, metric.shown, low=-REACH, high=REACH, base=0.0)
    return tiles(words, squares, shown)


def _row(name: str, profile: ContestantProfile) -> list[Tile]:
    overall = profile.money.ev_clv if profile.money else None
    estimates = [(EVERY, overall)] if overall else []
    estimates += [
        (COLUMNS[BANDS.index(part.name)], part.scores[KEY]) for part in profile.closes
    ]
    return [_tile(name, column, estimate) for column, estimate in estimates]


def _tile(name: str, column: str, estimate: Estimate) -> Tile:
    metric, note = METRICS[KEY], counted_n(estimate.n)
    if estimate.interval:
        low, high = metric.shown(estimate.interval.low), metric.shown(estimate.interval.high)
        note = f"{low} to {high}, {note}"
    short = figures.percent(estimate.value, ROUND, signed=True)
    return Tile(name, column, estimate.value, metric.shown(estimate.value), note, short)


RECENT_COHORTS: Final = 30
MOST_POSITIONS: Final = 20
MOST_DEALS: Final = 12
MOST_DECISIONS: Final = 12
MOST_FAILURES: Final = 10
MOST_PLAYED: Final = 8
MOST_FORTUNES: Final = 5
REASON: Final = 300
GONE: Final = Fact(
    "State", "withdrawn", "not in the configuration any more, which is no failure"
)
PLAYED_KEYS: Final = ("pnl", "forecast", "kelly", "win_rate", "turns", "open")
SCORES: Final = (
    "brier_skill", "log", "mcb", "dsc", "ece", "stated", "kelly", "linear",
)  # fmt: skip
T = TypeVar("T")
Refusals = Mapping[tuple[CohortId, ContestantId], Mapping[str, int]]


def pages(reading: Reading) -> Iterator[Page | Document]:
    """Everybody's own page, and the list of them."""
    board = reading.store.boards.overall()
    for path, view in contestant_pages(board, reading):
        yield Page(path, "contestant.html", view)
    for page in range(1, page_of(max(1, len(board.standings))) + 1):
        path = ranked_page(page)
        yield Page(path, "contestants.html", contestant_front(board, reading, page))


def contestant_pages(board: Board, reading: Reading) -> Iterable[tuple[str, ContestantPage]]:
    """Every contestant's page with its path, in the order of the leaderboard."""
    recent = {
        line.contestant: reading.show.cohorts_of(line.contestant, RECENT_COHORTS)
        for line in board.standings
    }
    cohorts = dict.fromkeys(card.id for cards in recent.values() for card in cards)
    refusals = reading.show.refusals(cohorts)
    for line in board.standings:
        path = places.contestant(line.contestant)
        yield path, _page(line, board, recent[line.contestant], refusals, reading)


def contestant_front(board: Board, reading: Reading, page: int = 1) -> ContestantListPage:
    """Everybody who ever played, by the hundred: those who are ranked, then by name."""
    root = places.root_of(places.CONTESTANTS)
    overview = reading.overview
    standings = {line.contestant: line for line in board.standings}
    lines = [standings[name] for name in reading.in_order(standings)]
    by = METRICS[overview.order_by] if overview.order_by else None
    fields = (
        Field("Contestant", "words"),
        Field("Possible ranks", "n", formula("rank_range", root)),
        *((Field(by.name, "n", formula(by.key, root)),) if by else ()),
        Field("Return, realised", "n", formula("realised_return", root)),
        Field("Provider", "one"),
        Field("Model", "words"),
        Field("Cohorts"),
        Field("Turns ok / failed", "n", formula("turns", root)),
        Field("Fills"),
    )
    first, last = numbers_on(page)
    rows = tuple(_listed(line, reading, root) for line in lines[first - 1 : last])
    title = "Contestants" if page == 1 else f"Contestants, page {page}"
    return ContestantListPage(
        Head(title, root, "contestants"),
        Table(title, fields, rows) if rows else None,
        f"In the order of the leaderboard, by {by.spoken}." if by else "By name.",
        ranked_pager(page, len(lines)),
        closes_figure(reading) if page == 1 else None,
    )


def _listed(line: Standing, reading: Reading, root: str) -> tuple[Cell, ...]:
    who, headline = line.contestant, reading.overview.order_by
    entrant, profile = reading.entrant(who), reading.profile(who)
    note = "baseline" if entrant.reference else ""
    provider = provider_link(entrant, root)
    return (
        linked(reading.contestant(who, root), note),
        rank_range_cell(profile.place, reading.overview),
        *(
            (estimated(headline, profile.scores.get(headline), counted=True),)
            if headline
            else ()
        ),
        estimated("realised_return", profile.scores.get("realised_return"), counted=True),
        linked(provider) if provider else Cell("none"),
        Cell(one_line(entrant.model, LABEL) if entrant.model else "none"),
        count_cell(line.cohorts),
        Cell(f"{figures.count(line.turns_ok)} / {figures.count(line.turns_failed)}"),
        count_cell(line.buys),
    )


def _page(
    line: Standing,
    board: Board,
    recent: Sequence[CohortCard],
    refusals: Refusals,
    reading: Reading,
) -> ContestantPage:
    who = line.contestant
    root = places.root_of(places.contestant(who))
    label, name = reading.label(who), one_line(who, LABEL)
    entrant, profile = reading.entrant(who), reading.profile(who)
    trades, older = _trades(who, reading, root)
    title = f"Contestant {label}" if label == name else f"Contestant {label} ({name})"
    as_of = shown_moment(board.as_of) if board.as_of else None
    return ContestantPage(
        head=Head(title, root, "contestants", as_of=as_of),
        id=name,
        label=label,
        provider=provider_link(entrant, root),
        reference=reference_words(entrant),
        as_of=as_of,
        standing=_standing(line, profile, reading, root),
        equity=equity(profile, reading, recent),
        forecasting=_forecasting(profile, reading, root),
        betting=_betting(who, profile, recent, reading, root),
        trades=trades,
        trades_note=f"The newest {MOST_DEALS}." if older else "",
        decisions=_decisions(who, reading, root),
        decisions_note=f"The newest {MOST_DECISIONS} at most.",
        drawdown=drawdown(profile, reading.tone(who)),
        positions=_positions(who, reading, root),
        played=_played(recent, who, reading, root),
        conduct=_conducted(who, recent, refusals, reading, root),
        identity=identity(entrant, reading),
        of=tuple(reading.contestant(other, root) for other in entrant.of),
    )


def _standing(
    line: Standing, profile: ContestantProfile, reading: Reading, root: str
) -> StandingsTable:
    return StandingsTable(
        claimed(line.contestant, reading, root),
        kpis(line, profile, reading, root),
        more_facts(line, profile, root),
        facts(line, root),
        checks(line, profile, reading.overview.headline),
    )


def _forecasting(profile: ContestantProfile, reading: Reading, root: str) -> Forecasting:
    key = "alpha" if reading.overview.headline == "alpha" else "brier"
    drawn = (
        parts_figure(label, title, parts, key)
        for label, title in PARTS
        if len(parts := profile.parts.get(label, ())) > 1
    )
    return Forecasting(
        reliable(profile, reading.tone(profile.contestant)),
        (
            *score_facts(profile, (ADJUSTED_GAIN, GAIN, *SCORES), root),
            *memory_facts(profile, reading.entrant(profile.contestant), root),
        ),
        tuple(figure for figure in drawn if figure),
        parts_table(profile, root),
    )


def _betting(
    who: ContestantId,
    profile: ContestantProfile,
    recent: Sequence[CohortCard],
    reading: Reading,
    root: str,
) -> Betting:
    seating = SqliteSeating(reading.show.db)
    best, worst = seating.fortunes(who, [card.id for card in recent], MOST_FORTUNES)
    reading.learn(position.market for position in (*best, *worst))
    return Betting(
        split_figure(reading.label(who), profile.money),
        by_price(profile),
        luck_figure(profile.money),
        luck_words(profile.money),
        money_facts(profile.money, root),
        closed_table("Best bets", best, reading, root),
        closed_table("Worst bets", worst, reading, root),
        f"of its newest {figures.many(len(recent), 'cohort')}",
    )


def _positions(who: ContestantId, reading: Reading, root: str) -> Table | None:
    held, more = _cut(reading.show.open_positions(who, MOST_POSITIONS + 1), MOST_POSITIONS)
    caption = "Valued when their cohort was last; the quote's age is its age then."
    listed = f" The first {MOST_POSITIONS}." if more else ""
    return open_table(held, reading, root, caption + listed)


def _decisions(who: ContestantId, reading: Reading, root: str) -> Table | None:
    turns = SqliteSeating(reading.show.db).newest_turns(who, MOST_DECISIONS)
    cards = {name: reading.show.cohort(name) for name in {turn.cohort for turn in turns}}
    shown = {name for name, card in cards.items() if card and kept(card, reading)}

    def href(turn: SeatTurn) -> str:
        path = places.decision(turn.cohort, turn.round, who)
        return root + path if turn.cohort in shown else ""

    return turn_table(turns, href, root, cohorts=True)


def _played(
    recent: Sequence[CohortCard], who: ContestantId, reading: Reading, root: str
) -> Table | None:
    if not recent:
        return None
    return Table(
        "Last cohorts",
        (
            Field("Cohort", "one"),
            Field("Seat", "one"),
            Field("Started", "when"),
            Field("State", "one"),
            *(Field(head.label, "n", head.href) for head in columns(PLAYED_KEYS, root)),
        ),
        tuple(_played_row(card, who, reading, root) for card in recent[:MOST_PLAYED]),
        f"The newest {MOST_PLAYED} at most.",
    )


def _played_row(
    card: CohortCard, who: ContestantId, reading: Reading, root: str
) -> tuple[Cell, ...]:
    board = reading.board(card.id)
    line = next(s for s in board.standings if s.contestant == who)
    return (
        linked(cohort_link(card.id, root)),
        Cell("its page", href=root + places.seat(who, card.id)),
        moment_cell(card.started_at),
        Cell(state_words(card)),
        *cells(PLAYED_KEYS, line),
    )


def _trades(
    who: ContestantId, reading: Reading, root: str
) -> tuple[tuple[TradeRow, ...], bool]:
    deals, more = _cut(reading.show.deals_of(who, MOST_DEALS + 1), MOST_DEALS)
    reading.learn(deal.market for deal in deals)
    rows = (deal_row(deal, reading.market(deal.market, root), reading, root) for deal in deals)
    return tuple(rows), more


def _conducted(
    who: ContestantId,
    recent: Sequence[CohortCard],
    refusals: Refusals,
    reading: Reading,
    root: str,
) -> Conducted:
    conduct = reading.store.conduct.of(who)
    reasons: Counter[str] = Counter()
    for card in recent:
        reasons.update(refusals.get((card.id, who), {}))
    caption = f"Counted over its last {figures.many(len(recent), 'cohort')}."
    newest = SqliteSeating(reading.show.db).newest_turns(who, 1)
    gone = (GONE,) if newest and newest[0].is_withdrawn else ()
    return Conducted(
        (*gone, *(replies(conduct) if conduct else ())),
        _failures(who, reading, root),
        counted(reasons, "Refused orders", caption),
    )


def replies(conduct: ConductTotals) -> tuple[Fact, ...]:
    """Counts of calls, re-asks, repairs and orders that were left out."""
    facts = [
        Fact("Calls", figures.count(conduct.calls), "questions put to a model"),
        Fact("Re-asked", figures.count(conduct.reasks), "a reply could not be read"),
        Fact("Repaired", figures.count(conduct.repaired), "in syntax, never in meaning"),
        Fact("Orders left out", figures.count(conduct.dropped), "before the rules judged them"),
        Fact(
            "Bets against itself",
            figures.count(conduct.against),
            "dearer than its own probability of the side",
        ),
        Fact(
            "Asked in halves",
            figures.count(conduct.halved),
            "refused or too long as one question",
        ),
    ]
    if conduct.baited:
        obeyed = f"{conduct.bait_taken} of {conduct.baited}"
        facts.append(Fact("Obeyed a honeypot", obeyed, "turns with a made-up market's orders"))
    return tuple(facts)


def _failures(who: ContestantId, reading: Reading, root: str) -> Table | None:
    turns, more = _cut(reading.show.failures_of(who, MOST_FAILURES + 1), MOST_FAILURES)
    return table_of(
        "Failed turns",
        turns,
        (
            ("When", "when", "", lambda turn: moment_cell(turn.at)),
            ("Cohort", "one", "", lambda turn: linked(cohort_link(turn.cohort, root))),
            ("Round", "n", "", lambda turn: Cell(str(turn.round), value=turn.round)),
            ("Reason", "words", "", lambda turn: Cell(one_line(turn.reason, REASON))),
        ),
        root,
        f"The newest {MOST_FAILURES}." if more else "",
    )


def _cut(things: Sequence[T], most: int) -> tuple[Sequence[T], bool]:
    """The first `most` things, and whether there were more."""
    return things[:most], len(things) > most
