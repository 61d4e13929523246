from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.metrics import figures
from arena.metrics.figures import dollars, number, percent

NUMBERS = st.floats(-1e9, 1e9) | st.decimals(-(10**9), 10**9, places=6)


@given(NUMBERS, st.integers(0, 6), st.sampled_from(["", "+"]))
def test_zero_has_no_sign_and_a_minus_is_a_true_one(
    value: float | Decimal, decimals: int, plus: str
) -> None:
    written = figures.number(value, decimals, signed=bool(plus))
    assert "-" not in written
    if not written.strip("+" + figures.MINUS + "0.,"):
        assert written[0] == "0"
    elif value < 0:
        assert written[0] == figures.MINUS
    else:
        assert (written[0] == "+") is bool(plus)


@given(NUMBERS, st.integers(2, 6))
def test_what_is_written_can_be_read_back_to_its_decimals(
    value: float | Decimal, decimals: int
) -> None:
    written = figures.dollars(value, decimals)
    plain = written.replace("$", "").replace(",", "").replace(figures.MINUS, "-")
    assert Decimal(plain) == round(Decimal(value), decimals)


def test_what_is_not_there_is_not_zero() -> None:
    assert figures.number(None, 2) == figures.dollars(None) == figures.percent(None, 1) == "n/a"


def test_a_moment_is_in_utc_wherever_it_comes_from() -> None:
    east = datetime(2026, 1, 5, 14, 30, tzinfo=timezone(timedelta(hours=5, minutes=30)))
    assert figures.moment(east) == "2026-01-05 09:00 UTC"
    assert figures.machine(east) == "2026-01-05T09:00:00Z"


def test_seconds_are_written_where_there_are_any() -> None:
    at = datetime(2026, 1, 5, 9, 0, 7, tzinfo=UTC)
    assert figures.moment(at) == "2026-01-05 09:00:07 UTC"


@pytest.mark.parametrize(
    ("length", "written"),
    [
        (timedelta(days=400), "400 d"),
        (timedelta(days=1, minutes=5), "1 d"),
        (timedelta(hours=3, minutes=20, seconds=5), "3 h 20 min"),
        (timedelta(seconds=59), "59 s"),
        (timedelta(seconds=-5), "0 s"),
    ],
)
def test_a_length_of_time_has_two_units_at_most(length: timedelta, written: str) -> None:
    assert figures.span(length) == written


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
