"""The source's worked examples and errata, through the parts of a study's report."""

from dataclasses import replace

import numpy as np
import pytest

from arena.metrics.study.accuracy import accuracy, criticals, efficiency
from arena.metrics.study.bets import (
    RULES,
    STATED,
    PlacedBets,
    bet_book,
    edge_numbers,
    fair_book,
    placed,
    stakes,
)
from arena.metrics.study.comparisons import comparisons, families, kill, quoted
from arena.metrics.study.protocol import (
    BookQuotes,
    ClosingPlan,
    EfficiencyPlan,
    KillPlan,
    OddsBook,
    QuotedGap,
    StudyForecasts,
    StudyScore,
    losses,
)
from arena.metrics.study.report import BetBook, KillReport, PairComparison
from arena.odds.devig import OddsVenue
from arena.stats import Edge
from tests.metrics.study.studies import (
    betting,
    even,
    factor,
    losing,
    pair,
    quick,
    study_of,
    two,
)
from tests.present import present
from tests.vectors import near, source

BOOK = OddsBook("acme")


def test_s002_scores_3way_are_the_means_of_the_accuracy_table() -> None:
    known = source("s002.scores.3way")
    forecasts = study_of({"star": known["input"]["p"]}, known["input"]["y"])
    (line,) = accuracy(forecasts, losses(forecasts, quick()), quick())
    found = {"brier_mean": line.brier, "rps_mean": line.rps, "log_loss_mean": line.log_loss}
    assert near(found, {key: known["expected"][key] for key in found}, known["tol"])
    assert line.clipped == 1


def test_s002_rps_binary_is_half_the_brier_score_of_two_options() -> None:
    known = source("s002.rps_binary_equals_half_brier2")
    forecasts = study_of({"star": known["input"]["p"]}, known["input"]["y"])
    (line,) = accuracy(forecasts, losses(forecasts, quick(2)), quick(2))
    assert line.rps == pytest.approx(known["expected"]["rps"])
    assert line.brier == pytest.approx(known["expected"]["brier_sum"])


def compared(name: str) -> PairComparison:
    given = source(name)["input"]
    terms = losing(StudyScore.BRIER, star=given["loss_a"], base=given["loss_b"])
    forecasts = even(["star", "base"], len(given["loss_a"]))
    (line,) = comparisons(forecasts, terms, quick())
    return line


@pytest.mark.parametrize("name", ["s002.dm.n12", "s002.dm.n30"])
def test_c7_the_published_test_takes_the_bandwidth_for_the_horizon(name: str) -> None:
    known, right = source(name)["expected"], source(f"{name}.h1")["expected"]
    line = compared(name)
    assert line.published.statistic == pytest.approx(known["dm_star"])
    assert line.published.p == pytest.approx(known["p_two_sided"])
    assert line.textbook.statistic == pytest.approx(right["dm_star"])
    assert line.textbook.p == pytest.approx(right["p_two_sided"])


def test_identical_losses_are_no_difference_in_either_reading() -> None:
    line = compared("s002.dm.identical")
    assert (line.published.p, line.textbook.p) == (1.0, 1.0)
    assert not line.published_rejected


def test_a_constant_gap_is_nonsense_as_published_and_no_test_as_right() -> None:
    line = compared("s002.dm.constant_gap")
    assert line.published_rejected
    assert (line.textbook.p, line.rejected, line.holm) == (None, False, None)


def killed(name: str, star: str, base: str, *, folds: bool = False) -> KillReport:
    given = source(name)["input"]
    n = len(given[star])
    forecasts = even(["star", "base"], n)
    if folds:
        forecasts = replace(forecasts, fold=factor(*map(str, range(n))))
    protocol = quick(kill=KillPlan(test_over_train=0.25))
    return kill(forecasts, losing(StudyScore.LOG, star=given[star], base=given[base]), protocol)


