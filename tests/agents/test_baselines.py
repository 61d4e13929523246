import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from importlib.metadata import entry_points
from pathlib import PurePath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.agents import baselines
from arena.agents.reply import read_reply
from arena.errors import ArenaError
from arena.ports import AgentFactory, Backstage
from arena.records.answer import Answer, Briefing, Holding, Offer
from arena.records.cohort import CohortId, ContestantId, Rules
from arena.records.decision import Action, Decision
from arena.records.market import EventId, Market, MarketId, Quote, Side, VenueId
from arena.records.money import Price, price, shares, usd
from arena.records.settings import BASELINES, ContestantSettings
from tests.present import present

T0 = datetime(2026, 1, 5, 9, tzinfo=UTC)
NOBODY = Backstage({}, {}, PurePath())

Book = tuple[str | None, str | None]


def at_price(text: str) -> Book:
    return text, text


def offers(*books: Book) -> tuple[Offer, ...]:
    def side(text: str | None) -> Price | None:
        return None if text is None else price(text)

    return tuple(
        Offer(
            f"M{n}",
            Market(MarketId(f"m{n}"), VenueId("v"), EventId(f"e{n}"), f"Question {n}?"),
            Quote(MarketId(f"m{n}"), side(bid), side(ask), T0),
        )
        for n, (bid, ask) in enumerate(books, start=1)
    )


def briefing(*books: Book, cap: str = "2500", floor: str = "50") -> Briefing:
    return Briefing(
        cohort=CohortId("c"),
        round=1,
        contestant=ContestantId("ada"),
        at=T0,
        offers=offers(*books),
        cash=usd(10000),
        cap=usd(cap),
        floor=usd(floor),
        holdings=(),
        rules=Rules(),
    )


def held(n: int, side: Side) -> Holding:
    return Holding(
        f"M{n}", MarketId(f"m{n}"), "?", side, shares(10), usd(5), worth=price("0.5")
    )


def contestant(**options: object) -> ContestantSettings:
    return ContestantSettings(ContestantId("ada"), "baseline", options=tuple(options.items()))


def answer(factory: AgentFactory, shown: Briefing, **options: object) -> Answer:
    return asyncio.run(factory(contestant(**options), NOBODY).answer(shown))


def decision(factory: AgentFactory, shown: Briefing, **options: object) -> Decision:
    text = present(answer(factory, shown, **options).completion.text)
    return present(read_reply(text, shown).decision)


def stakes(made: Decision) -> list[tuple[str, Side, Decimal]]:
    return [(bet.market, bet.side, bet.stake) for bet in made.bets]


def probabilities(made: Decision) -> dict[str, float]:
    return {forecast.market: forecast.probability for forecast in made.forecasts}


WITHOUT_OPTIONS = {
    "market": baselines.market,
    "always_no": baselines.always_no,
    "favourite": baselines.favourite,
    "longshot": baselines.longshot,
    "equal_weight": baselines.equal_weight,
    "hold_cash": baselines.hold_cash,
}
ALL = {**WITHOUT_OPTIONS, "coin_flip": baselines.coin_flip}
BETTING = [baselines.always_no, baselines.equal_weight, baselines.coin_flip]


@pytest.mark.parametrize("name", ALL)
def test_a_baseline_costs_nothing_and_names_itself(name: str) -> None:
    said = answer(ALL[name], briefing(at_price("0.3")))
    assert said.question is None
    assert said.completion.model == f"baseline/{name}"
    assert said.completion.attempts == ()
    assert said.completion.usage.cost == 0
    assert (said.completion.usage.tokens_in, said.completion.usage.tokens_out) == (0, 0)


@pytest.mark.parametrize("factory", ALL.values(), ids=ALL)
def test_with_nothing_on_offer_every_baseline_holds(factory: AgentFactory) -> None:
    assert decision(factory, briefing()).action is Action.HOLD


def test_the_market_forecasts_the_mid_and_holds() -> None:
    made = decision(baselines.market, briefing(("0.38", "0.40"), at_price("0.575401")))
    assert made.action is Action.HOLD
    assert probabilities(made) == {"m1": 0.39, "m2": 0.575401}


def test_the_market_is_silent_where_nobody_stands_on_one_side() -> None:
    made = decision(baselines.market, briefing((None, "0.40"), ("0.38", None)))
    assert made.forecasts == ()


