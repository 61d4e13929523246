"""Random plays through whole ticks: two contestants, some days, and venues that change."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from arena.records.answer import Briefing
from arena.records.cohort import ContestantId, Rules
from arena.records.decision import Decision
from arena.records.market import FeeModel, Outcome, Quote, State
from arena.records.money import usd
from tests.build import ADA, BEN, COHORT, MARKETS, market, spec
from tests.laws.seasons import FIRST, SOUND, decisions, fees, outcomes, quotes, rules
from tests.stage import Game, Order, Says, Script, Words, playing

Said = Outcome | State

both = (ADA, BEN)
said = st.one_of(
    st.just(State.OPEN),
    st.just(State.OPEN),
    outcomes,
    outcomes,
    st.sampled_from([State.DISPUTED, State.UNKNOWN, State.PROPOSED, State.CLOSED_PENDING]),
)


@dataclass(frozen=True, slots=True)
class Day:
    """What is quoted, listed and decided in the morning, and what is said in the evening.

    What is said `overnight` is heard only when the next round is laid out.
    """

    quotes: tuple[Quote, ...]
    decisions: tuple[Decision, ...]
    said: tuple[Said, ...]
    listed: tuple[bool, ...] = (True, True, True)
    overnight: bool = False


@dataclass(frozen=True, slots=True)
class Play:
    """An agreement and its days."""

    rules: Rules
    fee: FeeModel
    days: tuple[Day, ...]


days = st.builds(
    Day,
    st.tuples(*(quotes(name) for name in MARKETS)),
    st.tuples(*(decisions() for _ in both)),
    st.tuples(*(said for _ in MARKETS)),
    st.tuples(*(st.sampled_from([True, True, True, False]) for _ in MARKETS)),
    st.booleans(),
)
FIRST_DAY = Day(SOUND, (FIRST.decision,) * 2, (State.OPEN,) * 3)
plays = st.builds(
    Play, rules, fees, st.lists(days, min_size=1, max_size=4).map(lambda d: (FIRST_DAY, *d))
)


def words(decision: Decision, briefing: Briefing) -> str:
    """Say what of a decision the briefing has names for; stakes are percents of the cap."""
    there = {offer.market.id for offer in briefing.offers + briefing.sell_only}
    orders: list[Order] = [
        (b.market, b.side, str(usd(b.stake / 100 * briefing.cap)))
        for b in decision.bets
        if b.market in there
    ]
    orders += [(s.market, s.side, str(s.percent)) for s in decision.sales if s.market in there]
    stated = {f.market: f.probability for f in decision.forecasts if f.market in there}
    if not orders:
        return Says(forecasts=stated).words(briefing)
    return Says(decision.action, tuple(orders), stated).words(briefing)


@contextmanager
def staged(play: Play, order: Sequence[ContestantId] = both) -> Iterator[Game]:
    """Set a play up: one cohort for its days, and one of Ben alone that never ends."""
    scripts: dict[ContestantId, Script] = {
        who: {number: _saying(day.decisions[n]) for number, day in enumerate(play.days, 1)}
        for n, who in enumerate(both)
    }
    agreed = [
        spec(COHORT, tuple(order), play.rules, days=len(play.days)),
        spec("longer", (BEN,), play.rules, days=99),
    ]
    with playing(scripts, *agreed) as game:
        yield game


def _saying(decision: Decision) -> Words:
    return lambda briefing: words(decision, briefing)


def go(game: Game, play: Play, *, times: int = 1) -> None:
    """Play every day: ticks in the morning and the evening, each as often as `times` says.

    A venue may list what has resolved, and leave out what trades.
    """
    for number, day in enumerate(play.days):
        game.quote(*day.quotes)
        facts = zip(MARKETS, day.listed, strict=True)
        game.venue.listed = [market(name, play.fee) for name, shown in facts if shown]
        _tick(game, 24 * number, times)
        if not day.overnight:
            hear(game, day.said)
        _tick(game, 24 * number + 12, times)
        hear(game, day.said)


def _tick(game: Game, hours: float, times: int) -> None:
    for _ in range(times):
        game.tick(hours)


def hear(game: Game, said_of_each: Sequence[Said]) -> None:
    """Let the venue say something of each market."""
    for name, word in zip(MARKETS, said_of_each, strict=True):
        game.say(name, word)


def with_legs_reversed(play: Play) -> Play:
    return replace(
        play,
        days=tuple(
            replace(d, decisions=tuple(_reversed(x) for x in d.decisions)) for d in play.days
        ),
    )


def _reversed(decision: Decision) -> Decision:
    return replace(decision, bets=decision.bets[::-1], sales=decision.sales[::-1])
