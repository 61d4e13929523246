"""Under `fill: book`, stakes on one claim walk down the book together."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from arena.ledger.order_limits import DecisionDesk, Judgement, Tradable, judge
from arena.records.cohort import BatchRule, ConfidenceBase, FeeRule, FillRule, Rules
from arena.records.decision import Bet, Refusal, Sale
from arena.records.market import FeeKind, FeeModel, Level, Quote, Side
from arena.records.money import price, shares, usd
from tests.build import (
    HAIL,
    HOUR,
    PEERS,
    PENNIES,
    RAIN,
    SNOW,
    T0,
    at_price,
    bet,
    bets,
    deciding,
    desk,
    market,
    position,
    quote,
    sale,
)

OURS = Rules()
AT_HALF = desk(at_price("0.5"))
FIVES = (500, 500, 500, 500, 500)


def of(  # what is shown, and by which rules
    bid: str, ask: str | None = None, rules: Rules = PEERS, *, cash: int = 10_000
) -> DecisionDesk:
    return desk(quote(bid, ask or bid), rules=rules, cash=cash)


def judged(*orders: Bet | Sale, at_desk: DecisionDesk = AT_HALF) -> Judgement:
    return judge(deciding(*orders), at_desk)


def refusals(*orders: Bet | Sale, at_desk: DecisionDesk = AT_HALF) -> list[Refusal]:
    return [r.reason for r in judged(*orders, at_desk=at_desk).rejections]


def confidences(stakes: Sequence[int], base: ConfidenceBase) -> list[float]:
    rules = replace(PEERS, confidence_base=base)
    found = judged(*bets(*stakes), at_desk=desk(at_price("0.5"), rules=rules))
    return [fill.confidence for fill in found.fills]


BY_CASH, BY_WHAT_IS_LEFT = ConfidenceBase.DECISION, ConfidenceBase.SEQUENTIAL
SHRINKING = (0.2, 0.210526316, 0.222222222, 0.235294118, 0.25)


@pytest.mark.parametrize(
    ("stakes", "base", "expected"),
    [
        pytest.param(FIVES, BY_WHAT_IS_LEFT, SHRINKING, id="A10"),
        pytest.param((50, 2450), BY_WHAT_IS_LEFT, (0.02, 0.984924623), id="A11"),
        pytest.param((2450, 50), BY_WHAT_IS_LEFT, (0.98, 0.026490066), id="A12"),
        pytest.param(FIVES, BY_CASH, (0.2, 0.2, 0.2, 0.2, 0.2), id="A13-ours-fives"),
        pytest.param((50, 2450), BY_CASH, (0.02, 0.98), id="A13-ours-small-first"),
        pytest.param((2450, 50), BY_CASH, (0.98, 0.02), id="A13-ours-large-first"),
    ],
)
def test_a10_to_a13_a_leg_is_measured_by_the_cash_at_the_start_or_what_is_left(
    stakes: Sequence[int], base: ConfidenceBase, expected: Sequence[float]
) -> None:
    assert confidences(stakes, base) == pytest.approx(expected, abs=1e-9)


def charging(rate: str, rules: Rules) -> DecisionDesk:
    """A desk at one half whose market charges a share of the dollars traded."""
    shown, fee = at_price("0.5"), FeeModel(FeeKind.NOTIONAL, Decimal(rate))
    tradable = {RAIN: Tradable(market(fee=fee), shown, is_open=True)}
    return replace(desk(shown, rules=replace(rules, fees=FeeRule.VENUE)), markets=tradable)


def test_a_sequential_base_shrinks_by_fees_too() -> None:
    rules = replace(PEERS, confidence_base=ConfidenceBase.SEQUENTIAL)
    first, second = judged(*bets(100, 100), at_desk=charging("0.1", rules)).fills
    assert (first.fee, first.base - second.base) == (usd(10), usd(110))


def test_what_a_stake_implies_is_at_the_price_with_its_fee() -> None:
    (free,) = judged(*bets(100), at_desk=charging("0", PEERS)).fills
    (charged,) = judged(*bets(100), at_desk=charging("0.1", PEERS)).fills
    share = free.confidence
    assert share == charged.confidence
    assert free.kelly == pytest.approx(0.5 + 0.5 * share)
    assert charged.kelly == pytest.approx(0.55 + 0.45 * share)


def test_d6_legs_that_together_exceed_the_cap_are_all_refused() -> None:
    found = judged(*bets(1500, 1500))
    assert found.fills == ()
    assert [r.detail for r in found.rejections] == ["3000.000000 is more than 2500.000000"] * 2


@pytest.mark.parametrize("batch", BatchRule)
def test_d6_ours_refuses_them_under_both_batch_rules(batch: BatchRule) -> None:
    rules = replace(PEERS, batch=batch)
    found = refusals(*bets(1500, 1500), at_desk=desk(at_price("0.5"), rules=rules))
    assert found == [Refusal.BATCH_TOO_LARGE] * 2


def one_closed(rules: Rules) -> DecisionDesk:
    both = desk(at_price("0.5"), at_price("0.5", SNOW), rules=rules)
    shut = replace(both.markets[SNOW], is_open=False)
    return replace(both, markets={**both.markets, SNOW: shut})


def test_d7_one_closed_market_refuses_the_whole_batch() -> None:
    found = refusals(bet(100, n=1), bet(100, name=SNOW, n=2), at_desk=one_closed(PEERS))
    assert found == [Refusal.CLOSED, Refusal.BATCH]


def test_a_refused_leg_leaves_the_others_alone_where_each_is_judged_alone() -> None:
    rules = replace(PEERS, batch=BatchRule.EACH)
    found = judged(bet(100, n=1), bet(100, name=SNOW, n=2), at_desk=one_closed(rules))
    assert [fill.market for fill in found.fills] == [RAIN]


UNQUOTED = replace(AT_HALF, markets={RAIN: replace(AT_HALF.markets[RAIN], quote=None)})


@pytest.mark.parametrize(
    ("wish", "at_desk", "reasons"),
    [
        pytest.param(bet(3000), AT_HALF, [Refusal.TOO_LARGE], id="D8"),
        pytest.param(bet(0), AT_HALF, [Refusal.NOT_POSITIVE], id="D9"),
        pytest.param(bet(-15), AT_HALF, [Refusal.NOT_POSITIVE], id="E7-ours-negative"),
        pytest.param(bet("49.999999"), AT_HALF, [Refusal.TOO_SMALL], id="below-the-smallest"),
        pytest.param(bet(1), of("0.4", rules=PENNIES), [], id="the-smallest-is-a-rule"),
        pytest.param(bet(1), of("0.5", cash=0), [Refusal.TOO_LARGE], id="D17-bankrupt"),
        pytest.param(bet(50), of("0.5", cash=200), [], id="D18-the-smallest-is-the-cap"),
        pytest.param(bet("37.5"), of("0.5", cash=150), [], id="the-cap-below-the-smallest"),
        pytest.param(bet(100, name=HAIL), AT_HALF, [Refusal.NOT_OFFERED], id="D17-no-market"),
        pytest.param(bet(100), of("0"), [Refusal.NO_PRICE], id="D10-YES-at-0"),
        pytest.param(bet(100, Side.NO), of("1"), [Refusal.NO_PRICE], id="D10-NO-at-0"),
        pytest.param(bet(100), of("1"), [Refusal.NO_PRICE], id="nothing-to-win"),
        pytest.param(bet(100), UNQUOTED, [Refusal.NO_QUOTE], id="D10-no-price"),
        pytest.param(bet(100), of("0.41", "0.40"), [Refusal.CROSSED], id="crossed"),
        pytest.param(bet(100), of("0.30", "0.41", OURS), [Refusal.WIDE], id="wide"),
        pytest.param(
            bet(100), replace(AT_HALF, at=T0 + 2 * HOUR), [Refusal.STALE], id="past-its-age"
        ),
    ],
)
def test_a_bet_is_let_through_or_refused_by_name(
    wish: Bet, at_desk: DecisionDesk, reasons: list[Refusal]
) -> None:
    assert refusals(wish, at_desk=at_desk) == reasons


@pytest.mark.parametrize(
    ("bid", "ask"),
    [
        pytest.param(None, "0.4", id="D14-no-bid"),
        pytest.param("0.4", None, id="D14-no-ask"),
        pytest.param(None, None, id="D14-neither"),
    ],
)
@pytest.mark.parametrize("side", Side)
def test_d14_a_one_sided_book_trades_nothing(
    bid: str | None, ask: str | None, side: Side
) -> None:
    assert refusals(bet(100, side), at_desk=desk(quote(bid, ask))) == [Refusal.ONE_SIDED]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("1.2", id="D10-D13-above-1"),
        pytest.param("-0.1", id="D13-below-0"),
        pytest.param("NaN", id="D14-not-a-number"),
    ],
)
def test_d10_d13_d14_ours_has_no_such_price(text: str) -> None:
    with pytest.raises(ValueError, match=r"a price lies in|a finite number"):
        price(text)


def test_d13_a_sale_at_0_is_allowed() -> None:
    holding = desk(at_price("0"), held=[position(100, 60)])
    (sold,) = judged(sale(50), at_desk=holding).sales
    assert (sold.proceeds, sold.basis) == (usd(0), usd(30))


HOLDING = desk(at_price("0.5"), held=[position(100, 60)])
SHUT = desk(at_price("0.5"), held=[position(100, 60)], is_open=False)


@pytest.mark.parametrize(
    ("wishes", "at_desk", "reasons"),
    [
        pytest.param([sale(50)], AT_HALF, [Refusal.NOT_HELD], id="D17-no-position"),
        pytest.param([sale(50, Side.NO)], HOLDING, [Refusal.NOT_HELD], id="D15-not-held"),
        pytest.param([sale(0)], HOLDING, [Refusal.BAD_PERCENT], id="D15-nothing"),
        pytest.param([sale(101)], HOLDING, [Refusal.BAD_PERCENT], id="D15-more-than-all"),
        pytest.param([sale(-1)], HOLDING, [Refusal.BAD_PERCENT], id="less-than-nothing"),
        pytest.param([sale("0.0000001")], HOLDING, [Refusal.BAD_PERCENT], id="no-millionth"),
        pytest.param([sale(50)], SHUT, [Refusal.CLOSED], id="D15-closed"),
        pytest.param(
            [sale(60, n=1), sale(50, n=2)], HOLDING, [Refusal.BAD_PERCENT] * 2, id="together"
        ),
        pytest.param(
            [sale(50, n=1), sale(50, Side.NO, n=2)],
            HOLDING,
            [Refusal.NOT_HELD, Refusal.BATCH],
            id="one-refuses-the-others-of-an-atomic-batch",
        ),
    ],
)
def test_d15_d17_a_sale_that_cannot_be_is_refused_by_name(
    wishes: list[Sale], at_desk: DecisionDesk, reasons: list[Refusal]
) -> None:
    assert refusals(*wishes, at_desk=at_desk) == reasons


def test_sales_that_add_up_to_everything_are_all_made() -> None:
    found = judged(sale("99.6", n=1), sale("0.4", n=2), at_desk=HOLDING).sales
    assert sum(sold.shares for sold in found) == 100


def test_a_negative_sale_makes_no_room_for_one_of_more_than_everything() -> None:
    rules = replace(PEERS, batch=BatchRule.EACH)
    holding = desk(at_price("0.5"), rules=rules, held=[position(100, 60)])
    found = refusals(sale(120, n=1), sale(-50, n=2), at_desk=holding)
    assert found == [Refusal.BAD_PERCENT] * 2


def test_halves_of_a_position_take_all_of_its_cost_with_them() -> None:
    holding = desk(at_price("0.5"), held=[position("0.000002", "0.000001")])
    found = judged(sale(50, n=1), sale(50, n=2), at_desk=holding)
    assert sum(s.basis for s in found.sales) == usd("0.000001")


def test_d18_a_stake_above_the_cap_of_little_cash_is_refused() -> None:
    (refused,) = judged(bet(50), at_desk=desk(at_price("0.5"), cash=150)).rejections
    assert (refused.reason, refused.detail) == (Refusal.TOO_LARGE, "at most 37.500000")


def test_d19_three_thirds_of_the_cap_are_accepted() -> None:
    third = str(Decimal(2500) / 3)
    assert len(judged(*bets(third, third, third)).fills) == 3


def test_legs_may_take_the_whole_cash() -> None:
    rules = replace(OURS, max_bet_fraction=Decimal(1))
    whole = judged(*bets(5000, 5000), at_desk=desk(at_price("0.5"), rules=rules))
    assert len(whole.fills) == 2


def test_legs_whose_fees_cash_cannot_pay_are_all_refused() -> None:
    costly = charging("0.02", replace(OURS, max_bet_fraction=Decimal(1)))
    assert refusals(*bets(5000, 5000), at_desk=costly) == [Refusal.NO_CASH] * 2


def test_a_quote_from_the_future_is_a_defect() -> None:
    early = replace(AT_HALF, at=AT_HALF.at - HOUR)
    with pytest.raises(ValueError, match="after"):
        judged(bet(100), at_desk=early)


def test_a_fill_keeps_what_was_stated_and_what_the_market_said() -> None:
    decision = deciding(bet(100), stated={RAIN: 0.7})
    (fill,) = judge(decision, desk(quote("0.38", "0.40"), rules=OURS)).fills
    assert (fill.stated, fill.spoken) == (0.7, price("0.39"))


def test_without_a_stated_probability_there_is_none() -> None:
    (fill,) = judged(bet(100)).fills
    assert fill.stated is None


BOOK = replace(PEERS, fill=FillRule.BOOK)
DEPTH = Quote(
    RAIN,
    price("0.38"),
    price("0.4"),
    T0,
    bids=(Level(price("0.38"), shares(100)), Level(price("0.2"), shares(1000))),
    asks=(Level(price("0.4"), shares(1000)), Level(price("0.6"), shares(1000))),
)


def bought(*bets: Bet) -> list[str]:
    found = judge(deciding(*bets), desk(DEPTH, rules=BOOK))
    assert not found.rejections
    return [str(fill.shares) for fill in found.fills]


def test_a_stake_in_two_parts_buys_what_it_buys_in_one() -> None:
    (whole,) = bought(bet(800))
    parts = bought(bet(400, n=1), bet(400, n=2))
    assert whole == "1666.666666"
    assert parts == ["833.333333", "833.333333"]


def test_the_other_side_walks_a_book_of_its_own() -> None:
    alone = bought(bet(50, Side.NO))
    beside = bought(bet(50, Side.NO, n=1), bet(800, n=2))
    assert beside[0] == alone[0]


def test_a_sale_in_two_parts_brings_what_it_brings_in_one() -> None:
    held = position(200, 80)

    def proceeds(*percents: int) -> list[str]:
        orders = [sale(percent, n=n) for n, percent in enumerate(percents, 1)]
        found = judge(deciding(*orders), desk(DEPTH, held=(held,), rules=BOOK))
        return [str(sold.proceeds) for sold in found.sales]

    assert proceeds(100) == [str(usd("58.000000"))]
    assert proceeds(50, 50) == ["29.000000", "29.000000"]


def test_a_bet_records_how_deep_it_went_and_what_that_cost() -> None:
    (fill,) = judge(deciding(bet(800)), desk(DEPTH, rules=BOOK)).fills
    assert (fill.levels, fill.best) == (2, price("0.4"))
    assert fill.slippage == usd("133.333334")  # 800 for what the best price sells at 666.67


def test_a_sale_records_how_deep_it_went_and_what_that_cost() -> None:
    orders = deciding(sale(100))
    (sold,) = judge(orders, desk(DEPTH, held=(position(200, 80),), rules=BOOK)).sales
    assert (sold.levels, sold.best, sold.slippage) == (2, price("0.38"), usd(18))


def test_a_bet_at_the_quoted_price_has_walked_nothing() -> None:
    (fill,) = judge(deciding(bet(400)), desk(DEPTH, rules=PEERS)).fills
    assert (fill.levels, fill.best, fill.slippage) == (0, None, None)
