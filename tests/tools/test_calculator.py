import math
import operator
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import ArenaError
from arena.tools.calculator import worked_out

NUMBERS = st.integers(-(10**9), 10**9)
TEXTS = st.text("0123456789.+-*/%() eEjx_'", max_size=60)


@given(
    NUMBERS,
    NUMBERS,
    st.sampled_from([("+", operator.add), ("-", operator.sub), ("*", operator.mul)]),
)
def test_whole_numbers_are_exact(left: int, right: int, how: tuple[str, object]) -> None:
    sign, does = how
    assert worked_out(f"({left}) {sign} ({right})") == does(left, right)  # type: ignore[operator]


def test_brackets_and_powers_come_first() -> None:
    assert worked_out("-2 ** 2 + 2 * (3 - 1) / 8") == -3.5
    assert math.isclose(worked_out("1 - 0.97 ** 30"), 1 - 0.97**30)


@pytest.mark.parametrize(
    "expression",
    [
        "", "x", "__import__('os')", "(1).real", "[1][0]", "1 if 1 else 2", "'a' * 9", "True",
        "1j", "(-8) ** 0.5", "1 / 0", "9 ** 9 ** 9", "2 ** 5000", "1e308 * 10", "9" * 501,
        "(" * 400, "1e999", "7 % 0", "10 ** -9999999999", "1 << 9", "~1", "0x" + "f" * 300,
    ],
)  # fmt: skip
def test_anything_but_bounded_arithmetic_is_refused(expression: str) -> None:
    with pytest.raises(ArenaError) as caught:
        worked_out(expression)
    assert caught.value.code == "tool.arguments"


@given(TEXTS)
def test_no_text_does_more_than_give_a_number_or_a_reason(expression: str) -> None:
    with suppress(ArenaError):
        assert math.isfinite(worked_out(expression))
