"""A choice that is given as its word is that choice, and another word is refused."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from arena.odds import drawdown, implied, staking
from arena.records.market import Side
from arena.scoring import proper
from arena.scoring.bets import luck
from arena.scoring.bets.book import Stakes
from arena.scoring.calibration import bins, corp
from arena.scoring.tournament import legacy
from arena.scoring.tournament.board import score_tournament
from arena.scoring.tournament.records import (
    Coverage,
    Crowd,
    CrowdMedian,
    QuestionKind,
    TournamentRule,
)
from tests.present import some
from tests.scoring.tournament.example import example

P = np.array([0.1, 0.25, 0.3, 0.45, 0.7, 0.7, 0.8, 0.95])
CAME = np.array([0, 1, 0, 0, 1, 0, 1, 1])
EVENT = np.arange(8) // 2
OPTIONS = np.array([[0.5, 0.3, 0.2]])
STAKES = Stakes(
    np.array([0.3, 0.5]),
    np.array([7.0, 5.0]),
    np.array([-3.0, -5.0]),
    np.array([0, 0]),
    np.array([True, False]),
)
LOW = drawdown.Drawdown(700.0, 1000.0, episodes=2)


def rng() -> np.random.Generator:
    return np.random.default_rng(2)


def played(**changed: Any) -> object:  # noqa: ANN401  any field of a tournament
    return score_tournament(replace(example(), **changed)).entries


def asked(kind: QuestionKind) -> object:
    return played(questions=tuple(replace(q, kind=kind) for q in example().questions))


CALLS: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "bins": (bins.BinningRule, lambda k: bins.put_in_bins(P, k, 4).codes),
    "brier terms": (
        proper.BrierConvention,
        lambda k: proper.brier_terms(P, CAME, convention=k),
    ),
    "corp": (corp.Loss, lambda k: corp.corp(P, CAME, k).terms),
    "luck": (luck.Joint, lambda k: luck.luck(STAKES, rng(), joint=k)),
    "coverage": (
        Coverage,
        lambda k: k == "given" or legacy.periods(example().questions[0], k),
    ),
    "tournament's coverage": (
        Coverage,
        lambda k: k == "given" or played(coverage=k),
    ),
    "tournament's rule": (
        TournamentRule,
        lambda k: k == "spot-peer" or _told(lambda: played(rule=k)),
    ),
    "middle": (CrowdMedian, lambda k: _told(lambda: played(crowd=Crowd(k)))),
    "kind": (QuestionKind, lambda k: _told(lambda: asked(k))),
    "linear": (Side, lambda k: implied.linear(k, Decimal("0.2"))),
    "kelly": (Side, lambda k: implied.kelly(k, Decimal("0.2"), Decimal("0.6"))),
    "drawdown": (
        drawdown.Mode,
        lambda k: (
            drawdown.after(replace(LOW, mode=k), 750.0),
            drawdown.after(replace(LOW, mode=k), 950.0),
        ),
    ),
    "stake": (drawdown.Mode, lambda k: staking.size_bet(0.06, 0.4, 2.6, mode=k)),
}


def _told(call: Callable[[], object]) -> object:
    """What comes out, or why nothing does: some rules ask for another kind of question."""
    try:
        return call()
    except ValueError as refused:
        if "valid" in str(refused):
            raise
        return str(refused)


@pytest.mark.parametrize("name", CALLS)
def test_a_word_is_the_choice_that_it_names(name: str) -> None:
    kinds, call = CALLS[name]
    for kind in some(kinds):
        assert str(call(kind.value)) == str(call(kind))


@pytest.mark.parametrize("name", CALLS)
def test_a_word_that_names_no_choice_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is not a valid"):
        CALLS[name][1]("none of them")
