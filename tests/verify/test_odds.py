import numpy as np
import pytest

from arena.odds.columns import Floats
from arena.odds.devig import Method, devig
from arena.odds.staking import kelly

shin = pytest.importorskip("shin", reason="the verify group is not installed")
pytest.importorskip("penaltyblog", reason="the verify group is not installed")
from penaltyblog.betting import kelly_criterion  # noqa: E402  where it is installed
from penaltyblog.implied import calculate_implied  # noqa: E402  where it is installed

THEIRS = {
    Method.MULTIPLICATIVE: "multiplicative",
    Method.POWER: "power",
    Method.SHIN: "shin",
}


def random_books(size: int, number: int = 40) -> Floats:
    rng = np.random.default_rng(size)
    raw = rng.dirichlet(np.full(size, 3.0), number) + 0.01
    odds = 1 / (raw / raw.sum(axis=1, keepdims=True) * rng.uniform(1.01, 1.1, (number, 1)))
    return np.asarray(odds[(odds > 1.02).all(axis=1)])


@pytest.mark.parametrize("size", [2, 3, 8])
@pytest.mark.parametrize("method", THEIRS)
def test_penaltyblog_takes_out_the_same_margin(method: Method, size: int) -> None:
    odds = random_books(size)
    theirs = [calculate_implied(list(o), method=THEIRS[method]).probabilities for o in odds]
    assert devig(odds, method).q == pytest.approx(np.array(theirs), abs=1e-10)


@pytest.mark.parametrize("size", [2, 3, 8])
def test_shin_finds_the_same_insiders(size: int) -> None:
    odds = random_books(size)
    theirs = [shin.calculate_implied_probabilities(list(o), full_output=True) for o in odds]
    ours = devig(odds, Method.SHIN)
    assert ours.q == pytest.approx(
        np.array([t.implied_probabilities for t in theirs]), abs=1e-10
    )
    assert ours.parameter == pytest.approx([t.z for t in theirs], abs=1e-8)


def test_the_example_of_shin_s_readme() -> None:
    found = devig([2.6, 2.4, 4.3], Method.SHIN)
    assert found.q == pytest.approx([0.37299406, 0.40477941, 0.22222653], abs=1e-8)
    assert found.parameter == pytest.approx(0.01694251, abs=1e-8)


def test_penaltyblog_has_the_same_kelly() -> None:
    rng = np.random.default_rng(1)
    p, odds = rng.uniform(0.05, 0.95, 50), rng.uniform(1.1, 12.0, 50)
    theirs = [
        kelly_criterion(float(o), float(q), fraction=1.0).stake
        for o, q in zip(odds, p, strict=True)
    ]
    assert np.maximum(kelly(p, odds - 1), 0) == pytest.approx(theirs, abs=1e-12)
