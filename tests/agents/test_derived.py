import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import PurePath

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.agents.derived import (
    RecalibrationMethod,
    blend,
    ensemble,
    kelly_stakes,
    recalibrated,
    recalibration,
)
from arena.errors import ArenaError
from arena.ledger.order_limits import DecisionDesk, Tradable, judge
from arena.ports import AgentFactory, Archive, Backstage
from arena.records.answer import Answer, Briefing, Holding, Offer, Trouble
from arena.records.cohort import ContestantId, FeeRule, FillRule, Rules
from arena.records.decision import Action, Bet, BetId, Decision
from arena.records.market import FeeKind, FeeModel, MarketId, Side
from arena.records.money import price, shares, usd
from arena.records.settings import ContestantSettings
from tests.agents.archives import Came, FakeArchive
from tests.agents.briefings import T0, briefing, market, offer, offering
from tests.present import present

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
    text = present(said(name, archive, of, SHOWN, **options).completion.text)
    decided: Mapping[str, object] = json.loads(text)
    return decided


def made_of(name: str) -> Sequence[str]:
    return BOTH if name == "ensemble" else ["ben"]


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
    answer = said(name, stating(cleo={"M1": 0.4}), made_of(name)).completion
    assert (answer.text, answer.trouble) == (None, Trouble.PENDING)
    assert answer.detail == "it waits for ben"


@pytest.mark.parametrize("name", ALL)
def test_where_nobody_states_a_probability_it_fails_and_says_so(name: str) -> None:
    answer = said(name, stating(ben={"M9": 0.4}, cleo={}), made_of(name)).completion
    assert (answer.text, answer.trouble) == (None, Trouble.EMPTY)
    assert answer.detail == f"no probability was stated by {', '.join(made_of(name))}"


@pytest.mark.parametrize("name", ALL)
def test_it_costs_nothing_and_names_itself(name: str) -> None:
    answer = said(name, stating(ben={"M1": 0.4}, cleo={"M1": 0.4}), made_of(name))
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
    with pytest.raises(ArenaError) as caught:
        said(name, FakeArchive(), made_of(name), SHOWN, **options)
    assert caught.value.code == "agent.option"


@pytest.mark.parametrize("name", ALL)
def test_where_nothing_is_kept_it_cannot_play(name: str) -> None:
    with pytest.raises(ArenaError, match="nothing is kept here"):
        said(name, None, made_of(name))


Past = list[tuple[float, float]]

pasts = st.lists(
    st.tuples(st.floats(0, 1), st.sampled_from([0.0, 1.0])), min_size=1, max_size=60
)


def bent(past: Past, method: RecalibrationMethod, *asked: float) -> list[float]:
    curve = present(recalibration(past, method))
    return [curve(p) for p in asked]


def came_true(said: float, came: int, of: int) -> Past:
    return [(said, 1.0)] * came + [(said, 0.0)] * (of - came)


def test_platt_on_two_levels_goes_through_their_shrunken_frequencies() -> None:
    # 12 of 40 and 28 of 40 came true; targets are 41/42 and 1/42, so the levels are
    # (12 * 41 + 28) / 42 / 40 = 0.3095 and its complement
    past = came_true(0.2, 12, 40) + came_true(0.8, 28, 40)
    low, middle, high = bent(past, RecalibrationMethod.PLATT, 0.2, 0.5, 0.8)
    assert low == pytest.approx((12 * 41 / 42 + 28 / 42) / 40, abs=1e-9)
    assert [middle, high] == pytest.approx([0.5, 1 - low])


def test_platt_finds_the_slope_of_a_forecaster_that_exaggerates() -> None:
    rng = np.random.default_rng(7)
    true = rng.normal(0, 1.5, 20_000)
    came = (rng.random(20_000) < 1 / (1 + np.exp(-true))).astype(float)
    said = 1 / (1 + np.exp(-2 * true))
    past = list(zip(said.tolist(), came.tolist(), strict=True))
    assert bent(past, RecalibrationMethod.PLATT, 0.8)[0] == pytest.approx(
        2 / 3, abs=0.02
    )  # odds 4 -> 2


