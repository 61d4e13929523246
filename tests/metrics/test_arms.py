"""Contestants of one model are paired, and what their setting or their chance does is found."""

import numpy as np
import pytest

from arena.metrics.insights.arms import Arms, Design, arms_of, designs_of
from arena.records.cohort import ContestantId
from arena.records.estimate import State
from arena.records.settings import Entrant
from arena.scoring.table import Factor, Floats, Forecasts
from tests.present import present

N = 200


def said(**by_contestant: Floats) -> Forecasts:
    """What contestants said of the same markets, all of which came out NO."""
    k, market = len(by_contestant), np.tile(np.arange(N), len(by_contestant))
    return Forecasts(
        contestant=Factor(tuple(by_contestant), np.repeat(np.arange(k), N)),
        market=Factor(tuple(f"m{i}" for i in range(N)), market),
        event=Factor(tuple(f"e{i}" for i in range(N // 2)), market // 2),
        at=np.full(N * k, "2026-01-01", dtype="datetime64[us]"),
        p=np.concatenate(list(by_contestant.values())),
        outcome=np.zeros(N * k, np.intp),
        market_p=np.full(N * k, np.nan),
        close_p=np.full(N * k, np.nan),
    )


def entrant(name: str, options: str = "", prompt: str = "p", model: str = "one") -> Entrant:
    return Entrant(
        ContestantId(name),
        agent="prompted",
        prompt=prompt,
        provider="north",
        model=model,
        options=options,
    )


def arms(*cast: Entrant, **by_contestant: Floats) -> Arms:
    return arms_of(said(**by_contestant), designs_of(cast), level=0.95)


def test_an_arm_is_named_by_the_one_setting_that_differs() -> None:
    half = np.full(N, 0.5)
    made = arms(
        entrant("seeing", "samples 3"),
        entrant("blind", "samples 3, show_price never"),
        seeing=half,
        blind=half + np.tile([0.1, -0.3], N // 2),
    )
    (pair,) = made.pairs
    assert (pair.setting, pair.a_has, pair.b_has) == ("show_price", "", "never")
    assert pair.distance.value == pytest.approx(0.2)
    assert pair.difference.value == pytest.approx(0.25 - (0.6**2 + 0.2**2) / 2)


def test_a_prompt_with_context_is_an_arm() -> None:
    half = np.full(N, 0.5)
    (pair,) = arms(entrant("a"), entrant("b", prompt="news"), a=half, b=half).pairs
    assert (pair.setting, pair.a_has, pair.b_has) == ("prompt", "p", "news")


def test_the_control_without_documents_is_an_arm_and_to_write_the_default_is_none() -> None:
    half = np.full(N, 0.5)
    a, b = entrant("a", "context True"), entrant("b", "context False")
    (pair,) = arms(a, b, a=half, b=half).pairs
    assert (pair.setting, pair.a_has, pair.b_has) == ("context", "documents", "no documents")
    (copies,) = arms(a, entrant("b"), a=half, b=half).pairs
    assert copies.setting == ""


@pytest.mark.parametrize(
    "other",
    [entrant("b", "samples 3", "news"), entrant("b", model="two"), Entrant(ContestantId("b"))],
)
def test_two_settings_or_two_models_are_no_arm(other: Entrant) -> None:
    half = np.full(N, 0.5)
    assert arms(entrant("a"), other, a=half, b=half).pairs == ()


def test_copies_differ_in_no_setting() -> None:
    rng = np.random.default_rng(1)
    a, b, c = rng.uniform(0.3, 0.7, (3, N))
    made = arms(entrant("a"), entrant("b"), entrant("c", model="two"), a=a, b=b, c=c)
    assert [(pair.a, pair.b, pair.setting) for pair in made.pairs] == [("a", "b", "")]
    agreement = made.values["copy_agreement"]
    assert present(agreement.interval).low < 0 < present(agreement.interval).high


def test_pairs_are_taken_over_common_questions_alone() -> None:
    half = np.full(N, 0.5)
    forecasts = said(a=half, b=half)
    rows = np.concatenate([np.arange(20), N + np.arange(10, N)])
    designs = designs_of([entrant("a"), entrant("b")])
    (pair,) = arms_of(forecasts.take(rows), designs, level=0.95).pairs
    assert (pair.distance.n, pair.distance.events) == (10, 5)


def test_without_designs_nothing_is_paired_and_the_values_say_so() -> None:
    made = arms_of(said(a=np.full(N, 0.5)), (), level=0.95)
    assert made.pairs == ()
    assert {estimate.state for estimate in made.values.values()} == {State.EMPTY}


def test_a_contestant_without_forecasts_is_in_no_pair() -> None:
    designs = [Design("a", "m"), Design("gone", "m")]
    assert arms_of(said(a=np.full(N, 0.5)), designs, level=0.95).pairs == ()
