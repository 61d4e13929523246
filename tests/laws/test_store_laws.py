from collections import defaultdict
from dataclasses import astuple, fields, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.ledger.positions import all_positions, balances
from arena.records.cohort import (
    CohortId,
    ConfidenceBase,
    ContestantId,
    FeeRule,
    FillRule,
    MarkRule,
)
from arena.records.grade import Tally
from arena.records.market import MarketId, Outcome, Side, State
from arena.records.money import MICRO, ZERO_USD, Price, micro, price_from_micro
from arena.records.trade import Book, Entry, Fill, PositionState, Resolved, SoldFill, Turn
from arena.scoring.leaderboard import brier_score, picos
from arena.store.audit import audit
from arena.store.caches import read_position
from arena.store.codec import read_row
from arena.store.journal.packed import rebuild
from tests.build import ADA, BEN, COHORT, MARKETS, at_price
from tests.laws.plays import Play, go, hear, plays, staged, with_legs_reversed
from tests.laws.seasons import MILLION, outcomes
from tests.present import present
from tests.sizes import size
from tests.stage import Game

SEATS = ((COHORT, ADA), (COHORT, BEN), (CohortId("longer"), BEN))
law = settings(max_examples=size(4, 25))

Seat = tuple[CohortId, ContestantId]


def seats(game: Game) -> dict[Seat, Tally]:
    return {(cohort, who): game.seat(who, cohort) for cohort, who in SEATS}


@law
@given(play=plays)
def test_the_caches_are_what_the_journal_and_the_tape_say(play: Play) -> None:
    with staged(play) as game:
        go(game, play)
        assert audit(game.store.db).findings == ()
        assert rebuild(game.store.db).changed == ()


@law
@given(play=plays)
def test_the_sums_of_a_seat_are_the_fold_of_its_entries(play: Play) -> None:
    with staged(play) as game:
        go(game, play)
        folded = balances(game.entries)
        for seat, kept in seats(game).items():
            of = {book: micro(folded.get((seat, book), ZERO_USD)) for book in Book}
            assert kept.cash_micro == of[Book.CASH] >= 0
            assert kept.owed_micro == -of[Book.OWED] >= 0
            assert kept.open_cost_micro == of[Book.POSITION]
            assert kept.fees_micro == of[Book.FEES]
            assert kept.realised_micro == -of[Book.PROFIT]
            assert kept.capital_micro == -of[Book.CAPITAL]
            assert not (kept.cash_micro and kept.owed_micro)


@law
@given(play=plays)
def test_the_positions_are_the_fold_of_the_entries(play: Play) -> None:
    with staged(play) as game:
        go(game, play)
        kept = {read_position(row) for row in game.store.db.rows("SELECT * FROM positions")}
        assert kept == set(all_positions(game.entries))
        for seat, summed in seats(game).items():
            mine = [p for p in kept if (p.cohort, p.contestant) == seat]
            still = [p for p in mine if p.state is PositionState.OPEN]
            assert summed.open_positions == len(still)
            assert summed.open_cost_micro == sum(micro(p.cost) for p in still)
            assert summed.realised_micro == sum(micro(p.realised) for p in mine)


@law
@given(play=plays)
def test_totals_are_the_sums_of_the_seats(play: Play) -> None:
    with staged(play) as game:
        go(game, play)
        for who in (ADA, BEN):
            row = present(game.store.db.row("SELECT * FROM totals WHERE contestant = ?", who))
            mine = [t for (_, owner), t in seats(game).items() if owner == who]
            assert row["cohorts"] == len(mine)
            assert astuple(read_row(Tally, row)) == tuple(
                map(sum, zip(*map(astuple, mine), strict=True))
            )


def standing_words(entries: list[Entry]) -> dict[MarketId, Outcome | None]:
    said = (e.event for e in entries if isinstance(e.event, Resolved))
    return {event.market: event.outcome for event in said}


