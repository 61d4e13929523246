"""A whole study: what is there, what is missing and why, and what was foretold."""

import json
import re
from dataclasses import replace
from functools import cache
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.cli.say import as_plain
from arena.metrics.study.evaluate import run_study
from arena.metrics.study.protocol import (
    FamilyRates,
    Opponent,
    Prediction,
    PredictionKind,
    PrimaryTest,
    StudyForecasts,
    StudyScore,
)
from arena.metrics.study.report import StudyReport
from arena.metrics.study.tables import headline, latex, latex_text, study_tables
from arena.stats import Edge
from tests.metrics.study.studies import factor, quick, study_of
from tests.present import present, some
from tests.sizes import size

PRICES = frozenset({"efficiency", "prices", "gate", "edges", "stakes", "bets"})


def games(n: int, k: int = 3, seed: int = 0, *, quotes: bool = True) -> StudyForecasts:
    """A champion near the truth, a baseline far from it, and a market in between."""
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.full(k, 2.0), n)

    def near(sd: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        p = truth * np.exp(sd * rng.standard_normal(truth.shape)) + 0.01
        return np.asarray(p / p.sum(axis=1, keepdims=True))

    came = (truth.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    models = {"star": near(0.2), "base": near(0.8), "third": near(0.4)}
    study = study_of(models, np.minimum(came, k - 1).tolist())
    return replace(study, opening=near(0.3), closing=near(0.1)) if quotes else study


@cache
def whole(k: int = 3) -> StudyReport:
    """The report of 25 games, which several tests read."""
    return run_study(games(25, k), quick(k))


@pytest.mark.parametrize("k", [2, 3])
def test_a_study_with_prices_misses_only_what_its_file_lacks(k: int) -> None:
    report = whole(k)
    assert set(report.missing) == {"stages", "folds", "books"}
    assert {line.model for line in report.ablation} == {"star", "base", "third", "market"}
    assert {e.model for e in some(report.efficiency or ())} == {"star", "base", "third"}


def test_the_market_is_its_own_rows_or_its_closing_prices() -> None:
    study = games(25)
    own = replace(
        study,
        models=(*study.models, "market"),
        p=np.concatenate([study.p, study.closing[None]]),
        stake=np.full((4, 25), np.nan),
        backed=np.full((4, 25), -1),
    )
    assert run_study(own, quick()).ablation == whole().ablation


def test_without_quotes_every_part_of_prices_and_bets_is_missing_with_its_reason() -> None:
    report = run_study(games(30, quotes=False), quick())
    assert set(report.missing) >= PRICES | {"tests of the market", "power"}
    assert all(getattr(report, part) is None for part in PRICES)
    assert all(row.clv is None and row.label is None for row in report.ablation)


def test_without_a_close_there_are_stakes_and_no_closing_line_value() -> None:
    report = run_study(replace(games(30), closing=np.full((30, 3), np.nan)), quick())
    assert report.stakes is not None
    assert (report.bets, "bets" in report.missing) == (None, True)


def test_one_question_has_means_and_no_interval_test_or_label() -> None:
    report = run_study(games(1), quick())
    means = some(s for line in report.accuracy for s in line.scores)
    assert all(s.mean is not None and s.published is None and s.right is None for s in means)
    assert all(x.textbook.p is None and not x.rejected for x in some(report.comparisons or ()))
    assert {book.label for book in some(report.bets or ())} == {Edge.INSUFFICIENT_DATA}


def test_options_without_an_order_have_no_rps() -> None:
    report = run_study(games(20, quotes=False), quick(ordered=False))
    assert report.missing["rps"] == "the options have no order"
    assert {row.rps for row in report.ablation} == {None}


def test_a_baseline_that_is_not_there_leaves_the_kill_rule_out() -> None:
    report = run_study(games(20, quotes=False), quick(baseline="nobody"))
    reason = "there are no forecasts of the baseline"
    assert (report.kill, report.missing["kill"]) == (None, reason)


def test_a_champion_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValueError, match="nobody"):
        run_study(games(5), quick(champion="nobody"))


def test_a_stage_of_one_question_has_no_line() -> None:
    played = factor("group", "group", "group", "group", "final")
    study = replace(games(5, quotes=False), stage=played)
    stages = some(run_study(study, quick()).stages or ())
    assert {line.stage for line in stages} == {"group"}


def test_questions_without_a_stage_or_a_fold_are_in_none() -> None:
    study = games(6, quotes=False)
    study = replace(study, stage=factor("group", "group", "", "", "group", ""))
    report = run_study(replace(study, fold=factor("1", "1", "2", "2", "", "")), quick())
    assert {(line.stage, line.n) for line in some(report.stages or ())} == {("group", 3)}
    assert present(present(report.kill).folds).folds == 2


def test_the_champions_replay_is_its_own_book() -> None:
    report = whole()
    first = some(report.bets or ())[0]
    assert (first.model, first.rule) == ("star", "rules")
    assert present(report.stakes).bets == first.bets


def test_primary_tests_are_a_family_and_all_others_another() -> None:
    protocol = quick(primary=(PrimaryTest(Opponent.BASELINE, StudyScore.LOG),))
    lines = some(run_study(games(40, quotes=False), protocol).comparisons or ())
    primary = [(x.model, x.against, x.score) for x in lines if x.family == "primary"]
    assert primary == [("star", "base", StudyScore.LOG)]
    (line,) = (x for x in lines if x.family == "primary")
    assert line.bonferroni == line.holm == line.bh == line.textbook.p


def test_the_rate_of_exploration_is_the_protocols() -> None:
    for rate, explored in ((0.9999, True), (1e-9, False)):
        protocol = quick(families=FamilyRates(1e-9, rate))
        lines = some(run_study(games(40, quotes=False), protocol).comparisons or ())
        assert any(line.explored for line in lines) is explored
        assert not any(line.held for line in lines)


def test_the_same_study_gives_the_same_report() -> None:
    assert repr(run_study(games(25), quick())) == repr(whole())


def test_the_order_of_models_changes_no_number() -> None:
    study, protocol = games(12, quotes=False), quick()
    ablation = {row.model: row for row in run_study(study, protocol).ablation}
    for order in permutations(range(3)):
        places = list(order)
        shuffled = replace(
            study,
            models=tuple(study.models[place] for place in places),
            p=study.p[places],
            stake=study.stake[places],
            backed=study.backed[places],
        )
        found = run_study(shuffled, protocol).ablation
        assert {row.model: row for row in found} == ablation


@settings(max_examples=size(5, 60))
@given(st.integers(0, 10**6), st.sampled_from([2, 3]), st.integers(1, 12))
def test_any_study_has_a_report_without_nan_in_any_rendering(seed: int, k: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    study, gaps = games(n, k, seed), rng.random((3, n)) < 0.3
    gaps[0, 0] = False
    p = np.where(gaps[:, :, None], np.nan, np.round(study.p, 1))
    p[:, :, -1] = np.maximum(0.0, 1 - p[:, :, :-1].sum(axis=2))
    study = replace(
        study,
        p=p / p.sum(axis=2, keepdims=True),
        opening=np.where(rng.random((n, 1)) < 0.3, np.nan, study.opening),
        closing=np.where(rng.random((n, 1)) < 0.3, np.nan, study.closing),
        event=rng.integers(0, 3, n),
        stage=factor(*rng.choice(["group", "knockout"], n)),
        fold=factor(*rng.choice(["1", "2"], n)),
    )
    report = run_study(study, quick(k))
    json.dumps(as_plain(report), allow_nan=False)
    assert some(study_tables(report))
    assert "nan" not in latex(report)


def foretold(**prediction: object) -> tuple[Any, Any, str]:
    """What became of one prediction over two questions: home came, then away."""
    study = study_of(
        {"star": [[0.7, 0.2, 0.1]] * 2, "base": [[0.4, 0.3, 0.3]] * 2},
        [0, 2],
        stage=factor("group", "final"),
    )
    told = Prediction(id="x", **prediction)  # type: ignore[arg-type]
    report = run_study(study, quick(predictions=(told,)))
    (result,) = present(report.ledger).predictions
    return result.result, result.value, result.reason


def test_an_outcome_that_came_is_a_hit_and_another_a_miss() -> None:
    outcome = {"kind": PredictionKind.OUTCOME, "question": "q0"}
    assert foretold(**outcome, option="home")[0] == "HIT"
    assert foretold(**outcome, option="draw")[0] == "MISS"


def test_a_question_that_is_not_there_is_open_and_no_miss() -> None:
    result, value, reason = foretold(kind=PredictionKind.OUTCOME, question="q9", option="home")
    assert (result, value) == (None, None)
    assert "no resolved question" in reason


def test_a_forecast_and_a_share_are_held_against_their_bounds() -> None:
    forecast = {"kind": PredictionKind.FORECAST, "model": "star", "question": "q0"}
    assert foretold(**forecast, option="home", low=0.5)[:2] == ("HIT", 0.7)
    share = {"kind": PredictionKind.SHARE, "option": "home"}
    assert foretold(**share, low=0.6)[:2] == ("MISS", 0.5)
    assert foretold(**share, stage="group", low=0.6)[:2] == ("HIT", 1.0)
    assert foretold(**share, stage="semi-final")[0] is None


def test_a_lower_mean_is_a_hit_and_only_a_rejection_shows_it() -> None:
    duel = {"model": "base", "against": "star", "score": StudyScore.BRIER}
    assert foretold(kind=PredictionKind.BEATS, **duel)[:2] == ("HIT", pytest.approx(-0.1))
    assert foretold(kind=PredictionKind.REJECTS, **duel)[0] == "MISS"
    same = {"model": "star", "against": "star", "score": StudyScore.BRIER}
    assert foretold(kind=PredictionKind.BEATS, **same)[0] == "NEUTRAL"


def test_the_most_confident_misses_stand_first() -> None:
    study = study_of(
        {"star": [[0.5, 0.3, 0.2], [0.9, 0.05, 0.05], [0.6, 0.3, 0.1], [0.8, 0.1, 0.1]]},
        [1, 2, 0, 1],
    )
    book = present(run_study(study, quick()).ledger)
    assert [(miss.question, miss.p) for miss in book.worst] == [
        ("q1", 0.9),
        ("q3", 0.8),
        ("q0", 0.5),
    ]
    assert (book.forecasts, book.forecast_hits) == (4, 1)


def named(model: str) -> StudyReport:
    """A report whose baseline has any name."""
    study = games(12)
    return run_study(replace(study, models=("star", model, "third")), quick(baseline=model))


def test_a_missing_number_is_three_dashes_in_latex() -> None:
    text = latex(run_study(games(12, quotes=False), quick()))
    (row,) = (line for line in text.splitlines() if line.startswith("base"))
    assert row.count("---") == 7


@given(st.text(max_size=30))
def test_a_name_is_text_in_latex(name: str) -> None:
    plain = re.sub(r"\\(text[a-z]+\{\}|[&%$#_{}])", "", latex_text(name))
    assert not set(plain.replace("{-}", "")) & set('\\&%$#_{}~^<>|"\n')


def test_a_hostile_name_closes_no_row_of_the_latex() -> None:
    text = latex(named("\\input{secret} & 1 \\\\ \\hline %"))
    (row,) = (line for line in text.splitlines() if "secret" in line)
    assert "\\input" not in row.replace("\\textbackslash{}input", "")
    assert row.count(" & ") == 11


def test_every_table_has_as_many_cells_as_headings() -> None:
    for table in some(study_tables(whole())):
        assert {len(row) for row in table.rows} == {len(table.head)}


def test_another_number_of_questions_than_was_registered_is_said() -> None:
    lines = headline(run_study(games(5, quotes=False), quick(matches=72)))
    assert "The registered look is at 72 questions, which this is not." in lines