def test_c3_the_kill_rule_is_two_rules_in_opposite_directions() -> None:
    known = source("s002.kill.per_match")["expected"]
    report = killed("s002.kill.per_match", "ll_mstar", "ll_m0")
    assert report.stop.gap_in_se == pytest.approx(known["gap_in_se"])
    assert (report.stop.fired, report.gate.fired) == (
        known["tripped_worse"],
        known["gate_fails_to_beat"],
    )
    fires = pair(report.numbers, "chance that the gate fires between equals")
    assert fires == (pytest.approx(0.022750, abs=1e-6), pytest.approx(0.977250, abs=1e-6))


def test_a_constant_loss_trips_the_stop_rule_without_a_gap_in_errors() -> None:
    report = killed("s002.kill.constant_worse", "ll_mstar", "ll_m0")
    assert (report.stop.fired, report.stop.gap_in_se) == (True, None)


def test_c2_the_gap_over_folds_in_the_published_and_in_paired_errors() -> None:
    report = killed("s002.kill.cv_battery_phase8", "fold_ll_mstar", "fold_ll_m0", folds=True)
    assert pair(report.numbers, "gap in standard errors") == (
        pytest.approx(1.751835, abs=1e-6),
        pytest.approx(2.244544, abs=1e-6),
    )
    assert pair(report.numbers, "one-sided p of the gap") == (
        pytest.approx(0.044088, abs=1e-6),
        pytest.approx(0.104448, abs=1e-6),
    )
    assert present(report.folds).nadeau_bengio_t == pytest.approx(1.496362, abs=1e-6)


def test_c2_the_marginal_error_is_the_spread_of_folds() -> None:
    report = killed("s002.kill.cv_battery_phase4", "fold_ll_mstar", "fold_ll_m0", folds=True)
    gap = present(report.folds)
    assert gap.gap_over_between_fold_sd == pytest.approx(6.218703, abs=1e-6)
    assert gap.gap_over_paired_se == pytest.approx(1.961660, abs=1e-6)


def test_c4_and_c18_alarms_are_false_more_often_than_was_said() -> None:
    report = killed("s002.kill.cv_battery_phase8", "fold_ll_mstar", "fold_ll_m0", folds=True)
    rate = pair(report.numbers, "false alarms with these folds")[1]
    assert rate == pytest.approx(0.058058, abs=1e-6)
    looks = pair(report.numbers, "chance of a false alarm in all looks")[1]
    assert looks == pytest.approx(0.087942, abs=1e-6)
    at_one = pair(report.numbers, "the same at one standard error")[1]
    assert at_one == pytest.approx(0.498933, abs=1e-6)


def test_c5_and_c15_the_levels_and_the_bandwidth() -> None:
    numbers = families(quick(), models=6, n=64)
    each = pair(numbers, "level of each of the looks' tests")
    assert each == (0.005, pytest.approx(0.0125))
    assert pair(numbers, "tests that the level is Bonferroni's for") == (4, 10)
    assert pair(numbers, "pairs of models")[1] == 15
    assert pair(numbers, "bandwidth of the longest series") == (3, 4)


def test_c1_the_printed_critical_value_is_of_another_level() -> None:
    numbers = criticals(quick())
    assert pair(numbers, "critical value at the corrected level") == (
        8.668,
        pytest.approx(8.764053, abs=1e-6),
    )
    assert pair(numbers, "level of the printed critical value")[1] == pytest.approx(
        0.013115, abs=1e-6
    )


def sixty_games() -> StudyForecasts:
    given = source("s002.nyberg.n60")["input"]
    return study_of({"star": given["p_model"]}, given["y"], closing=np.array(given["q_close"]))


