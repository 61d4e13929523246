from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.scoring.tournament.board import score_question, score_tournament
from arena.scoring.tournament.prizes import Medal
from arena.scoring.tournament.records import (
    CROWDS,
    QuestionKind,
    TimedForecast,
    Tournament,
    TournamentEntry,
    TournamentQuestion,
    TournamentResult,
    TournamentRule,
    Void,
)
from arena.scoring.tournament.standing import panel_of, value_on
from tests.present import present
from tests.scoring.tournament.example import example, question, yes_no

GOOD = {"A": [0.9] * 4, "B": [0.6] * 4, "C": [0.2] * 4}


def named(found: TournamentResult, name: str) -> TournamentEntry:
    return next(entry for entry in found.entries if entry.name == name)


def of(
    rule: TournamentRule, *questions: TournamentQuestion, pool: float | None = 1000.0
) -> Tournament:
    return Tournament(questions, rule=rule, pool=pool)


def twins(count: int, weight: float = 1.0) -> tuple[TournamentQuestion, ...]:
    return tuple(replace(yes_no(GOOD), id=str(n), weight=weight) for n in range(count))


@pytest.mark.parametrize("rule", TournamentRule)
def test_every_set_of_rules_ranks_the_better_forecasts_first(rule: TournamentRule) -> None:
    found = score_tournament(of(rule, *twins(3)))
    assert [(e.rank, e.name) for e in found.entries] == [(1, "A"), (2, "B"), (3, "C")]


@pytest.mark.parametrize("rule", TournamentRule)
def test_the_weights_of_questions_count(rule: TournamentRule) -> None:
    halves = score_tournament(of(rule, *twins(4, weight=0.5)))
    wholes = score_tournament(of(rule, *twins(2)))
    assert named(halves, "A").total == pytest.approx(named(wholes, "A").total)
    assert named(halves, "A").coverage == pytest.approx(named(wholes, "A").coverage)


def test_questions_without_an_outcome_give_no_scores_and_are_named() -> None:
    left = {
        "annulled": replace(twins(1)[0], id="annulled", outcome=Void.ANNULLED),
        "ambiguous": replace(twins(1)[0], id="ambiguous", outcome=Void.AMBIGUOUS),
        "unresolved": replace(twins(1)[0], id="unresolved", outcome=Void.UNRESOLVED),
        "weightless": replace(twins(1)[0], id="weightless", weight=0.0),
    }
    found = score_tournament(of(TournamentRule.Y2022, *twins(1), *left.values()))
    assert found.left_out == {name: Void(name) for name in left}
    assert found.entries == score_tournament(of(TournamentRule.Y2022, *twins(1))).entries


def test_a_tournament_without_an_outcome_has_an_empty_leaderboard() -> None:
    asked = replace(twins(1)[0], outcome=Void.UNRESOLVED)
    found = score_tournament(of(TournamentRule.PEER, asked))
    assert (found.entries, found.absent) == ((), ("A", "B", "C"))


def test_a_question_without_forecasts_counts_for_coverage() -> None:
    nobody = TournamentQuestion("nobody", QuestionKind.BINARY, 0.0, 4.0, 1)
    found = score_tournament(of(TournamentRule.Y2022, *twins(1), nobody))
    assert named(found, "A").coverage == 0.5
    assert named(found, "A").completion == 0.5


def test_who_is_excluded_is_shown_and_not_paid() -> None:
    tournament = replace(of(TournamentRule.PEER, *twins(2)), excluded=frozenset({"A"}))
    found = score_tournament(tournament)
    a, b = found.entries[:2]
    assert (a.name, a.rank, a.included, a.share, a.prize, a.medal) == (
        ("A", 1, False, None, None, None)
    )
    assert (b.name, b.rank, b.prize, b.medal) == ("B", 1, 1000.0, Medal.GOLD)


def test_global_rankings_pay_nobody() -> None:
    found = score_tournament(of(TournamentRule.PEER_GLOBAL, *twins(2)))
    first = found.entries[0]
    assert (first.take, first.share, first.prize) == (None, None, None)
    assert first.score == pytest.approx(first.total / 30)
    assert first.medal is Medal.GOLD


