"""Fair probabilities and stakes as penaltyblog works them out."""

import numpy as np
import pytest

from arena.odds.devig import DevigMethod, devig
from arena.odds.staking import kelly
from tests.present import some
from tests.vectors import penaltyblog

METHODS = ("multiplicative", "power", "shin")


@pytest.mark.parametrize("method", METHODS)
def test_the_same_margin_is_taken_out(method: str) -> None:
    for book in some(penaltyblog("implied")):
        ours = devig(book["odds"], DevigMethod[method.upper()])
        assert ours.q == pytest.approx(np.array(book["implied"][method]), abs=1e-10)


def test_the_kelly_stake_is_the_same() -> None:
    for bet in some(penaltyblog("kelly")):
        ours = max(float(kelly(bet["p"], bet["odds"] - 1)), 0)
        assert ours == pytest.approx(bet["stake"], abs=1e-12)