def test_isotonic_gives_the_rising_frequencies_and_lines_between_them() -> None:
    past = came_true(0.2, 1, 10) + came_true(0.4, 5, 10) + came_true(0.6, 3, 10)
    # 0.4 and 0.6 are pooled: 8 of 20
    said = bent(past, RecalibrationMethod.ISOTONIC, 0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 1.0)
    assert said == pytest.approx([0.1, 0.1, 0.25, 0.4, 0.4, 0.4, 0.4])


def test_isotonic_is_never_surer_than_its_past_is_long() -> None:
    past = came_true(0.2, 0, 15) + came_true(0.8, 15, 15)
    assert bent(past, RecalibrationMethod.ISOTONIC, 0.1, 0.9) == pytest.approx(
        [1 / 32, 31 / 32]
    )


@pytest.mark.parametrize("method", RecalibrationMethod)
def test_an_empty_past_shows_nothing(method: RecalibrationMethod) -> None:
    assert recalibration([], method) is None


@settings(deadline=None)
@given(pasts, st.sampled_from(RecalibrationMethod), st.lists(st.floats(0, 1), max_size=10))
def test_whatever_came_nothing_becomes_certain_and_isotonic_rises(
    past: Past, method: RecalibrationMethod, asked: list[float]
) -> None:
    curve = recalibration(past, method)
    if curve is None:
        return
    said = [curve(p) for p in sorted(asked)]
    assert all(0 < p < 1 for p in said)
    if method is RecalibrationMethod.ISOTONIC:
        assert all(a <= b for a, b in pairwise(said))


@settings(deadline=None)
@given(pasts, st.sampled_from(RecalibrationMethod))
def test_the_order_of_the_past_does_not_matter(past: Past, method: RecalibrationMethod) -> None:
    one, other = recalibration(past, method), recalibration(sorted(past), method)
    assert (one is None) == (other is None)
    if one and other:
        assert [one(p) for p in (0.1, 0.7)] == pytest.approx([other(p) for p in (0.1, 0.7)])


FEE = FeeModel(FeeKind.QUADRATIC, Decimal("0.07"))


def stakes(shown: Briefing, fraction: float = 1.0, **beliefs: float) -> list[tuple[str, str]]:
    legs = kelly_stakes(shown, beliefs, fraction)
    return [(f"{alias} {side}", f"{stake:.2f}") for alias, side, stake in legs]


@pytest.mark.parametrize(
    ("belief", "fraction", "staked"),
    [
        # ask 0.40: (0.46 - 0.40) / 0.60 = 10 % of 10,000, and a quarter of that
        (0.46, 0.25, [("M1 YES", "250.00")]),
        # bid 0.38: NO costs 0.62, belief in NO 0.70: 0.08 / 0.38 of 10,000
        (0.30, 1.0, [("M1 NO", "2105.26")]),
        (0.39, 1.0, []),
        (0.40, 1.0, []),
    ],
    ids=["YES at the ask", "NO at the complement of the bid", "in the spread", "at its edge"],
)
def test_a_part_of_kelly_is_staked_where_there_is_an_edge(
    belief: float, fraction: float, staked: list[tuple[str, str]]
) -> None:
    assert stakes(briefing([offer("M1")]), fraction, M1=belief) == staked


def test_where_the_rules_fill_in_the_middle_that_is_the_price() -> None:
    shown = briefing([offer("M1")], rules=Rules(fill=FillRule.MID))
    # mid 0.39: (0.45 - 0.39) / 0.61 and, for NO, (0.65 - 0.61) / 0.39 of 10,000
    assert stakes(shown, M1=0.45) == [("M1 YES", "983.60")]
    assert stakes(shown, M1=0.35) == [("M1 NO", "1025.64")]


