import pytest

from arena.odds.bias import host, knockout_draw
from arena.odds.devig import devig
from tests.vectors import near, source


def test_s002_devig_knockout_draw_takes_the_draw_s_gain_from_the_others() -> None:
    known = source("s002.devig.knockout_draw")
    found = knockout_draw(devig(known["input"]["odds"]).q, 1)
    assert near(found.tolist(), known["expected"]["q"], known["tol"])


def test_s002_devig_host_gives_the_host_s_loss_to_the_others() -> None:
    known = source("s002.devig.host")
    found = host(devig(known["input"]["odds"]).q, 0)
    assert near(found.tolist(), known["expected"]["q"], known["tol"])


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
