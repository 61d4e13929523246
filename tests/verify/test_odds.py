import numpy as np
import pytest

from arena.odds import Floats
from arena.odds.devig import DevigMethod, devig

shin = pytest.importorskip("shin", reason="the verify group is not installed")


def random_books(size: int, number: int = 40) -> Floats:
    rng = np.random.default_rng(size)
    raw = rng.dirichlet(np.full(size, 3.0), number) + 0.01
    odds = 1 / (raw / raw.sum(axis=1, keepdims=True) * rng.uniform(1.01, 1.1, (number, 1)))
    return np.asarray(odds[(odds > 1.02).all(axis=1)])


@pytest.mark.parametrize("size", [2, 3, 8])
def test_shin_finds_the_same_insiders(size: int) -> None:
    odds = random_books(size)
    theirs = [shin.calculate_implied_probabilities(list(o), full_output=True) for o in odds]
    ours = devig(odds, DevigMethod.SHIN)
    assert ours.q == pytest.approx(
        np.array([t.implied_probabilities for t in theirs]), abs=1e-10
    )
    assert ours.parameter == pytest.approx([t.z for t in theirs], abs=1e-8)


def test_the_example_of_shin_s_readme() -> None:
    found = devig([2.6, 2.4, 4.3], DevigMethod.SHIN)
    assert found.q == pytest.approx([0.37299406, 0.40477941, 0.22222653], abs=1e-8)
    assert found.parameter == pytest.approx(0.01694251, abs=1e-8)
