from hypothesis import given
from hypothesis import strategies as st

from tests.standins.venues.polymarket_ids import (
    condition_id,
    number_of_condition,
    number_of_token,
    token_id,
)
from tests.testing.venues.polymarket_asked import (
    DIALECT,
    Pairs,
    walk,
)

BUSIEST: Pairs = (("order", "volumeNum"), ("ascending", "false"), ("limit", "20"))


def test_a_list_is_walked_once_and_in_order() -> None:
    rows = walk(*BUSIEST)
    assert len({row["id"] for row in rows}) == len(rows) > 40
    volumes = [row["volumeNum"] for row in rows]
    assert volumes == sorted(volumes, reverse=True)


@given(st.integers(min_value=1, max_value=10**13), st.sampled_from([0, 1]))
def test_ids_lead_back_to_their_number(number: int, side: int) -> None:
    assert number_of_token(token_id(number, side)) == (number, side)
    assert number_of_condition(condition_id(number)) == number
    assert DIALECT.number(DIALECT.own_id(number)) == number