def test_c6_walds_test_as_coded_never_rejects_and_hc3_is_beside_it() -> None:
    (report,) = efficiency(sixty_games(), quick())
    known = source("s002.nyberg.n60")["expected"]
    assert report.test.statistic == pytest.approx(known["lr"])
    assert report.test.p == pytest.approx(known["p"])
    assert report.wald["hc3 as coded"].p == pytest.approx(0.999389, abs=1e-6)
    assert report.wald["hc3"].p == pytest.approx(0.434698, abs=1e-6)


def test_efficiency_is_rejected_at_the_protocols_levels_and_as_printed() -> None:
    levels = EfficiencyPlan(0.3, 0.2, printed_critical=2.5, replicates=1)
    (report,) = efficiency(sixty_games(), quick(efficiency=levels))
    assert (report.rejected, report.corrected, report.published) == (True, False, True)


def test_a_model_that_is_the_market_adds_nothing() -> None:
    games = sixty_games()
    (report,) = efficiency(replace(games, p=games.closing[None]), quick())
    assert (report.test.statistic, report.test.p, report.bootstrap_p) == (0.0, 1.0, 1.0)


def test_the_checkpoint_that_was_quoted_implies_its_error() -> None:
    protocol = quick(quoted=(QuotedGap("r16", -0.044859, -1.47),))
    (implied,) = quoted(protocol)
    assert implied.error == pytest.approx(0.030516, abs=1e-6)


@pytest.mark.parametrize("name", ["typical", "overround12", "longshot", "two_way"])
def test_c20_a_book_without_its_margin_by_the_power_method_and_by_shin(name: str) -> None:
    known = source(f"s002.devig.{name}")
    odds = np.array([known["input"]["odds"]])
    protocol = quick(odds.shape[1])
    book = fair_book(even(["star"], 1, odds.shape[1]), protocol, BOOK, odds)
    assert near(book.q[0].tolist(), known["expected"]["q"], 1e-6)
    shin = [number.right for number in book.report.numbers]
    assert near(shin, known["expected"]["shin_q"], 1e-6)


def test_an_exchange_below_one_has_no_insiders() -> None:
    known = source("s002.devig.underround")
    exchange = OddsBook("betfair", OddsVenue.EXCHANGE)
    book = fair_book(even(["star"], 1), quick(), exchange, np.array([known["input"]["odds"]]))
    assert near(book.q[0].tolist(), known["expected"]["q"], 1e-6)
    assert [number.right for number in book.report.numbers] == [None] * 3


@pytest.mark.parametrize(
    ("stage", "vector"),
    [("knockout", "s002.devig.knockout_draw"), ("group", "s002.devig.host")],
)
def test_the_bias_constants_move_the_draw_and_the_host(stage: str, vector: str) -> None:
    known = source(vector)
    one = replace(even(["star"], 1), stage=factor(stage), host=np.array([0]))
    book = fair_book(one, quick(), BOOK, np.array([known["input"]["odds"]]))
    assert near(book.q[0].tolist(), known["expected"]["q"], 1e-6)
    assert book.report.moved == 3


@pytest.mark.parametrize("number", range(7))
def test_s002_kelly_stakes_on_their_way_down(number: int) -> None:
    known = source(f"s002.kelly.{number}")
    given = known["input"]
    q, odds = given["q_devigged"], given["decimal_odds"]
    one = betting([q], [q], p=q + given["edge"])
    book = BookQuotes(np.array([[odds, 50.0]]), np.array([[odds, 50.0]]))
    bets = PlacedBets(np.array([0]), np.array([0]), np.array([1.0]), {})
    report = stakes(replace(one, odds={"acme": book}), quick(2), bets)
    found = {"f_full": report.full, "f_frac": report.fractional, "f_capped": report.capped}
    assert near(found, {key: known["expected"][key] for key in found}, 1e-9)
    assert report.final == pytest.approx(known["expected"]["f_final"])


