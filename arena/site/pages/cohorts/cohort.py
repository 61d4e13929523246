"""The pages of cohorts."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Final

from arena.metrics import figures
from arena.metrics.registry import METRICS
from arena.records.market import MarketId, Verdict
from arena.site import Document, Page, places
from arena.site.charts.subjects import Curve, LineWeight, Words
from arena.site.charts.timed import curves
from arena.site.estimates import count_cell, formula, table_of
from arena.site.pages.cohorts import seats
from arena.site.pages.cohorts.agreements import own_rules, seal_of
from arena.site.pages.cohorts.seats import CohortListPage, CohortPage, Played, Progress
from arena.site.pages.contestants.contestant_charts import RANGES, recent
from arena.site.pages.contestants.holdings import linked
from arena.site.pages.decisions.view import documents_of
from arena.site.pages.leaderboard.standings import BoardView, board_view, by_name
from arena.site.pages.market import MarketRow
from arena.site.pages.parts import Cell, Figure, Head, Kpi, Link, Table
from arena.site.places import PER_PAGE, front_pager, numbers_on, pager
from arena.site.reading import (
    LABEL,
    QUESTION,
    Reading,
    cohort_link,
    moment_cell,
    ruling_words,
    shown_moment,
    state_words,
)
from arena.site.sanitize import one_line
from arena.store.journal.books import Ruling
from arena.store.pages.cards import CohortCard, RoundCard
from arena.store.pages.seat_pages import CohortProgress, SqliteSeating

MOST_VOID: Final = 100


def verdicts(rulings: Mapping[MarketId, Ruling], offered: Sequence[MarketId]) -> Counter[str]:
    """How many of the markets are open, resolved and void."""
    counts: Counter[str] = Counter()
    for market in offered:
        ruling = rulings.get(market)
        if ruling is None or ruling.outcome is None:
            counts["open"] += 1
        elif ruling.outcome.verdict is Verdict.VOID:
            counts["void"] += 1
        else:
            counts["resolved"] += 1
    return counts


def kpis(played: Played, offered: Sequence[MarketId], root: str) -> tuple[Kpi, ...]:
    """The key numbers of a cohort."""
    lines, rules = played.board.standings, played.card.spec.rules
    ended = verdicts(played.rulings, offered)
    positions = sum(line.open for line in lines)
    breakdown = ", ".join(
        f"{figures.count(ended[name])} {name}" for name in ("open", "resolved", "void")
    )
    fills = sum(line.buys for line in lines)
    unknown = sum(line.cost is None for line in lines)
    least = sum((line.cost_known for line in lines), Decimal(0))
    cost = figures.spent(None if unknown else least, least, METRICS["cost"].shown)
    over = f"{figures.many(unknown, 'contestant')} without a known cost" if unknown else ""
    count = figures.count
    return (
        Kpi("Contestants", Cell(count(len(lines)), value=len(lines))),
        Kpi("Capital each", Cell(figures.dollars(rules.capital, 0), value=rules.capital)),
        Kpi("Markets offered", Cell(count(len(offered)), value=len(offered)), breakdown),
        Kpi("Fills", Cell(count(fills), value=fills)),
        Kpi(
            "Open positions",
            Cell(count(positions), value=positions),
            href=formula("open", root),
        ),
        Kpi("Cost", Cell(cost, value=None if unknown else least), over, formula("cost", root)),
    )


def progress(
    played: Played, rounds: Sequence[RoundCard], offered: Sequence[MarketId]
) -> tuple[Progress, ...]:
    """The progress of a cohort in rounds, markets and forecasts."""
    spec = played.card.spec
    due = max(-(-spec.decide_for // spec.decide_every), 1)
    closed = sum(card.closed for card in rounds)
    ended = verdicts(played.rulings, offered)
    done = ended["resolved"] + ended["void"]
    forecasts = [forecast for seat in played.said.values() for forecast in seat]
    scored = sum(forecast.n for forecast in forecasts if forecast.brier is not None)
    void = sum(
        forecast.n
        for forecast in forecasts
        if forecast.brier is None and _is_ruled(forecast.market, played)
    )
    total = sum(forecast.n for forecast in forecasts)
    words = f"{figures.count(scored)} of {figures.count(total)} scored"
    left = f", {figures.count(void)} excluded" if void else ""
    return (
        Progress("Rounds", closed, due, f"{closed} of {due} played"),
        Progress(
            "Markets",
            done,
            len(offered),
            f"{figures.count(done)} of {figures.count(len(offered))} have resolved",
        ),
        Progress("Forecasts", scored + void, total, words + left),
    )


def _is_ruled(market: MarketId, played: Played) -> bool:
    ruling = played.rulings.get(market)
    return ruling is not None and ruling.outcome is not None


def exclusions(played: Played, offered: Sequence[MarketId]) -> tuple[str, ...]:
    """What is excluded from scores, and why."""
    lines = played.board.standings
    sentences = []
    excluded = sum(line.excluded for line in lines)
    if excluded:
        what = figures.many(excluded, "fill or forecast", "fills and forecasts")
        sentences.append(f"{what} of markets that were void or paid a fraction.")
    void = [
        m
        for m in offered
        if (r := played.rulings.get(m)) and r.outcome and r.outcome.truth is None
    ]
    sentences += [
        f"{played.question(market)} ({ruling_words(played.rulings[market])})"
        for market in void[:MOST_VOID]
    ]
    failed = sum(line.turns_failed for line in lines)
    if failed:
        words = figures.many(failed, "turn")
        there = "it" if failed == 1 else "them"
        sentences.append(f"{words} could not be read: nothing was traded or scored in {there}.")
    refused = sum(line.refused for line in lines)
    if refused:
        sentences.append(f"{figures.many(refused, 'order')} broke the rules and did not trade.")
    return tuple(sentences)


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
        documents=documents_of(card.id, rounds[-1].number, reading) if rounds else None,
        digest=card.digest,
        agreement=changed,
        defaults=unchanged,
        seal=seal_of(card, reading),
        exclusions=exclusions(played, offered),
        markets=tuple(_market_row(name, played, root) for name in offered[:MOST_MARKETS]),
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
        own = not reading.entrant(line.contestant).reference
        weight = LineWeight.MAIN if own and coloured < COLOURED else LineWeight.QUIET
        coloured += weight is LineWeight.MAIN
        name, tone = reading.label(line.contestant), reading.tone(line.contestant)
        lines.append(Curve(name, played.profits(marks), weight, tone=tone))
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
    return curves(words, lines[:MOST_DRAWN], played.scale, ranges=RANGES)


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
    progress = SqliteSeating(reading.show.db).progress(card.id for card in cards)
    return table_of(
        "Cohorts",
        cards,
        (
            ("Cohort", "one", "", lambda card: linked(cohort_link(card.id, root))),
            ("Title", "words", "", lambda card: Cell(one_line(card.spec.title, QUESTION))),
            ("Started", "when", "", lambda card: moment_cell(card.started_at)),
            ("State", "one", "", lambda card: Cell(state_words(card))),
            ("Settled", "n", "", lambda card: _share(progress.get(card.id))),
            ("Open", "n", "open", lambda card: _open(progress.get(card.id))),
            ("Contestants", "n", "", lambda card: count_cell(len(card.spec.contestants))),
        ),
        root,
        "Settled: the share of forecasts and fills whose markets have resolved.",
    )


def _open(progress: CohortProgress | None) -> Cell:
    return count_cell(progress.open if progress else 0)


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
    newest = rounds[-MOST_ROUNDS:]
    left = len(rounds) - len(newest)
    words = "The digest names what a round offered: its markets with their prices, in order."
    return table_of(
        "Rounds",
        newest,
        (
            ("Round", "n", "", lambda card: Cell(str(card.number), value=card.number)),
            ("Moment", "when", "", lambda card: moment_cell(card.at)),
            ("Markets", "n", "", lambda card: count_cell(len(card.offered))),
            ("Turns ok / failed", "n", "turns", _turns),
            ("State", "one", "", lambda card: Cell("closed" if card.closed else "open")),
            ("Digest (SHA-256)", "digest", "", lambda card: Cell(card.digest)),
        ),
        root,
        words if not left else f"{words} The newest {MOST_ROUNDS} of {len(rounds)}.",
    )


def _turns(card: RoundCard) -> Cell:
    return Cell(f"{figures.count(card.ok)} / {figures.count(card.failed)}", value=card.ok)


def _market_row(name: MarketId, played: Played, root: str) -> MarketRow:
    """A market of the rounds, with its facts as they were when it was last offered."""
    facts = played.facts.get(name)
    return MarketRow(
        market=Link(played.question(name), root + places.market(name)),
        category=one_line(facts.category, LABEL) if facts else "",
        venue=one_line(played.card.spec.venue, LABEL),
        state=ruling_words(played.rulings.get(name)),
        closes=shown_moment(facts.closes_at) if facts and facts.closes_at else None,
    )


def _left_out_note(count: int) -> str:
    if count <= MOST_MARKETS:
        return ""
    return f"The first {MOST_MARKETS} of {figures.count(count)} markets are listed."
