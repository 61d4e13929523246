"""The demo finds what is known about its contestants, and leaves books that hold."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from arena.agents.simulated import known_scores
from arena.cli.start.demo import A_DAY, FIRST_DAY, Demo, demo_settings
from arena.clock import HandClock
from arena.records.cohort import ContestantId
from arena.records.grade import Board
from arena.scoring.table import Forecasts
from arena.steps.replay import play_through
from arena.store import Store, open_store
from arena.store.audit import audit
from arena.store.journal.packed import rebuild
from arena.store.scores.evidence import SqliteEvidence
from arena.wiring import build_doors

WANTED = Demo(days=98, contestants=13, seed=1)
CLEARLY = 0.007  # between two expected Brier scores
CLEARLY_APART = 5  # standard errors between two rungs
BEST, OLDER, WORSE, WORST = (
    "northwind-large-2",
    "northwind-large-1",
    "meridian-open-2",
    "meridian-open-1",
)
EQUALS = ("halcyon-pro-3-1", "tessera-2")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Board, Path]:
    """The leaderboard and the folder of a demo whose pages were not written."""
    out = tmp_path_factory.mktemp("demo")
    settings = demo_settings(WANTED, out)
    with open_store(settings.database) as store:
        clock = HandClock(FIRST_DAY)
        doors = replace(build_doors(settings, store, clock), publish=None)
        moments = [FIRST_DAY + n * A_DAY for n in range(WANTED.days)]
        asyncio.run(play_through(doors, clock, moments, lambda _: None))
        return store.boards.overall(), out


@pytest.fixture
def store(played: tuple[Board, Path]) -> Iterator[Store]:
    with open_store(played[1] / "arena.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def forecasts(played: tuple[Board, Path]) -> Forecasts:
    with open_store(played[1] / "arena.db") as store:
        return SqliteEvidence(store.db).forecasts()


def known() -> dict[str, float]:
    settings = demo_settings(WANTED, Path("demo"))
    return {
        str(who): v for who, v in known_scores(settings.contestants, settings.models).items()
    }


def brier(board: Board) -> dict[str, float]:
    return {s.contestant: s.forecast.value for s in board.standings if s.forecast.value}


def apart(forecasts: Forecasts, better: str, worse: str) -> float:
    """By how many standard errors a Brier score is better, over what both forecast.

    The error is the larger of that over events and that over cohorts.
    """
    one, other = (said(forecasts, who) for who in (better, worse))
    common = sorted(one.keys() & other.keys())
    rows = np.array([one[key] for key in common])
    squares = (forecasts.p - forecasts.outcome) ** 2
    gain = squares[[other[key] for key in common]] - squares[rows]
    clusters = forecasts.event.codes[rows], forecasts.labels["cohort"].codes[rows]
    return float(gain.mean() / max(standard_error(gain, codes) for codes in clusters))


def said(forecasts: Forecasts, who: str) -> dict[tuple[int, int], int]:
    """The row of each forecast of a contestant, by market and moment."""
    rows = np.flatnonzero(forecasts.contestant.codes == forecasts.contestant.code(who))
    moments = forecasts.at.astype("datetime64[s]").astype(np.int64)
    return {(int(forecasts.market.codes[n]), int(moments[n])): int(n) for n in rows}


def standard_error(values: NDArray[np.float64], codes: NDArray[np.intp]) -> float:
    """Of a mean, where values of one cluster may hang together."""
    _, cluster = np.unique(codes, return_inverse=True)
    sums = np.bincount(cluster, values - values.mean())
    return float(np.sqrt(len(sums) / (len(sums) - 1) * (sums**2).sum()) / len(values))


def test_the_better_model_has_the_better_brier_score(played: tuple[Board, Path]) -> None:
    found, expected = brier(played[0]), known()
    for better, worse in combinations(expected, 2):
        if expected[worse] - expected[better] > CLEARLY:
            assert found[better] < found[worse], (better, worse)


def test_the_best_beats_the_market_price_and_the_worst_does_not(
    played: tuple[Board, Path],
) -> None:
    found = brier(played[0])
    assert found[BEST] < found["market"] < found[WORST]


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        *pairwise((BEST, OLDER, WORSE, WORST)),
        *((BEST, reference) for reference in ("market", "coin-flip", "always-no")),
    ],
)
def test_a_rung_of_the_ladder_is_clearly_apart_from_the_next(
    better: str, worse: str, forecasts: Forecasts
) -> None:
    assert apart(forecasts, better, worse) >= CLEARLY_APART


def test_two_that_are_nearly_equal_are_not_apart(forecasts: Forecasts) -> None:
    assert abs(apart(forecasts, *EQUALS)) < 2


def test_a_season_has_enough_events_for_claims(forecasts: Forecasts) -> None:
    assert forecasts.event.used() >= 150
    assert forecasts.labels["cohort"].used() >= 12


def test_one_that_often_fails_answers_some_four_in_five(played: tuple[Board, Path]) -> None:
    (line,) = (s for s in played[0].standings if s.contestant == "tessera-1")
    assert 0.7 <= line.turns_ok / (line.turns_ok + line.turns_failed) <= 0.9


def test_costs_of_a_turn_span_two_orders_of_magnitude(played: tuple[Board, Path]) -> None:
    costs = {s.contestant: s.cost for s in played[0].standings}
    dear, cheap = costs[ContestantId(BEST)], costs[ContestantId(WORST)]
    assert dear is not None
    assert cheap is not None
    assert dear >= 100 * cheap > 0


def test_what_was_asked_and_answered_is_on_the_tape(store: Store) -> None:
    names = {row["call"] for row in store.db.rows("SELECT DISTINCT call FROM tape_calls")}
    assert names >= {"decide", "decide/again", "decide/first-half", "decide/second-half"}


def test_every_kind_of_ending_and_failure_occurs(store: Store) -> None:
    states = {r["state"] for r in store.db.rows("SELECT DISTINCT state FROM positions")}
    failed = {
        r["failure"].partition(":")[0]
        for r in store.db.rows("SELECT failure FROM turns WHERE failure NOT NULL")
    }
    changed = store.db.value("SELECT count(*) FROM resolutions WHERE revision > 1")
    assert states == {"OPEN", "EXITED", "WON", "LOST", "PAID", "CANCELLED"}
    assert failed == {"timeout", "unreadable reply"}  # what was refused came in halves
    assert changed


def test_its_books_hold(store: Store) -> None:
    assert audit(store.db).findings == ()


def test_its_caches_rebuild_to_the_same_bytes(store: Store) -> None:
    assert rebuild(store.db).changed == ()