def test_the_fee_is_part_of_the_price() -> None:
    dear = replace(market("m"), fee=FEE)
    shown = briefing([offer("M1", dear)])
    # 0.07 x 0.4 x 0.6 = 0.0168 a share: (0.46 - 0.4168) / 0.5832
    assert stakes(shown, M1=0.46) == [("M1 YES", "740.74")]
    free = replace(shown, rules=Rules(fees=FeeRule.NONE))
    assert stakes(free, M1=0.46) == [("M1 YES", "1000.00")]


def test_together_the_stakes_shrink_to_the_largest_bet() -> None:
    shown = briefing([offer("M1"), offer("M2")])
    assert stakes(shown, M1=1.0, M2=0.7) == [("M1 YES", "1666.66"), ("M2 YES", "833.33")]


def test_a_stake_below_the_smallest_is_not_made() -> None:
    shown = briefing([offer("M1"), offer("M2")])
    assert stakes(shown, 0.01, M1=0.6, M2=1.0) == [("M2 YES", "100.00")]


def test_a_market_without_a_belief_or_with_a_holding_is_passed_over() -> None:
    held = Holding("M1", MarketId("id-of-M1"), "?", Side.YES, shares(1), usd(1), price("0.4"))
    shown = briefing([offer("M1"), offer("M2")], holdings=[held])
    assert stakes(shown, M1=0.9) == []


@pytest.mark.parametrize(
    ("bid", "ask"),
    [(None, "0.4"), ("0.4", None), ("0.5", "0.4"), ("0.1", "0.9"), ("0", "0"), ("1", "1")],
    ids=["no bid", "no ask", "crossed", "wide", "worthless", "certain"],
)
def test_a_quote_that_does_not_trade_is_passed_over(bid: str | None, ask: str | None) -> None:
    shown = briefing([offer("M1", bid=bid, ask=ask)])
    assert stakes(shown, M1=1.0) == stakes(shown, M1=0.0) == []


def test_a_stale_quote_is_passed_over() -> None:
    shown = briefing([offer("M1")])
    later = replace(shown, at=shown.at + timedelta(hours=2))
    assert stakes(later, M1=0.9) == []


def desk(shown: Briefing) -> DecisionDesk:
    markets = {o.market.id: Tradable(o.market, o.quote) for o in shown.offers}
    return DecisionDesk(shown.round, shown.at, shown.cash, markets, {}, shown.rules)


books = st.tuples(st.integers(0, 1000), st.integers(0, 30), st.floats(0, 1))


@settings(deadline=None)
@given(
    st.lists(books, max_size=12),
    st.integers(0, 10**10),
    st.sampled_from(["0.05", "0.25", "1"]),
    st.sampled_from([FillRule.ASK, FillRule.MID]),
    st.sampled_from([FEE, FeeModel(FeeKind.NOTIONAL, Decimal("0.02")), FeeModel()]),
)
def test_the_rules_take_every_stake(
    quoted: list[tuple[int, int, float]], cash: int, most: str, fill: FillRule, fee: FeeModel
) -> None:
    rules = Rules(max_bet_fraction=Decimal(most), fill=fill)
    offers: list[Offer] = []
    for n, (bid, spread, _) in enumerate(quoted):
        ask = Decimal(min(bid + spread, 1000)) / 1000
        known = replace(market(f"m{n}"), fee=fee)
        offers.append(offer(f"M{n}", known, bid=str(Decimal(bid) / 1000), ask=str(ask)))
    dollars = Decimal(cash).scaleb(-6)
    shown = briefing(offers, cash=str(dollars), rules=rules)
    table = desk(shown)
    shown = replace(shown, cap=table.cap, floor=table.floor)
    beliefs = {f"M{n}": belief for n, (_, _, belief) in enumerate(quoted)}
    markets = {o.alias: o.market.id for o in offers}
    bets = tuple(
        Bet(BetId(alias), markets[alias], side, stake)
        for alias, side, stake in kelly_stakes(shown, beliefs, 1.0)
    )
    found = judge(Decision(Action.BET, bets=bets), table)
    assert found.rejections == ()
    assert len(found.fills) == len(bets)
