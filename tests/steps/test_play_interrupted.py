"""What a round that was broken off may still do, and what it may not."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from arena.records.answer import Answer, Briefing, Completion, Usage
from arena.records.market import YES_WINS, Side
from arena.records.money import usd
from arena.steps.play import tick
from arena.store.backups import rewind
from tests.build import ADA, BEN, COHORT, HAIL, RAIN, SNOW, T0, at_price, market, spec
from tests.stage import Game, Script, buys, playing, started

YES = Side.YES


def broken_off(game: Game) -> None:
    """Play a round in which Ada answers and the process dies while Ben is asked."""
    with pytest.raises(KeyboardInterrupt):
        game.tick(0)


def test_an_answer_that_was_given_is_judged_at_the_prices_it_saw() -> None:
    with playing({ADA: {1: buys((RAIN, YES, 500))}, BEN: {1: KeyboardInterrupt()}}) as game:
        broken_off(game)
        game.quote(at_price("0.9"))
        game.tick(24)
        (position,) = game.held(ADA)
        assert position.cost == usd(500)
        assert position.shares == 1000


def test_books_put_back_into_a_broken_off_round_lack_what_was_missed_later() -> None:
    with playing({ADA: {1: buys((RAIN, YES, 500))}, BEN: {1: KeyboardInterrupt()}}) as game:
        broken_off(game)
        entries = len(game.entries)
        ((who, why),) = game.tick(24).failed_turns
        assert (who, why.partition(":")[0]) == (BEN, "round missed")
        rewind(game.store.db, entries)
        game.agents[BEN].script = {}
        report = game.tick(0)
        assert (report.turns, report.failed_turns) == (2, ())


class Silent:
    """An agent that keeps to the port for the type checker only."""

    def __init__(self, given: Any) -> None:  # noqa: ANN401  what somebody's own code gives
        self.given = given

    async def answer(self, briefing: Briefing) -> Answer:  # noqa: ARG002
        return self.given  # type: ignore[no-any-return]


def completion(**given: Any) -> Completion:  # noqa: ANN401  also what is no such thing
    return replace(Completion(""), **given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, "it gave a value of type NoneType, no answer"),
        (Answer(completion(trouble="foo")), "completion: trouble: 'foo' is no Trouble or None"),
        (Answer(completion(text=5)), "completion: text: 5 is no str or None"),
        (Answer(completion(latency_ms=10**30)), f"latency_ms: {10**30} is no int"),
        (Answer(completion(usage=Usage(cost=usd(-5)))), "cost is below 0"),
        (Answer(completion(usage=Usage(tokens_in=-1))), "tokens_in is below 0"),
        (Answer(completion(model=None)), "completion: model: None is no str"),
    ],
)
def test_an_agent_that_gives_what_is_no_answer_harms_nobody_else(
    given: object, words: str
) -> None:
    with playing({ADA: {1: buys((RAIN, YES, 500))}, BEN: {}}) as game:
        doors = replace(game.doors, agents={**game.agents, BEN: Silent(given)})
        ((who, why),) = asyncio.run(tick(doors, T0)).failed_turns
        assert who == BEN
        assert why.startswith("agent crashed: it")
        assert words in why
        assert len(game.held(ADA)) == 1


def test_a_forecast_is_scored_even_when_its_cohort_has_long_been_complete() -> None:
    with started({ADA: {1: buys((SNOW, YES, 500), rain=0.7)}}) as game:
        assert game.hear(SNOW, YES_WINS, 24).completed == (COHORT,)
        game.hear(RAIN, YES_WINS, 240)
        assert game.standing(ADA).forecast.n == 1


def test_a_market_that_resolved_long_ago_is_not_offered_though_it_is_listed() -> None:
    with started({ADA: {}}, spec(days=30)) as game:
        game.hear(HAIL, YES_WINS, 1)
        game.venue.listed.append(market(HAIL))
        game.tick(24 * 20)
        assert HAIL not in {o.market.id for o in game.agents[ADA].shown[-1].offers}


def test_the_next_round_is_played_on_the_books_that_it_was_shown() -> None:
    """An interrupted round is judged before the next one is laid out, not after."""
    twice: Script = {n: buys((RAIN, YES, 2000)) for n in (1, 2)}
    with playing(
        {ADA: twice, BEN: {1: KeyboardInterrupt()}}, spec(contestants=(ADA, BEN), days=2)
    ) as game:
        broken_off(game)
        assert game.tick(24).refused == 0
        assert [b.cash for b in game.agents[ADA].shown] == [usd(10000), usd(8000)]
