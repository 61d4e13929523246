"""The demo finds what is known about its contestants, and leaves books that hold."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from arena.agents.simulated import cast, known_order
from arena.cli.demo import VENUE, Demo, play_demo
from arena.records.grade import Board
from arena.store import Store, open_store
from arena.store.audit import audit
from arena.store.rebuild import rebuild

WANTED = Demo(days=30, contestants=12, seed=1)
CLEARLY = 3  # rungs of the ladder between two contestants


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Board, Path]:
    out = tmp_path_factory.mktemp("demo")
    board, _, _ = play_demo(WANTED, out, quiet=True)
    return board, out


@pytest.fixture
def store(played: tuple[Board, Path]) -> Iterator[Store]:
    with open_store(played[1] / "arena.db") as opened:
        yield opened


def ladder() -> tuple[str, ...]:
    return known_order(cast(WANTED.contestants, VENUE, WANTED.seed))


def brier(board: Board) -> dict[str, float]:
    return {s.contestant: s.forecast.value for s in board.standings if s.forecast.value}


def test_the_better_forecaster_has_the_better_brier_score(played: tuple[Board, Path]) -> None:
    found = brier(played[0])
    for better, worse in combinations(range(WANTED.contestants), 2):
        if worse - better >= CLEARLY:
            assert found[ladder()[better]] < found[ladder()[worse]], (better, worse)


def test_the_whole_order_is_nearly_the_known_one(played: tuple[Board, Path]) -> None:
    found, known = brier(played[0]), ladder()
    seen = sorted(known, key=found.__getitem__)
    n = len(known)
    squares = sum((seen.index(who) - rung) ** 2 for rung, who in enumerate(known))
    assert 1 - 6 * squares / (n * (n**2 - 1)) >= 0.95  # Spearman


def test_the_best_beat_the_market_price_and_the_worst_do_not(
    played: tuple[Board, Path],
) -> None:
    found, known = brier(played[0]), ladder()
    assert found[known[0]] < found["market"] < found[known[-1]]


def test_every_kind_of_ending_and_failure_occurs(store: Store) -> None:
    states = {r["state"] for r in store.db.rows("SELECT DISTINCT state FROM positions")}
    failed = {
        r["failure"].partition(":")[0]
        for r in store.db.rows("SELECT failure FROM turns WHERE failure NOT NULL")
    }
    changed = store.db.value("SELECT count(*) FROM resolutions WHERE revision > 1")
    assert states == {"OPEN", "EXITED", "WON", "LOST", "PAID", "CANCELLED"}
    assert failed == {"timeout", "refusal", "unreadable reply"}
    assert changed


def test_its_books_hold(store: Store) -> None:
    assert audit(store.db).findings == ()


def test_its_caches_rebuild_to_the_same_bytes(store: Store) -> None:
    assert rebuild(store.db).changed == ()
