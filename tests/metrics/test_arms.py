"""Contestants of one model are paired, and what their setting or their chance does is found."""

import numpy as np
import pytest

from arena.metrics.insights.arms import Arms, Design, arms_of, designs_of
from arena.records.cohort import ContestantId
from arena.records.estimate import State
from arena.records.settings import Entrant
from arena.scoring.table import Floats, Forecasts
from tests.metrics.rounds import rounds
from tests.present import present

N = 200
HALF = np.full(N, 0.5)


def said(**by_contestant: Floats) -> Forecasts:
    """What contestants said of the same markets, all of which came out NO."""
    p = np.column_stack(list(by_contestant.values()))
    outcome, event = np.zeros(N, np.intp), np.arange(N) // 2
    return rounds(p, outcome, names=tuple(by_contestant), event=event)


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
    made = arms(
        entrant("seeing", "samples 3"),
        entrant("blind", "samples 3, show_price never"),
        seeing=HALF,
        blind=HALF + np.tile([0.1, -0.3], N // 2),
    )
    (pair,) = made.pairs
    assert (pair.setting, pair.a_has, pair.b_has) == ("show_price", "", "never")
    assert pair.distance.value == pytest.approx(0.2)
    assert pair.difference.value == pytest.approx(0.25 - (0.6**2 + 0.2**2) / 2)


def test_a_prompt_with_context_is_an_arm() -> None:
    (pair,) = arms(entrant("a"), entrant("b", prompt="news"), a=HALF, b=HALF).pairs
    assert (pair.setting, pair.a_has, pair.b_has) == ("prompt", "p", "news")


def test_the_control_without_documents_is_an_arm_and_to_write_the_default_is_none() -> None:
    a, b = entrant("a", "context True"), entrant("b", "context False")
    (pair,) = arms(a, b, a=HALF, b=HALF).pairs
    assert (pair.setting, pair.a_has, pair.b_has) == ("context", "documents", "no documents")
    (copies,) = arms(a, entrant("b"), a=HALF, b=HALF).pairs
    assert copies.setting == ""


@pytest.mark.parametrize(
    "other",
    [entrant("b", "samples 3", "news"), entrant("b", model="two"), Entrant(ContestantId("b"))],
)
def test_two_settings_or_two_models_are_no_arm(other: Entrant) -> None:
    assert arms(entrant("a"), other, a=HALF, b=HALF).pairs == ()


def test_copies_differ_in_no_setting() -> None:
    rng = np.random.default_rng(1)
    a, b, c = rng.uniform(0.3, 0.7, (3, N))
    made = arms(entrant("a"), entrant("b"), entrant("c", model="two"), a=a, b=b, c=c)
    assert [(pair.a, pair.b, pair.setting) for pair in made.pairs] == [("a", "b", "")]
    agreement = made.values["copy_agreement"]
    assert present(agreement.interval).low < 0 < present(agreement.interval).high


def test_pairs_are_taken_over_common_questions_alone() -> None:
    forecasts = said(a=HALF, b=HALF)
    question = forecasts.market.codes
    rows = np.where(forecasts.contestant.codes == 0, question < 20, question >= 10)
    designs = designs_of([entrant("a"), entrant("b")])
    (pair,) = arms_of(forecasts.take(rows), designs, level=0.95).pairs
    assert (pair.distance.n, pair.distance.events) == (10, 5)


def test_without_designs_nothing_is_paired_and_the_values_say_so() -> None:
    made = arms_of(said(a=HALF), (), level=0.95)
    assert made.pairs == ()
    assert {estimate.state for estimate in made.values.values()} == {State.EMPTY}


def test_a_contestant_without_forecasts_is_in_no_pair() -> None:
    designs = [Design("a", "m"), Design("gone", "m")]
    assert arms_of(said(a=HALF), designs, level=0.95).pairs == ()
