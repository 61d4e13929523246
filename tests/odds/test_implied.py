from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.odds.implied import confidence, implied, kelly, linear
from arena.records.market import Side
from arena.records.money import usd

QUARTER = Decimal("0.25")

parts = st.decimals(0, 1, places=6)
sides = st.sampled_from(Side)


@pytest.mark.parametrize(
    ("stake", "cash", "expected"),
    [
        pytest.param(100, 10000, "0.04", id="A1"),
        pytest.param(10000, 100, "1", id="A2-clamped"),
        pytest.param(100, 0, "0", id="A3-no-cash"),
        pytest.param(2500, 10000, "1", id="A4"),
        pytest.param(1250, 10000, "0.5", id="A5"),
        pytest.param(500, 10000, "0.2", id="A6"),
        pytest.param(50, 10000, "0.02", id="A7"),
        pytest.param(2000, 8000, "1", id="A8"),
        pytest.param(500, 8000, "0.25", id="A9"),
    ],
)
def test_a1_to_a9_confidence_is_the_share_of_the_largest_bet(
    stake: int, cash: int, expected: str
) -> None:
    assert confidence(Decimal(stake), Decimal(cash), QUARTER) == Decimal(expected)


def test_a_debt_gives_no_confidence() -> None:
    assert confidence(Decimal(100), Decimal(-1), QUARTER) == 0


def test_linear_reads_the_confidence_as_the_probability_of_the_side() -> None:
    assert linear(Side.NO, Decimal("0.3")) == Decimal("0.7")


def test_kelly_reads_no_stake_as_the_price() -> None:
    assert kelly(Side.YES, Decimal(0), Decimal("0.4")) == Decimal("0.4")


def test_kelly_reads_the_largest_stake_as_certainty() -> None:
    assert kelly(Side.NO, Decimal(1), Decimal("0.4")) == 0


@given(side=sides, c=parts, paid=parts)
def test_kelly_and_linear_are_probabilities(side: Side, c: Decimal, paid: Decimal) -> None:
    assert 0 <= linear(side, c) <= 1
    assert 0 <= kelly(side, c, paid) <= 1


@given(c=parts, paid=parts)
def test_kelly_never_believes_less_in_its_side_than_the_price(
    c: Decimal, paid: Decimal
) -> None:
    assert kelly(Side.YES, c, paid) >= paid


@given(belief=st.decimals("0.01", "0.99", places=4), paid=st.decimals("0.01", "0.99", places=4))
def test_kelly_finds_the_belief_of_a_quarter_kelly_bettor(
    belief: Decimal, paid: Decimal
) -> None:
    whole = max(Decimal(0), (belief - paid) / (1 - paid))
    stake = whole * QUARTER * 10000
    read = kelly(Side.YES, confidence(stake, Decimal(10000), QUARTER), paid)
    assert abs(read - max(belief, paid)) < Decimal("1e-20")


def test_a_stake_is_read_under_both_mappings() -> None:
    says = implied(
        Side.YES, usd(500), paid=Decimal("0.5"), base=Decimal(10000), max_bet_fraction=QUARTER
    )
    assert says.confidence == says.linear == Decimal("0.2")
    assert says.kelly == Decimal("0.6")
