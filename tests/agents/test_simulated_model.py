"""A simulated model reads the prompt that real ones read, and answers as they are asked to."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest

from arena.agents import prompted
from arena.agents.reply import read_reply
from arena.agents.simulated import SimulatedModel, from_settings, model_from_settings
from arena.clock import HandClock
from arena.errors import ArenaError
from arena.ports import Backstage
from arena.records.answer import Answer, Briefing, Holding, Offer, Trouble
from arena.records.cohort import ContestantId
from arena.records.decision import Action, Decision
from arena.records.market import MarketId, Side, VenueId
from arena.records.money import price, shares, usd
from arena.records.settings import ContestantSettings, ModelSettings, VenueSettings
from arena.venues.simulated import SimulatedVenue
from arena.venues.simulated import from_settings as venue_from_settings
from tests.agents.briefings import T0, briefing, market, offer, offers_of
from tests.present import present

SIM = VenueId("simulated")
TEMPLATES = Path(__file__).parents[2] / "templates"


@cache
def venue() -> SimulatedVenue:
    return venue_from_settings(VenueSettings(SIM, "simulated"), HandClock(T0))


@cache
def offers() -> tuple[Offer, ...]:
    return asyncio.run(offers_of(venue()))


def signal(market: MarketId, days: float) -> float:
    return present(venue().signal(market, timedelta(days=days)))


def showing(offered: tuple[Offer, ...] | None = None, turn: int = 1) -> Briefing:
    return replace(briefing(offers() if offered is None else offered), round=turn)


def settings(**options: object) -> ModelSettings:
    return ModelSettings(
        "m",
        "simulated",
        "",
        "m-large",
        price_in=Decimal(2),
        price_out=Decimal(10),
        options=tuple(options.items()),
    )


def model(**options: object) -> SimulatedModel:
    return model_from_settings(settings(**options), None)


def ask(llm: SimulatedModel, shown: Briefing, **options: object) -> Answer:
    who = ContestantSettings(
        ContestantId("ada"), "prompted", model="m", options=tuple(options.items())
    )
    agent = prompted.from_settings(who, Backstage({"m": llm}, {}, TEMPLATES))
    return asyncio.run(agent.answer(shown))


def decide(llm: SimulatedModel, shown: Briefing, **options: object) -> Decision:
    text = present(ask(llm, shown, **options).completion.text)
    reading = read_reply(text, shown)
    assert reading.decision is not None, reading.reasons
    return reading.decision


def stated(decision: Decision) -> dict[MarketId, float]:
    return {f.market: f.probability for f in decision.forecasts}


def holding(offer: Offer, side: Side, worth: str, alias: str | None) -> Holding:
    return Holding(
        alias, offer.market.id, offer.market.question, side, shares(100), usd(40), price(worth)
    )


def test_without_noise_it_says_the_fair_price_to_come() -> None:
    found = stated(decide(model(lead_days=2), showing()))
    assert len(found) == len(offers())
    for name, probability in found.items():
        assert probability == pytest.approx(min(max(signal(name, 2), 0.002), 0.998), abs=1e-4)


@pytest.mark.parametrize("turn", [1, 2])
def test_it_decides_as_a_contestant_of_the_same_skill(turn: int) -> None:
    """What is asked through a prompt loses nothing of what is told without one."""
    skill = {"lead_days": 1, "noise": 0.4, "bias": 0.1, "edge": 0.1, "seed": 7}
    held = (
        holding(offers()[0], Side.YES, "0.90", "M1"),
        holding(offers()[1], Side.NO, "0.1", "M2"),
    )
    shown = briefing(offers()[1:], holdings=held, sell_only=offers()[:1])
    shown = replace(shown, round=turn)
    options = tuple({**skill, "venue": "simulated"}.items())
    contestant = from_settings(
        ContestantSettings(ContestantId("ada"), "simulated", options=options),
        Backstage({}, {SIM: venue()}, TEMPLATES),
    )
    told = present(asyncio.run(contestant.answer(shown)).completion.text)
    other = present(read_reply(told, shown).decision)
    found = decide(model(**skill), shown)
    assert replace(found, reasoning=other.reasoning) == other


def test_a_market_of_another_world_gets_no_forecast() -> None:
    unknown = offer("M1", replace(market("x"), closes_at=T0))
    decision = decide(model(), showing((unknown, offer("M2"))))
    assert (decision.action, decision.forecasts) == (Action.HOLD, ())


def test_a_model_of_another_world_knows_nothing() -> None:
    assert decide(model(world=2), showing()).forecasts == ()


def test_without_prices_it_has_the_noise_that_is_set_for_that() -> None:
    llm = model(lead_days=2, blind_noise=1.5)
    seeing = stated(decide(llm, showing()))
    blind = stated(decide(llm, showing(), show_price="never"))
    assert seeing.keys() == blind.keys()
    assert blind != seeing
    assert stated(decide(model(lead_days=2), showing(), show_price="never")) == seeing


def test_it_forecasts_first_and_stakes_later_where_it_is_asked_so() -> None:
    llm = model(lead_days=6, edge=0.05, kelly=1.0)
    answer = ask(llm, showing(), elicitation="locked")
    forecast, stake = answer.calls
    assert (forecast.name, stake.name) == ("forecast", "stake")
    assert json.loads(forecast.completion.text or "").keys() == {"reasoning", "forecasts"}
    assert json.loads(stake.completion.text or "").keys() == {"reasoning", "action", "bets"}
    assert decide(llm, showing(), elicitation="locked").bets == decide(llm, showing()).bets


def test_a_reply_that_was_cut_short_is_asked_for_again() -> None:
    llm = model(bad_json=0.5)
    calls = [ask(llm, showing(offers()[:3], turn=n)).calls for n in range(1, 41)]
    names = [tuple(call.name for call in some) for some in calls]
    assert set(names) == {("decide",), ("decide", "decide/again")}
    again = [some for some in calls if len(some) == 2]
    shown = showing(offers()[:3])
    read = [read_reply(some[1].completion.text or "", shown).decision for some in again]
    assert 0 < sum(one is not None for one in read) < len(read)


def test_a_refused_question_is_asked_in_halves() -> None:
    calls = ask(model(refusal=1.0), showing(offers()[:4])).calls
    assert [call.name for call in calls] == [
        "decide",
        "decide/first-half",
        "decide/second-half",
    ]
    assert {call.completion.trouble for call in calls} == {Trouble.REFUSAL}


def test_a_timeout_says_nothing_and_costs_an_unknown_amount() -> None:
    completion = ask(model(timeout=1.0), showing(offers()[:1])).completion
    assert (completion.text, completion.trouble) == (None, Trouble.TIMEOUT)
    assert completion.detail == "no answer within 300 seconds"
    assert completion.usage.cost is None


def test_tokens_are_counted_and_cost_what_is_configured() -> None:
    answer = ask(model(reasoning_tokens=1000, latency=10), showing(offers()[:2]))
    (call,) = answer.calls
    usage, text = call.completion.usage, call.completion.text or ""
    asked = len(call.question.system) + len(call.question.user)
    assert (usage.tokens_in, usage.tokens_reasoning) == (asked // 4, 1000)
    assert usage.tokens_out == 1000 + len(text) // 4
    assert usage.cost == usd(Decimal(2 * (asked // 4) + 10 * present(usage.tokens_out)) / 10**6)
    assert usage.priced == "configured"
    assert 5_000 <= call.completion.latency_ms <= 20_000
    assert call.completion.model == "m-large"


def test_no_answer_has_more_tokens_than_the_longest() -> None:
    short = replace(settings(reasoning_tokens=9000), max_tokens=500)
    answer = ask(model_from_settings(short, None), showing(offers()[:2]))
    assert answer.completion.usage.tokens_out == 500


def test_the_same_turn_gets_the_same_answer_whatever_came_between() -> None:
    llm = model(noise=0.5, bad_json=0.2, refusal=0.2, timeout=0.2)
    shown = [showing(offers()[:4], turn=n) for n in range(1, 11)]
    forth = [ask(llm, one) for one in shown]
    assert forth == [ask(llm, one) for one in reversed(shown)][::-1]


@pytest.mark.parametrize(
    "options",
    [
        {"venue": "sim"},
        {"leed_days": 1},
        {"noise": -0.1},
        {"latency": "fast"},
        {"world": 1.5},
        {"events_per_day": 0},
        {"reasoning_tokens": -1},
        {"bad_json": 0.5, "refusal": 0.4, "timeout": 0.2},
    ],
)
def test_a_wrong_option_is_refused_with_the_known_ones(options: dict[str, object]) -> None:
    with pytest.raises(ArenaError, match="model m: ") as caught:
        model(**options)
    assert (caught.value.code, caught.value.status) == ("llm.option", 2)
    assert "lead_days" in caught.value.hint