def test_before_2024_global_peer_scores_were_over_questions() -> None:
    first = score_tournament(of(TournamentRule.PEER_GLOBAL_BEFORE_2024, *twins(2))).entries[0]
    assert first.score == pytest.approx(first.total / 40)


def test_where_nobody_has_taken_anything_there_are_no_prizes() -> None:
    bad = yes_no({"A": [0.1] * 4, "B": [0.2] * 4})
    found = score_tournament(of(TournamentRule.BASELINE, bad))
    assert [(e.take, e.share, e.prize) for e in found.entries] == [(0.0, None, 0.0)] * 2


def test_without_a_pool_there_are_shares_and_no_prizes() -> None:
    first = score_tournament(of(TournamentRule.PEER, *twins(1), pool=None)).entries[0]
    assert first.share == pytest.approx(0.88357750)
    assert first.prize is None


def test_equal_forecasts_share_a_rank() -> None:
    tied = yes_no({"B": [0.6] * 4, "A": [0.6] * 4, "C": [0.2] * 4})
    found = score_tournament(of(TournamentRule.BASELINE, tied))
    assert [(e.rank, e.name) for e in found.entries] == [(1, "A"), (1, "B"), (3, "C")]


@pytest.mark.parametrize("rule", TournamentRule)
def test_aggregates_are_shown_and_neither_ranked_nor_paid(rule: TournamentRule) -> None:
    asked = of(rule, *twins(1))
    found = score_tournament(replace(asked, aggregates=CROWDS))
    ours = [entry for entry in found.entries if entry.included]
    others = [entry for entry in found.entries if not entry.included]
    assert {entry.name for entry in others} == {crowd.name for crowd in CROWDS}
    assert ours == list(score_tournament(asked).entries)


def test_of_two_forecasts_at_one_time_the_later_row_holds() -> None:
    rows = (TimedForecast("A", 0.0, 0.2), TimedForecast("A", 0.0, 0.7))
    panel = panel_of(TournamentQuestion("q", QuestionKind.BINARY, 0.0, 1.0, 1, rows))
    assert panel.p.tolist() == [[0.7]]


def test_rows_may_come_in_any_order() -> None:
    asked = question("q1")
    turned = replace(asked, forecasts=asked.forecasts[::-1])
    one, other = score_question(example(), asked), score_question(example(), turned)
    assert dict(zip(one.names, one.scores, strict=True)) == pytest.approx(
        dict(zip(other.names, other.scores, strict=True))
    )


def test_a_question_without_an_outcome_says_so() -> None:
    with pytest.raises(ValueError, match="it is annulled"):
        value_on(replace(question("q1"), outcome=Void.ANNULLED), 0.5)


def test_a_panel_covers_the_scheduled_period() -> None:
    panel = panel_of(question("q3"))
    assert panel.cuts.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert panel.lasting.sum() == 4
    assert not panel.stands[:, -1].any()
    assert np.isnan(panel.p[:, -1]).all()


rows_ = st.lists(
    st.builds(
        TimedForecast,
        st.sampled_from("ABC"),
        st.floats(-1, 5).map(lambda at: round(at, 2)),
        st.none() | st.floats(0, 1),
    ),
    max_size=8,
)


@settings(max_examples=60)
@given(rows_, st.floats(0.5, 4), st.sampled_from(list(TournamentRule)))
def test_time_is_only_a_unit(
    rows: list[TimedForecast], closed: float, rule: TournamentRule
) -> None:
    asked = TournamentQuestion(
        "q", QuestionKind.BINARY, 0.0, 4.0, 1, tuple(rows), closed=round(closed, 2)
    )
    hours = replace(
        asked,
        close=96.0,
        closed=present(asked.closed) * 24,
        forecasts=tuple(replace(said, at=said.at * 24) for said in rows),
    )
    one, other = score_question(of(rule), asked), score_question(of(rule), hours)
    assert one.scores == pytest.approx(other.scores, abs=1e-9)
    assert one.coverage == pytest.approx(other.coverage, abs=1e-9)
    assert all(0 <= share <= 1 + 1e-12 for share in one.coverage)
