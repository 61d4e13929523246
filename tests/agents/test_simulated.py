"""A simulated contestant does what its options say, and the same thing every time.

Who plays a demo: the models score in the order of the skill that they were given.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
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
from arena.records.answer import Answer, Briefing, Trouble
from arena.records.cohort import CohortId, ContestantId
from arena.records.decision import Action, Decision
from arena.records.market import MarketId, Side, VenueId
from arena.records.money import usd
from arena.records.settings import ContestantSettings, ModelSettings, VenueSettings
from arena.venues.simulated import from_settings as venue_from_settings
from tests.agents.briefings import T0, briefing, market, offer, offers_of
from tests.present import present
from tests.sizes import size

SIM = VenueId("sim")
ELM = ContestantId("elm")


class Told:
    """A venue that says of every market what it was told to, except of those it lacks."""

    def __init__(self, **signals: float) -> None:
        self.signals = signals

    def signal(self, market: MarketId, ahead: timedelta) -> float | None:
        assert ahead >= timedelta(0)
        return self.signals.get(market)


def settings(**options: object) -> ContestantSettings:
    return ContestantSettings(ELM, "simulated", options=tuple(options.items()))


def contestant(oracle: Told, **options: object) -> SimulatedContestant:
    return SimulatedContestant(ELM, skill_of(settings(**options)), oracle)


def showing(*names: str, turn: int = 1, cap: int = 1000, floor: int = 50) -> Briefing:
    """What a contestant with $4,000 is shown: markets of these names, at 0.48 and 0.50."""
    offers = [
        offer(f"M{n}", market(name), bid="0.48", ask="0.50")
        for n, name in enumerate(names, start=1)
    ]
    shown = briefing(offers, contestant=ELM, cash="4000")
    return replace(shown, round=turn, cap=usd(cap), floor=usd(floor))


def numbered(count: int) -> list[str]:
    return [f"m{n}" for n in range(1, count + 1)]


def ask(agent: SimulatedContestant, shown: Briefing) -> Answer:
    return asyncio.run(agent.answer(shown))


def decide(agent: SimulatedContestant, shown: Briefing) -> Decision:
    text = present(ask(agent, shown).completion.text)
    return present(read_reply(text, shown).decision)


def test_without_noise_and_bias_the_forecast_is_the_signal() -> None:
    decision = decide(contestant(Told(a=0.7)), showing("a"))
    assert [f.probability for f in decision.forecasts] == [0.7]


def test_a_bias_shifts_the_forecast_in_log_odds() -> None:
    decision = decide(contestant(Told(a=0.5), bias=1.0), showing("a"))
    assert [f.probability for f in decision.forecasts] == [0.7311]


def test_noise_has_the_stated_size_and_no_direction() -> None:
    agent = contestant(Told(**dict.fromkeys(numbered(400), 0.5)), noise=0.4)
    stated = decide(agent, showing(*numbered(400))).forecasts
    errors = [float(Decimal(f.probability) / Decimal(1 - f.probability)) for f in stated]
    logs = [Decimal(error).ln() for error in errors]
    mean = float(sum(logs)) / 400
    spread = (float(sum(x * x for x in logs)) / 400) ** 0.5
    assert abs(mean) < 4 * 0.4 / 20
    assert spread == pytest.approx(0.4, rel=0.15)


def test_noise_of_a_market_does_not_depend_on_what_else_is_offered() -> None:
    agent = contestant(Told(a=0.5, b=0.5), noise=0.4)
    alone = decide(agent, showing("b")).forecasts
    among = decide(agent, showing("a", "b")).forecasts
    assert among[1:] == alone


def test_a_market_without_a_signal_gets_no_forecast_and_no_bet() -> None:
    decision = decide(contestant(Told()), showing("a"))
    assert (decision.action, decision.forecasts) == (Action.HOLD, ())


@pytest.mark.parametrize(
    ("signal", "kelly", "side", "stake"),
    [(0.6, 1.0, Side.YES, 200), (0.22, 1.0, Side.NO, 541), (0.6, 0.5, Side.YES, 100)],
    ids=["YES is cheap", "YES is dear", "half of Kelly"],
)
def test_it_stakes_its_part_of_kelly_on_the_side_that_is_cheap(
    signal: float, kelly: float, side: Side, stake: int
) -> None:
    decision = decide(contestant(Told(a=signal), edge=0.05, kelly=kelly), showing("a"))
    assert [(bet.side, bet.stake) for bet in decision.bets] == [(side, usd(stake))]


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
    told = Told(**dict(zip(numbered(len(signals)), signals, strict=True)))
    agent = contestant(told, kelly=kelly, noise=noise)
    shown = showing(*told.signals, cap=cap, floor=floor)
    stakes = [bet.stake for bet in decide(agent, shown).bets]
    assert len(stakes) <= MOST_LEGS
    assert all(stake >= floor for stake in stakes)
    assert sum(stakes) <= cap


def test_the_same_briefing_gets_the_same_answer_whatever_came_between() -> None:
    agent = contestant(Told(a=0.6, b=0.2), noise=0.5, bad_json=0.2, refusal=0.2, timeout=0.2)
    shown = [showing("a", "b", turn=n) for n in range(20)]
    forth = [ask(agent, one) for one in shown]
    back = [ask(agent, one) for one in reversed(shown)]
    assert forth == back[::-1]


def failures(count: int, **rates: float) -> Iterator[str]:
    agent = contestant(Told(a=0.6), **rates)
    for n in range(count):
        shown = showing("a", turn=n)
        completion = ask(agent, shown).completion
        if completion.trouble is not None:
            yield completion.trouble.value
        elif read_reply(completion.text or "", shown).decision is None:
            yield "unreadable"


def test_failures_are_as_frequent_as_stated() -> None:
    turns = size(600, 2000)
    seen = list(failures(turns, bad_json=0.05, refusal=0.1, timeout=0.2))
    for kind, rate in (("unreadable", 0.05), ("refusal", 0.1), ("timeout", 0.2)):
        error = (rate * (1 - rate) / turns) ** 0.5
        assert abs(seen.count(kind) / turns - rate) < 4 * error


def test_a_timeout_says_nothing_and_costs_an_unknown_amount() -> None:
    completion = ask(contestant(Told(), timeout=1.0), showing()).completion
    assert (completion.text, completion.trouble) == (None, Trouble.TIMEOUT)
    assert completion.usage.cost is None
    assert [attempt.billed for attempt in completion.attempts] == [None]


def test_an_answer_has_a_model_a_latency_tokens_and_an_invented_price() -> None:
    completion = ask(contestant(Told(a=0.6)), showing("a")).completion
    usage = completion.usage
    assert completion.model == "simulated/elm"
    assert completion.raw == (completion.text or "").encode()
    assert 600 <= completion.latency_ms <= 6000
    assert (usage.tokens_in, usage.tokens_out) == (690, 40 + len(completion.text or "") // 4)
    assert usage.cost == usd(Decimal(690 + 4 * present(usage.tokens_out)) / 1_000_000)


def backstage() -> Backstage:
    venue = venue_from_settings(VenueSettings(SIM, "simulated"), HandClock(T0))
    return Backstage({}, {SIM: venue}, PurePath())


def test_a_contestant_is_built_from_its_settings() -> None:
    agent = from_settings(settings(venue="sim", lead_days=1, noise=0.2), backstage())
    shown = showing("sim-739256-1-1")
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
ROUNDS, EVERY = size(25, 60), timedelta(days=3)

Stated = dict[ContestantId, list[tuple[MarketId, float]]]


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
    clock = HandClock(T0)
    venue = venue_from_settings(VenueSettings(SIM, "simulated"), clock)
    behind = Backstage({}, {SIM: venue}, PurePath())
    agents = {one.id: from_settings(within(one), behind) for one in PLAYERS}
    stated: Stated = {one.id: [] for one in PLAYERS}
    for n in range(ROUNDS):
        offers = await offers_of(venue)
        for name, agent in agents.items():
            shown = briefing(offers, contestant=name)
            turn = replace(shown, cohort=CohortId(f"c{n}"), round=1, at=clock.at)
            stated[name] += await forecasts(agent, turn)
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