def test_c23_two_markets_of_one_match_are_capped_together() -> None:
    both = replace(betting([0.5, 0.5], [0.5, 0.5]), event=np.array([0, 0]))
    bets = PlacedBets(np.arange(2), np.zeros(2, np.intp), np.ones(2), {})
    report = stakes(both, quick(2), bets)
    assert pair(report.numbers, "stakes under the caps") == (
        pytest.approx(0.10),
        pytest.approx(0.08),
    )
    assert report.cut == {"event": 2}


def test_c22_an_edge_on_the_threshold_is_flagged_by_floats_alone() -> None:
    thirds = study_of(
        {"star": [[0.33, 0.30, 0.37]]}, [0], opening=np.array([[0.30, 0.33, 0.37]])
    )
    assert pair(edge_numbers(thirds, quick()), "legs flagged") == (2, 0)


def test_c22_floats_flag_one_of_two_legs_on_the_threshold() -> None:
    given = source("s002.edge_flag")["input"]
    one = study_of({"star": [given["p"]]}, [0], opening=np.array([given["q"]]))
    assert pair(edge_numbers(one, quick()), "legs flagged") == (1, 0)


def test_c25_legs_of_opposite_sign_are_counted_and_are_no_error() -> None:
    one = study_of({"star": [[0.5, 0.3, 0.2]]}, [0], opening=np.array([[0.4, 0.3, 0.3]]))
    name = "questions with flagged legs of opposite sign"
    assert pair(edge_numbers(one, quick()), name) == (1, None)


def test_flagged_edges_are_measured_by_how_sure_both_probabilities_are() -> None:
    one = study_of({"star": [[0.5, 0.3, 0.2]]}, [0], opening=np.array([[0.4, 0.3, 0.3]]))
    protocol = quick(edge=replace(quick().edge, paths=100))
    variances = np.array([0.25 / 100 + 0.24 / 50, 0.16 / 100 + 0.21 / 50])
    name = "mean size of flagged edges in standard errors"
    size = pytest.approx((0.1 / variances**0.5).mean())
    assert pair(edge_numbers(one, protocol), name) == (size, None)


def test_c10_the_replay_stakes_too_little_by_the_factor_q() -> None:
    known = source("s002.pseudo_stake_bug")["expected"]
    one = study_of({"star": [[0.46, 0.54]]}, [0], opening=two([0.4]), closing=two([0.5]))
    by_rule = dict(placed(one, quick(2), "star", np.zeros(1, np.bool_)))
    assert by_rule[RULES].stake == pytest.approx([known["correct_fair_odds_kelly"]])
    assert by_rule["as coded"].stake == pytest.approx([known["pseudo_clv_code_stake"]])


def test_c10_a_long_shot_is_one_by_the_price_and_not_by_the_model() -> None:
    one = study_of({"star": [[0.12, 0.88]]}, [0], opening=two([0.05]), closing=two([0.06]))
    by_rule = dict(placed(one, quick(2), "star", np.zeros(1, np.bool_)))
    assert by_rule[RULES].stake == pytest.approx([0.009], abs=5e-4)
    assert by_rule["long shots by p"].stake == pytest.approx([0.018], abs=5e-4)


def valued(forecasts: StudyForecasts, closing: ClosingPlan | None = None) -> BetBook:
    plan = closing or quick().closing
    gated = np.zeros(len(forecasts.outcome), np.bool_)
    rule, bets = next(placed(forecasts, quick(2), "star", gated))
    assert rule == STATED
    return bet_book(forecasts, quick(2, closing=plan), ("star", rule), bets, gated)


def test_s002_clv_series_in_every_form() -> None:
    known = source("s002.clv.series")
    given = known["input"]
    odds = BookQuotes(
        np.column_stack([given["d_open"], np.full(8, 2.0)]),
        np.column_stack([given["d_close"], np.full(8, 2.0)]),
    )
    book = valued(replace(betting(given["q_open"], given["q_close"]), odds={"acme": odds}))
    form = {each.key: each.mean.value for each in book.closing.forms}
    expected = {key: np.mean(known["expected"][key]) for key in ("clv", "clv_log")}
    assert form["clv"] == pytest.approx(expected["clv"])
    assert form["clv_log_source_c"] == pytest.approx(expected["clv_log"])
    log = pair(book.numbers, "mean log ratio of fair prices")[1]
    assert log == pytest.approx(np.mean(known["expected"]["log_ratio_q"]))


