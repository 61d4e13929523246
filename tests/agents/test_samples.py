import math
from collections.abc import Sequence
from decimal import Decimal
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.agents.samples import (
    Aggregate,
    Pooling,
    Response,
    agreed,
    fitted,
    from_log_odds,
    log_odds,
)
from arena.records.answer import Briefing, Call, Completion, Question, Trouble
from arena.records.decision import Action, Bet, BetId, Decision, Forecast, Sale
from arena.records.market import MarketId, Side
from arena.records.money import usd
from tests.agents.briefings import offering
from tests.present import present

SHOWN = offering("M1", "M2", "M3")  # a cap of 2,500 and a floor of 50
CLOSE = 1e-9


def market(alias: str) -> MarketId:
    return MarketId(f"id-of-{alias}")


def bets(*legs: tuple[str, int], why: str = "", **forecasts: float) -> Decision:
    """Bet dollars on YES of some markets."""
    placed = tuple(Bet(BetId(a), market(a), Side.YES, usd(d)) for a, d in legs)
    said = tuple(Forecast(market(a), p) for a, p in forecasts.items())
    return Decision(Action.BET if placed else Action.HOLD, said, placed, reasoning=why)


def sells(alias: str, percent: int | str) -> Decision:
    sale = Sale(BetId(alias), market(alias), Side.YES, Decimal(percent))
    return Decision(Action.SELL, sales=(sale,))


def response(decision: Decision | None, *, trouble: Trouble | None = None) -> Response:
    last = Completion("words", model="small", trouble=trouble, detail="HTTP 503")
    calls = (Call("decide", Question("", ""), last),)
    reasons = () if decision or trouble else ("no action",)
    return Response(calls, last, 100, decision, reasons)


def together(
    *decisions: Decision | None, pooling: Pooling | None = None, shown: Briefing = SHOWN
) -> Response:
    samples = [response(one) for one in decisions]
    return agreed(samples, pooling or Pooling(), shown)


def decided(*decisions: Decision | None, pooling: Pooling | None = None) -> Decision:
    return present(together(*decisions, pooling=pooling).decision)


def stakes(decision: Decision) -> dict[str, Decimal]:
    return {bet.market.removeprefix("id-of-"): bet.stake for bet in decision.bets}


def test_one_sample_stands_for_itself() -> None:
    single = response(bets(("M1", 100)))
    assert agreed([single], Pooling(), SHOWN) is single


def test_a_probability_is_pooled_over_the_samples_that_state_it() -> None:
    made = decided(bets(M1=0.2, M2=0.5), bets(M1=0.4), bets(M1=0.9))
    assert made.forecasts == (Forecast(market("M1"), 0.4), Forecast(market("M2"), 0.5))


def test_the_rule_is_the_one_that_was_asked_for() -> None:
    made = decided(bets(M1=0.2), bets(M1=0.4), bets(M1=0.9), pooling=Pooling(Aggregate.MEAN))
    assert made.forecasts[0].probability == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("said", "staked"),
    [
        ([bets(("M1", 100)), bets(("M1", 400)), bets(("M1", 250), ("M2", 50))], {"M1": 250}),
        ([bets(("M1", 100)), bets(("M1", 400)), bets()], {"M1": 100}),
        ([bets(("M1", 100)), bets(("M1", 400)), None], {"M1": 100}),
        ([bets(("M1", 100)), bets(("M1", 400)), bets(), bets()], {}),
        ([bets(("M1", 100)), bets(("M1", 400)), None, None], {}),
    ],
    ids=["the median", "absent is 0", "unread is 0", "no majority", "unread is against it"],
)
def test_an_order_of_a_majority_stands_with_the_median_of_its_amounts(
    said: Sequence[Decision | None], staked: dict[str, int]
) -> None:
    made = decided(*said)
    assert stakes(made) == staked
    assert made.action is (Action.BET if staked else Action.HOLD)


def test_bets_and_sales_of_one_claim_are_not_the_same_order() -> None:
    assert decided(bets(("M1", 100)), sells("M1", 50)).action is Action.HOLD
    made = decided(bets(("M1", 100)), sells("M1", 50), sells("M1", 20))
    assert made.action is Action.SELL
    assert made.sales[0].percent == 20


def test_a_sale_of_less_than_a_hundredth_of_a_percent_is_no_order() -> None:
    found = together(sells("M1", "0.005"), sells("M1", "0.005"))
    assert found.decision is not None
    assert found.decision.sales == ()
    assert '"action":"HOLD"' in (found.last.text or "")


def test_the_other_side_of_a_market_is_another_order() -> None:
    on_no = Bet(BetId("no"), market("M1"), Side.NO, usd(100))
    other = Decision(Action.BET, bets=(on_no,))
    assert decided(bets(("M1", 100)), other, other, bets()).action is Action.HOLD


