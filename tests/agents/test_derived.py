import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import PurePath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.agents.derived import blend, ensemble, recalibrated
from arena.errors import ArenaError
from arena.ports import AgentFactory, Archive, Backstage
from arena.records.answer import Answer, Briefing, Trouble
from arena.records.cohort import ContestantId
from arena.records.settings import ContestantSettings
from tests.agents.archives import Came, FakeArchive
from tests.agents.briefings import T0, briefing, offer, offering

HOUR = timedelta(hours=1)
ALL: dict[str, AgentFactory] = {
    "ensemble": ensemble,
    "blend": blend,
    "recalibrated": recalibrated,
}
BOTH = ("ben", "cleo")
SHOWN = offering("M1", "M2")


def made(
    name: str, archive: Archive | None, of: Sequence[str] = BOTH, **options: object
) -> Mapping[str, object]:
    """What a derived contestant decides of two markets that trade at 0.38 and 0.40."""
    text = said(name, archive, of, SHOWN, **options).completion.text
    assert text is not None
    decided: Mapping[str, object] = json.loads(text)
    return decided


def said(  # the same, as it says it
    name: str,
    archive: Archive | None,
    of: Sequence[str] = BOTH,
    shown: Briefing = SHOWN,
    **options: object,
) -> Answer:
    named = ContestantSettings(
        ContestantId("derived"),
        name,
        options=tuple(options.items()),
        of=tuple(ContestantId(who) for who in of),
    )
    agent = ALL[name](named, Backstage({}, {}, PurePath(), archive))
    return asyncio.run(agent.answer(shown))


def stating(**words: Mapping[str, float]) -> FakeArchive:
    """Contestants that state probabilities by alias."""
    return FakeArchive(
        {who: {f"id-of-{alias}": p for alias, p in told.items()} for who, told in words.items()}
    )


def history(said_: float, yes: int, of: int, *, late: float = 0.0) -> list[Came]:
    return [Came(T0 - HOUR, said_, 1.0 if n < yes else 0.0) for n in range(of)] + [
        Came(T0 + HOUR, said_, late)
    ] * 50


def test_an_ensemble_pools_each_market_over_those_who_state_it() -> None:
    archive = stating(ben={"M1": 0.2, "M2": 0.39}, cleo={"M1": 0.4})
    decided = made("ensemble", archive, aggregate="mean")
    assert decided["forecasts"] == pytest.approx({"M1": 0.3, "M2": 0.39})
    assert decided["reasoning"] == "The mean of ben, cleo."


def test_an_ensemble_has_the_rules_of_samples() -> None:
    archive = stating(ben={"M1": 0.8}, cleo={"M1": 0.8})
    decided = made("ensemble", archive, aggregate="extremised", extremise=2)
    assert decided["forecasts"] == pytest.approx({"M1": 16 / 17})


def test_it_bets_a_quarter_of_kelly_unless_told_otherwise() -> None:
    archive = stating(ben={"M1": 0.46}, cleo={"M1": 0.46})
    leg = {"market_id": "M1", "side": "YES", "amount": 250}
    decided = made("ensemble", archive)
    assert (decided["action"], decided["bets"]) == ("BET", [leg])
    assert made("ensemble", archive, kelly=0.5)["bets"] == [{**leg, "amount": 500}]


def test_without_an_edge_it_holds_and_still_forecasts() -> None:
    decided = made("ensemble", stating(ben={"M1": 0.39}, cleo={"M1": 0.39}))
    assert (decided["action"], decided["bets"]) == ("HOLD", [])
    assert decided["forecasts"] == {"M1": 0.39}


def test_a_contestant_that_failed_is_left_out() -> None:
    decided = made("ensemble", stating(ben={}, cleo={"M1": 0.4}))
    assert decided["forecasts"] == {"M1": 0.4}
    assert decided["reasoning"] == "The median of cleo."


@pytest.mark.parametrize("name", ALL)
def test_a_contestant_that_has_not_answered_is_waited_for(name: str) -> None:
    of = BOTH if name == "ensemble" else ["ben"]
    answer = said(name, stating(cleo={"M1": 0.4}), of).completion
    assert (answer.text, answer.trouble) == (None, Trouble.PENDING)
    assert answer.detail == "it waits for ben"


@pytest.mark.parametrize("name", ALL)
def test_where_nobody_states_a_probability_it_fails_and_says_so(name: str) -> None:
    of = BOTH if name == "ensemble" else ["ben"]
    answer = said(name, stating(ben={"M9": 0.4}, cleo={}), of).completion
    assert (answer.text, answer.trouble) == (None, Trouble.EMPTY)
    assert answer.detail == f"no probability was stated by {', '.join(of)}"


@pytest.mark.parametrize("name", ALL)
def test_it_costs_nothing_and_names_itself(name: str) -> None:
    of = BOTH if name == "ensemble" else ["ben"]
    answer = said(name, stating(ben={"M1": 0.4}, cleo={"M1": 0.4}), of)
    assert answer.completion.usage.cost == 0
    assert answer.completion.model == f"derived/{name}"
    assert answer.calls == ()


