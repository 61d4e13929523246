from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import log

import pytest

from arena.records.cohort import CohortId
from arena.records.market import NO_WINS, VOIDED, YES_WINS, MarketId, Outcome
from arena.scoring.tournament.board import score_tournament
from arena.scoring.tournament.records import TournamentResult, TournamentRule, Void
from arena.store.exports.other_formats import tournament_of
from tests.build import ADA, BEN, COHORT, HAIL, RAIN, SNOW, spec
from tests.stage import Game, Says, started

TWO = {
    ADA: {1: Says(forecasts={RAIN: 0.8, SNOW: 0.3, HAIL: 0.5})},
    BEN: {1: Says(forecasts={RAIN: 0.5, SNOW: 0.3})},
}


@contextmanager
def played(**outcomes: Outcome) -> Iterator[Game]:
    """Two contestants spoke on one day, and some markets came out on the next."""
    with started(TWO, spec(COHORT, (ADA, BEN), days=1)) as game:
        for name, outcome in outcomes.items():
            game.say(MarketId(name), outcome)
        game.tick(24)
        yield game


def result(game: Game, *references: str) -> TournamentResult:
    return score_tournament(tournament_of(game.store.db, references=references))


def test_a_contestant_is_scored_against_the_others_of_its_market() -> None:
    with played(rain=YES_WINS) as game:
        entries = {entry.name: entry for entry in result(game).entries}
    apart = 100 * log(0.8 / 0.5) * entries["ada"].coverage
    assert entries["ada"].score == pytest.approx(apart)
    assert entries["ben"].score == pytest.approx(-apart)


def test_what_has_no_outcome_is_named_with_its_reason() -> None:
    with played(rain=YES_WINS, snow=VOIDED) as game:
        scored = result(game)
    assert [question.id for question in scored.questions] == ["rain"]
    assert scored.left_out == {"snow": Void.ANNULLED, "hail": Void.UNRESOLVED}


def test_a_baseline_is_shown_and_neither_ranked_nor_counted() -> None:
    with played(rain=YES_WINS) as game:
        entries = {entry.name: entry for entry in result(game, "ben", "nobody").entries}
    assert entries["ada"].score == 0
    assert (entries["ben"].included, entries["ben"].share) == (False, None)


def test_only_the_cohort_that_is_named_is_scored() -> None:
    with played(rain=NO_WINS) as game:
        other = tournament_of(game.store.db, CohortId("another"))
        own = tournament_of(game.store.db, COHORT)
    assert (other.questions, len(own.questions)) == ((), 3)


def test_a_forecast_stands_until_the_next_of_the_same_market() -> None:
    twice = {ADA: {1: Says(forecasts={RAIN: 0.8}), 2: Says(forecasts={RAIN: 0.6})}}
    with started(twice, spec(COHORT, (ADA,), days=3)) as game:
        game.tick(24)
        game.hear(RAIN, YES_WINS, 48)
        (question,) = tournament_of(game.store.db).questions
    assert [forecast.value for forecast in question.forecasts] == [0.8, 0.6]
    assert question.forecasts[1].at - question.forecasts[0].at == 1
    assert question.forecasts[1].at < question.ended


@pytest.mark.parametrize("rule", list(TournamentRule))
def test_every_rule_scores_the_questions_of_a_cohort(rule: TournamentRule) -> None:
    with played(rain=YES_WINS) as game:
        tournament = tournament_of(game.store.db)
    scored = score_tournament(replace(tournament, rule=rule))
    assert [entry.name for entry in scored.entries] == ["ada", "ben"]