def test_stakes_that_together_exceed_the_largest_bet_are_scaled_to_it() -> None:
    first = bets(("M1", 1250), ("M2", 1250))
    second = bets(("M1", 1250), ("M3", 1250))
    third = bets(("M2", 1250), ("M3", 1250))
    made = decided(first, second, third)
    assert stakes(made) == {a: Decimal("833.33") for a in ("M1", "M2", "M3")}


def test_the_reasoning_is_that_of_the_nearest_sample_and_counts_them() -> None:
    made = decided(bets(M1=0.1, why="low"), bets(M1=0.4, why="middling"), bets(M1=0.9))
    assert made.reasoning == "median of 3 samples; the nearest one says: middling"


def test_the_reasoning_counts_what_could_not_be_read() -> None:
    made = decided(bets(M1=0.1, why="low"), None)
    assert made.reasoning == (
        "median of 1 samples (1 more could not be read); the nearest one says: low"
    )


def test_the_words_say_the_decision_under_its_aliases() -> None:
    said = together(bets(("M1", 100), M1=0.6), bets(("M1", 100), M1=0.6)).last
    assert said.text is not None
    assert '"forecasts":{"M1":0.6},"action":"BET"' in said.text
    assert (said.model, said.trouble, said.detail) == ("small", None, "")


def test_samples_that_ran_side_by_side_took_as_long_as_the_slowest() -> None:
    found = together(bets(), bets())
    assert (len(found.calls), found.latency_ms) == (2, 100)


def test_with_fewer_than_half_readable_the_turn_fails_and_says_why() -> None:
    found = together(None, bets(), None)
    assert found.decision is None
    assert found.last.trouble is Trouble.UNREADABLE
    assert found.last.detail == "1 of 3 samples could be read; the first failure: no action"


def test_a_server_that_failed_is_not_a_model_that_did() -> None:
    lost = response(None, trouble=Trouble.SERVER)
    found = agreed([lost, lost, response(bets())], Pooling(), SHOWN)
    assert found.last.trouble is Trouble.SERVER
    assert found.last.detail.endswith("HTTP 503")


def test_one_sample_to_come_is_an_answer_to_come() -> None:
    late = response(None, trouble=Trouble.PENDING)
    assert agreed([response(bets()), late], Pooling(), SHOWN).is_pending


legs = st.lists(
    st.tuples(st.sampled_from(["M1", "M2", "M3"]), st.integers(50, 2500)),
    max_size=3,
    unique_by=lambda leg: leg[0],
)
answers = st.lists(st.none() | legs.map(lambda found: bets(*found)), min_size=2, max_size=9)


@settings(deadline=None)
@given(answers)
def test_what_stands_was_said_by_a_majority_and_fits(said: Sequence[Decision | None]) -> None:
    found = together(*said)
    known = [one for one in said if one is not None]
    assert (found.decision is None) == (2 * len(known) < len(said))
    made = found.decision or bets()
    for alias, stake in stakes(made).items():
        stated = [stakes(one)[alias] for one in known if alias in stakes(one)]
        assert 2 * len(stated) > len(said)
        assert 0 < stake <= max(stated)
    assert sum(stakes(made).values()) <= SHOWN.cap


def test_the_order_of_the_samples_does_not_matter() -> None:
    both = ("M1", 1500), ("M2", 1500)
    said = [bets(*both, M1=0.1), bets(*reversed(both), M2=0.4, M1=0.2), bets(("M2", 70))]
    words = {together(*mixed).last.text for mixed in permutations(said)}
    assert len(words) == 1


PLAIN = [rule for rule in Aggregate if rule is not Aggregate.EXTREMISED]
chances = st.lists(st.floats(0, 1), min_size=1, max_size=25)


def pooled(rule: Aggregate, *stated: float) -> float:
    return Pooling(rule).of(stated)


@pytest.mark.parametrize(
    ("rule", "stated", "p"),
    [
        (Aggregate.MEDIAN, [0.9, 0.1, 0.2, 0.4], 0.3),
        (Aggregate.MEAN, [0.1, 0.2, 0.6], 0.3),
        (Aggregate.TRIMMED_MEAN, [1.0, 0.5, 0.3, 0.4, 0.0], 0.4),
        (Aggregate.TRIMMED_MEAN, [0.1, 0.2, 0.3, 1.0], 0.4),  # of four it leaves out nothing
        (Aggregate.TRIMMED_MEAN, [0.0] * 5 + [0.5] * 15 + [1.0] * 5, 0.5),
    ],
)
def test_each_rule_pools_by_its_definition(
    rule: Aggregate, stated: list[float], p: float
) -> None:
    assert pooled(rule, *stated) == pytest.approx(p)


def test_the_geometric_mean_of_odds_of_a_published_example() -> None:
    # four forecasts of 1.40 %, 2.21 %, 0.39 % and 0.40 %: odds of 1 to 118, not 1 to 91
    p = pooled(Aggregate.GEOMETRIC_MEAN_OF_ODDS, 0.0140, 0.0221, 0.0039, 0.0040)
    assert p == pytest.approx(0.0084, abs=5e-5)
    assert (1 - p) / p == pytest.approx(118, abs=1)