def test_a_blend_is_halfway_to_the_price_in_log_odds() -> None:
    # odds of 0.39/0.61 and 0.9/0.1: the root of their product
    odds = (0.39 / 0.61 * 9) ** 0.5
    decided = made("blend", stating(ben={"M1": 0.9}), ["ben"])
    assert decided["forecasts"] == pytest.approx({"M1": odds / (1 + odds)})


@pytest.mark.parametrize(("weight", "p"), [(0, 0.39), (1, 0.9)])
def test_the_weight_is_the_contestants_part(weight: float, p: float) -> None:
    decided = made("blend", stating(ben={"M1": 0.9}), ["ben"], weight=weight)
    assert decided["forecasts"] == pytest.approx({"M1": p})


def test_a_blend_says_nothing_of_a_market_without_a_price() -> None:
    shown = briefing([offer("M1", bid=None), offer("M2")])
    answer = said("blend", stating(ben={"M1": 0.9, "M2": 0.39}), ["ben"], shown)
    assert answer.completion.text is not None
    assert json.loads(answer.completion.text)["forecasts"] == pytest.approx({"M2": 0.39})


def test_below_the_minimum_probabilities_pass_through_unchanged() -> None:
    archive = replace(stating(ben={"M1": 0.9}), past={"ben": history(0.9, 10, 29)})
    decided = made("recalibrated", archive, ["ben"])
    assert decided["forecasts"] == {"M1": 0.9}
    assert decided["reasoning"] == (
        "ben unchanged: 29 of its markets are resolved, 30 are needed."
    )


def test_recalibration_bends_towards_what_came() -> None:
    past = history(0.2, 12, 40) + history(0.8, 28, 40)
    archive = replace(stating(ben={"M1": 0.8}), past={"ben": past})
    platt = made("recalibrated", archive, ["ben"])
    assert platt["forecasts"] == pytest.approx({"M1": (28 * 41 + 12) / 42 / 40})
    assert platt["reasoning"] == "ben by a platt curve over 80 resolved markets."
    isotonic = made("recalibrated", archive, ["ben"], method="isotonic")
    assert isotonic["forecasts"] == pytest.approx({"M1": 0.7})


def test_a_past_without_a_slope_leaves_probabilities_as_they_are() -> None:
    archive = replace(stating(ben={"M1": 0.8}), past={"ben": history(0.8, 20, 40)})
    decided = made("recalibrated", archive, ["ben"])
    assert decided["forecasts"] == {"M1": 0.8}
    assert decided["reasoning"] == "ben unchanged: its past shows no platt curve."


def test_a_market_that_paid_a_part_teaches_nothing() -> None:
    past = [*history(0.9, 10, 29), Came(T0 - HOUR, 0.9, 0.5)]
    archive = replace(stating(ben={"M1": 0.9}), past={"ben": past})
    assert "29 of its markets" in str(made("recalibrated", archive, ["ben"])["reasoning"])


outcomes = st.lists(st.sampled_from([0.0, 1.0]), min_size=40, max_size=40)


@settings(deadline=None)
@given(outcomes, st.sampled_from(["platt", "isotonic"]))
def test_what_comes_out_after_the_briefing_changes_nothing(
    later: list[float], method: str
) -> None:
    known = history(0.3, 15, 40)[:40] + history(0.6, 20, 40)[:40]
    to_come = [Came(T0 + HOUR, 0.1 + n / 50, paid) for n, paid in enumerate(later)]
    words = {
        said("recalibrated", replace(archive, past={"ben": past}), ["ben"], method=method)
        for archive in [stating(ben={"M1": 0.7})]
        for past in (known, known + to_come)
    }
    assert len(words) == 1


@pytest.mark.parametrize(
    ("name", "of", "reason"),
    [
        ("ensemble", ["ben"], "it is made of two or more, not of 1"),
        ("ensemble", ["ben", "ben"], "it is made of two or more, not of 1"),
        ("blend", BOTH, "it is made of one contestant, not of 2"),
        ("recalibrated", [], "it is made of one contestant, not of 0"),
    ],
)
def test_it_is_made_of_as_many_as_its_rule_wants(
    name: str, of: Sequence[str], reason: str
) -> None:
    with pytest.raises(ArenaError, match=f"derived: {reason}"):
        said(name, FakeArchive(), of)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("ensemble", {"weight": 1}),
        ("ensemble", {"kelly": 0}),
        ("blend", {"weight": 1.5}),
        ("blend", {"aggregate": "mean"}),
        ("recalibrated", {"method": "beta"}),
        ("recalibrated", {"minimum": 0}),
    ],
)
def test_a_wrong_option_is_refused(name: str, options: Mapping[str, object]) -> None:
    of = BOTH if name == "ensemble" else ["ben"]
    with pytest.raises(ArenaError) as caught:
        said(name, FakeArchive(), of, SHOWN, **options)
    assert caught.value.code == "agent.option"


@pytest.mark.parametrize("name", ALL)
def test_where_nothing_is_kept_it_cannot_play(name: str) -> None:
    of = BOTH if name == "ensemble" else ["ben"]
    with pytest.raises(ArenaError, match="nothing is kept here"):
        said(name, None, of)
