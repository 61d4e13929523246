import pytest

from arena.venues.polymarket import KINDS
from tests.venues.polymarket.rows import ORIGIN


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_error_says_is_told(kind: str) -> None:
    read = KINDS[kind]({"type": "internal error", "error": "it rains in"}, ORIGIN)
    assert not read.rows
    assert [left.malformed for left in read.left_out] == [True]
    assert "it rains in" in read.left_out[0].why
