"""The prices of the simulated world are fair: martingales that share a stick of length 1."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.venues.simulated.world import binary_paths, break_stick, event_paths
from tests.present import some
from tests.sizes import size

ROWS = size(8_000, 20_000)


def test_the_expected_price_never_moves() -> None:
    starts = np.full(ROWS, 0.4)
    paths = binary_paths(starts, 48, 48, np.random.default_rng(2))
    moves = paths - paths[:, :1]
    errors = moves[:, 1:].std(axis=0) / np.sqrt(ROWS)
    assert (abs(moves[:, 1:].mean(axis=0)) < 4 * errors).all()


def test_a_price_does_not_move_on_average_wherever_it_has_got_to() -> None:
    paths = binary_paths(np.zeros(ROWS), 48, 48, np.random.default_rng(3))
    moves = paths[:, 47] - paths[:, 24]
    for low in some(np.arange(0, 1, 0.2)):
        here = moves[(paths[:, 24] >= low) & (paths[:, 24] < low + 0.2)]
        assert abs(here.mean()) < 4 * here.std() / np.sqrt(here.size)


def test_the_last_price_leaves_something_to_chance() -> None:
    last = binary_paths(np.zeros(ROWS), 48, 48, np.random.default_rng(4))[:, -1]
    assert ((last > 0.05) & (last < 0.95)).mean() > 0.5


@given(st.integers(1, 6), st.integers(1, 30), st.integers(0, 2**32))
def test_the_prices_of_one_event_add_up_to_one(outcomes: int, hours: int, seed: int) -> None:
    paths = event_paths(outcomes, hours, hours + 5, np.random.default_rng(seed))
    assert paths.shape == (max(outcomes, 2), hours + 1)
    assert paths.sum(axis=0) == pytest.approx(np.ones(hours + 1))
    assert (paths >= 0).all()


def test_a_stick_is_broken_from_what_is_left() -> None:
    shares = break_stick(np.array([[0.5], [0.5]]))
    assert shares[:, 0] == pytest.approx([0.5, 0.25, 0.25])


def test_every_outcome_of_a_stick_is_a_martingale() -> None:
    rng = np.random.default_rng(5)
    moves = np.array(
        [
            (paths := event_paths(4, 20, 24, rng))[:, -1] - paths[:, 0]
            for _ in range(size(1000, 4000))
        ]
    )
    errors = moves.std(axis=0) / np.sqrt(len(moves))
    assert (abs(moves.mean(axis=0)) < 4 * errors).all()
