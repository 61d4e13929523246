from hypothesis import given
from hypothesis import strategies as st

from arena.stats.resampling.draws import digest, generator


def test_a_digest_is_the_same_everywhere() -> None:
    assert digest("a").hex()[:16] == "3b196fd4907bedf5"


@given(one=st.lists(st.text(max_size=4)), other=st.lists(st.text(max_size=4)))
def test_only_equal_names_agree(one: list[str], other: list[str]) -> None:
    assert (digest(*one) == digest(*other)) is (one == other)


def test_equal_names_draw_equal_numbers() -> None:
    one, other, third = generator("x", "y"), generator("x", "y"), generator("xy")
    drawn = one.random(5).tolist()
    assert drawn == other.random(5).tolist()
    assert drawn != third.random(5).tolist()