def test_c13_a_price_that_rises_or_falls_alike_has_a_log_ratio_below_zero() -> None:
    book = valued(betting([0.4, 0.4], [0.5, 0.3]))
    assert book.clv == pytest.approx(0.0)
    log = pair(book.numbers, "mean log ratio of fair prices")[1]
    assert log == pytest.approx(-0.032269, abs=1e-6)


def bets_of(series: list[float], **plan: object) -> BetBook:
    """Bets whose closing line values are a series."""
    closing = replace(quick().closing, **plan)  # type: ignore[arg-type]
    return valued(betting([0.4] * len(series), [0.4 * (1 + x) for x in series]), closing)


def test_s002_hm_rng_dependent_is_what_the_paper_would_have_published() -> None:
    known = source("s002.hm.rng_dependent")
    book = bets_of(
        known["input"]["clv"], code=known["input"]["code_sha"], draws=known["input"]["B"]
    )
    published = book.closing.source_c
    assert published.seed == known["expected"]["seed"]
    assert [published.low_95, published.high_95] == pytest.approx(known["expected"]["ci95"])
    assert published.label == known["expected"]["decision"]


def test_few_bets_have_no_label_of_ours() -> None:
    known = source("s002.hm.rng_dependent")
    assert bets_of(known["input"]["clv"]).label is Edge.INSUFFICIENT_DATA


def test_the_level_of_the_test_by_z_is_the_protocols() -> None:
    series = source("s002.hm.rng_dependent")["input"]["clv"]
    verdicts = [bets_of(series, alpha=a).closing.source_c.z.reject for a in (0.05, 1e-6)]
    assert verdicts == [True, False]


def test_c9_the_interval_is_the_basic_one_and_corrects_no_bias() -> None:
    book = bets_of(source("s002.hm.explicit_indices")["input"]["clv"])
    ratio, corrected = pair(book.numbers, "Sharpe ratio, corrected for bias")
    assert ratio == pytest.approx(0.218478, abs=1e-6)
    assert present(corrected) < present(ratio)


@pytest.mark.parametrize(
    ("n", "floats", "docstrings", "right"), [(64, 6, 7, 7), (512, 13, 12, 14), (104, 8, 8, 8)]
)
def test_c8_c11_and_c15_blocks_in_floats_and_by_the_docstrings(
    n: int, floats: int, docstrings: int, right: int
) -> None:
    book = bets_of([0.1, -0.1] * (n // 2), draws=20)
    assert pair(book.numbers, "block length") == (floats, right)
    assert pair(book.numbers, "block length by the docstrings") == (docstrings, right)


def test_c16_the_seed_depends_on_how_long_the_name_is_written() -> None:
    known = source("s002.seed_from_sha")
    for name, seed in zip(
        known["input"]["sha"][:2], known["expected"]["seed"][:2], strict=True
    ):
        numbers = bets_of([0.1, 0.2], code=name).numbers
        assert pair(numbers, "seed of the code's name")[0] == seed


def test_c19_two_documents_have_two_critical_values() -> None:
    numbers = bets_of([0.1, 0.2]).numbers
    assert pair(numbers, "critical Z") == (1.96, pytest.approx(1.644854, abs=1e-6))


def test_c24_a_series_that_never_varies_has_no_ratio() -> None:
    series = [0.4 * 1.01] * 10
    book = valued(betting([0.4] * 10, series))
    published, right = pair(book.numbers, "Sharpe ratio")
    assert right is None
    assert published is None or present(published) > 1e6
    assert book.label is Edge.INSUFFICIENT_DATA
