"""Random plays through whole ticks: two contestants, some days, and venues that change."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from arena.records.briefing import Briefing
from arena.records.cohort import ContestantId, Rules
from arena.records.decision import Decision
from arena.records.market import FeeModel, MarketId, Outcome, Quote, State
from arena.records.money import usd
from tests.build import ADA, BEN, COHORT, MARKETS, market, spec
from tests.laws.seasons import FIRST, SOUND, decisions, fees, outcomes, quotes, rules
from tests.stage import Game, Order, Says, Script, playing

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
    """What is quoted and decided at the start of a day, and what is said at noon."""

    quotes: tuple[Quote, ...]
    decisions: tuple[Decision, ...]
    said: tuple[Said, ...]


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
        who: {
            number: lambda briefing, d=day.decisions[n]: words(d, briefing)
            for number, day in enumerate(play.days, 1)
        }
        for n, who in enumerate(both)
    }
    agreed = [
        spec(COHORT, tuple(order), play.rules, days=len(play.days)),
        spec("longer", (BEN,), play.rules, days=99),
    ]
    with playing(scripts, *agreed) as game:
        yield game


def go(game: Game, play: Play, *, times: int = 1) -> None:
    """Play every day: ticks at its start and at noon, each as often as `times` says."""
    for number, day in enumerate(play.days):
        game.quote(*day.quotes)
        for _ in range(times):
            game.tick(24 * number)
        hear(game, play, day.said)
        for _ in range(times):
            game.tick(24 * number + 12)


def hear(game: Game, play: Play, words_said: Sequence[Said]) -> None:
    for name, word in zip(MARKETS, words_said, strict=True):
        game.say(name, word)
    listed = [n for n, w in zip(MARKETS, words_said, strict=True) if w is State.OPEN]
    game.venue.listed = [market(name, play.fee) for name in listed]


def with_legs_reversed(play: Play) -> Play:
    return replace(
        play,
        days=tuple(
            replace(d, decisions=tuple(_reversed(x) for x in d.decisions)) for d in play.days
        ),
    )


def _reversed(decision: Decision) -> Decision:
    return replace(decision, bets=decision.bets[::-1], sales=decision.sales[::-1])


Names = Sequence[MarketId]