@settings(deadline=None)
@given(st.integers(0, 1_000_000))
def test_the_forecast_of_the_market_reads_back_as_the_price_itself(millionths: int) -> None:
    paid = Decimal(millionths).scaleb(-6)
    said = present(answer(baselines.market, briefing(at_price(str(paid)))).completion.text)
    made = present(read_reply(said, briefing(at_price(str(paid)))).decision)
    (forecast,) = made.forecasts
    assert Decimal(str(forecast.probability)) == paid


def test_always_no_says_0_everywhere_and_bets_on_no() -> None:
    made = decision(baselines.always_no, briefing(at_price("0.3"), (None, "0.40")))
    assert probabilities(made) == {"m1": 0.0, "m2": 0.0}
    assert stakes(made) == [("m1", Side.NO, Decimal(2500))]


def test_the_favourite_is_the_side_above_one_half() -> None:
    made = decision(
        baselines.favourite, briefing(at_price("0.7"), at_price("0.2"), ("0.4", "0.6"))
    )
    assert stakes(made) == [("m1", Side.YES, Decimal(1250)), ("m2", Side.NO, Decimal(1250))]
    assert made.forecasts == ()


def test_the_longshot_is_the_other_side() -> None:
    made = decision(
        baselines.longshot, briefing(at_price("0.7"), at_price("0.2"), at_price("0.5"))
    )
    assert stakes(made) == [("m1", Side.NO, Decimal(1250)), ("m2", Side.YES, Decimal(1250))]
    assert made.forecasts == ()


def test_equal_weight_bets_on_yes_of_every_offer() -> None:
    made = decision(baselines.equal_weight, briefing(at_price("0.7"), at_price("0.2")))
    assert stakes(made) == [("m1", Side.YES, Decimal(1250)), ("m2", Side.YES, Decimal(1250))]
    assert made.forecasts == ()


def test_hold_cash_holds_and_says_no_probability() -> None:
    made = decision(baselines.hold_cash, briefing(at_price("0.7")))
    assert made.action is Action.HOLD
    assert made.forecasts == ()


def test_the_coin_says_one_half_everywhere() -> None:
    made = decision(baselines.coin_flip, briefing(at_price("0.7"), (None, None)))
    assert probabilities(made) == {"m1": 0.5, "m2": 0.5}
    assert len(made.bets) == 1


def test_the_coin_is_fair_over_many_markets() -> None:
    shown = briefing(*[at_price("0.5")] * 2000, cap="2500", floor="1")
    sides = [side for _, side, _ in stakes(decision(baselines.coin_flip, shown))]
    assert len(sides) == 2000
    assert abs(sides.count(Side.YES) - 1000) < 3 * 22.4  # three standard deviations


def test_the_coin_falls_the_same_way_for_the_same_briefing() -> None:
    shown = briefing(*[at_price("0.5")] * 20)
    said = answer(baselines.coin_flip, shown, seed=7)
    assert said == answer(baselines.coin_flip, shown, seed=7)


def test_the_coin_is_the_one_of_the_definition() -> None:
    shown = briefing(*[at_price("0.5")] * 8)
    sides = [side for _, side, _ in stakes(decision(baselines.coin_flip, shown))]
    # sha256("0\nc\n1\nmN"), first byte odd: written down, so that no change goes unseen
    assert "".join(side[0] for side in sides) == "NYYNYNYN"


@pytest.mark.parametrize("change", ["seed", "cohort", "round"])
def test_another_seed_cohort_or_round_is_another_toss(change: str) -> None:
    shown = briefing(*[at_price("0.5")] * 40)
    other, seed = shown, 0
    if change == "seed":
        seed = 1
    elif change == "cohort":
        other = replace(shown, cohort=CohortId("d"))
    else:
        other = replace(shown, round=2)
    first = stakes(decision(baselines.coin_flip, shown))
    assert first != stakes(decision(baselines.coin_flip, other, seed=seed))


def test_the_stakes_are_as_many_as_the_largest_bet_can_hold() -> None:
    made = decision(baselines.equal_weight, briefing(*[at_price("0.5")] * 3, cap="149"))
    assert stakes(made) == [
        ("m1", Side.YES, Decimal("74.5")),
        ("m2", Side.YES, Decimal("74.5")),
    ]


def test_a_stake_is_rounded_down_to_a_cent() -> None:
    made = decision(baselines.equal_weight, briefing(*[at_price("0.5")] * 3, cap="200"))
    assert [stake for _, _, stake in stakes(made)] == [Decimal("66.66")] * 3


