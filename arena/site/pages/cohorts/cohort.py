"""The pages of cohorts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.market import Market, MarketId
from arena.site import places
from arena.site.charts.curves import curves
from arena.site.charts.subjects import Curve, LineWeight, Point, Scale, Words
from arena.site.estimates import formula
from arena.site.lists import PER_PAGE, front_pager, numbers_on, pager
from arena.site.page import Document, Page
from arena.site.pages.cohorts import seats
from arena.site.pages.cohorts.agreements import own_rules, seal_of
from arena.site.pages.cohorts.seats import Played
from arena.site.pages.cohorts.settling import exclusions, kpis, progress
from arena.site.pages.cohorts.view import CohortListPage, CohortPage
from arena.site.pages.contestants.contestant_charts import RANGES, recent
from arena.site.pages.contestants.holdings import linked
from arena.site.pages.leaderboard.standings import board_view, by_name
from arena.site.pages.leaderboard.view import BoardView
from arena.site.pages.markets.view import MarketRow
from arena.site.pages.parts.parts import Cell, Figure, Head, Link, Moment
from arena.site.pages.parts.tables import Field, Table
from arena.site.reading import (
    LABEL,
    QUESTION,
    Reading,
    cohort_link,
    ruling_words,
    shown_moment,
    state_words,
)
from arena.site.sanitize import one_line
from arena.store.pages.cards import CohortCard, RoundCard
from arena.store.pages.seat_pages import CohortProgress, SqliteSeating

MOST_MARKETS: Final = 200
MOST_ROUNDS: Final = 100
MOST_SEATS: Final = 60  # in the table: the twin has all
MOST_DRAWN: Final = 20  # curves
MOMENTS: Final = 60  # of each contestant's curve
COLOURED: Final = 5  # of the curves: the eye follows no more
CONTENTS: Final = (
    ("progress", "Progress"),
    ("leaderboard", "Results"),
    ("equity-of-all", "Profit and loss"),
    ("rounds", "Rounds"),
    ("agreement", "Rules in force"),
    ("registration", "Registration"),
    ("exclusions", "Exclusions"),
    ("markets", "Markets"),
)


def pages(card: CohortCard, reading: Reading) -> Iterator[Page | Document]:
    """A cohort's own page, and those of its seats."""
    rounds = reading.show.rounds(card.id)
    played = read_played(card, rounds, reading)
    yield Page(places.cohort(card.id), "cohort.html", cohort_page(played, rounds, reading))
    yield from seats.pages(played, reading)


def fronts(reading: Reading) -> Iterator[Page | Document]:
    """The list of cohorts, newest first."""
    yield Page(places.COHORTS, "cohorts.html", cohort_front(reading))


def read_played(card: CohortCard, rounds: Sequence[RoundCard], reading: Reading) -> Played:
    """Read at once what the cohort's page and those of its seats show."""
    seating = SqliteSeating(reading.show.db)
    board, marked = reading.board(card.id), reading.show.marked_at(card.id)
    offered = _offered(rounds)
    facts = reading.store.tape.markets(offered, rounds[-1].at) if rounds else {}
    refused = reading.show.refusals([card.id])
    return Played(
        card=card,
        board=board,
        state=_state(card, marked, sum(line.open for line in board.standings)),
        marked=marked,
        facts=facts,
        rulings=reading.show.rulings(offered),
        marks=seating.marks(card.id),
        positions=seating.positions(card.id),
        deals=seating.dealt(card.id),
        turns=seating.turns(card.id),
        said=seating.said(card.id),
        refused={who: reasons for (_, who), reasons in refused.items()},
    )


