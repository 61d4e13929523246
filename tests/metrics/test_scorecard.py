from dataclasses import replace

import numpy as np
import pytest

from arena.errors import ArenaError
from arena.metrics.metric_values import YES_NO, measure
from arena.metrics.scorecard import broken_down, given_to_outcome, scorecard
from tests.metrics.season import (
    NAMES,
    among_many,
    factor,
    frame,
    over_options,
    season,
    timeless,
)
from tests.present import present, some
from tests.stats.intervals import ends

FOUND = season()


def test_every_contestant_has_a_line_best_first() -> None:
    card = scorecard(FOUND)
    assert [line.rank for line in card.lines] == [1, 2, 3]
    assert sorted(line.name for line in card.lines) == list(NAMES)
    values = [present(line.scores["brier"].value) for line in card.lines]
    assert values == sorted(values)
    assert card.lines[0].scores.keys() == set(YES_NO)
    assert (card.rank_by, card.level) == ("brier", 0.95)


def test_a_line_counts_forecasts_questions_markets_and_events() -> None:
    rows = frame(FOUND)
    lines = scorecard(FOUND).lines
    assert len(lines) == len(NAMES)
    for line in lines:
        own = rows[rows.who == line.name]
        assert (line.n, line.questions, line.markets, line.events) == (
            len(own), len(own[["market", "at"]].drop_duplicates()), own.market.nunique(),
            own.event.nunique(),
        )  # fmt: skip


def test_what_two_cohorts_ask_at_the_same_moment_is_one_question() -> None:
    once = scorecard(FOUND).lines
    twice = scorecard(FOUND.take(np.tile(np.arange(len(FOUND)), 2))).lines
    assert [line.n for line in twice] == [2 * line.n for line in once]
    assert [line.questions for line in twice] == [line.questions for line in once]
    assert len(once) == len(NAMES)


def test_without_moments_each_market_is_a_question() -> None:
    lines = scorecard(timeless(FOUND)).lines
    assert [line.questions for line in lines] == [line.markets for line in lines]
    assert len(lines) == len(NAMES)


def test_counts_are_the_same_where_there_are_too_many_names_for_a_table() -> None:
    both = (scorecard(found, ["brier"]).lines for found in (FOUND, among_many(FOUND)))
    for one, other in some(zip(*both, strict=True)):
        assert (other.name, other.markets, other.events) == (one.name, one.markets, one.events)


def test_a_score_where_more_is_better_ranks_the_other_way() -> None:
    lines = scorecard(FOUND, ["brier"], rank_by="alpha").lines
    values = [present(line.scores["alpha"].value) for line in lines]
    assert values == sorted(values, reverse=True)
    assert lines[0].scores.keys() == {"alpha", "brier"}


def test_equals_share_a_rank_and_stand_by_name() -> None:
    alike = replace(FOUND, p=np.full(len(FOUND), 0.5))
    assert [(line.rank, line.name) for line in scorecard(alike, ["brier"]).lines] == [
        (1, name) for name in NAMES
    ]


def test_who_has_no_value_stands_last_and_unranked() -> None:
    bare = FOUND.contestant.codes == FOUND.contestant.code("ada")
    holed = replace(FOUND, market_p=np.where(bare, np.nan, FOUND.market_p))
    last = scorecard(holed, ["alpha"]).lines[-1]
    assert (last.name, last.rank, last.scores["alpha"].value) == ("ada", None, None)


def test_who_has_no_row_left_has_no_line() -> None:
    part = FOUND.take(FOUND.contestant.codes != 0)
    assert len(scorecard(part).lines) == 2
    assert scorecard(FOUND.take(FOUND.p > 2)).lines == ()


def test_nobody_is_best_by_what_has_no_better_side() -> None:
    lines = scorecard(FOUND, ["sharpness"]).lines
    assert [(line.rank, line.name) for line in lines] == [(None, name) for name in NAMES]


