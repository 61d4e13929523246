from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ledger.mark import (
    MarkedPositions,
    last_marks,
    mark,
    mark_to_market,
    profit,
    return_on,
    total_value,
    win_rate,
)
from arena.records.market import MarketId, Quote, Side
from arena.records.money import Usd, shares, usd
from arena.records.trade import Mark, Position
from tests.build import ADA, DAY, RAIN, SNOW, at, at_price, position, quote

CANDIDATE_A = position(100, 50)  # a claim on one outcome of an event is a market's YES


def marked(held: Position, shown: Quote | None, hours: float = 0) -> Mark:
    return mark(held, shown, at=at(hours), max_age=DAY)


@pytest.mark.parametrize(
    ("held", "of_yes", "worth"),
    [
        pytest.param(position(100, 50), "0.6", 60, id="C1"),
        pytest.param(position(100, 50, Side.NO), "0.6", 40, id="C2"),
        pytest.param(CANDIDATE_A, "0.6", 60, id="C3"),
        pytest.param(position(6, 3), "0.9", "5.4", id="E3"),
        pytest.param(position(100, 50), "0.25", 25, id="G14"),
    ],
)
def test_c1_c2_c3_e3_g14_a_position_is_worth_its_shares_at_their_price(
    held: Position, of_yes: str, worth: int
) -> None:
    assert marked(held, at_price(of_yes)).mid == usd(worth)


def test_c7_a_fall_in_value_is_a_loss_not_yet_realised() -> None:
    held = position(100, 100)
    assert value_of(marked(held, at_price("0.9"))) - held.cost == usd(-10)


def value_of(found: Mark) -> Usd:
    assert found.mid is not None
    return found.mid


@pytest.mark.parametrize(
    "held",
    [
        pytest.param(position(6, "2.5"), id="E4-ours"),
        pytest.param(position(6, "1.8"), id="E5-ours"),
        pytest.param(position(100, 28), id="G15-ours"),
        pytest.param(position(20, 14), id="G16-ours"),
        pytest.param(position(100, 33), id="G17-ours"),
    ],
)
def test_e4_e5_g15_g16_g17_ours_invents_no_price_where_there_is_none(held: Position) -> None:
    found = marked(held, None)
    assert (found.bid, found.mid) == (None, None)


def test_a_position_is_valued_at_what_selling_it_would_bring() -> None:
    assert marked(position(100, 50), quote("0.38", "0.40")).bid == usd(38)
    assert marked(position(100, 50, Side.NO), quote("0.38", "0.40")).bid == usd(60)


def test_a_quote_of_the_largest_age_still_counts_and_no_older_one() -> None:
    assert marked(position(100, 50), at_price("0.6"), hours=24).mid == usd(60)
    assert marked(position(100, 50), at_price("0.6"), hours=24.01).mid is None


def test_a_one_sided_book_may_still_have_a_bid() -> None:
    found = marked(position(100, 50), quote("0.38", None))
    assert (found.bid, found.mid) == (usd(38), None)


def test_a_quote_from_the_future_is_a_defect() -> None:
    with pytest.raises(ValueError, match="after"):
        marked(position(100, 50), at_price("0.6", hours=1))


def test_a_valuation_counts_what_it_cannot_price() -> None:
    elsewhere = replace(position(30, 9), market=SNOW)
    (worth,) = mark_to_market(
        [position(100, 50), elsewhere], {RAIN: at_price("0.6")}, at=at(), max_age=DAY
    ).values()
    assert (worth.bid, worth.mid) == (usd(60), usd(60))
    assert (worth.unpriced_bid, worth.unpriced_bid_shares) == (1, shares(30))
    assert (worth.unpriced_mid, worth.unpriced_mid_shares) == (1, shares(30))


def test_c8_the_total_is_cash_and_marks() -> None:
    assert total_value(usd(9000), usd(0), usd(1500)) == usd(10500)
    assert total_value(usd(9000), usd(500), usd(1500)) == usd(10000)


@pytest.mark.parametrize(
    ("capital", "expected"),
    [pytest.param(10000, 500, id="C9"), pytest.param(12000, -1500, id="C9-other-capital")],
)
def test_c9_profit_is_what_exceeds_the_capital(capital: int, expected: int) -> None:
    assert profit(usd(10500), usd(capital)) == usd(expected)


def test_c10_c11_a_return_is_a_share_of_the_capital() -> None:
    assert return_on(Decimal(500), Decimal(10000)) == pytest.approx(0.05)
    assert return_on(Decimal(500), Decimal(0)) is None  # ours has none without capital


def test_the_win_rate_is_the_share_that_won() -> None:
    assert win_rate(1, 4) == pytest.approx(0.25)
    assert win_rate(0, 0) is None  # before anything resolves


def test_a_quote_as_old_as_it_may_be_is_a_price_and_no_last_price() -> None:
    held, quotes = [position(100, 50)], {RAIN: quote(hours=-24)}
    still = marked(held[0], quotes[RAIN])
    assert (still.bid, last_marks(held, quotes, at=at(), max_age=DAY)) == (usd(38), ())


@given(st.lists(st.tuples(st.sampled_from(Side), st.integers(1, 10**9), st.booleans())))
def test_positions_together_are_worth_what_each_of_them_is(
    each: list[tuple[Side, int, bool]],
) -> None:
    held = [
        replace(position(n, 50, side), market=RAIN if known else SNOW)
        for side, n, known in each
    ]
    shown = {RAIN: quote("0.333333", "0.7")}
    worths = mark_to_market(held, shown, at=at(), max_age=DAY)
    worth = worths.get(ADA, MarkedPositions())
    marks = [marked(p, shown.get(p.market)) for p in held]
    assert (worth.number, worth.unpriced_mid) == (len(held), sum(m.mid is None for m in marks))
    assert worth.bid == sum(m.bid for m in marks if m.bid is not None)
    assert worth.mid == sum(m.mid for m in marks if m.mid is not None)


CENTS = st.integers(0, 100).map(lambda cents: f"{cents / 100:.2f}")
BOOKS = st.none() | st.tuples(st.none() | CENTS, st.none() | CENTS, st.integers(0, 60))


@given(st.lists(st.tuples(st.sampled_from(Side), BOOKS), max_size=6))
def test_a_last_price_is_for_what_has_no_price_and_lies_within_its_bounds(
    each: list[tuple[Side, tuple[str | None, str | None, int] | None]],
) -> None:
    held, quotes = [], {}
    for n, (side, book) in enumerate(each):
        name = MarketId(f"m{n}")
        held.append(replace(position(100, 50, side), market=name))
        if book:
            quotes[name] = quote(*book[:2], name=name, hours=-book[2])
    priced = {p for p in held if marked(p, quotes.get(p.market)).bid}
    late = last_marks(held, quotes, at=at(), max_age=DAY)
    assert not priced & {m.position for m in late}
    for one in late:
        assert one.quoted_at == quotes[one.position.market].at < at() - DAY
        assert one.bid is not None
        assert one.mid is not None
        assert 0 <= min(one.bid, one.mid) <= max(one.bid, one.mid) <= 100
    asked = {p for p in held if (q := quotes.get(p.market)) and q.mid is not None}
    assert {m.position for m in late} == {p for p in asked if quotes[p.market].at < at() - DAY}