def cohort_page(played: Played, rounds: Sequence[RoundCard], reading: Reading) -> CohortPage:
    """One cohort: what was agreed, how it stands, what was played.

    Nothing on it depends on later cohorts, so it stays as it is once all its markets have
    resolved.
    """
    card = played.card
    root = places.root_of(places.cohort(card.id))
    offered = _offered(rounds)
    changed, unchanged = own_rules(card.spec)
    return CohortPage(
        head=Head(f"Cohort {one_line(card.id, LABEL)}", root, "cohorts"),
        name=one_line(card.id, LABEL),
        title=one_line(card.spec.title, QUESTION),
        state=played.state,
        marked=shown_moment(played.marked) if played.marked else None,
        started=shown_moment(card.started_at),
        ends=shown_moment(card.ends_at),
        contents=tuple(Link(words, f"#{key}") for key, words in CONTENTS),
        kpis=kpis(played, offered, root),
        progress=progress(played, rounds, offered),
        board=_board(played, reading, root),
        equity=equity(played, reading),
        rounds=_rounds(rounds, root),
        digest=card.digest,
        agreement=changed,
        defaults=unchanged,
        seal=seal_of(card, reading),
        exclusions=exclusions(played, offered),
        markets=_markets(played, offered[:MOST_MARKETS], root),
        left_out=_left_out_note(len(offered)),
    )


def equity(played: Played, reading: Reading) -> Figure | None:
    """Everybody's profit and loss over time, mark-to-market."""
    capital = played.card.spec.rules.capital
    lines: list[Curve] = []
    coloured = 0
    for line in by_name(played.board, reading):
        marks = recent(played.marks.get(line.contestant, ()), MOMENTS)
        if len(marks) < 2:  # noqa: PLR2004  # a line has two ends
            continue
        points = []
        for seat_mark in marks:
            worth = played.worth(seat_mark)
            points.append(
                Point(seat_mark.at, None if worth is None else float(worth - capital))
            )
        own = not reading.entrant(line.contestant).reference
        weight = LineWeight.MAIN if own and coloured < COLOURED else LineWeight.QUIET
        coloured += weight is LineWeight.MAIN
        name, tone = reading.label(line.contestant), reading.tone(line.contestant)
        lines.append(Curve(name, tuple(points), weight, tone=tone))
    if not lines:
        return None
    left = f" {len(lines) - MOST_DRAWN} more are not drawn." if lines[MOST_DRAWN:] else ""
    how = "All has settled." if played.card.complete_at else "Not all has settled yet."
    words = Words(
        "equity",
        "Profit and loss of everybody",
        f"Equity, mark-to-market, less {figures.dollars(capital, 0)} of opening capital each. "
        f"{how} The first {COLOURED} in colour, baselines and others grey.{left}",
    )
    shown = METRICS["pnl_luck"].shown
    scale = Scale("P/L", shown, base=0.0, floor=-float(capital))
    return curves(words, lines[:MOST_DRAWN], scale, ranges=RANGES)


def cohort_list(page: int, reading: Reading) -> CohortListPage:
    """A page of cohorts by number."""
    path = places.list_page("cohorts", page)
    cards = reading.show.cohorts(*numbers_on(page))
    head = Head(f"Cohorts, page {page}", places.root_of(path), "cohorts")
    count = reading.show.cohort_count()
    return CohortListPage(head, _listed(cards, reading, head.root), pager(page, count))


def cohort_front(reading: Reading) -> CohortListPage:
    """The newest cohorts, and the way to all of them."""
    count = reading.show.cohort_count()
    cards = reading.show.cohorts(count - PER_PAGE + 1, count)
    head = Head("Cohorts", places.root_of(places.COHORTS), "cohorts")
    return CohortListPage(
        head, _listed(cards, reading, head.root), front_pager("cohorts", count)
    )


def _listed(cards: Sequence[CohortCard], reading: Reading, root: str) -> Table | None:
    if not cards:
        return None
    progress_by_cohort = SqliteSeating(reading.show.db).progress(card.id for card in cards)
    return Table(
        "Cohorts",
        (
            Field("Cohort", "one"),
            Field("Title", "words"),
            Field("Started", "when"),
            Field("State", "one"),
            Field("Settled"),
            Field("Open", "n", formula("open", root)),
            Field("Contestants"),
        ),
        tuple(_listed_row(card, progress_by_cohort.get(card.id), root) for card in cards),
        "Settled: the share of forecasts and fills whose markets have resolved.",
    )


