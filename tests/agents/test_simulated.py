"""A simulated contestant does what its options say, and the same thing every time.

Who plays a demo: the models score in the order of the skill that they were given.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import PurePath

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.agents.reply import read_reply
from arena.agents.simulated import (
    SimulatedContestant,
    SimulatedSkill,
    cast,
    expected_brier,
    from_settings,
    known_scores,
    skill_of,
)
from arena.agents.simulated.cast import MODELS
from arena.agents.simulated.contestant import MOST_LEGS
from arena.clock import HandClock
from arena.errors import ArenaError
from arena.ports import Backstage
from arena.records.answer import Answer, Briefing, Holding, Offer, Trouble
from arena.records.cohort import CohortId, ContestantId, Rules
from arena.records.decision import Action, Decision
from arena.records.market import EventId, Market, MarketId, Quote, Side, VenueId
from arena.records.money import Price, price, usd
from arena.records.settings import ContestantSettings, ModelSettings, VenueSettings
from arena.venues.simulated import SimulatedVenue
from arena.venues.simulated import from_settings as venue_from_settings
from tests.present import present

AT = datetime(2026, 1, 5, 9, tzinfo=UTC)
SIM = VenueId("sim")
ELM = ContestantId("elm")
EXACT = {"edge": 0.05, "kelly": 1.0}


class Told:
    """A venue that says of every market what it was told to, except of those it lacks."""

    def __init__(self, **signals: float) -> None:
        self._signals = signals

    def signal(self, market: MarketId, ahead: timedelta) -> float | None:
        assert ahead >= timedelta(0)
        return self._signals.get(market)


def settings(**options: object) -> ContestantSettings:
    return ContestantSettings(ELM, "simulated", options=tuple(options.items()))


def contestant(oracle: Told, **options: object) -> SimulatedContestant:
    return SimulatedContestant(ELM, skill_of(settings(**options)), oracle)


def offer(name: str, bid: str | None = "0.48", ask: str | None = "0.50", n: int = 1) -> Offer:
    market = Market(MarketId(name), SIM, EventId(name), f"Will {name}?")
    sides: list[Price | None] = [p if p is None else price(p) for p in (bid, ask)]
    return Offer(f"M{n}", market, Quote(market.id, sides[0], sides[1], AT))


def offers(count: int) -> tuple[Offer, ...]:
    return tuple(offer(f"m{n}", n=n) for n in range(1, count + 1))


def briefing(
    *offered: Offer,
    held: tuple[Holding, ...] = (),
    turn: int = 1,
    cap: str = "1000",
    floor: str = "50",
) -> Briefing:
    return Briefing(
        cohort=CohortId("c"),
        round=turn,
        contestant=ELM,
        at=AT,
        offers=offered,
        cash=usd(4000),
        cap=usd(cap),
        floor=usd(floor),
        holdings=held,
        rules=Rules(),
    )


def ask(agent: SimulatedContestant, shown: Briefing) -> Answer:
    return asyncio.run(agent.answer(shown))


def decide(agent: SimulatedContestant, shown: Briefing) -> Decision:
    text = ask(agent, shown).completion.text
    assert text is not None
    decision = read_reply(text, shown).decision
    assert decision is not None
    return decision


def test_without_noise_and_bias_the_forecast_is_the_signal() -> None:
    decision = decide(contestant(Told(a=0.7)), briefing(offer("a")))
    assert [f.probability for f in decision.forecasts] == [0.7]


def test_a_bias_shifts_the_forecast_in_log_odds() -> None:
    decision = decide(contestant(Told(a=0.5), bias=1.0), briefing(offer("a")))
    assert [f.probability for f in decision.forecasts] == [0.7311]


def test_noise_has_the_stated_size_and_no_direction() -> None:
    agent = contestant(Told(**{f"m{n}": 0.5 for n in range(1, 401)}), noise=0.4)
    stated = decide(agent, briefing(*offers(400))).forecasts
    errors = [float(Decimal(f.probability) / Decimal(1 - f.probability)) for f in stated]
    logs = [Decimal(error).ln() for error in errors]
    mean = float(sum(logs)) / 400
    spread = (float(sum(x * x for x in logs)) / 400) ** 0.5
    assert abs(mean) < 4 * 0.4 / 20
    assert spread == pytest.approx(0.4, rel=0.15)


def test_noise_of_a_market_does_not_depend_on_what_else_is_offered() -> None:
    agent = contestant(Told(a=0.5, b=0.5), noise=0.4)
    alone = decide(agent, briefing(offer("b"))).forecasts
    among = decide(agent, briefing(offer("a"), offer("b", n=2))).forecasts
    assert among[1:] == alone


def test_a_market_without_a_signal_gets_no_forecast_and_no_bet() -> None:
    decision = decide(contestant(Told()), briefing(offer("a")))
    assert (decision.action, decision.forecasts) == (Action.HOLD, ())


def test_it_buys_yes_where_yes_is_cheap() -> None:
    decision = decide(contestant(Told(a=0.6), **EXACT), briefing(offer("a")))
    assert [(bet.side, bet.stake) for bet in decision.bets] == [(Side.YES, usd(200))]


def test_it_buys_no_where_yes_is_dear() -> None:
    decision = decide(contestant(Told(a=0.22), **EXACT), briefing(offer("a")))
    assert [(bet.side, bet.stake) for bet in decision.bets] == [(Side.NO, usd(541))]


def test_it_stakes_the_stated_part_of_kelly() -> None:
    decision = decide(contestant(Told(a=0.6), edge=0.05, kelly=0.5), briefing(offer("a")))
    assert [bet.stake for bet in decision.bets] == [usd(100)]


@given(
    signals=st.lists(st.floats(0, 1), min_size=1, max_size=8),
    kelly=st.floats(0, 1),
    noise=st.floats(0, 3),
    cap=st.integers(0, 5000),
    floor=st.integers(1, 200),
)
def test_stakes_keep_to_the_floor_and_together_to_the_cap(
    *, signals: list[float], kelly: float, noise: float, cap: int, floor: int
) -> None:
    told = Told(**{f"m{n}": p for n, p in enumerate(signals, start=1)})
    agent = contestant(told, kelly=kelly, noise=noise)
    shown = briefing(*offers(len(signals)), cap=str(cap), floor=str(floor))
    stakes = [bet.stake for bet in decide(agent, shown).bets]
    assert len(stakes) <= MOST_LEGS
    assert all(stake >= floor for stake in stakes)
    assert sum(stakes) <= cap


def test_the_same_briefing_gets_the_same_answer_whatever_came_between() -> None:
    agent = contestant(Told(a=0.6, b=0.2), noise=0.5, bad_json=0.2, refusal=0.2, timeout=0.2)
    shown = [briefing(offer("a"), offer("b", n=2), turn=n) for n in range(20)]
    forth = [ask(agent, one) for one in shown]
    back = [ask(agent, one) for one in reversed(shown)]
    assert forth == back[::-1]


def failures(count: int, **rates: float) -> Iterator[str]:
    agent = contestant(Told(a=0.6), **rates)
    for n in range(count):
        shown = briefing(offer("a"), turn=n)
        completion = ask(agent, shown).completion
        if completion.trouble is not None:
            yield completion.trouble.value
            continue
        if read_reply(completion.text or "", shown).decision is None:
            yield "unreadable"


def test_failures_are_as_frequent_as_stated() -> None:
    seen = list(failures(2000, bad_json=0.05, refusal=0.1, timeout=0.2))
    for kind, rate in (("unreadable", 0.05), ("refusal", 0.1), ("timeout", 0.2)):
        error = (rate * (1 - rate) / 2000) ** 0.5
        assert abs(seen.count(kind) / 2000 - rate) < 4 * error


def test_a_timeout_says_nothing_and_costs_an_unknown_amount() -> None:
    completion = ask(contestant(Told(), timeout=1.0), briefing()).completion
    assert (completion.text, completion.trouble) == (None, Trouble.TIMEOUT)
    assert completion.usage.cost is None
    assert [attempt.billed for attempt in completion.attempts] == [None]


def test_an_answer_has_a_model_a_latency_tokens_and_an_invented_price() -> None:
    completion = ask(contestant(Told(a=0.6)), briefing(offer("a"))).completion
    usage = completion.usage
    assert completion.model == "simulated/elm"
    assert completion.raw == (completion.text or "").encode()
    assert 600 <= completion.latency_ms <= 6000
    assert (usage.tokens_in, usage.tokens_out) == (690, 40 + len(completion.text or "") // 4)
    assert usage.cost == usd(Decimal(690 + 4 * present(usage.tokens_out)) / 1_000_000)


def backstage() -> Backstage:
    venue = venue_from_settings(VenueSettings(SIM, "simulated"), HandClock(AT))
    return Backstage({}, {SIM: venue}, PurePath())


def test_a_contestant_is_built_from_its_settings() -> None:
    agent = from_settings(settings(venue="sim", lead_days=1, noise=0.2), backstage())
    shown = briefing(offer("sim-739256-1-1"))
    assert ask(agent, shown).completion.text


@pytest.mark.parametrize(
    "options",
    [
        {"venue": "sim", "leed_days": 1},
        {"venue": "sim", "noise": -0.1},
        {"venue": "sim", "noise": float("nan")},
        {"venue": "sim", "bias": "0.1"},
        {"venue": "sim", "kelly": True},
        {"venue": "sim", "seed": 1.5},
        {"venue": "sim", "bad_json": 0.5, "refusal": 0.4, "timeout": 0.2},
        {"venue": "elsewhere"},
        {"venue": 3},
        {},
    ],
)
def test_a_wrong_option_is_refused_with_the_known_ones(options: dict[str, object]) -> None:
    with pytest.raises(ArenaError, match="elm: ") as caught:
        from_settings(settings(**options), backstage())
    assert (caught.value.code, caught.value.status) == ("agent.option", 2)
    assert "lead_days" in caught.value.hint


def test_the_defaults_are_those_that_are_documented() -> None:
    assert skill_of(settings()) == SimulatedSkill(
        1, 0, 0, 0, edge=0.03, kelly=0.5, bad_json=0, refusal=0, timeout=0
    )


def test_a_longer_lead_is_expected_to_score_better() -> None:
    scores = [expected_brier(skill_of(settings(lead_days=d))) for d in (0, 1, 2, 4)]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("flaw", ["noise", "bias"])
def test_a_flaw_is_expected_to_score_worse(flaw: str) -> None:
    scores = [expected_brier(skill_of(settings(**{flaw: x}))) for x in (0, 0.5, 1, 3, 10)]
    assert scores == sorted(scores)


START = datetime(2026, 1, 5, 9, tzinfo=UTC)
WHOLE = cast(13, 1, events_per_day=4)
SKILL = ("seed", "lead_days", "noise", "bias")
PLAYERS = tuple(  # the models of the cast, asked without a prompt
    ContestantSettings(
        ContestantId(model.name),
        "simulated",
        options=tuple((name, value) for name, value in model.options if name in SKILL),
    )
    for model in WHOLE.models
)
ROUNDS, EVERY = 60, timedelta(days=3)

Stated = dict[ContestantId, list[tuple[MarketId, float]]]


def shown_to(
    contestant: ContestantId, n: int, at: datetime, offers: tuple[Offer, ...]
) -> Briefing:
    return Briefing(
        cohort=CohortId(f"c{n}"),
        round=1,
        contestant=contestant,
        at=at,
        offers=offers,
        cash=usd(10000),
        cap=usd(2500),
        floor=usd(50),
        holdings=(),
        rules=Rules(),
    )


async def offers_of(venue: SimulatedVenue) -> tuple[Offer, ...]:
    markets = (await venue.catalogue()).markets
    quotes = await venue.quotes(market.id for market in markets)
    return tuple(Offer(f"M{n}", m, quotes[m.id]) for n, m in enumerate(markets, start=1))


async def forecasts(
    agent: SimulatedContestant, shown: Briefing
) -> list[tuple[MarketId, float]]:
    words = (await agent.answer(shown)).completion
    decision = read_reply(words.text or "", shown).decision
    if decision is None:
        return []
    return [(forecast.market, forecast.probability) for forecast in decision.forecasts]


def within(one: ContestantSettings) -> ContestantSettings:
    return replace(one, options=(*one.options, ("venue", SIM)))


async def season() -> tuple[Stated, dict[MarketId, int]]:
    """Let everybody forecast all open markets, round after round, and wait for the truth."""
    clock = HandClock(START)
    venue = venue_from_settings(VenueSettings(SIM, "simulated"), clock)
    behind = Backstage({}, {SIM: venue}, PurePath())
    agents = {one.id: from_settings(within(one), behind) for one in PLAYERS}
    stated: Stated = {one.id: [] for one in PLAYERS}
    for n in range(ROUNDS):
        offers = await offers_of(venue)
        for name, agent in agents.items():
            stated[name] += await forecasts(agent, shown_to(name, n, clock.at, offers))
        clock.at += EVERY
    clock.at += timedelta(days=30)
    statuses = await venue.statuses({m: None for said in stated.values() for m, _ in said})
    outcomes = {m: status.outcome for m, status in statuses.items()}
    truths = {m: o.truth for m, o in outcomes.items() if o is not None}
    return stated, {m: truth for m, truth in truths.items() if truth is not None}


@cache
def brier() -> dict[ContestantId, float]:
    stated, truths = asyncio.run(season())
    return {
        name: float(np.mean([(p - truths[m]) ** 2 for m, p in said if m in truths]))
        for name, said in stated.items()
    }


def test_brier_scores_follow_the_skill_that_was_set() -> None:
    measured = sorted(brier(), key=lambda name: brier()[name])
    known = sorted(PLAYERS, key=lambda one: expected_brier(skill_of(one)))
    ranks = [measured.index(one.id) for one in known]
    assert np.corrcoef(ranks, range(len(ranks)))[0, 1] >= 0.9


def test_scores_are_about_what_was_expected() -> None:
    for one in PLAYERS:
        assert abs(brier()[one.id] - expected_brier(skill_of(one))) < 0.02


def test_the_cast_stands_from_the_best_to_the_worst() -> None:
    singles = WHOLE.contestants[: len(MODELS) + 1]
    known = known_scores(singles, WHOLE.models)
    assert list(known) == [one.id for one in singles]


def test_a_model_is_worse_without_prices() -> None:
    known = known_scores(WHOLE.contestants, WHOLE.models)
    seeing, blind = (ContestantId(f"northwind-large-2{tail}") for tail in ("", "-blind"))
    assert known[seeing] + 0.02 < known[blind]


def test_copies_are_expected_to_score_the_same() -> None:
    known = known_scores(WHOLE.contestants, WHOLE.models)
    copied = [one.id for one in WHOLE.contestants if one.copy_of == "halcyon-pro-3"]
    assert len(copied) == 3
    assert len({known[who] for who in copied}) == 1


def test_what_asks_no_simulated_model_has_no_known_score() -> None:
    other = ModelSettings("other", "openai_chat", "http://localhost/v1", "other")
    asking = ContestantSettings(ContestantId("ada"), "prompted", model="other")
    assert known_scores((asking,), (other,)) == {}