def counted(game: Game) -> dict[Seat, dict[str, int]]:
    """The scores of each seat, from the journal alone and in the plainest way."""
    entries = game.entries
    said = standing_words(entries)
    sums: dict[Seat, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for entry in entries:
        of = sums[CohortId(entry.cohort or ""), ContestantId(entry.contestant or "")]
        event = entry.event
        if isinstance(event, Fill):
            of["buys"] += 1
            _count_fill(of, event, said.get(event.market))
        elif isinstance(event, SoldFill):
            of["sells"] += 1
        elif isinstance(event, Turn):
            of["refused"] += len(event.refused)
            of["turns_ok" if event.failure is None else "turns_failed"] += 1
            for forecast in event.forecasts:
                of["forecasts"] += 1
                _count_forecast(of, forecast.probability, said.get(forecast.market))
    return sums


def _count_fill(of: dict[str, int], fill: Fill, word: Outcome | None) -> None:
    if word is None:
        return
    if word.truth is None:
        of["fills_excluded"] += 1
        return
    of["fills_resolved"] += 1
    of["fills_won"] += (fill.side is Side.YES) == (word.truth == 1)
    of["break_even_micro"] += micro(fill.price)
    of["linear_pico"] += picos(brier_score(fill.linear, word.truth))
    of["kelly_pico"] += picos(brier_score(fill.kelly, word.truth))
    if fill.stated is not None:
        of["stated_resolved"] += 1
        of["stated_pico"] += picos(brier_score(fill.stated, word.truth))


def _count_forecast(of: dict[str, int], probability: float, word: Outcome | None) -> None:
    if word is None:
        return
    if word.truth is None:
        of["forecasts_excluded"] += 1
        return
    of["forecasts_resolved"] += 1
    of["forecast_pico"] += picos(brier_score(probability, word.truth))


# The counts and scores of a tally; before them stand its dollars and marks, after them costs.
NAMES = [f.name for f in fields(Tally)]
COUNTED = NAMES[NAMES.index("buys") : NAMES.index("tokens_in")]


@law
@given(play=plays)
def test_scores_are_those_of_the_last_words_however_often_they_changed(play: Play) -> None:
    with staged(play) as game:
        go(game, play)
        again = counted(game)
        for seat, kept in seats(game).items():
            assert {n: getattr(kept, n) for n in COUNTED} == {
                n: again[seat].get(n, 0) for n in COUNTED
            }


@law
@given(play=plays)
def test_doing_everything_twice_is_doing_it_once(play: Play) -> None:
    with staged(play) as once, staged(play) as twice:
        go(once, play)
        go(twice, play, times=2)
        assert once.store.journal.head() == twice.store.journal.head()


@law
@given(play=plays)
def test_the_order_of_contestants_changes_nobodys_books(play: Play) -> None:
    with staged(play) as one, staged(play, (BEN, ADA)) as other:
        go(one, play)
        go(other, play)
        assert seats(one) == seats(other)


@law
@given(play=plays)
def test_the_order_of_legs_changes_nobodys_books(play: Play) -> None:
    ours = replace(play, rules=replace(play.rules, confidence_base=ConfidenceBase.DECISION))
    with staged(ours) as one, staged(with_legs_reversed(ours)) as other:
        go(one, ours)
        go(other, with_legs_reversed(ours))
        assert seats(one) == seats(other)


def apart_from_marks(kept: Tally) -> dict[str, int]:
    marked = ("bid_", "mid_")
    return {
        f.name: getattr(kept, f.name) for f in fields(kept) if not f.name.startswith(marked)
    }


@law
@given(play=plays, said=st.tuples(*(outcomes for _ in MARKETS)))
def test_words_taken_back_and_said_again_restore_everything(
    play: Play, said: tuple[Outcome, ...]
) -> None:
    with staged(play) as game:
        go(game, play)
        after = 24 * len(play.days)
        hear(game, said)
        game.tick(after)
        before = {seat: apart_from_marks(kept) for seat, kept in seats(game).items()}
        hear(game, [State.DISPUTED] * len(said))
        game.tick(after + 2)
        hear(game, said)
        game.tick(after + 4)
        assert {seat: apart_from_marks(kept) for seat, kept in seats(game).items()} == before


@law
@given(play=plays, said=st.tuples(*(outcomes for _ in MARKETS)))
def test_when_everything_is_settled_nothing_is_open(
    play: Play, said: tuple[Outcome, ...]
) -> None:
    with staged(play) as game:
        go(game, play)
        hear(game, said)
        game.tick(24 * len(play.days))
        assert [c.id for c in game.store.books.running()] == ["longer"]
        for kept in seats(game).values():
            assert (kept.open_positions, kept.open_cost_micro, kept.bid_micro) == (0, 0, 0)


@law
@given(play=plays, of_yes=st.integers(1, MILLION - 1).map(price_from_micro))
def test_who_trades_at_the_mark_keeps_what_he_has(play: Play, of_yes: Price) -> None:
    peers = replace(play.rules, fill=FillRule.MID, fees=FeeRule.NONE, mark=MarkRule.MID)
    quiet = tuple(at_price(str(of_yes), name) for name in MARKETS)
    days = tuple(replace(d, quotes=quiet, said=(State.OPEN,) * 3) for d in play.days)
    with staged(replace(play, rules=peers, days=days)) as game:
        go(game, replace(play, rules=peers, days=days))
        for cohort, who in SEATS:
            line = game.standing(who, cohort)
            rounded = line.buys + line.sells + line.open
            assert line.pnl is not None
            assert abs(line.pnl) <= MICRO * rounded