def _listed_row(
    card: CohortCard, progress: CohortProgress | None, root: str
) -> tuple[Cell, ...]:
    started = shown_moment(card.started_at)
    count = len(card.spec.contestants)
    return (
        linked(cohort_link(card.id, root)),
        Cell(one_line(card.spec.title, QUESTION)),
        Cell(started.text, value=started.iso),
        Cell(state_words(card)),
        _share(progress),
        Cell(
            figures.count(progress.open if progress else 0),
            value=progress.open if progress else 0,
        ),
        Cell(figures.count(count), value=count),
    )


def _share(progress: CohortProgress | None) -> Cell:
    of = progress.said + progress.bought if progress else 0
    if not progress or not of:
        return Cell(figures.MISSING)
    share = (progress.scored + progress.settled) / of
    return Cell(figures.percent(share, 0), value=share)


def _state(card: CohortCard, marked: datetime | None, still_open: int) -> str:
    """Where a cohort is in its life, by its own last valuation: no clock is read."""
    if card.complete_at is not None:
        return f"complete since {figures.moment(card.complete_at)}"
    if marked is None or marked < card.ends_at:
        return "still deciding"
    if not still_open:
        return "past its decisions, with no position open"
    return f"waiting for {figures.many(still_open, 'open position')} to resolve"


def _offered(rounds: Sequence[RoundCard]) -> list[MarketId]:
    """Every market that was offered, in the order it first was."""
    return list(dict.fromkeys(m for r in rounds for m in r.offered))


def _board(played: Played, reading: Reading, root: str) -> BoardView:
    """What everybody made of the cohort; each line leads to its seat."""
    view = board_view(played.board, reading, root)
    seated = {
        root + places.contestant(line.contestant): root
        + places.seat(line.contestant, played.card.id)
        for line in played.board.standings
    }
    rows = tuple(
        replace(row, contestant=Link(row.contestant.text, seated[row.contestant.href]))
        for row in view.rows
    )
    return replace(view, rows=rows[:MOST_SEATS], others=rows[MOST_SEATS:])


def _rounds(rounds: Sequence[RoundCard], root: str) -> Table | None:
    if not rounds:
        return None
    newest = rounds[-MOST_ROUNDS:]
    left = len(rounds) - len(newest)
    words = "The digest names what a round offered: its markets with their prices, in order."
    return Table(
        "Rounds",
        (
            Field("Round"),
            Field("Moment", "when"),
            Field("Markets"),
            Field("Turns ok / failed", "n", formula("turns", root)),
            Field("State", "one"),
            Field("Digest (SHA-256)", "digest"),
        ),
        tuple(_round_row(card) for card in newest),
        words if not left else f"{words} The newest {MOST_ROUNDS} of {len(rounds)}.",
    )


def _round_row(card: RoundCard) -> tuple[Cell, ...]:
    at = shown_moment(card.at)
    return (
        Cell(str(card.number), value=card.number),
        Cell(at.text, value=at.iso),
        Cell(figures.count(len(card.offered)), value=len(card.offered)),
        Cell(f"{figures.count(card.ok)} / {figures.count(card.failed)}", value=card.ok),
        Cell("closed" if card.closed else "open"),
        Cell(card.digest),
    )


def _markets(played: Played, offered: Sequence[MarketId], root: str) -> tuple[MarketRow, ...]:
    """The markets of the rounds, with their facts as they were when last offered."""
    return tuple(_market_row(m, played.facts.get(m), played, root) for m in offered)


def _market_row(name: MarketId, facts: Market | None, played: Played, root: str) -> MarketRow:
    return MarketRow(
        market=Link(played.question(name), root + places.market(name)),
        category=one_line(facts.category, LABEL) if facts else "",
        venue=one_line(played.card.spec.venue, LABEL),
        state=ruling_words(played.rulings.get(name)),
        closes=_closes(facts.closes_at) if facts else None,
    )


def _closes(at: datetime | None) -> Moment | None:
    return shown_moment(at) if at else None


def _left_out_note(count: int) -> str:
    if count <= MOST_MARKETS:
        return ""
    return f"The first {MOST_MARKETS} of {figures.count(count)} markets are listed."
