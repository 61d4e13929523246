import pytest

from arena.odds.devig import host, knockout_draw


def test_a_host_below_the_shift_is_left_with_nothing() -> None:
    found = host([[0.004, 0.496, 0.5], [0.4, 0.3, 0.3]], 0)
    assert found[0].tolist() == pytest.approx([0, 0.496 / 0.996, 0.5 / 0.996])
    assert found[1].tolist() == pytest.approx([0.394, 0.303, 0.303])


@pytest.mark.parametrize("shift", [knockout_draw, host])
def test_a_sure_outcome_leaves_nothing_to_shift(shift: object) -> None:
    with pytest.raises(ValueError, match="less than they would give"):
        shift([1.0, 0.0], 0)  # type: ignore[operator]


def test_what_does_not_add_up_is_refused() -> None:
    with pytest.raises(ValueError, match="add up"):
        knockout_draw([0.5, 0.4], 0)