def test_clipped_likelihoods_are_counted() -> None:
    p = np.where(FOUND.outcome == 1, 0.0, FOUND.p / 2)
    lines = scorecard(replace(FOUND, p=p), ["log"]).lines
    assert sum(line.clipped for line in lines) == int(FOUND.outcome.sum())
    assert sum(line.clipped for line in scorecard(FOUND, ["log"]).lines) == int(
        np.count_nonzero(given_to_outcome(FOUND) < 1e-6)
    )


def test_of_options_the_likelihood_is_that_of_the_one_that_came() -> None:
    found = over_options()
    assert given_to_outcome(found)[5] == present(found.options)[5, found.outcome[5]]
    assert scorecard(found, ordered=True).rank_by == "brier_sum"


def test_parts_are_scored_as_if_they_were_all_there_is() -> None:
    whole = scorecard(FOUND, ["brier", "ece"])
    parts = broken_down(FOUND, whole, ["brier", "ece"], "topic")
    assert (parts.by, {line.part for line in parts.lines}) == ("topic", {"rain", "sun"})
    label = FOUND.labels["topic"]
    sun = FOUND.take(label.codes == label.code("sun"))
    alone = {line.name: line for line in scorecard(sun, ["brier", "ece"]).lines}
    for line in parts.lines:
        if line.part == "sun":
            assert replace(line, part="") == alone[line.name]


def test_resampled_intervals_follow_from_the_name() -> None:
    keys = ["brier", "ece", "auc"]
    once, again = (scorecard(FOUND, keys, draws=50) for _ in range(2))
    assert once == again
    for line in once.lines:
        for key in ("ece", "auc"):
            low, high = ends(line.scores[key].interval)
            assert low <= high
    assert scorecard(FOUND, keys).lines[0].scores["ece"].interval is None


@pytest.mark.parametrize(
    ("keys", "hint"),
    [
        (["luck"], "there are: alpha, "),
        (["brier", "rps"], "did you mean "),
        (["brier_sum"], "did you mean "),
        (["return"], "there are: alpha, "),
        (["brie"], "did you mean brier?"),
    ],
)
def test_a_metric_that_these_forecasts_do_not_have_is_refused(
    keys: list[str], hint: str
) -> None:
    with pytest.raises(ArenaError, match="there is no metric") as refused:
        scorecard(FOUND, keys)
    assert refused.value.hint.startswith(hint)
    with pytest.raises(ArenaError):
        scorecard(FOUND, rank_by=keys[-1])


def test_order_must_be_said_for_a_score_of_order() -> None:
    with pytest.raises(ArenaError):
        scorecard(over_options(), ["rps"])


def test_a_label_that_is_not_there_is_answered_with_those_that_are() -> None:
    whole = scorecard(FOUND)
    with pytest.raises(ArenaError, match="no label colour") as refused:
        broken_down(FOUND, whole, ["brier"], "colour")
    assert refused.value.hint == "there are: topic"


def test_a_label_that_names_everything_breaks_nothing_down() -> None:
    many = factor([str(n) for n in range(len(FOUND))])
    found = replace(FOUND, labels={"row": many})
    assert len(broken_down(found, scorecard(found), ["brier"], "row").lines) == len(FOUND)
    found = season(events=400, markets=1, missing=0)
    found = replace(found, labels={"row": factor([str(n) for n in range(1200)])})
    with pytest.raises(ArenaError, match="row has 1,200 values"):
        broken_down(found, scorecard(found, ["brier"]), ["brier"], "row")


def test_the_levels_of_intervals_are_held() -> None:
    for level in (1e-9, 0.5, 1 - 1e-12):
        for line in scorecard(FOUND, ["brier", "alpha"], level=level).lines:
            for found in line.scores.values():
                assert present(found.interval).level == level
                low, high = ends(found.interval)
                assert low <= present(found.value) <= high
    with pytest.raises(ValueError, match="level"):
        scorecard(FOUND, level=1.0)


def test_scores_are_those_of_measure() -> None:
    found = measure(["brier"], FOUND)["brier"]
    for line in some(scorecard(FOUND, ["brier"]).lines):
        assert line.scores["brier"] == found[FOUND.contestant.names.index(line.name)]
