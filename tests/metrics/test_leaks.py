from dataclasses import replace

import numpy as np
import pytest

from arena.metrics.insights.leaks import difference, memory_of
from arena.metrics.metric_values import measure, terms
from arena.scoring.table import Forecasts, MemoryLedger
from tests.metrics.board import START, board
from tests.present import present

EVENTS = 60
DAY = np.timedelta64(1, "D")


@pytest.fixture
def half() -> Forecasts:
    """One contestant; of the first half of its events it says the outcome, as if it knew."""
    rng = np.random.default_rng(7)
    outcome = rng.integers(0, 2, EVENTS).astype(np.float64)
    p = np.where(np.arange(EVENTS) < EVENTS // 2, 0.1 + 0.8 * outcome, 0.5)
    days = range(EVENTS + 1)
    found = board(p[:, None], outcome, asked=days[:-1], due=days[1:], names=["ada"])
    cutoff = np.full(EVENTS, np.datetime64(START, "us") + DAY * (EVENTS // 2))
    known, nothing = found.at + DAY, np.full(EVENTS, "NaT", "M8[us]")
    modelled = np.ones(EVENTS, bool)
    ledger = MemoryLedger(cutoff, nothing, nothing, found.at, known, known, modelled)
    return replace(found, ledger=ledger)


def test_scores_with_and_without_are_those_computed_by_hand(half: Forecasts) -> None:
    counts = memory_of(half, level=0.95)["ada"]
    late = np.arange(EVENTS) > EVENTS // 2
    losses = (half.p - half.outcome) ** 2
    assert (counts.remembered, counts.partly, counts.unknown) == (EVENTS // 2, 1, 0)
    without, change = counts.without["brier"], counts.difference["brier"]
    assert without.value == pytest.approx(losses[late].mean())
    assert (without.n, without.events) == (late.sum(), late.sum())
    assert change.value == pytest.approx(losses.mean() - losses[late].mean())
    assert change.n == EVENTS


def test_an_interval_of_the_change_leaves_zero_where_answers_were_known(
    half: Forecasts,
) -> None:
    change = memory_of(half, level=0.95)["ada"].difference["brier"]
    assert present(change.interval).high < 0


def test_nothing_changes_where_all_rows_are_kept(half: Forecasts) -> None:
    kept = np.ones(EVENTS, bool)
    assert difference("brier", half, kept, 0.95).value == pytest.approx(0.0)


def test_the_error_of_the_change_is_that_of_two_means_of_different_events(
    half: Forecasts,
) -> None:
    late = np.arange(EVENTS) > EVENTS // 2
    noisy = replace(half, p=np.random.default_rng(1).uniform(0.05, 0.95, EVENTS))
    change = difference("brier", noisy, late, 0.95)
    losses = terms("brier", noisy)
    share = 1 - late.mean()
    by_hand = share * np.hypot(
        losses[late].std(ddof=1) / np.sqrt(late.sum()),
        losses[~late].std(ddof=1) / np.sqrt((~late).sum()),
    )
    assert change.se == pytest.approx(by_hand, rel=0.05)


def test_without_a_known_cut_off_nothing_is_said_of_scores(half: Forecasts) -> None:
    blank = replace(present(half.ledger), cutoff=np.full(EVENTS, "NaT", "M8[us]"))
    counts = memory_of(replace(half, ledger=blank), level=0.95)["ada"]
    assert (counts.unknown, counts.remembered, dict(counts.without)) == (EVENTS, 0, {})


def test_baselines_and_files_have_no_counts(half: Forecasts) -> None:
    nobody = replace(present(half.ledger), modelled=np.zeros(EVENTS, bool))
    assert memory_of(replace(half, ledger=nobody), level=0.95) == {}
    assert memory_of(replace(half, ledger=None), level=0.95) == {}


def test_a_score_without_is_that_of_the_rows_after_the_cut_off(half: Forecasts) -> None:
    (brier,) = measure(("brier",), half.after_cutoff(), level=0.95)["brier"]
    assert memory_of(half, level=0.95)["ada"].without["brier"] == brier
