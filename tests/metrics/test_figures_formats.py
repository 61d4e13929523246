from decimal import Decimal

import pytest

from arena.metrics.figures import dollars, number, percent


@pytest.mark.parametrize(
    ("score", "written"),
    [pytest.param(None, "n/a", id="B20-none"), pytest.param(0.123456, "0.1235", id="B20")],
)
def test_b20_a_score_is_written_with_four_decimals(score: float | None, written: str) -> None:
    assert number(score, 4) == written


@pytest.mark.parametrize(
    ("amount", "signed", "written"),
    [
        pytest.param(12.345, True, "+$12.35", id="C13-gain"),
        pytest.param(-12.345, True, "\N{MINUS SIGN}$12.35", id="C13-loss"),
        pytest.param(12.345, False, "$12.35", id="C13-no-sign"),
    ],
)
def test_c13_ours_writes_the_sign_before_the_currency(
    amount: float,  # the peer has floats, and this one lies a little above its digits
    signed: bool,  # noqa: FBT001  # a column of the table
    written: str,
) -> None:
    assert dollars(Decimal(amount), signed=signed) == written


@pytest.mark.parametrize(
    ("share", "written"),
    [
        pytest.param("0.0314159", "+3.14%", id="C14-gain"),
        pytest.param("-0.0314159", "\N{MINUS SIGN}3.14%", id="C14-loss"),
    ],
)
def test_c14_a_return_is_written_with_two_decimals(share: str, written: str) -> None:
    assert percent(Decimal(share), 2, signed=True) == written