def test_extremising_raises_the_pooled_odds_to_a_power() -> None:
    # odds of 4, squared: 16 to 1
    assert Pooling(Aggregate.EXTREMISED, 2.0).of([0.8, 0.8]) == pytest.approx(16 / 17)
    assert pooled(Aggregate.EXTREMISED, 0.8) == pytest.approx(8 / 9)  # 4 ** 1.5


def test_for_odds_a_certainty_counts_as_999_in_1000() -> None:
    said = pooled(Aggregate.GEOMETRIC_MEAN_OF_ODDS, 0.0, 0.5)
    assert said == pytest.approx(1 / (1 + math.sqrt(999)))


def test_unanimous_certainty_stays_certain_unless_extremised() -> None:
    assert [pooled(rule, 1.0, 1.0) for rule in PLAIN] == [1.0] * len(PLAIN)
    assert 0.999 < pooled(Aggregate.EXTREMISED, 1.0, 1.0) < 1


@pytest.mark.parametrize("stated", [[], [1.1], [-0.1, 0.5], [math.nan]])
def test_what_is_no_probability_is_refused(stated: Sequence[float]) -> None:
    with pytest.raises(ValueError, match="no probabilities"):
        Pooling().of(stated)


@given(chances, st.sampled_from(PLAIN))
def test_the_aggregate_lies_between_the_lowest_and_the_highest(
    stated: list[float], rule: Aggregate
) -> None:
    assert min(stated) <= Pooling(rule).of(stated) <= max(stated)


@given(st.data(), chances, st.sampled_from(Aggregate))
def test_the_order_does_not_matter(
    data: st.DataObject, stated: list[float], rule: Aggregate
) -> None:
    mixed = data.draw(st.permutations(stated))
    assert Pooling(rule).of(mixed) == Pooling(rule).of(stated)


@given(chances, st.sampled_from(Aggregate))
def test_of_no_it_is_the_rest_to_one(stated: list[float], rule: Aggregate) -> None:
    other = Pooling(rule).of([1 - p for p in stated])
    assert other == pytest.approx(1 - Pooling(rule).of(stated), abs=1e-9)


@given(chances, st.floats(1, 10))
def test_extremising_moves_away_from_one_half_and_never_across(
    stated: list[float], exponent: float
) -> None:
    said = Pooling(Aggregate.EXTREMISED, exponent).of(stated)
    plain = Pooling(Aggregate.EXTREMISED, 1.0).of(stated)
    assert 0 <= said <= 1
    assert abs(said - 0.5) >= abs(plain - 0.5) - 1e-12
    assert (said - 0.5) * (plain - 0.5) >= 0


@given(st.floats(0.001, 0.999))
def test_log_odds_read_back(p: float) -> None:
    assert from_log_odds(log_odds(p)) == pytest.approx(p, rel=1e-9)


CENT, MICRO = Decimal("0.01"), Decimal("0.000001")


def scaled(*wishes: int, cap: int, floor: int = 50) -> list[Decimal]:
    return list(fitted([Decimal(w) for w in wishes], Decimal(cap), Decimal(floor)))


@pytest.mark.parametrize(
    ("wishes", "cap", "left"),
    [
        ((300, 20), 320, [300, 20]),
        ((300, 100), 200, [150, 50]),
        ((300, 90, 300), 300, [150, 0, 150]),
        ((100, 100), 60, [60, 0]),
        ((400, 300, 200), 50, [50, 0, 0]),
        ((100, 100, 100), 200, [Decimal("66.66")] * 3),
        ((100,), 0, [0]),
    ],
    ids=[
        *("they fit", "all shrink", "one shrinks too far", "the last of equals is left out"),
        *("the smallest alone", "whole cents", "no room"),
    ],
)
def test_stakes_shrink_together_until_they_fit(
    wishes: tuple[int, ...], cap: int, left: list[Decimal]
) -> None:
    assert scaled(*wishes, cap=cap) == left


def test_a_stake_is_cut_down_to_whole_cents() -> None:
    assert fitted([Decimal("99.999")], Decimal(100), Decimal(50)) == (Decimal("99.99"),)


@given(
    st.lists(st.integers(0, 10**8), max_size=30), st.integers(0, 10**12), st.integers(0, 10**9)
)
def test_together_they_fit_and_none_grows(wishes: list[int], cap: int, floor: int) -> None:
    asked = [Decimal(w) * CENT for w in wishes]
    most, least = Decimal(cap) * MICRO, Decimal(floor) * MICRO
    stakes = fitted(asked, most, least)
    assert sum(stakes, Decimal(0)) <= most
    for stake, wish in zip(stakes, asked, strict=True):
        assert stake <= wish
        assert stake == 0 or stake >= min(least, wish)