def test_where_only_the_smallest_bet_is_possible_it_is_made_to_the_millionth() -> None:
    shown = briefing(at_price("0.5"), at_price("0.5"), cap="37.512345", floor="37.512345")
    made = decision(baselines.equal_weight, shown)
    assert stakes(made) == [("m1", Side.YES, Decimal("37.512345"))]


@pytest.mark.parametrize(
    "book",
    [(None, "0.4"), ("0.4", None), ("0.5", "0.4"), at_price("0"), at_price("1")],
    ids=["no bid", "no ask", "crossed", "worthless", "certain"],
)
def test_a_market_that_cannot_be_traded_is_passed_over(book: Book) -> None:
    made = decision(baselines.equal_weight, briefing(book, at_price("0.5")))
    assert [market for market, _, _ in stakes(made)] == ["m2"]


def test_a_side_that_is_held_is_not_bet_on_again() -> None:
    shown = replace(
        briefing(at_price("0.7"), at_price("0.7")),
        holdings=(held(1, Side.YES), held(2, Side.NO)),
    )
    made = decision(baselines.favourite, shown)
    assert [market for market, _, _ in stakes(made)] == ["m2"]


def test_with_every_market_bet_on_it_holds() -> None:
    shown = replace(briefing(at_price("0.7")), holdings=(held(1, Side.YES),))
    assert decision(baselines.favourite, shown).action is Action.HOLD


@pytest.mark.parametrize(("cap", "floor"), [("0", "0"), ("0.005", "0"), ("10", "50")])
def test_without_room_for_one_stake_it_holds(cap: str, floor: str) -> None:
    shown = briefing(at_price("0.7"), cap=cap, floor=floor)
    assert decision(baselines.always_no, shown).action is Action.HOLD


@settings(deadline=None)
@given(
    cap=st.integers(0, 10**11),
    floor=st.integers(0, 10**9),
    prices=st.lists(st.integers(1, 999), max_size=30),
)
def test_the_stakes_are_equal_large_enough_and_never_exceed_the_cap(
    cap: int, floor: int, prices: Sequence[int]
) -> None:
    shown = briefing(
        *[at_price(str(Decimal(p).scaleb(-3))) for p in prices],
        cap=str(Decimal(cap).scaleb(-6)),
        floor=str(Decimal(floor).scaleb(-6)),
    )
    for factory in BETTING:
        spent = [stake for _, _, stake in stakes(decision(factory, shown))]
        assert sum(spent) <= shown.cap
        assert len(set(spent)) <= 1
        assert all(stake >= shown.floor and stake > 0 for stake in spent)


@settings(deadline=None)
@given(cap=st.integers(1, 10**5), floor=st.integers(1, 10**4), most=st.integers(1, 30))
def test_one_more_stake_would_be_too_small(cap: int, floor: int, most: int) -> None:
    shown = briefing(*[at_price("0.5")] * most, cap=str(cap), floor=str(floor))
    number = len(stakes(decision(baselines.always_no, shown)))
    assert number == most or Decimal(cap) / (number + 1) < floor


@pytest.mark.parametrize("factory", WITHOUT_OPTIONS.values(), ids=WITHOUT_OPTIONS)
def test_an_option_that_nobody_knows_is_refused(factory: AgentFactory) -> None:
    with pytest.raises(ArenaError, match="seed") as caught:
        factory(contestant(seed=1), NOBODY)
    assert (caught.value.code, caught.value.hint) == ("agent.option", "it has no options")


def test_the_coin_names_the_option_it_knows() -> None:
    with pytest.raises(ArenaError, match="sede") as caught:
        baselines.coin_flip(contestant(sede=1), NOBODY)
    assert (caught.value.code, caught.value.hint) == ("agent.option", "it knows seed")


@pytest.mark.parametrize("seed", ["1", True, 1.5, None])
def test_a_seed_is_an_integer(seed: object) -> None:
    with pytest.raises(ArenaError, match="whole number"):
        baselines.coin_flip(contestant(seed=seed), NOBODY)


def test_every_entry_point_of_a_baseline_is_in_the_one_table_and_the_other_way_round() -> None:
    points = entry_points(group="arena.agents")
    ours = {point.name for point in points if point.module == "arena.agents.baselines"}
    assert ours == set(BASELINES)
