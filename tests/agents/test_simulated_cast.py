"""Who plays a demo: the models score in the order of the skill that they were given."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import PurePath

import numpy as np

from arena.agents.reply import read_reply
from arena.agents.simulated import (
    SimulatedContestant,
    cast,
    expected_brier,
    from_settings,
    known_scores,
    skill_of,
)
from arena.agents.simulated.cast import MODELS
from arena.clock import HandClock
from arena.ports import Backstage
from arena.records.answer import Briefing, Offer
from arena.records.cohort import CohortId, ContestantId, Rules
from arena.records.market import MarketId, VenueId
from arena.records.money import usd
from arena.records.settings import ContestantSettings, ModelSettings, VenueSettings
from arena.venues.simulated import SimulatedVenue
from arena.venues.simulated import from_settings as venue_from_settings

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
SIM = VenueId("sim")
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
