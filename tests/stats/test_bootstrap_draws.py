import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.stats.bootstrap import (
    MANY,
    digest,
    event_chances,
    event_weights,
    generator,
)

NAMES = tuple(f"event-{n}" for n in range(60))


def test_another_event_adds_a_column_and_changes_none() -> None:
    before, after = (event_weights(names, 50) for names in (NAMES, ("a new one", *NAMES)))
    assert after[:, 1:].tolist() == before.tolist()
    rows = event_chances((*NAMES, "a new one"), 50)[:-1]
    assert rows.tolist() == event_chances(NAMES, 50).tolist()


def test_more_draws_leave_the_first_as_they_are() -> None:
    assert event_weights(NAMES, 80)[:50].tolist() == event_weights(NAMES, 50).tolist()


def test_weights_are_poisson_counts_of_mean_one() -> None:
    found = event_weights(NAMES, 5000)
    share = [float(np.mean(found == n)) for n in range(4)]
    assert share == pytest.approx([0.3679, 0.3679, 0.1839, 0.0613], abs=0.004)
    assert np.abs(np.corrcoef(found.T) - np.eye(60)).max() < 0.08
    assert np.abs(np.corrcoef(found[:-1].T, found[1:].T)[:60, 60:]).max() < 0.08


def test_few_events_are_drawn_as_many_times_as_there_are() -> None:
    assert set(event_weights(NAMES[: MANY - 1], 50).sum(axis=1)) == {MANY - 1}
    assert len(set(event_weights(NAMES[:MANY], 50).sum(axis=1))) > 1


def test_chances_are_uniform_and_below_one() -> None:
    found = event_chances(NAMES, 5000)
    assert 0 <= found.min() < found.max() < 1
    assert np.quantile(found, (0.1, 0.5, 0.9)) == pytest.approx([0.1, 0.5, 0.9], abs=0.005)
    weights = event_weights(NAMES, 5000)
    assert np.abs(np.corrcoef(found, weights.T)[:60, 60:]).max() < 0.08


def test_the_draws_are_the_same_on_every_machine() -> None:
    assert event_weights(NAMES, 6)[:, 0].tolist() == [3, 1, 0, 0, 0, 0]
    assert event_chances(NAMES, 3)[0].tolist() == pytest.approx(
        [0.8697712, 0.9238677, 0.6330766]
    )


def test_what_was_drawn_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        event_weights(NAMES, 5)[0, 0] = 7


def test_no_draw_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        event_chances(NAMES, 0)


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
